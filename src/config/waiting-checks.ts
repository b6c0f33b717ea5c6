/** Checks of what a route says of acknowledging later, and of files that should come. */
import type { Mistake } from './mistakes.ts'

/** What is there of a route, however broken the rest is. */
export interface AcknowledgeGlance {
  readonly acknowledge?: string | undefined
  readonly receipt?: unknown
  readonly overdue?: unknown
}

/** What does not go together; the paths begin within the route. */
export function checkAcknowledge({ acknowledge, receipt, overdue }: AcknowledgeGlance): Mistake[] {
  const mistakes: Mistake[] = []
  if (acknowledge === 'receipt' && receipt === undefined) {
    const message = 'says receipt and not which file is one: add receipt: { folder: …, match: "{name}.ok" }'
    mistakes.push({ path: ['acknowledge'], at: 'value', message })
  }
  if (acknowledge !== 'receipt' && receipt !== undefined) {
    const message = 'is only looked for with `acknowledge: receipt`.'
    mistakes.push({ path: ['receipt'], at: 'key', message })
  }
  if (overdue !== undefined && acknowledge !== 'receipt' && acknowledge !== 'picked-up') {
    const message = 'is for routes that wait, with `acknowledge: picked-up` or `receipt`.'
    mistakes.push({ path: ['overdue'], at: 'key', message })
  }
  return mistakes
}

/** What is there of a route with receipts, however broken the rest is. */
export interface ReceiptGlance {
  readonly name: string
  readonly acknowledge?: string | undefined
  readonly to?: { readonly mailbox?: string | undefined; readonly name?: string | undefined } | undefined
  readonly receipt?:
    | {
        readonly mailbox?: string | undefined
        readonly folder?: string | undefined
        readonly match?: string | undefined
      }
    | undefined
}

/** By its name alone a receipt says which file it is for: in one folder it must not be able to mean files of two routes. */
export function checkReceipts(routes: readonly ReceiptGlance[]): Mistake[] {
  const known: ReceiptNames[] = []
  return routes.flatMap((route) => {
    const names = receiptNames(route)
    if (names === undefined) return []
    const other = known.find((each) => mayMeet(each, names))
    known.push(names)
    if (other === undefined) return []
    const message = [
      `a receipt for a file of this route may be taken for one of ${other.route}: both look in the same folder, for the same names.`,
      'Let the receipts come to a folder of their own, or begin the names of the files (`to.name`) with {route}.',
    ].join(' ')
    return [{ path: ['routes', route.name, 'receipt'], at: 'key' as const, message }]
  })
}

/** What all receipts of a route have in common. */
interface ReceiptNames {
  readonly route: string
  readonly place: string
  /** The template of the files' names. */
  readonly files: string
  readonly beginning: string
  /** What may stand behind the beginning. */
  readonly next: RegExp
  readonly end: string
}

function receiptNames({ name: route, acknowledge, to, receipt }: ReceiptGlance): ReceiptNames | undefined {
  if (acknowledge !== 'receipt' || receipt?.folder === undefined || to?.name === undefined) return undefined
  const match = (receipt.match ?? '{name}.ok').toLowerCase()
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

function mayMeet(one: ReceiptNames, other: ReceiptNames): boolean {
  if (one.place !== other.place) return false
  if (one.files === other.files && ROUTE_APART.test(one.files)) return false
  if (!one.end.endsWith(other.end) && !other.end.endsWith(one.end)) return false
  return mayBegin(one, other) || mayBegin(other, one)
}

/** Nothing that may stand behind the route continues it: `out-2-7` is no file of the route `out`. */
const ROUTE_APART = /^[^{]*\{route\}[^a-z\d{]\{(?:seq|date|day)\b/i

/** Whether names of the one may begin as those of the other do. */
function mayBegin({ beginning, next }: ReceiptNames, other: ReceiptNames): boolean {
  if (!other.beginning.startsWith(beginning)) return false
  const rest = other.beginning.slice(beginning.length)
  return rest === '' || next.test(rest)
}

/** What does not go together; the paths begin within the route. */
export function checkExpect(from: { readonly expect?: unknown } | undefined, zone: unknown): Mistake[] {
  const expect = from?.expect
  if (typeof expect !== 'object' || expect === null || zone !== undefined) return []
  if ('zone' in expect && expect.zone !== undefined) return []
  const message =
    'says a time of day and no zone: add "zone: Europe/Berlin" (or yours), or one `zone` for the whole file.'
  return [{ path: ['from', 'expect'], at: 'key', message }]
}
