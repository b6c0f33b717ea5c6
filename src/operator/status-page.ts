/** The page for people without a command line: what needs a person, the routes, the latest files. One file, no script. */
import type { Concern } from '../domain/attention.ts'
import type { RouteOverview } from '../domain/journal.ts'
import { html, type Html, joined, prose } from '../support/html.ts'
import type { PageMatter } from './page-matter.ts'
import { PAGE_STYLE } from './status-page-style.ts'
import {
  deliveryRow,
  fileRow,
  heldRow,
  moment,
  routeRow,
  turnRow,
  unfinishedRow,
  waitingRow,
} from './status-rows.ts'

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

function needsOf({ snapshot, notices }: PageMatter): number {
  return snapshot.attention.length + notices.filter(({ state }) => state === 'failed').length
}

function sectionsOf(matter: PageMatter): Html[] {
  const { snapshot } = matter
  return [
    section('What needs a person', attentionOf(matter)),
    section('Routes', table(['Route', 'Records in', 'Records out', 'Now'], routesOf(matter).map(routeRow))),
    section(
      'Schedules',
      table(
        ['Route', 'Last turn', 'Next turn'],
        snapshot.turns.map((turn) => turnRow(turn, snapshot.at)),
      ),
    ),
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

function attentionOf({ snapshot, notices }: PageMatter): Html | undefined {
  const items = [
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
