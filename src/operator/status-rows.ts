/** The rows of the status page's tables: what each of them says in its cells. */
import { dirname, relative, sep } from 'node:path'
import type { HeldFile } from '../domain/held.ts'
import type { DeliveryEntry, FileEntry, RouteOverview } from '../domain/journal.ts'
import type { StateCounts } from '../domain/record.ts'
import type { ScheduledRoute, Unfinished } from '../domain/snapshot.ts'
import type { WaitingFile } from '../domain/steps.ts'
import { html, type Html } from '../support/html.ts'
import { resultsPlace } from './places.ts'
import type { PageMatter } from './page-matter.ts'
import { counted, inCounts } from './wording.ts'

export function routeRow({
  route,
  incoming,
  outgoing,
  heldBy,
  files,
  deliveries,
}: RouteOverview): (Html | string)[] {
  const open = Object.entries({ ...files, ...deliveries })
    .filter(([state]) => !['closed', 'acknowledged', 'done'].includes(state))
    .map(([state, count]) => `${count} ${state}`)
  const now = heldBy !== undefined ? 'at work' : open.length > 0 ? `unfinished: ${open.join(', ')}` : 'idle'
  return [
    route,
    Object.keys(incoming).length === 0 ? '' : inCounts(incoming),
    Object.keys(outgoing).length === 0 ? '' : inCounts(outgoing, { accepted: 'acknowledged' }),
    now,
  ]
}

export function turnRow({ route, last, nextAt }: ScheduledRoute, now: number): string[] {
  const next = nextAt === undefined ? 'never' : nextAt <= now ? 'due now' : moment(nextAt)
  return [route, last === undefined ? '' : `${last.turn} ${last.state}`, next]
}

export function fileRow(
  { configuration, counts, path: page }: Pick<PageMatter, 'configuration' | 'counts' | 'path'>,
  file: FileEntry,
): (Html | string)[] {
  const place = resultsPlace(configuration, file)
  const name =
    place?.path === undefined || file.closedAt === undefined
      ? file.name
      : html`<a href="${linkTo(page, place.path)}" title="its results">${file.name}</a>`
  const records = counts.get(file.id) ?? {}
  return [name, file.route, moment(file.receivedAt ?? file.claimedAt), fateOf(file, records)]
}

function fateOf({ state, outcome, duplicateOf }: FileEntry, records: StateCounts): Html | string {
  if (duplicateOf !== undefined) return `has the same bytes as ${duplicateOf.name}; nothing was sent`
  if (outcome !== undefined && outcome !== 'processed') return html`<em>${outcome}</em>`
  const bad = (records.rejected ?? 0) + (records.held ?? 0) > 0
  const words = Object.keys(records).length === 0 ? state : inCounts(records)
  const whole = state === 'closed' ? words : `${words} (${state})`
  return bad ? html`<em>${whole}</em>` : whole
}

export function deliveryRow({ name, route, composedAt, records, state }: DeliveryEntry): (Html | string)[] {
  return [name, route, moment(composedAt), String(records), state]
}

export function unfinishedRow({ name, route, next, records, isRouteKnown }: Unfinished): string[] {
  const open = records.map(({ state, count }) => `${count} ${state}`).join(', ')
  const what = open === '' ? next : open
  return [name, route, isRouteKnown ? what : `${what}; its route is not in the configuration any more`]
}

export function heldRow({ name, route, records, since, code }: HeldFile): (Html | string)[] {
  return [name, route, String(records), moment(since), html`<code>${code}</code>`]
}

export function waitingRow({ name, route, records, receivedAt }: WaitingFile): (Html | string)[] {
  return [name, route, counted(records, 'record'), moment(receivedAt)]
}

/** Relative, so that it leads to the same place from whatever machine the share is looked at. */
function linkTo(page: string, path: string): string {
  return relative(dirname(page), path).split(sep).map(encodeURIComponent).join('/')
}

/** `2026-11-21 15:20 UTC` */
export function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
