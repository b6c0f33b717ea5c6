/** Renders the status page for people without a command line: alerts, routes, latest files. One file, no script. */
import { rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { Alert } from '../domain/alert.ts'
import type { HeldFile } from '../domain/decision.ts'
import type { DeliveryEntry } from '../domain/delivery.ts'
import type { NotificationEntry } from '../domain/notification.ts'
import type { WaitingFile } from '../domain/record.ts'
import type { LatestFile, ScheduledRoute, Snapshot, SnapshotRoute, Unfinished } from '../domain/snapshot.ts'
import { hasSystemCode } from '../support/errors.ts'
import { removeFile } from '../support/files.ts'
import { html, type Html, joinHtml, literalHtml, renderInlineCode } from '../support/html.ts'
import { findResultPath, formatCount, formatOpenStates, formatStateCounts } from './format.ts'

/** A watch writes the page every minute; a page that is older than this shows that the watch has stopped. */
const STALE_MINUTES = 10

export function renderStatusPage(data: StatusPageData): string {
  const { snapshot, isLive } = data
  const needs =
    data.snapshot.alerts.length + data.notifications.filter(({ state }) => state === 'failed').length
  const title =
    needs === 0 ? 'all is well' : needs === 1 ? '1 thing needs a person' : `${needs} things need a person`
  const age = isLive
    ? html`If this is more than ${STALE_MINUTES} minutes ago, the bridge is not running.`
    : html`The bridge does not run all the time: this is the state when its last run ended.`
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
        <p>As of <strong>${formatMoment(snapshot.at)}</strong>. ${age}</p>
        ${renderSections(data)}
      </body>
    </html> `
  return page.html
}

function renderSections(data: StatusPageData): Html[] {
  const { snapshot } = data
  const { at, scheduledRuns, files, deliveries, unfinished, held, waiting } = snapshot
  const table = (title: string, heads: readonly string[], rows: readonly (readonly (Html | string)[])[]) =>
    renderSection(title, rows.length === 0 ? undefined : renderTable(heads, rows))
  return [
    renderSection('What needs a person', renderAlerts(data)),
    table('Routes', ['Route', 'Records in', 'Records out', 'Now'], listRoutes(data).map(formatRouteRow)),
    table(
      'Schedules',
      ['Route', 'Last run', 'Next run'],
      scheduledRuns.map((run) => formatScheduleRow(run, at)),
    ),
    table(
      'Latest files',
      ['File', 'Route', 'Received', 'What came of it'],
      files.map((file) => formatFileRow(data, file)),
    ),
    table('Latest deliveries', ['File', 'Route', 'Made', 'Records', 'State'], deliveries.map(deliveryRow)),
    table('Not finished', ['File', 'Route', 'What is next'], unfinished.map(unfinishedRow)),
    table('Held for a person', ['File', 'Route', 'Records', 'Since', 'Why'], held.map(heldRow)),
    table('Waits for orders; nothing to do', ['File', 'Route', 'Records', 'Received'], waiting.map(waitRow)),
  ]
}

function renderSection(title: string, content: Html | undefined): Html {
  if (content === undefined) return html``
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`
}

function renderTable(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
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

function renderAlerts({ snapshot, notifications }: StatusPageData): Html | undefined {
  const failed = notifications.filter(({ state }) => state === 'failed')
  const items = [...snapshot.alerts, ...failed.map(toNeed)].map(renderNeed)
  if (items.length === 0) return undefined
  return html`<ul class="needs">
    ${items}
  </ul>`
}

type Need = Pick<Alert, 'message' | 'fix' | 'since' | 'route'> & { readonly code?: string }

function toNeed({ channel, problem = '', beganAt }: NotificationEntry): Need {
  return {
    message: `the notification ${channel} cannot be sent: ${problem}`,
    fix: `correct \`notifications.${channel}\`, then \`dropbridge notifications test ${channel}\``,
    since: beganAt,
  }
}

function renderNeed({ message, fix, since, route, code }: Need): Html {
  const about = [
    ...(route === undefined ? [] : [html`route ${route}`]),
    html`since ${formatMoment(since)}`,
    ...(code === undefined ? [] : [html`<code>${code}</code>`]),
  ]
  return html`<li>
    <strong>${message}</strong><br />
    ${renderInlineCode(fix)}<br />
    <small>${joinHtml(about, ' · ')}</small>
  </li>`
}

/** Routes of the configuration first; some have no data yet, and some are not configured any more. */
function listRoutes({ snapshot, configuration }: StatusPageData): SnapshotRoute[] {
  const known = new Map(snapshot.routes.map((each) => [each.route, each]))
  const configured = configuration.routes.map(
    ({ name }) => known.get(name) ?? { route: name, files: {}, incoming: {}, outgoing: {}, deliveries: {} },
  )
  const names = new Set(configured.map(({ route }) => route))
  return [...configured, ...snapshot.routes.filter(({ route }) => !names.has(route))]
}

function formatRouteRow(overview: SnapshotRoute): string[] {
  const { route, incoming, outgoing, owner, pause } = overview
  const open = formatOpenStates(overview)
  const resting = open === '' ? 'idle' : `unfinished: ${open}`
  const paused = pause && `paused by ${pause.by} until ${formatMoment(pause.until)}`
  return [
    route,
    Object.keys(incoming).length === 0 ? '' : formatStateCounts(incoming),
    Object.keys(outgoing).length === 0 ? '' : formatStateCounts(outgoing, { accepted: 'acknowledged' }),
    owner !== undefined ? 'at work' : (paused ?? resting),
  ]
}

function formatScheduleRow({ route, last, nextAt }: ScheduledRoute, now: number): string[] {
  const next = nextAt === undefined ? 'never' : nextAt <= now ? 'due now' : formatMoment(nextAt)
  return [route, last === undefined ? '' : `${last.occurrence} ${last.state}`, next]
}

function formatFileRow(
  { configuration, path: page }: Pick<StatusPageData, 'configuration' | 'path'>,
  file: LatestFile,
): (Html | string)[] {
  const place = findResultPath(configuration, file)
  const name =
    place?.path === undefined || file.closedAt === undefined
      ? file.name
      : html`<a href="${buildLink(page, place.path)}" title="its results">${file.name}</a>`
  return [name, file.route, formatMoment(file.receivedAt ?? file.claimedAt), formatFileOutcome(file)]
}

function formatFileOutcome({ state, outcome, duplicateOf, records }: LatestFile): Html | string {
  if (duplicateOf !== undefined) return `has the same bytes as ${duplicateOf.name}; nothing was sent`
  if (outcome !== undefined && outcome !== 'processed') return html`<em>${outcome}</em>`
  const bad = (records.rejected ?? 0) + (records.held ?? 0) > 0
  const counts = Object.keys(records).length === 0 ? state : formatStateCounts(records)
  const whole = state === 'closed' ? counts : `${counts} (${state})`
  return bad ? html`<em>${whole}</em>` : whole
}

function deliveryRow({ name, route, composedAt, records, state }: DeliveryEntry): string[] {
  return [name, route, formatMoment(composedAt), String(records), state]
}

function heldRow({ name, route, records, since, code }: HeldFile): (Html | string)[] {
  return [name, route, String(records), formatMoment(since), html`<code>${code}</code>`]
}

function waitRow({ name, route, records, receivedAt }: WaitingFile): string[] {
  return [name, route, formatCount(records, 'record'), formatMoment(receivedAt)]
}

function unfinishedRow({ name, route, next, records, isRouteKnown }: Unfinished): string[] {
  const open = records.map(({ state, count }) => `${count} ${state}`).join(', ')
  const what = open === '' ? next : open
  return [name, route, isRouteKnown ? what : `${what}; its route is not in the configuration any more`]
}

/** A relative link, so that it works on every machine that opens the share. */
function buildLink(page: string, path: string): string {
  return relative(dirname(page), path).split(sep).map(encodeURIComponent).join('/')
}

/** `2026-11-21 15:20 UTC` */
function formatMoment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export interface StatusPageData {
  readonly snapshot: Snapshot
  /** The latest notification of each channel. */
  readonly notifications: readonly NotificationEntry[]
  readonly configuration: Configuration
  /** Where the page is, for links from it. */
  readonly path: string
  /** Whether a watch keeps it up to date, or one run has written it. */
  readonly isLive: boolean
}

// Replaces the page in one step, so that no reader gets half of it.

/**
 * Two programs may write the same page; each has a working file of its own. The folder is never created: it may be on a share
 * that is away, and an empty folder in that place would look like the share. Throws when the page cannot be written.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  const working = join(folder, `.${basename(path)}.${process.pid}.writing`)
  try {
    await writeFile(working, text).catch(async (error: unknown) => {
      if (!hasSystemCode(error, 'ENOSPC', 'EDQUOT')) throw error
      // Without room for two pages the old one goes: it would say that all is well.
      await removeFile(path)
      await writeFile(working, text)
    })
    await rename(working, path)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT')) throw error
    throw new Error(`the folder ${folder} is not there; make it, or mount its share`, { cause: error })
  } finally {
    await removeFile(working).catch(() => undefined)
  }
}

// Readable on a wall and on a phone, by day and by night.

const PAGE_STYLE = literalHtml`<style>
    :root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --faint: #5b6470; --line: #d8dde3; --bad: #a4161a; --good: #14663a; --mark: #fff4e5 }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #15181c; --ink: #e6e9ed; --faint: #9aa4b0; --line: #333a42; --bad: #ff9a9a; --good: #7fd6a2; --mark: #2e2618 }
    }
    body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
    h1 { margin: 0; font-size: 1.8rem }
    h1.well { color: var(--good) }
    h1.needs { color: var(--bad) }
    h2 { margin: 2rem 0 0.5rem; font-size: 1.15rem }
    ul.needs { margin: 0; padding: 0; list-style: none }
    ul.needs li { margin: 0 0 0.6rem; padding: 0.7rem 1rem; background: var(--mark); border-left: 4px solid var(--bad); overflow-wrap: anywhere }
    small { color: var(--faint) }
    .wide { overflow-x: auto }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
    th, td { padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
    th { color: var(--faint); font-weight: 600; white-space: nowrap }
    td:first-child { overflow-wrap: anywhere }
    td em { color: var(--bad); font-style: normal; font-weight: 600 }
    a { color: inherit }
    code { font-size: 0.9em }
  </style>`
