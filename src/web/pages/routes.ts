/** The page of all routes, that of one, and the forms that pause it and let it go on. */
import { DateTime } from 'luxon'
import type { ConsoleContext } from '../../app/console/context.ts'
import {
  listRoutes,
  readRoute,
  type RoutesPage,
  type ShownAlert,
  type ShownRoute,
  type ShownWait,
} from '../../app/console/routes.ts'
import { PAUSE_DAYS_MAX } from '../../domain/scheduled-run.ts'
import { DAY_MS, HOUR_MS } from '../../support/clock.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { drawLive, showTime } from '../parts.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { drawForm, drawRefusal, readReason } from './forms.ts'
import { drawCells, drawDeliveryLink, drawFileLink, drawPause } from './parts.ts'
import { formatAgain } from './run.ts'

export const routesPage = definePage<RoutesPage>({
  path: '/routes',
  permission: 'read',
  load: (context, request) => listRoutes(context, request.audience),
  draw: (data, request) => ({ title: 'Routes', main: drawRoutes(data, request) }),
})

function drawRoutes({ routes, alerts }: RoutesPage, request: PageRequest): Html {
  if (routes.length === 0)
    return html`<p>No route yet. ${renderInlineCode('`dropbridge init` writes a first configuration.')}</p>`
  const head = ['Route', 'What', 'State', 'Last', 'Schedule', 'Alerts']
  const rows = routes.map((route) => drawRowCells(route, request))
  const ids = routes.map(({ name }) => `route-${name}`)
  const elsewhere =
    alerts.length === 0
      ? undefined
      : html`<h2>Alerts</h2>
          ${drawAlerts(alerts, request)}`
  return drawLive('routes', html`${elsewhere} ${drawCells('Routes', head, rows, ids)}`)
}

function drawRowCells(route: ShownRoute, request: PageRequest): readonly Html[] {
  const { name, alerts } = route
  return [
    html`<a href="${href('/routes/:name', { name })}">${name}</a>`,
    drawWork(route),
    drawRouteState(route, request),
    drawLast(route, request),
    drawSchedule(route, request),
    drawAlerts(alerts, request),
  ]
}

function drawWork({ operation, party, direction, mailbox, folder }: ShownRoute): Html {
  return html`${operation} as ${party}, ${direction === 'inbound' ? 'from' : 'to'} ${mailbox}: ${folder}`
}

function drawLast({ last, direction }: ShownRoute, request: PageRequest): Html {
  const drawn = last && (direction === 'inbound' ? drawFileLink(last) : drawDeliveryLink(last))
  return html`${drawn}${last && html` ${showTime(last.at, request)}`}`
}

function drawRouteState(route: ShownRoute, request: PageRequest): Html {
  const { state, owner, watchedSince, pause, wait } = route
  const by = owner === undefined ? undefined : html`, ${owner}`
  const paused = pause && html`: ${drawPause(pause, request)}`
  const watch =
    watchedSince === undefined ? undefined : html`, watched since ${showTime(watchedSince, request)}`
  if (state === 'paused') return html`‖ paused${paused}${watch}`
  if (wait !== undefined) return html`${drawWait(wait, route)}${watch}`
  return html`${state}${by}${watch}${pause && html`; paused${paused}`}`
}

/** What an unfinished route waits for, and what to do. */
function drawWait({ for: whom, work }: ShownWait, { direction, watchedSince }: ShownRoute): Html {
  const what = work && (direction === 'inbound' ? drawFileLink(work) : drawDeliveryLink(work))
  if (whom === 'reader')
    return html`waits: its reader has not taken ${what} yet, or not confirmed it. Nothing to do here`
  if (whom === 'orders') return html`waits: ${what} needs orders that are not there yet. Nothing to do here`
  const next = watchedSince === undefined ? 'the next run, or “Run now …” on its page' : 'the watch'
  return html`unfinished: ${next} goes on${what && html` with ${what}`}`
}

function drawSchedule({ schedule }: ShownRoute, request: PageRequest): Html {
  if (schedule === undefined) return html`none`
  const { last, nextAt } = schedule
  const next = nextAt === undefined ? undefined : html`next ${showTime(nextAt, request)}`
  return html`${next}${last && html`, last ${last.occurrence}: ${last.state}`}`
}

function drawAlerts(alerts: readonly ShownAlert[], request: PageRequest): Html {
  return html`${alerts.map(
    ({ code, message, fix, since }) =>
      html`<div class="problem">
        ${message}<br />${renderInlineCode(fix)} <code>${code}</code>, since ${showTime(since, request)}
      </div>`,
  )}`
}

// One route.

const PATH = '/routes/:name'
const PAUSE_PATH = '/routes/:name/pause'
const RESUME_PATH = '/routes/:name/resume'

function load(context: ConsoleContext, request: Pick<PageRequest, 'params' | 'audience'>) {
  return readRoute(context, request.params['name'] ?? '', request.audience)
}

export const routePage = definePage<ShownRoute>({
  path: PATH,
  permission: 'read',
  load,
  draw: (route, request) => ({ title: route.name, main: drawRoute(route, request) }),
})

function drawRoute(route: ShownRoute, request: PageRequest): Html {
  const { name, direction, alerts } = route
  const list = href(direction === 'inbound' ? '/files' : '/deliveries', { route: name })
  return html`<p>${drawWork(route)}</p>
    <section id="state" data-live>
      <dl>
        <dt>State</dt>
        <dd>${drawRouteState(route, request)}</dd>
        <dt>${direction === 'inbound' ? 'Last file' : 'Last delivery'}</dt>
        <dd>${route.last === undefined ? 'none yet' : drawLast(route, request)}</dd>
        <dt>Schedule</dt>
        <dd>${drawSchedule(route, request)}</dd>
      </dl>
      ${alerts.length === 0 ? undefined : html`<h2>Alerts</h2>`} ${drawAlerts(alerts, request)}
      ${drawButtons(route, request)}
    </section>
    <p><a href="${list}">All its ${direction === 'inbound' ? 'files' : 'deliveries'}</a></p>`
}

function drawButtons(route: ShownRoute, { may }: PageRequest): Html | undefined {
  const { name, pause, lastDate } = route
  if (!may('operate')) return undefined
  const resume = pause && html`<a class="button" href="${href(RESUME_PATH, { name })}">Resume …</a> `
  const text = pause === undefined ? 'Pause …' : 'Pause for longer or shorter …'
  const run =
    pause === undefined
      ? html`<a class="button" href="${href('/routes/:name/run', { name })}">Run now …</a> `
      : undefined
  const again =
    lastDate !== undefined && pause === undefined
      ? html`<a class="button" href="${href('/routes/:name/again', { name })}">${formatAgain(route)} …</a> `
      : undefined
  return html`<p class="buttons">
    ${run}${again}${resume}<a class="button" href="${href(PAUSE_PATH, { name })}">${text}</a>
  </p>`
}

// Pausing.

export const pausePage = definePage<ShownRoute>({
  path: PAUSE_PATH,
  permission: 'operate',
  load,
  draw: (route, request) => ({ title: `Pause ${route.name}`, main: drawPauseForm(route, request) }),
  act: async (context, request) => {
    const route = await load(context, request)
    return route && carryOutPause(route, request)
  },
})

async function carryOutPause({ name: route }: ShownRoute, request: ActionRequest): Promise<ActionOutcome> {
  const { form, hand, person, zone } = request
  const reason = readReason(form)
  if ('refused' in reason) return { refusal: { status: 422, message: reason.refused } }
  const time = DateTime.fromISO(form['until'] ?? '', { zone })
  if (!time.isValid) return { refusal: { status: 422, message: NO_END } }
  const asked = { route, until: time.toMillis(), by: person.name, why: reason.why }
  return toDecision(await hand.carryOut('pause', asked))
}

const NO_END = 'A pause needs an end, such as 2026-11-21T14:00. Nothing was done.'

type Carried = Awaited<ReturnType<ActionRequest['hand']['carryOut']>>

function toDecision(outcome: Carried): ActionOutcome {
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  const done = outcome.kind === 'done' ? (outcome.result as { readonly decision: number }) : outcome
  return { to: href('/decisions/:n', { n: done.decision }) }
}

/** As a browser writes the value of such a field. */
function formatField(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat("yyyy-MM-dd'T'HH:mm")
}

function drawPauseForm({ name, owner, pause }: ShownRoute, request: PageRequest): Html {
  const { zone, now, typed = {} } = request
  const latest = formatField(now + PAUSE_DAYS_MAX * DAY_MS, zone)
  const until = typed['until'] ?? formatField(pause?.until ?? now + HOUR_MS, zone)
  const form = {
    action: href(PAUSE_PATH, { name }),
    body: html`<label for="until">Until, in ${zone}</label>
      <input
        id="until"
        name="until"
        type="datetime-local"
        value="${until}"
        min="${formatField(now, zone)}"
        max="${latest}"
        required
      />`,
    button: `Pause ${name}`,
    cancel: href(PATH, { name }),
  }
  const working = owner && html`<p>${owner} is working on it now, and goes on to the end of this pass.</p>`
  return html`${drawRefusal(request)}
    ${pause && html`<p>It is paused ${drawPause(pause, request)}. This gives it another end.</p>`}
    <p>
      Until then nothing of the route is taken, sent, looked up or delivered, by a watch or by a run. What is
      unfinished stays as it is and goes on afterwards. The pause ends by itself, within ${PAUSE_DAYS_MAX}
      days.
    </p>
    ${working} ${drawForm(form, request)}`
}

// Letting it go on.

export const resumePage = definePage<ShownRoute>({
  path: RESUME_PATH,
  permission: 'operate',
  load,
  draw: (route, request) => ({ title: `Resume ${route.name}`, main: drawResumeForm(route, request) }),
  act: async (context, request) => {
    const route = await load(context, request)
    return route && carryOutResume(route, request)
  },
})

async function carryOutResume(
  { name: route, pause }: ShownRoute,
  { form, hand, person }: ActionRequest,
): Promise<ActionOutcome> {
  const reason = readReason(form)
  if ('refused' in reason) return { refusal: { status: 422, message: reason.refused } }
  if (form['seen'] !== String(pause?.decision)) return { refusal: { status: 409, message: CHANGED } }
  return toDecision(await hand.carryOut('resume', { route, by: person.name, why: reason.why }))
}

const CHANGED = 'The pause changed after this page was shown, and nothing was done. This is how it is now.'

function drawResumeForm({ name, pause }: ShownRoute, request: PageRequest): Html {
  const back = href(PATH, { name })
  if (pause === undefined)
    return html`${drawRefusal(request)}
      <p>The route is not paused. <a href="${back}">Back</a></p>`
  const form = {
    action: href(RESUME_PATH, { name }),
    body: html`<input type="hidden" name="seen" value="${pause.decision}" />`,
    button: `Resume ${name}`,
    cancel: back,
  }
  return html`${drawRefusal(request)}
    <p>It is paused ${drawPause(pause, request)}.</p>
    <p>A watch goes on within seconds; without one, the next run does.</p>
    ${drawForm(form, request)}`
}
