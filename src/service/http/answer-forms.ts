/** Rewrites answers into the form that the switches choose. Spec: not shown, or shown in several forms. */
import type { Endpoint } from '../../contract/endpoints.ts'
import type { Answer } from './answers.ts'
import type { Switches } from '../switches.ts'

interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly unknown[]
}

/** Leaves refusals, tokens, documents and answers outside of the API unchanged. */
export function applyAnswerForm(
  answer: Answer,
  endpoint: Pick<Endpoint, 'kind' | 'path'>,
  switches: Switches,
): Answer {
  const { kind, path } = endpoint
  if (answer.status >= 400 || kind === 'document' || !path.startsWith('/v1/')) return answer
  if (kind === 'act' && switches.actAnswer === 204) return { status: 204 }
  const rewritten = rewriteAnswer(answer, switches)
  if (kind === 'create') return { ...rewritten, status: switches.createAnswer }
  return kind === 'list' ? ENVELOPES[switches.envelope](rewritten.body as Page, rewritten) : rewritten
}

const ENVELOPES: Readonly<Record<Switches['envelope'], (page: Page, answer: Answer) => Answer>> = {
  object: (_, answer) => answer,
  array: ({ results }, answer) => ({ ...answer, body: results }),
  data: ({ results, count, next, previous }, answer) => ({
    ...answer,
    body: { data: results, links: { next, prev: previous }, meta: { count } },
  }),
  link: ({ results, next, previous }, answer) => {
    const links = [formatLink(next, 'next'), formatLink(previous, 'prev')].filter((it) => it !== undefined)
    const headers = links.length === 0 ? {} : { link: links.join(', ') }
    return { ...answer, body: results, headers: { ...answer.headers, ...headers } }
  },
}

function formatLink(address: string | null, relation: 'next' | 'prev'): string | undefined {
  return address === null ? undefined : `<${address}>; rel="${relation}"`
}

const ENUM_FIELDS: ReadonlySet<string> = new Set(['status', 'level', 'type', 'owner_type', 'created_by'])

/** A number is exact up to 15 digits; a longer UPC, or one with other characters, stays text. */
const NUMERIC_UPC = /^\d{1,15}$/

/** No resource is nested this deep; deeper values stay unchanged. */
const MAX_DEPTH = 20

function rewriteAnswer(answer: Answer, { ids, upc, enumCase }: Switches): Answer {
  if (ids === 'number' && upc === 'text' && enumCase === 'as-is') return answer

  function rewriteField(name: string, value: unknown, depth: number): unknown {
    if (typeof value === 'number')
      return ids === 'text' && (name === 'id' || name.endsWith('_id')) ? String(value) : value
    if (typeof value === 'string') return rewriteText(name, value)
    return rewriteDeep(value, depth)
  }

  function rewriteText(name: string, value: string): unknown {
    if (name === 'upc' && upc === 'number' && NUMERIC_UPC.test(value)) return Number(value)
    if (enumCase === 'as-is' || !ENUM_FIELDS.has(name)) return value
    return enumCase === 'lower' ? value.toLowerCase() : value.toUpperCase()
  }

  function rewriteDeep(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
    if (Array.isArray(value)) return value.map((item) => rewriteDeep(item, depth + 1))
    const fields = Object.entries(value).map(([name, field]) => [name, rewriteField(name, field, depth + 1)])
    return Object.fromEntries(fields) as unknown
  }

  return { ...answer, body: rewriteDeep(answer.body, 0) }
}
