/** Today, the first page: what needs a person, what is expected, and what came lately. */
import { type ExpectedFileState, readToday, type ShownAlert, type Today } from '../../app/console/today.ts'
import type { Unfinished } from '../../domain/snapshot.ts'
import { html, type Html, href, joinHtml, renderInlineCode } from '../../support/html.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawClockBoard } from './clocks.ts'
import { drawFileButtons } from './forms.ts'
import { audienceOf, drawCounts, drawDeliveryLink, drawFileLink, drawFileState } from './parts.ts'
import { type Column, drawTable, formatAge, showState, showTime } from '../parts.ts'

export const todayPage = definePage<Today>({
  path: '/',
  permission: 'read',
  load: (context, request) => readToday(context, audienceOf(request)),
  draw: (today, request) => ({ title: formatTitle(today), main: drawToday(today, request) }),
})

function formatTitle({ alerts, at }: Today): string {
  if (at === undefined) return 'Today'
  if (alerts.length === 0) return 'All is well'
  return alerts.length === 1 ? '1 thing needs a person' : `${alerts.length} things need a person`
}

function drawToday(today: Today, request: PageRequest): Html {
  const show = (at: number) => showTime(at, request)
  const sections = [
    drawSection('alerts', 'Needs a person', drawAlerts(today, request)),
    drawSection(
      'clocks',
      'Orders to acknowledge and to ship',
      today.clocks && drawClockBoard(today.clocks, request),
    ),
    drawList({ id: 'expected', title: 'Expected files', rows: today.expected }, [
      { head: 'Route', draw: ({ route }) => route },
      { head: 'By', draw: ({ by, zone }) => `${by} ${zone}` },
      { head: 'State', draw: (each) => drawExpected(each, request) },
      {
        head: 'Latest',
        draw: ({ last }) => (last ? html`${drawFileLink(last)}, ${show(last.at)}` : 'none yet'),
      },
    ]),
    drawList({ id: 'scheduled', title: 'Scheduled routes', rows: today.scheduledRuns }, [
      { head: 'Route', draw: ({ route }) => route },
      { head: 'Last run', draw: ({ last }) => (last ? `${last.occurrence} ${last.state}` : 'none yet') },
      { head: 'Next', draw: ({ nextAt }) => (nextAt === undefined ? '' : show(nextAt)) },
    ]),
    drawList(
      {
        id: 'files',
        title: 'Latest files',
        rows: today.files,
        empty: 'No file came yet. Files that a route takes from its inbox stand here.',
      },
      [
        { head: 'File', draw: drawFileLink },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Received', draw: ({ receivedAt, claimedAt }) => show(receivedAt ?? claimedAt) },
        { head: 'Records', draw: ({ records }) => drawCounts(records) },
        { head: 'State', draw: drawFileState },
      ],
    ),
    drawList(
      {
        id: 'deliveries',
        title: 'Latest deliveries',
        rows: today.deliveries,
        empty: 'Nothing was delivered yet.',
      },
      [
        { head: 'File', draw: drawDeliveryLink },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Made', draw: ({ composedAt }) => show(composedAt) },
        { head: 'Records', draw: ({ records }) => records },
        {
          head: 'State',
          draw: ({ state, held }) => (held === undefined ? state : html`${showState('held')}: ${held}`),
        },
      ],
    ),
    drawList({ id: 'held', title: 'Held for a person', rows: today.held }, [
      { head: 'File', draw: ({ file, name }) => drawFileLink({ id: file, name }) },
      { head: 'Route', draw: ({ route }) => route },
      { head: 'Records', draw: ({ records }) => showState('held', records) },
      { head: 'Since', draw: ({ since }) => show(since) },
      { head: 'Why', draw: ({ code }) => html`<code>${code}</code>` },
    ]),
    drawList({ id: 'waiting', title: 'Waits for orders; nothing to do', rows: today.waiting }, [
      { head: 'File', draw: ({ file, name }) => drawFileLink({ id: file, name }) },
      { head: 'Route', draw: ({ route }) => route },
      { head: 'Records', draw: ({ records }) => records },
      { head: 'For', draw: ({ message }) => message },
    ]),
    drawList({ id: 'unfinished', title: 'Not finished', rows: today.unfinished }, [
      {
        head: 'File',
        draw: (each) => ('file' in each ? drawFileLink({ id: each.file, name: each.name }) : each.name),
      },
      { head: 'Route', draw: ({ route }) => route },
      { head: 'Next', draw: drawNext },
    ]),
    drawList({ id: 'unmatched', title: 'Files that no route takes', rows: today.unmatchedFiles }, [
      { head: 'File', draw: ({ path }) => path },
      { head: 'Most similar pattern', draw: ({ nearest = '' }) => nearest },
    ]),
  ]
  return html`${sections}`
}

/** The whole section is live, also while it is empty: then it can come into being. */
function drawSection(id: string, title: string, content: Html | undefined): Html {
  if (content === undefined) return html`<section id="${id}" data-live hidden></section>`
  return html`<section id="${id}" data-live>
    <h2>${title}</h2>
    ${content}
  </section>`
}

interface List<Row> {
  readonly id: string
  readonly title: string
  readonly rows: readonly Row[]
  /** Shown where there are no rows; without it an empty list is not shown. */
  readonly empty?: string
}

function drawList<Row>({ id, title, rows, empty }: List<Row>, columns: readonly Column<Row>[]): Html {
  if (rows.length > 0) return drawSection(id, title, drawTable(title, columns, rows))
  return drawSection(id, title, empty === undefined ? undefined : html`<p>${empty}</p>`)
}

function drawAlerts(today: Today, request: PageRequest): Html {
  const { alerts, at } = today
  const age = drawAge(today, request)
  if (!today.hasRoutes)
    return html`<p>
      The configuration has no route yet. <code>dropbridge init</code> writes one to start from.
    </p>`
  if (at === undefined)
    return html`<p>The journal is being read.</p>
      ${age}`
  if (alerts.length === 0)
    return html`<p>Nothing needs a person.</p>
      ${age}`
  return html`<ul class="alerts">
      ${alerts.map((alert) => drawAlert(alert, request))}
    </ul>
    ${age}`
}

/** How old the alerts are: mailboxes are listed in the background, and may not answer. */
function drawAge({ checkedAt, checkingSince, failure }: Today, request: PageRequest): Html {
  const { now } = request
  const parts = [
    checkedAt === undefined
      ? html`Mailboxes were not listed yet; these are the alerts that the bridge noted last.`
      : html`Mailboxes were listed at ${showTime(checkedAt, request)}, ${formatAge(now - checkedAt)} ago.`,
    ...(checkingSince === undefined
      ? []
      : [html`They are being listed since ${formatAge(now - checkingSince)}.`]),
    ...(failure === undefined ? [] : [html`The last try failed: ${failure}`]),
  ]
  return html`<p class="age">${joinHtml(parts, ' ')}</p>`
}

function drawAlert(alert: ShownAlert, request: PageRequest): Html {
  const { code, route, subject, since, message, fix } = alert
  const search = href('/search', { q: subject })
  const about = [
    ...(route === undefined ? [] : [html`${route}`]),
    html`since ${showTime(since, request)} (${formatAge(request.now - since)})`,
    html`<code>${code}</code>`,
    html`<a href="${search}">Search for ${subject}</a>`,
  ]
  return html`<li>
    <strong>${message}</strong>
    <p class="fix">${renderInlineCode(fix)}</p>
    <small>${joinHtml(about, ' · ')}</small>
    ${drawButtons(alert, request)}
  </li>`
}

function drawButtons(
  { decidable, unresolved, rejected }: ShownAlert,
  request: PageRequest,
): Html | undefined {
  if (decidable !== undefined) return drawFileButtons(decidable.file, decidable, request)
  if (rejected !== undefined) {
    const file = href('/files/:id', { id: rejected, state: 'rejected' })
    return html`<p class="buttons"><a class="button" href="${file}">See and correct its records</a></p>`
  }
  if (unresolved === undefined) return undefined
  const records = href('/files/:id', { id: unresolved, state: 'uncertain' })
  return html`<p class="buttons"><a class="button" href="${records}">See its records</a></p>`
}

function drawExpected({ last, missingSince, nextAt }: ExpectedFileState, request: PageRequest): Html {
  if (missingSince !== undefined)
    return html`<span class="state rejected">✕ late ${formatAge(request.now - missingSince)}</span>`
  const next = html`next by ${showTime(nextAt, request)}`
  return last === undefined ? html`… ${next}` : html`✓ came; ${next}`
}

function drawNext({ next, records }: Unfinished): Html {
  if (records.length === 0) return html`${next}`
  const states = records.map(({ state, count, why }) =>
    why === undefined ? showState(state, count) : html`${showState(state, count)}: ${why}`,
  )
  return joinHtml(states, '; ')
}
