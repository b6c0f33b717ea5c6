/** Checks how an outbound route acknowledges, its receipts, and the records of its report. */
import type { Filter } from '../contract/filters.ts'
import {
  canReadById,
  createPurchaseOrderReader,
  filtersOf,
  isInbound,
  isOperation,
  isReceived,
  type OutboundOperationName,
} from '../contract/operations.ts'
import {
  type ConfigError,
  getRawValue,
  keyError,
  listErrors,
  prefixPaths,
  toConfigErrors,
  toFields,
  valueError,
} from './errors.ts'
import { hasRecordPlaceholder } from './file-name.ts'
import type { RawRoute } from './raw-route.ts'
import { type SelectRule, SelectSettings, toSelect } from './select.ts'
import { isAbsoluteMoment, isTimeZone, parseMoment, PREVIOUS } from './time-values.ts'

/** Finds settings of a report that do not go together; the paths begin within the route. */
export function checkReport(route: RawRoute): ConfigError[] {
  const { operation, acknowledge, select } = route
  if (!isOperation(operation) || isInbound(operation)) return []
  const inSelect = select === undefined ? [] : checkSelect(operation, select, route.daily !== undefined)
  const errors = prefixPaths(['select'], inSelect)
  if (select !== undefined || !isReceived(operation))
    return [...errors, ...checkReportRoute(operation, route)]
  return [
    ...errors,
    ...listErrors(
      route.empty !== undefined &&
        keyError(['empty'], '`empty` is for reports, which have a `select`: take it away.'),
      acknowledge === 'never' && checkNothingToVerify(route),
    ),
  ]
}

function checkNothingToVerify({ verifyBeforeAck }: RawRoute): ConfigError | undefined {
  if (verifyBeforeAck !== true) return undefined
  return keyError(
    ['verifyBeforeAck'],
    'nothing is acknowledged, so nothing is read again before: take it away.',
  )
}

/** Finds routes that export the same list: each record would go to the route that runs first. */
export function checkRivalRoutes(routes: readonly RawRoute[]): ConfigError[] {
  const first = new Map<string, string>()
  return routes.flatMap(({ name, operation, select, retailer, brand }) => {
    const party = retailer === undefined ? brand : retailer
    if (!isOperation(operation) || !isReceived(operation) || select !== undefined) return []
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
    return [keyError(['routes', name], message)]
  })
}

function checkReportRoute(operation: OutboundOperationName, route: RawRoute): ConfigError[] {
  const { acknowledge = 'never', to } = route
  const what = isReceived(operation)
    ? 'a route with `select` is a report and acknowledges nothing'
    : `nothing is acknowledged of what ${operation} lists`
  return listErrors(
    acknowledge !== 'never' && valueError(['acknowledge'], `${what}: leave it out, or write never.`),
    checkNothingToVerify(route),
    to?.name !== undefined &&
      hasRecordPlaceholder(to.name, route.partner !== undefined) &&
      valueError(
        ['to', 'name'],
        'a report is one file of many records: its name cannot contain fields of a record.',
      ),
  )
}

/**
 * Finds filters of a `select` that its list lacks; the paths begin within the select. The schema checks keys that no list
 * has. `isDaily`: the list is read at runs of business dates.
 */
function checkSelect(
  operation: OutboundOperationName,
  select: Readonly<Record<string, unknown>>,
  isDaily = false,
): ConfigError[] {
  const [first, second] = EXCLUSIVE_KEYS.filter((name) => select[name] !== undefined)
  const filterNames = Object.keys(select).filter((name) => name !== 'zone' && name !== 'ids')
  const errors = filterNames.flatMap((name) => checkFilter(name, operation, select, isDaily))
  if (select['ids'] !== undefined && !canReadById(operation)) {
    errors.push(keyError(['ids'], `${operation} cannot read a record by its id.`))
  }
  if (first !== undefined && second !== undefined) {
    errors.push(keyError([second], `${first} and ${second} exclude each other.`))
  } else if (first === 'ids' && filterNames.length > 0) {
    const message = `the ids say by themselves which records are meant: take away ${filterNames.join(', ')}.`
    errors.push(keyError(['ids'], message))
  }
  return errors
}

const EXCLUSIVE_KEYS = ['ids', 'purchase_order_number'] as const

function checkFilter(
  name: string,
  operation: OutboundOperationName,
  select: Readonly<Record<string, unknown>>,
  isDaily: boolean,
): ConfigError[] {
  if (name === 'purchase_order_number') {
    if (createPurchaseOrderReader(operation) !== undefined) return []
    return [keyError([name], `what ${operation} lists does not say its purchase order number.`)]
  }
  const filters: Readonly<Record<string, Filter>> = filtersOf(operation)
  if (Object.hasOwn(filters, name)) {
    if (filters[name]?.kind !== 'time') return []
    const window = toFields(select[name])
    return [...(isDaily ? [] : checkPrevious(name, window)), ...checkWindow(name, window, select['zone'])]
  }
  if (!Object.hasOwn(SelectSettings.shape, name)) return []
  const known = Object.keys(filters)
  const what = known.length === 0 ? 'it takes no filters' : `it takes ${known.join(', ')}`
  return [keyError([name], `${operation} cannot be asked for this; ${what}.`)]
}

/** Refuses `previous` outside of business dates, because only their runs have no gaps. */
function checkPrevious(name: string, window: Readonly<Record<string, unknown>>): ConfigError[] {
  const message = `${PREVIOUS} is the time of the run before, so it is for reports with \`daily\`: write a time such as 24h.`
  const ends = Object.keys(window).filter((end) => window[end] === PREVIOUS)
  return ends.map((end) => valueError([name, end], message))
}

/** Refuses a window that ends before it begins. */
function checkWindow(name: string, { since, until }: Readonly<Record<string, unknown>>, zone: unknown) {
  if (typeof since !== 'string' || typeof until !== 'string') return []
  if (isAbsoluteMoment(since) !== isAbsoluteMoment(until)) return []
  const context = { now: NOON_MS, zone: typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC' }
  const [from, to] = [parseMoment(since, context), parseMoment(until, context)]
  if (from === undefined || to === undefined || from < to) return []
  return [valueError([name, 'until'], 'until must be later than since, or there is no time between them.')]
}

/** A time of day that is not midnight in any zone, so that `today` is before `now`. */
const NOON_MS = (12 * 60 + 34) * 60_000

// Late acknowledgements, receipts, and expected files.

/** Finds settings that do not go together; the paths begin within the route. */
export function checkAcknowledge({ acknowledge, receipt, overdue, partner }: RawRoute): ConfigError[] {
  const wantsReceipt = acknowledge === 'receipt'
  const isByAnswer = receipt?.by !== undefined
  return listErrors(
    wantsReceipt &&
      receipt === undefined &&
      valueError(
        ['acknowledge'],
        'says receipt and not which file is one: add receipt: { folder: …, match: "{name}.ok" }, or { by: edi }',
      ),
    receipt !== undefined &&
      !isByAnswer &&
      receipt.folder === undefined &&
      keyError(['receipt'], 'needs the folder that receipts come to, or `by: edi`.'),
    isByAnswer &&
      (receipt.folder ?? receipt.mailbox ?? receipt.archive ?? receipt.contains) !== undefined &&
      keyError(['receipt'], 'has `by: edi`, so no other file confirms: leave the other keys out.'),
    isByAnswer &&
      partner === undefined &&
      valueError(['receipt', 'by'], 'is for routes that write interchanges to a `partner`.'),
    !wantsReceipt &&
      receipt !== undefined &&
      keyError(['receipt'], 'is only looked for with `acknowledge: receipt`.'),
    overdue !== undefined &&
      !wantsReceipt &&
      acknowledge !== 'picked-up' &&
      partner === undefined &&
      keyError(
        ['overdue'],
        'is for routes that wait, with `acknowledge: picked-up` or `receipt`, or that write to a `partner`.',
      ),
  )
}

/** Finds receipts that could be for files of two routes: only the name links a receipt to its file. */
export function checkReceipts(routes: readonly RawRoute[]): ConfigError[] {
  const known: ReceiptNames[] = []
  return routes.flatMap((route) => {
    const names = toReceiptNames(route)
    if (names === undefined) return []
    const other = known.find((each) => canOverlap(each, names))
    known.push(names)
    if (other === undefined) return []
    const message = [
      `a receipt for a file of this route may be taken for one of ${other.route}: both look in the same folder, for the same names.`,
      'Let the receipts come to a folder of their own, or begin the names of the files (`to.name`) with {route}.',
    ].join(' ')
    return [keyError(['routes', route.name, 'receipt'], message)]
  })
}

/** The common parts of a route's receipt names. */
interface ReceiptNames {
  readonly route: string
  readonly place: string
  /** The template of the files' names. */
  readonly files: string
  readonly beginning: string
  /** The characters that may follow the beginning. */
  readonly next: RegExp
  readonly end: string
}

function toReceiptNames({ name: route, acknowledge, to, receipt }: RawRoute): ReceiptNames | undefined {
  if (acknowledge !== 'receipt' || receipt?.folder === undefined || to?.name === undefined) return undefined
  const match = receipt.match.toLowerCase()
  const name = to.name.replaceAll('{route}', route).toLowerCase()
  // A name that is taken at the target gets a number before its extension.
  const [beginning = ''] = /^[^{.]*/.exec(name) ?? []
  return {
    route,
    place: JSON.stringify([receipt.mailbox ?? to.mailbox, receipt.folder]),
    files: to.name,
    beginning: match.slice(0, Math.max(0, match.indexOf('{'))) + beginning,
    next: /^\{(?:seq|date|day)\b/.test(name.slice(beginning.length)) ? /^[\d._-]/ : /^/,
    end: match.slice(match.lastIndexOf('}') + 1),
  }
}

function canOverlap(one: ReceiptNames, other: ReceiptNames): boolean {
  if (one.place !== other.place) return false
  if (one.files === other.files && ROUTE_APART.test(one.files)) return false
  if (!one.end.endsWith(other.end) && !other.end.endsWith(one.end)) return false
  return canShareBeginning(one, other) || canShareBeginning(other, one)
}

/** A separator behind `{route}` that ends it: `out-2-7` is not a file of the route `out`. */
const ROUTE_APART = /^[^{]*\{route\}[^a-z\d{]\{(?:seq|date|day)\b/i

/** Whether names of the one may begin as those of the other do. */
function canShareBeginning({ beginning, next }: ReceiptNames, other: ReceiptNames): boolean {
  if (!other.beginning.startsWith(beginning)) return false
  const rest = other.beginning.slice(beginning.length)
  return rest === '' || next.test(rest)
}

/** Finds settings that do not go together; the paths begin within the route. */
export function checkExpect(from: RawRoute['from'], zone: unknown): ConfigError[] {
  const expect = from?.expectFile
  if (typeof expect !== 'object' || expect === null || zone !== undefined) return []
  if (toFields(expect)['zone'] !== undefined) return []
  const message =
    'says a time of day and no zone: add "zone: Europe/Berlin" (or yours), or one `zone` for the whole file.'
  return [keyError(['from', 'expectFile'], message)]
}

// A selection from the options of a command instead of the configuration.

/** Parses the selection, or returns all its errors. Relative paths are relative to `folder`. */
export function parseSelect(
  operation: OutboundOperationName,
  raw: Readonly<Record<string, unknown>>,
  folder: string,
): { readonly select: SelectRule } | { readonly errors: readonly ConfigError[] } {
  const checked = SelectSettings.safeParse(raw)
  const errors = [
    ...(checked.error?.issues ?? []).flatMap((issue) => toConfigErrors(issue, getRawValue(raw, issue.path))),
    ...checkSelect(operation, raw),
  ]
  if (!checked.success || errors.length > 0) return { errors }
  return { select: toSelect(operation, checked.data, folder) }
}
