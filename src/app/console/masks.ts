/** Hides what is about people from those who may not see it. Numbers of orders and parcels stay: people ask by them. */
import { classifyField, classifyPath } from '../../contract/personal.ts'
import { formatPlace } from '../../domain/place.ts'
import { type Problem, PROBLEMS } from '../../domain/problem.ts'

/** For whom the data are made. */
export interface Audience {
  /** Personal data are hidden. */
  readonly isMasked: boolean
  /** Fields that count as personal beside those of the contract. */
  readonly personalFields?: readonly string[]
}

type OwnFields = Pick<Audience, 'personalFields'>

/** The same for every text, so that its length says nothing. */
export const MASK = 'A•• L••••••'

/** A problem with the words of its code. */
export interface ShownProblem {
  readonly code: string
  readonly title: string
  /** What is wrong here; the title of the code where the message may quote a cell. */
  readonly message: string
  readonly fix: string
  /** `line 6, column "State"`; empty where nothing is known. */
  readonly place: string
  readonly isWarning: boolean
}

export function showProblem(problem: Problem, { isMasked }: Audience): ShownProblem {
  const { code, message, fix, place, severity } = problem
  const known = PROBLEMS[code] as (typeof PROBLEMS)[typeof code] | undefined
  const title = known?.title ?? code
  return {
    code,
    title,
    message: isMasked ? title : message,
    fix: isMasked ? (known?.fix ?? '') : fix,
    place: formatPlace(place),
    isWarning: severity === 'warning',
  }
}

/** A body or a part of it. A field that no resource of the contract has may hold anything, so it is hidden too. */
export function maskBody(body: unknown, audience: OwnFields): unknown {
  if (Array.isArray(body)) return body.map((each) => maskBody(each, audience))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, maskField(name, value as unknown, audience)]),
  )
}

function maskField(name: string, value: unknown, audience: OwnFields): unknown {
  if (classifyField(name) === 'personal' || audience.personalFields?.includes(name) === true)
    return maskAll(value)
  if (typeof value === 'object' && value !== null) return maskBody(value, audience)
  return classifyField(name) === 'other' ? value : maskAll(value)
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? value : [MASK]
  if (typeof value === 'object' && value !== null) return MASK
  return value === null || value === undefined || value === '' ? value : MASK
}

/**
 * The columns whose cells a viewer may see, by their names in small letters: each feeds a field that is not personal, and
 * none that is.
 */
export function listOpenColumns(
  fields: readonly { readonly field: string; readonly columns: readonly string[] }[],
  { personalFields = [] }: OwnFields,
): ReadonlySet<string> {
  const isOwn = (field: string) => personalFields.some((name) => field.split(/[.[]/).includes(name))
  const isOpen = ({ field }: { readonly field: string }) => classifyPath(field) === 'other' && !isOwn(field)
  const hidden = new Set(fields.flatMap((each) => (isOpen(each) ? [] : each.columns.map(normalizeColumn))))
  const open = fields.flatMap((each) => (isOpen(each) ? each.columns.map(normalizeColumn) : []))
  return new Set(open.filter((column) => !hidden.has(column)))
}

export function normalizeColumn(name: string): string {
  return name.trim().toLowerCase()
}
