/** The page for people without a command line: what needs a person, the routes, the latest files. One file, no script. */
import { dirname, relative, sep } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { Concern } from '../domain/attention.ts'
import type { HeldFile } from '../domain/held.ts'
import type { DeliveryEntry, FileEntry, RouteOverview } from '../domain/journal.ts'
import type { NoticeEntry } from '../domain/notice.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot, UnfinishedFile } from '../domain/snapshot.ts'
import type { WaitingFile } from '../domain/steps.ts'
import { html, type Html, joined, prose } from '../support/html.ts'
import { resultsPlace } from './places.ts'
import { PAGE_STYLE } from './status-page-style.ts'
import { counted, inCounts } from './wording.ts'

export interface PageMatter {
  readonly snapshot: Snapshot
  /** What came of the records of the latest files, by the id of the file. */
  readonly counts: ReadonlyMap<string, StateCounts>
  /** Routes that could not do their work. */
  readonly failures: readonly { readonly route: string; readonly message: string; readonly cure: string }[]
  /** The latest notice of each channel. */
  readonly notices: readonly NoticeEntry[]
  readonly configuration: Configuration
  /** Where the page is, for links from it. */
  readonly path: string
  /** Whether a watch keeps it fresh, or one run has left it. */
  readonly isKept: boolean
}

/** A watch writes the page every minute; who sees an older one than this sees that nobody does. */
const STALE_MINUTES = 10

export function statusPage(matter: PageMatter): string {
  const { snapshot, isKept } = matter
  const needs = needsOf(matter)
  const title =
    needs === 0 ? 'all is well' : needs === 1 ? '1 thing needs a person' : `${needs} things need a person`
  const age = isKept
    ? html`If this is more than ${STALE_MINUTES} minutes ago, the bridge is not running.`
    : html`The bridge does not run all the time: this is how things stood when its last run ended.`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="refresh" content="60" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="robots" content="noindex" />
        <title>dropbridge: ${title}</title>
        ${PAGE_STYLE}
      </head>
      <body>
        <h1 class="${needs === 0 ? 'well' : 'needs'}">${title}</h1>
        <p>As of <strong>${moment(snapshot.at)}</strong>. ${age}</p>
        ${sectionsOf(matter)}
      </body>
    </html> `
  return page.html
}

function needsOf({ snapshot, failures, notices }: PageMatter): number {
  return (
    snapshot.attention.length + failures.length + notices.filter(({ state }) => state === 'failed').length
  )
}

function sectionsOf(matter: PageMatter): Html[] {
  const { snapshot } = matter
  return [
    section('What needs a person', attentionOf(matter)),
    section('Routes', table(['Route', 'Records in', 'Records out', 'Now'], routesOf(matter).map(routeRow))),
    section(
      'Latest files',
      table(
        ['File', 'Route', 'Received', 'What came of it'],
        snapshot.files.map((file) => fileRow(matter, file)),
      ),
    ),
    section(
      'Latest deliveries',
      table(['File', 'Route', 'Made', 'Records', 'State'], snapshot.deliveries.map(deliveryRow)),
    ),
    section('Not finished', table(['File', 'Route', 'What is next'], snapshot.unfinished.map(unfinishedRow))),
    section(
      'Held for a person',
      table(['File', 'Route', 'Records', 'Since', 'Why'], snapshot.held.map(heldRow)),
    ),
    section(
      'Waits for orders; needs nobody',
      table(['File', 'Route', 'Records', 'Received'], snapshot.waiting.map(waitingRow)),
    ),
  ]
}

function section(title: string, content: Html | undefined): Html {
  if (content === undefined) return html``
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`
}

function table(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html | undefined {
  if (rows.length === 0) return undefined
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function attentionOf({ snapshot, failures, notices }: PageMatter): Html | undefined {
  const items = [
    ...failures.map(({ route, message, cure }) => need({ words: `${route}: ${message}`, cure })),
    ...snapshot.attention.map(concernItem),
    ...notices
      .filter(({ state }) => state === 'failed')
      .map(({ channel, problem = '', beganAt }) =>
        need({
          words: `the notice ${channel} cannot be sent: ${problem}`,
          cure: `correct \`notices.${channel}\`, then \`dropbridge notices test ${channel}\``,
          since: beganAt,
        }),
      ),
  ]
  return items.length === 0
    ? undefined
    : html`<ul class="needs">
        ${items}
      </ul>`
}

function concernItem({ message, cure, since, route, code }: Concern): Html {
  return need({ words: message, cure, since, ...(route === undefined ? {} : { route }), code })
}

function need(one: {
  readonly words: string
  readonly cure: string
  readonly since?: number
  readonly route?: string
  readonly code?: string
}): Html {
  const about = [
    ...(one.route === undefined ? [] : [html`route ${one.route}`]),
    ...(one.since === undefined ? [] : [html`since ${moment(one.since)}`]),
    ...(one.code === undefined ? [] : [html`<code>${one.code}</code>`]),
  ]
  return html`<li>
    <strong>${one.words}</strong><br />
    ${prose(one.cure)}<br />
    <small>${joined(about, ' · ')}</small>
  </li>`
}

/** Those of the configuration first; of some nothing is known yet, and some are not configured any more. */
function routesOf({ snapshot, configuration }: PageMatter): RouteOverview[] {
  const known = new Map(snapshot.routes.map((each) => [each.route, each]))
  const configured = configuration.routes.map(
    ({ name }) => known.get(name) ?? { route: name, files: {}, incoming: {}, outgoing: {}, deliveries: {} },
  )
  const names = new Set(configured.map(({ route }) => route))
  return [...configured, ...snapshot.routes.filter(({ route }) => !names.has(route))]
}

function routeRow({
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

function fileRow({ configuration, counts, path: page }: PageMatter, file: FileEntry): (Html | string)[] {
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

function deliveryRow({ name, route, composedAt, records, state }: DeliveryEntry): (Html | string)[] {
  return [name, route, moment(composedAt), String(records), state]
}

function unfinishedRow({ name, route, next, records, isRouteKnown }: UnfinishedFile): string[] {
  const open = records.map(({ state, count }) => `${count} ${state}`).join(', ')
  const what = open === '' ? next : open
  return [name, route, isRouteKnown ? what : `${what}; its route is not in the configuration any more`]
}

function heldRow({ name, route, records, since, code }: HeldFile): (Html | string)[] {
  return [name, route, String(records), moment(since), html`<code>${code}</code>`]
}

function waitingRow({ name, route, records, receivedAt }: WaitingFile): (Html | string)[] {
  return [name, route, counted(records, 'record'), moment(receivedAt)]
}

/** Relative, so that it leads to the same place from whatever machine the share is looked at. */
function linkTo(page: string, path: string): string {
  return relative(dirname(page), path).split(sep).map(encodeURIComponent).join('/')
}

/** `2026-11-21 15:20 UTC` */
function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
