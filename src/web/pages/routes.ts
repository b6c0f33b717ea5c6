/** The page of all routes. */
import {
  listRoutes,
  type RoutesPage,
  type ShownAlert,
  type ShownPause,
  type ShownRoute,
} from '../../app/console/routes.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { drawLive, showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawDeliveryLink, drawFileLink, drawCells } from './parts.ts'

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

export function drawWork({ operation, party, direction, mailbox, folder }: ShownRoute): Html {
  return html`${operation} as ${party}, ${direction === 'inbound' ? 'from' : 'to'} ${mailbox}: ${folder}`
}

export function drawLast({ last, direction }: ShownRoute, request: PageRequest): Html {
  const drawn = last && (direction === 'inbound' ? drawFileLink(last) : drawDeliveryLink(last))
  return html`${drawn}${last && html` ${showTime(last.at, request)}`}`
}

export function drawRouteState(
  { state, owner, watchedSince, pause }: ShownRoute,
  request: PageRequest,
): Html {
  const by = owner === undefined ? undefined : html`, ${owner}`
  const paused = pause && html`: ${drawPause(pause, request)}`
  const watch =
    watchedSince === undefined ? undefined : html`, watched since ${showTime(watchedSince, request)}`
  if (state === 'paused') return html`‖ paused${paused}${watch}`
  return html`${state}${by}${watch}${pause && html`; paused${paused}`}`
}

export function drawPause(
  { by, until, why }: Pick<ShownPause, 'by' | 'until' | 'why'>,
  request: PageRequest,
): Html {
  return html`by ${by} until ${showTime(until, request)}: ${why}`
}

export function drawSchedule({ schedule }: ShownRoute, request: PageRequest): Html {
  if (schedule === undefined) return html`none`
  const { last, nextAt } = schedule
  const next = nextAt === undefined ? undefined : html`next ${showTime(nextAt, request)}`
  return html`${next}${last && html`, last ${last.occurrence}: ${last.state}`}`
}

export function drawAlerts(alerts: readonly ShownAlert[], request: PageRequest): Html {
  return html`${alerts.map(
    ({ code, message, fix, since }) =>
      html`<div class="problem">
        ${message}<br />${renderInlineCode(fix)} <code>${code}</code>, since ${showTime(since, request)}
      </div>`,
  )}`
}
