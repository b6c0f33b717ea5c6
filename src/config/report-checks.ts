/** Checks of what an outbound route says of acknowledging and of the records of its report. */
import type { Filter } from '../contract/filters.ts'
import { filtersOf, isReadById, purchaseOrderReader } from '../contract/lists.ts'
import {
  isReceived,
  OPERATIONS,
  type OperationName,
  type OutboundOperationName,
} from '../contract/operations.ts'
import { namesRecord } from './file-name.ts'
import type { Mistake } from './mistakes.ts'
import { isAbsolute, isZone, momentMs, PREVIOUS } from './moment.ts'
import { SelectFile } from './select.ts'

/** What is there of a route, however broken the rest is. */
export interface OutboundGlance {
  readonly operation?: string | undefined
  readonly acknowledge?: string | undefined
  readonly select?: Readonly<Record<string, unknown>> | undefined
  readonly empty?: unknown
  readonly reread?: unknown
  readonly daily?: unknown
  readonly to?: { readonly name?: string | undefined } | undefined
}

/** Everything that does not go together; the paths begin within the route. */
export function checkReport(route: OutboundGlance): Mistake[] {
  const { operation, acknowledge, select } = route
  if (!isOutbound(operation)) return []
  const isReport = select !== undefined || !isReceived(operation)
  const hasTurns = route.daily !== undefined
  const mistakes = select === undefined ? [] : within(['select'], checkSelect(operation, select, hasTurns))
  if (isReport) return [...mistakes, ...checkReportRoute(operation, route)]
  if (route.empty !== undefined) {
    const message = '`empty` is for reports, which have a `select`: take it away.'
    mistakes.push({ path: ['empty'], at: 'key', message })
  }
  if (acknowledge === 'never' && route.reread === true) {
    mistakes.push({ path: ['reread'], at: 'key', message: REREAD })
  }
  return mistakes
}

/** An outbound route of a party. */
export interface ExportGlance extends OutboundGlance {
  readonly name: string
  readonly retailer?: unknown
  readonly brand?: unknown
}

/** Two routes that export the same list would share its records out between them, by which of them runs first. */
export function checkRivals(routes: readonly ExportGlance[]): Mistake[] {
  const first = new Map<string, string>()
  return routes.flatMap(({ name, operation, select, retailer, brand }) => {
    const party = retailer === undefined ? brand : retailer
    if (!isOutbound(operation) || !isReceived(operation) || select !== undefined) return []
    if (typeof party !== 'number' && typeof party !== 'string') return []
    const owner = `${retailer === undefined ? 'brand' : 'retailer'} ${party}`
    const other = first.get(`${operation} ${owner}`)
    if (other === undefined) {
      first.set(`${operation} ${owner}`, name)
      return []
    }
    const what = operation.slice('export-'.length)
    const one = what.replace(/s$/, '')
    const message = [
      `${other} and ${name} both export the ${what} of ${owner}:`,
      `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one} goes to whichever runs first, and never to the other.`,
      'Make one of them a report (`select`) or one file with both.',
    ].join(' ')
    return [{ path: ['routes', name], at: 'key' as const, message }]
  })
}

const REREAD = 'nothing is acknowledged, so nothing is read again before: take it away.'

function checkReportRoute(operation: OutboundOperationName, route: OutboundGlance): Mistake[] {
  const mistakes: Mistake[] = []
  if (route.acknowledge !== undefined && route.acknowledge !== 'never') {
    const what = isReceived(operation)
      ? 'a route with `select` is a report and acknowledges nothing'
      : `nobody acknowledges what ${operation} lists`
    mistakes.push({ path: ['acknowledge'], at: 'value', message: `${what}: leave it out, or write never.` })
  }
  if (route.reread === true) mistakes.push({ path: ['reread'], at: 'key', message: REREAD })
  if (route.to?.name !== undefined && namesRecord(route.to.name)) {
    const message = 'a report is one file of many records, so its name can say nothing of one of them.'
    mistakes.push({ path: ['to', 'name'], at: 'value', message })
  }
  return mistakes
}

function isOutbound(operation: string | undefined): operation is OutboundOperationName {
  if (operation === undefined || !Object.hasOwn(OPERATIONS, operation)) return false
  return OPERATIONS[operation as OperationName].direction === 'outbound'
}

/** What of a `select` its list cannot be asked; the paths begin within the select. Keys that no list has are left to the schema. */
export function checkSelect(
  operation: OutboundOperationName,
  select: Readonly<Record<string, unknown>>,
  /** Whether the records are asked for at the turns of business dates. */
  hasTurns = false,
): Mistake[] {
  const filters = filtersOf(operation)
  const named = NAMING.filter((name) => select[name] !== undefined)
  const others = Object.keys(select).filter((name) => name !== 'zone' && name !== 'ids')
  const mistakes = others.flatMap((name) => checkFilter(name, { operation, filters, select, hasTurns }))
  if (select['ids'] !== undefined && !isReadById(operation)) {
    mistakes.push({ path: ['ids'], at: 'key', message: `${operation} cannot read a record by its id.` })
  }
  const [first, second] = named
  if (first !== undefined && second !== undefined) {
    mistakes.push({ path: [second], at: 'key', message: `${first} and ${second} exclude each other.` })
  } else if (first === 'ids' && others.length > 0) {
    const message = `the ids say by themselves which records are meant: take away ${others.join(', ')}.`
    mistakes.push({ path: ['ids'], at: 'key', message })
  }
  return mistakes
}

const NAMING = ['ids', 'purchase_order_number'] as const

interface Asked {
  readonly operation: OutboundOperationName
  readonly filters: Readonly<Record<string, Filter>>
  readonly select: Readonly<Record<string, unknown>>
  readonly hasTurns: boolean
}

function checkFilter(name: string, { operation, filters, select, hasTurns }: Asked): Mistake[] {
  if (name === 'purchase_order_number') {
    if (purchaseOrderReader(operation) !== undefined) return []
    const message = `what ${operation} lists does not say its purchase order number.`
    return [{ path: [name], at: 'key', message }]
  }
  if (Object.hasOwn(filters, name)) {
    const isTime = filters[name]?.kind === 'time'
    if (!isTime) return []
    return [
      ...checkPrevious(name, select[name], hasTurns),
      ...checkWindow(name, select[name], select['zone']),
    ]
  }
  if (!Object.hasOwn(SelectFile.shape, name)) return []
  const known = Object.keys(filters)
  const what = known.length === 0 ? 'it takes no filters' : `it takes ${known.join(', ')}`
  return [{ path: [name], at: 'key', message: `${operation} cannot be asked for this; ${what}.` }]
}

/** Only the turns of business dates follow one another without a gap. */
function checkPrevious(name: string, value: unknown, hasTurns: boolean): Mistake[] {
  if (hasTurns || typeof value !== 'object' || value === null) return []
  const ends = Object.entries(value).filter(([, text]) => text === PREVIOUS)
  const message = `${PREVIOUS} is the time of the turn before, so it is for reports with \`daily\`: write a time such as 24h.`
  return ends.map(([end]) => ({ path: [name, end], at: 'value', message }))
}

/** A window whose ends stand the wrong way round holds nothing, whenever it is asked for. */
function checkWindow(name: string, value: unknown, zone: unknown): Mistake[] {
  const { since, until } = typeof value === 'object' && value !== null ? (value as Window) : {}
  if (typeof since !== 'string' || typeof until !== 'string') return []
  if (isAbsolute(since) !== isAbsolute(until)) return []
  const context = { now: NOON_MS, zone: typeof zone === 'string' && isZone(zone) ? zone : 'UTC' }
  const [from, to] = [momentMs(since, context), momentMs(until, context)]
  if (from === undefined || to === undefined || from < to) return []
  const message = 'until must be later than since, or there is no time between them.'
  return [{ path: [name, 'until'], at: 'value', message }]
}

/** Some time of day at which it is midnight nowhere, so that `today` is before `now`. */
const NOON_MS = (12 * 60 + 34) * 60_000

interface Window {
  readonly since?: unknown
  readonly until?: unknown
}

function within(path: readonly string[], mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.map((mistake) => ({ ...mistake, path: [...path, ...mistake.path] }))
}
