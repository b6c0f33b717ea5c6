/** `dropbridge status`: what is done, what waits, and what nobody will ever read. */
import type { DeliveryEntry, FileEntry, RouteOverview } from '../../domain/journal.ts'
import { holderInWords } from '../../domain/lease.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { isoTime } from '../../support/clock.ts'
import type { WaitingFile } from '../../domain/steps.ts'
import { readConfiguration, withBridge } from '../context.ts'
import { curesInWords } from '../held-in-words.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { countsInWords } from '../counts-in-words.ts'
import { unfinishedInWords } from '../unfinished-in-words.ts'

export interface StatusOptions {
  readonly config: string
  readonly json: boolean
}

/** Counts and names are shown whole. */
const WIDEST = 200

export async function status(terminal: Terminal, { config, json }: StatusOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const silent = () => undefined
  const found = await withBridge(configuration, silent, (bridge) => bridge.snapshot())
  if (json) {
    terminal.out(JSON.stringify(found, null, 2))
    return EXIT.ok
  }
  for (const line of inWords(found)) terminal.out(line)
  return EXIT.ok
}

function inWords({ routes, files, deliveries, strangers, waiting, unfinished, ...held }: Snapshot): string[] {
  const lines = table(
    ['route', 'records in', 'records out', 'now'],
    routes.map((route) => [
      route.route,
      countsInWords(route.incoming),
      countsInWords(route.outgoing, 'acknowledged'),
      nowOf(route),
    ]),
    WIDEST,
  )
  if (routes.length === 0) lines.push('(nothing has happened yet)')
  if (files.length > 0)
    lines.push('', ...table(['latest files', 'route', 'received', 'state', 'outcome'], files.map(fileRow)))
  if (deliveries.length > 0) {
    lines.push(
      '',
      ...table(['latest deliveries', 'route', 'records', 'composed', 'state'], deliveries.map(deliveryRow)),
    )
  }
  lines.push(...unfinishedInWords(unfinished), ...heldInWords(held), ...waitingInWords(waiting))
  for (const { path, nearest } of strangers) {
    const hint = nearest === undefined ? '' : ` (the nearest pattern is ${nearest})`
    lines.push('', `No route takes ${path}${hint}: rename it, or change \`match\` of the route.`)
  }
  return lines
}

/** Of files and of deliveries. */
const FINISHED: readonly string[] = ['closed', 'acknowledged', 'done']

function nowOf({ heldBy, files, deliveries }: RouteOverview): string {
  if (heldBy !== undefined) return `${holderInWords(heldBy)} is working on it`
  const open = Object.entries({ ...files, ...deliveries })
    .filter(([state]) => !FINISHED.includes(state))
    .map(([state, count]) => `${count} ${state}`)
  return open.length > 0 ? `unfinished: ${open.join(', ')}` : 'idle'
}

function fileRow(file: FileEntry): string[] {
  const outcome =
    file.duplicateOf === undefined ? (file.outcome ?? '') : `duplicate of ${file.duplicateOf.name}`
  return [file.name, file.route, isoTime(file.receivedAt ?? file.claimedAt), file.state, outcome]
}

function deliveryRow({ name, route, records, composedAt, state }: DeliveryEntry): string[] {
  return [name, route, String(records), isoTime(composedAt), state]
}

/** What waits for a person, and how to say what becomes of it. */
function heldInWords({ held, heldRecords }: Pick<Snapshot, 'held' | 'heldRecords'>): string[] {
  if (held.length === 0) return []
  const files = held.map(({ name, file, route, records, since, code }) => [
    name,
    file,
    route,
    String(records),
    isoTime(since),
    code,
  ])
  const records = heldRecords.map(({ name, lines, keyValues, problems }) => [
    name,
    String(lines[0]?.[0] ?? ''),
    keyValues.filter((value) => value !== '').join(', '),
    problems.map(({ message }) => message).join(' '),
  ])
  return [
    '',
    ...table(['held for a person', 'id', 'route', 'records', 'since', 'code'], files),
    '',
    ...table(['file', 'line', 'key', 'why'], records, WIDEST),
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
  return ['', ...table(['waits for orders', 'route', 'records', 'received', 'the first'], rows, WIDEST)]
}
