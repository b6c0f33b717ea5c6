/** Running a route now: the page that starts it, and the page of a run, which ends with what came of it. */
import type { ConsoleContext } from '../../app/console/context.ts'
import { readRoute, type ShownRoute } from '../../app/console/routes.ts'
import {
  readRunPage,
  type RunFile,
  type RunPage,
  type RunProblem,
  type RunReport,
} from '../../app/console/run-now.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawRefusal, drawSubmit, formatRecords } from './forms.ts'
import { drawCells, drawCounts, drawDeliveryLink, drawFileLink, drawPause, formatNumber } from './parts.ts'

const PATH = '/routes/:name/run'
const RUN_PATH = '/routes/:name/runs/:run'

const AGAIN_PATH = '/routes/:name/again'

export const runNowPage = definePage<ShownRoute>({
  path: PATH,
  permission: 'operate',
  load: (context, request) => readRoute(context, request.params['name'] ?? '', request.audience),
  draw: (route, request) => ({ title: `Run ${route.name} now`, main: drawStart(route, request) }),
  act: async (context, request) => {
    const route = await readRoute(context, request.params['name'] ?? '', request.audience)
    if (route === undefined) return undefined
    const { hand, person, now } = request
    const run = await hand.startRun({ route: route.name, by: person.name, at: now })
    return { to: href(RUN_PATH, { name: route.name, run }) }
  },
})

/** A daily report of its last date, missed or made before. */
export const runAgainPage = definePage<ShownRoute>({
  path: AGAIN_PATH,
  permission: 'operate',
  load: readReportRoute,
  draw: (route, request) => ({ title: formatAgain(route), main: drawAgain(route, request) }),
  act: async (context, request) => {
    const route = await readReportRoute(context, request)
    if (route?.lastDate === undefined) return undefined
    const { hand, person, now, form } = request
    // Another date may have begun since the page was shown.
    if (form['date'] !== route.lastDate.date) return { refusal: { status: 409, message: ANOTHER_DATE } }
    const run = await hand.startRun({ route: route.name, by: person.name, at: now, isAgain: true })
    return { to: href(RUN_PATH, { name: route.name, run }) }
  },
})

const ANOTHER_DATE = 'Another date is the last one by now, and nothing was done. This is the one of now.'

async function readReportRoute(
  context: ConsoleContext,
  request: Pick<PageRequest, 'params' | 'audience'>,
): Promise<ShownRoute | undefined> {
  const route = await readRoute(context, request.params['name'] ?? '', request.audience)
  return route?.lastDate && route
}

/** A date that was made is made again. */
export function formatAgain({ lastDate }: ShownRoute): string {
  const { date = '', state } = lastDate ?? {}
  return state === 'done' ? `Make the report of ${date} again` : `Run the missed date ${date}`
}

function drawAgain(route: ShownRoute, request: PageRequest): Html {
  const { name, pause, lastDate } = route
  const back = href('/routes/:name', { name })
  if (pause !== undefined)
    return html`<p>It is paused ${drawPause(pause, request)}. Resume it first.</p>
      <p><a href="${back}">Back</a></p>`
  const { date = '', dueAt = 0, state } = lastDate ?? {}
  const known =
    state === 'done'
      ? html`<p>
          There is a report of this date.
          <strong>A reader that takes both has each of its records twice.</strong>
        </p>`
      : undefined
  const body = html`<input type="hidden" name="date" value="${date}" />`
  const form = { action: href(AGAIN_PATH, { name }), body, button: formatAgain(route), cancel: back }
  return html`${drawRefusal(request)}
    <p>
      The report of ${date}, which was due ${showTime(dueAt, request)}, is made from what the API has now, and
      delivered as a new file. Earlier dates are not made.
    </p>
    ${known} ${drawSubmit(form, request)}`
}

function drawStart(route: ShownRoute, request: PageRequest): Html {
  const { name, owner, pause, direction } = route
  const back = href('/routes/:name', { name })
  if (pause !== undefined)
    return html`<p>It is paused ${drawPause(pause, request)}. Resume it first.</p>
      <p><a href="${back}">Back</a></p>`
  const what = direction === 'inbound' ? 'what waits in its inbox' : 'what its list has'
  const wait =
    owner &&
    html`<p>${owner} is working on it now: the run waits for it, up to 30 seconds, and then begins.</p>`
  return html`<p>
      One pass over the route: what is unfinished goes on, and then ${what}. It is safe at any time.
    </p>
    ${wait}
    ${drawSubmit({ action: href(PATH, { name }), body: html``, button: `Run ${name} now`, cancel: back }, request)}`
}

// One run.

export const runPage = definePage<RunPage>({
  path: RUN_PATH,
  permission: 'operate',
  load: (context, { params, findRun }) =>
    readRunPage(context, params['name'] ?? '', findRun(params['run'] ?? '')),
  draw: (run, request) => ({ title: `Run of ${run.route}`, main: drawRun(run, request) }),
})

function drawRun(run: RunPage, request: PageRequest): Html {
  const { route, by, at } = run
  const asked =
    by !== undefined && at !== undefined && html`<p>Started by ${by}, ${showTime(at, request)}.</p>`
  return html`${asked || undefined}
    <section id="outcome" data-live tabindex="-1" autofocus>${drawState(run, request)}</section>
    <p><a href="${href('/routes/:name', { name: route })}">The route ${route}</a></p>`
}

function drawState({ state, waitsFor, report, failure, end = '' }: RunPage, request: PageRequest): Html {
  if (state === 'lost')
    return html`<p>
      The console knows nothing of this run: it was started again since. What came of it is on the pages of
      files, deliveries and routes.
    </p>`
  if (failure !== undefined) return drawFailure(failure)
  if (report !== undefined) return drawReport(report, end, request)
  const what = state === 'waiting' ? html`It waits for ${waitsFor}.` : html`The bridge is at work on it.`
  // Without script the page stays as it is.
  return html`<p role="status">${what}</p>
    <p><a href="">Show how far it is</a></p>`
}

function drawFailure({
  message,
  fix,
  details,
  code,
}: RunReport['failures'][number] | NonNullable<RunPage['failure']>): Html {
  return html`<div role="alert">
    <p>${[message, ...details].join(' ')} <code>${code}</code></p>
    <p class="fix">${renderInlineCode(fix)}</p>
  </div>`
}

function drawReport(report: RunReport, end: string, request: PageRequest): Html {
  const { paused, files, deliveries, open, waiting, failures } = report
  const isNothing =
    paused === undefined && files.length + deliveries.length + open.length + failures.length === 0
  return html`${failures.map(drawFailure)}
    ${paused && html`<p>Nothing was done: the route is paused ${drawPause(paused, request)}.</p>`}
    ${files.map(drawFile)}
    ${deliveries.map(
      (each) => html`<p>Delivered: ${drawDeliveryLink(each)}, ${formatRecords(each.records)}.</p>`,
    )}
    ${open.map((name) => html`<p>${name} is not finished: the next run goes on with it.</p>`)}
    ${waiting.map((name) => html`<p>Records of ${name} wait for their orders.</p>`)}
    ${isNothing ? html`<p>There was nothing to do.</p>` : undefined}
    <p role="status">The run is over: ${end}.</p>`
}

function drawFile({ id, name, outcome, records, problems }: RunFile): Html {
  const link = id === undefined ? html`${name}` : drawFileLink({ id, name })
  const table =
    problems.length === 0
      ? undefined
      : drawCells(`Problems of ${name}`, ['Records', 'Problem', 'Fix'], problems.map(drawProblemCells))
  return html`<p>${link}: ${outcome}, ${drawCounts(records)}</p>
    ${table}`
}

function drawProblemCells({ code, title, fix, records }: RunProblem): readonly Html[] {
  const count = records === undefined ? html`the file` : html`${formatNumber(records)}`
  return [count, html`${renderInlineCode(title)} <code>${code}</code>`, renderInlineCode(fix)]
}
