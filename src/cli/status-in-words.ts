/** Where the bridge stands, for people: first what needs somebody, then the routes, then what happened last. */
import type { Concern } from '../domain/attention.ts'
import type { DeliveryEntry, FileEntry } from '../domain/journal.ts'
import { holderInWords } from '../domain/lease.ts'
import type { Snapshot, SnapshotRoute } from '../domain/snapshot.ts'
import type { WaitingFile } from '../domain/steps.ts'
import { isoTime } from '../support/clock.ts'
import { countsInWords } from './counts-in-words.ts'
import { curesInWords } from './held-in-words.ts'
import { table } from './table.ts'
import { unfinishedInWords } from './unfinished-in-words.ts'

/** Counts and names are shown whole. */
const WIDEST = 200

/** Of what is held, so many files and records are shown; release and discard take them all. */
const HELD = 8

/** So many findings are shown, and so many of the latest files and deliveries: an ordinary day fits on one screen. */
const FINDINGS = 8
const LATEST = 5

export function statusInWords(snapshot: Snapshot): string[] {
  const { routes, files, deliveries, unfinished, held, heldRecords, waiting } = snapshot
  const blocks = [
    attentionInWords(snapshot.attention),
    unfinishedInWords(unfinished, snapshot.watches),
    heldInWords({ held, heldRecords }),
    routesInWords(routes),
    turnsInWords(snapshot),
    watchesInWords(snapshot),
    files.length === 0
      ? []
      : table(['latest files', 'route', 'received', 'state', 'outcome'], files.slice(0, LATEST).map(fileRow)),
    deliveries.length === 0
      ? []
      : table(
          ['latest deliveries', 'route', 'records', 'composed', 'state'],
          deliveries.slice(0, LATEST).map(deliveryRow),
        ),
    waitingInWords(waiting),
  ]
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

/** What is held has a block of its own, with what can be done about each record. */
function attentionInWords(attention: readonly Concern[]): string[] {
  const others = attention.filter(({ code }) => code !== 'records-held')
  if (others.length === 0) return []
  const shown = others.slice(0, FINDINGS)
  const more = others.length - shown.length
  return [
    'needs a person:',
    ...shown.flatMap((concern, index) => {
      const isSaidNext = shown[index + 1]?.cure === concern.cure
      return [concernInWords(concern), ...(isSaidNext ? [] : [`    what to do: ${concern.cure}`])]
    }),
    ...(more > 0 ? [`and ${more} more: dropbridge status --json has all`] : []),
  ]
}

function concernInWords({ code, route, since, message }: Concern): string {
  return `${route === undefined ? '' : `${route}: `}${message} (${code}, since ${isoTime(since)})`
}

function routesInWords(routes: readonly SnapshotRoute[]): string[] {
  if (routes.length === 0) return ['(there are no routes)']
  return table(
    ['route', 'records in', 'records out', 'now'],
    routes.map((route) => [
      route.route,
      countsInWords(route.incoming),
      countsInWords(route.outgoing, 'acknowledged'),
      nowOf(route),
    ]),
    WIDEST,
  )
}

function turnsInWords({ turns, at }: Snapshot): string[] {
  if (turns.length === 0) return []
  return table(
    ['scheduled route', 'last turn', 'next turn'],
    turns.map(({ route, last, nextAt }) => [
      route,
      last === undefined ? '' : `${last.turn} ${last.state}`,
      nextAt === undefined ? 'never' : nextAt <= at ? 'due now' : isoTime(nextAt),
    ]),
  )
}

function watchesInWords({ watches, at }: Snapshot): string[] {
  return watches.map(({ holder, routes, beganAt, seenAt }) => {
    const seconds = Math.max(0, Math.round((at - seenAt) / 1000))
    return `watch over ${routes.join(', ')}: ${holderInWords(holder)}, since ${isoTime(beganAt)}, seen ${seconds} s ago`
  })
}

/** Of files and of deliveries. */
const FINISHED: readonly string[] = ['closed', 'acknowledged', 'done']

function nowOf({ heldBy, files, deliveries, neverRan, isGone }: SnapshotRoute): string {
  if (neverRan === true) return 'has not run yet'
  if (heldBy !== undefined) return `${holderInWords(heldBy)} is working on it`
  const open = Object.entries({ ...files, ...deliveries })
    .filter(([state]) => !FINISHED.includes(state))
    .map(([state, count]) => `${count} ${state}`)
  if (open.length > 0) return `unfinished: ${open.join(', ')}`
  return isGone === true ? 'not in the configuration any more' : 'idle'
}

function fileRow(file: FileEntry): string[] {
  const outcome =
    file.duplicateOf === undefined ? (file.outcome ?? '') : `duplicate of ${file.duplicateOf.name}`
  return [file.name, file.route, isoTime(file.receivedAt ?? file.claimedAt), file.state, outcome]
}

function deliveryRow({ name, route, records, composedAt, state, held }: DeliveryEntry): string[] {
  const now = held === undefined ? state : `${state}, held`
  return [name, route, String(records), isoTime(composedAt), now]
}

/** What waits for a person, and how to say what becomes of it. */
function heldInWords({ held, heldRecords }: Pick<Snapshot, 'held' | 'heldRecords'>): string[] {
  if (held.length === 0) return []
  const files = held
    .slice(0, HELD)
    .map(({ name, file, route, records, since, code }) => [
      name,
      file,
      route,
      String(records),
      isoTime(since),
      code,
    ])
  const records = heldRecords
    .slice(0, HELD)
    .map(({ name, lines, keyValues, problems }) => [
      name,
      String(lines[0]?.[0] ?? ''),
      keyValues.filter((value) => value !== '').join(', '),
      problems.map(({ message }) => message).join(' '),
    ])
  return [
    ...table(['held for a person', 'id', 'route', 'records', 'since', 'code'], files),
    '',
    ...table(['file', 'line', 'key', 'why'], records, WIDEST),
    ...(heldRecords.length > HELD ? ['and more: dropbridge status --json has them'] : []),
    '',
    ...curesInWords(held),
    ...(held.every(({ code }) => code === 'outcome-unprovable') ? [] : [GIVING_UP]),
  ]
}

/** What was sent and never answered is not given up so: it is settled. */
const GIVING_UP =
  'To give them up: dropbridge discard FILE --by NAME --why TEXT; for one record, here and above, ROUTE/KEY in place of FILE.'

/** What nobody needs to do anything about. */
function waitingInWords(waiting: readonly WaitingFile[]): string[] {
  if (waiting.length === 0) return []
  const rows = waiting.map(({ name, route, records, receivedAt, message }) => [
    name,
    route,
    String(records),
    isoTime(receivedAt),
    message,
  ])
  return table(['waits for orders', 'route', 'records', 'received', 'the first'], rows, WIDEST)
}
