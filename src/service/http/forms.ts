/** Answers in the forms that the switches ask for. Spec: not shown, or shown in several forms. */
import type { Endpoint } from '../../contract/endpoints.ts'
import type { Answer } from './answer.ts'
import type { Switches } from './switches.ts'

/** A page of a list as the handlers make it. */
interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly unknown[]
}

/** Leaves refusals, tokens, documents and whatever is not of the API itself as they are. */
export function shapeAnswer(
  answer: Answer,
  endpoint: Pick<Endpoint, 'kind' | 'path'>,
  switches: Switches,
): Answer {
  const { kind, path } = endpoint
  if (answer.status >= 400 || kind === 'document' || !path.startsWith('/v1/')) return answer
  if (kind === 'act' && switches.actAnswer === 204) return { status: 204 }
  const rewritten = rewrite(answer, switches)
  if (kind === 'create') return { ...rewritten, status: switches.createAnswer }
  return kind === 'list' ? inEnvelope(rewritten, switches.envelope) : rewritten
}

const ENVELOPES: Readonly<Record<Switches['envelope'], (page: Page, answer: Answer) => Answer>> = {
  object: (_, answer) => answer,
  array: ({ results }, answer) => ({ ...answer, body: results }),
  data: ({ results, count, next, previous }, answer) => ({
    ...answer,
    body: { data: results, links: { next, prev: previous }, meta: { count } },
  }),
  link: ({ results, next, previous }, answer) => {
    const links = [linkTo(next, 'next'), linkTo(previous, 'prev')].filter((link) => link !== undefined)
    const headers = links.length === 0 ? {} : { link: links.join(', ') }
    return { ...answer, body: results, headers: { ...answer.headers, ...headers } }
  },
}

function inEnvelope(answer: Answer, envelope: Switches['envelope']): Answer {
  return ENVELOPES[envelope](answer.body as Page, answer)
}

function linkTo(address: string | null, relation: 'next' | 'prev'): string | undefined {
  return address === null ? undefined : `<${address}>; rel="${relation}"`
}

/** The fields whose values are words of a short list. */
const ENUM_FIELDS: ReadonlySet<string> = new Set(['status', 'level', 'type', 'owner_type', 'created_by'])

/** A number holds no more digits than these exactly; a longer UPC, or one that is no digits, stays text. */
const NUMERIC_UPC = /^\d{1,15}$/

/** No resource is nested as deep; what lies deeper is left as it is. */
const DEEPEST = 20

function rewrite(answer: Answer, { ids, upc, enumCase }: Switches): Answer {
  if (ids === 'number' && upc === 'text' && enumCase === 'as-is') return answer

  function rewriteField(name: string, value: unknown, depth: number): unknown {
    if (typeof value === 'number') return ids === 'text' && isIdField(name) ? String(value) : value
    if (typeof value === 'string') return rewriteText(name, value)
    return rewriteDeep(value, depth)
  }

  function rewriteText(name: string, value: string): unknown {
    if (name === 'upc' && upc === 'number' && NUMERIC_UPC.test(value)) return Number(value)
    if (enumCase === 'as-is' || !ENUM_FIELDS.has(name)) return value
    return enumCase === 'lower' ? value.toLowerCase() : value.toUpperCase()
  }

  function rewriteDeep(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
    if (Array.isArray(value)) return value.map((item) => rewriteDeep(item, depth + 1))
    const fields = Object.entries(value).map(([name, field]) => [name, rewriteField(name, field, depth + 1)])
    return Object.fromEntries(fields) as unknown
  }

  return { ...answer, body: rewriteDeep(answer.body, 0) }
}

function isIdField(name: string): boolean {
  return name === 'id' || name.endsWith('_id')
}
