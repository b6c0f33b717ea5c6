/** The pages of what people decided: the list, and one decision with what came of each record. */
import {
  type DecidedRecord,
  type DecisionPage,
  type DecisionsPage,
  listDecisions,
  readDecision,
} from '../../app/console/decisions.ts'
import { isInboxKey } from '../../config/edi.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { drawLive, showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawRedelivery } from './deliveries.ts'
import { drawTaking, formatRecords } from './forms.ts'
import {
  DECIDED,
  drawCounts,
  drawProblem,
  drawState,
  formatLines,
  drawDeliveryLink,
  drawFileLink,
  drawNext,
  drawRecordLink,
  drawCells,
  formatNumber,
  formatTotal,
  readFilter,
  formatCount,
  toViews,
} from './parts.ts'

export const decisionsPage = definePage<DecisionsPage>({
  path: '/decisions',
  permission: 'read',
  load: (context, request) => {
    const after = readFilter(request, 'after')
    return listDecisions(
      context,
      after !== undefined && /^\d{1,15}$/.test(after) ? { after: Number(after) } : {},
    )
  },
  draw: (data, request) => ({ title: 'Decisions', main: drawDecisions(data, request) }),
})

function drawDecisions({ decisions, total, next }: DecisionsPage, request: PageRequest): Html {
  if (total.count === 0) return drawLive('list', html`<p>No person has decided anything yet.</p>`)
  const rows = decisions.map((decision) => {
    const { id, at, by, via, action, route, records, why } = decision
    return [
      html`<a href="${href('/decisions/:n', { n: id })}">${showTime(at, request)}</a>`,
      html`${by}`,
      html`${DECIDED[action]}`,
      drawSubject(decision),
      html`${route}`,
      html`${isOfAnswer(decision) ? undefined : formatNumber(records)}`,
      html`${why}`,
      html`${formatVia(via)}`,
    ]
  })
  const older = next === undefined ? undefined : href('/decisions', { after: next })
  const head = ['When', 'Who', 'What', 'On', 'Route', 'Records', 'Why', 'Via']
  const ids = decisions.map(({ id }) => `decision-${id}`)
  const list = html`<p>${formatTotal(total, 'decision')}, newest first.</p>
    ${drawCells('Decisions', head, rows, ids)} ${drawNext(older, 'older')}`
  return drawLive('list', list)
}

/** What it was about: a file or delivery with its first record, or the route. */
function drawSubject({ file, delivery, record, records, route }: DecisionsPage['decisions'][number]): Html {
  if (file === undefined && delivery === undefined) return html`${route}`
  const of = file === undefined ? delivery && drawDeliveryLink(delivery) : drawFileLink(file)
  if (record === undefined) return html`${of}`
  const more = records > 1 ? ` and ${formatNumber(records - 1)} more` : ''
  return html`${of}, ${drawRecordLink(record)}${more}`
}

function formatVia(via: DecisionsPage['decisions'][number]['via']): string {
  return via ?? 'command line'
}

// One decision.

export const decisionPage = definePage<DecisionPage>({
  path: '/decisions/:n',
  permission: 'read',
  load: async (context, request) => {
    const { n = '' } = request.params
    const after = readFilter(request, 'after')
    const from = after !== undefined && /^\d{1,15}$/.test(after) ? { after: Number(after) } : {}
    return /^\d{1,15}$/.test(n)
      ? readDecision(context, { id: Number(n), ...from }, request.audience)
      : undefined
  },
  listViews: ({ page }) => toViews(page),
  draw: (data, request) => ({ title: formatTitle(data), main: drawDecision(data, request) }),
})

/** An answer to interchanges has no records. */
function isOfAnswer({ action, route = '' }: Pick<DecisionPage, 'action' | 'route'>): boolean {
  return action === 'redeliver' && isInboxKey(route)
}

function formatTitle({ action, by, records, route = '', delivery }: DecisionPage): string {
  if (action === 'pause' || action === 'resume') return `${by} ${DECIDED[action]} ${route}`
  if (isOfAnswer({ action, route })) return `${by} ${DECIDED[action]} ${delivery?.name ?? route}`
  return `${by} ${DECIDED[action]} ${formatRecords(records)}`
}

function drawDecision(decision: DecisionPage, request: PageRequest): Html {
  const { id, at, by, via, why, route, file, delivery, page, next, correction } = decision
  const [caption, outcome] = correction
    ? ['Its records before the correction', 'Outcome before']
    : ['What came of each record', 'Outcome']
  const on = file ? drawFileLink(file) : delivery && drawDeliveryLink(delivery)
  const more = next === undefined ? undefined : href('/decisions/:n', { n: id, after: next })
  const rows = page.map((record) => [
    html`${formatLines(record.lines)}`,
    drawRecordLink(record),
    drawOutcome(record),
  ])
  const before =
    request.query['sent'] === 'before'
      ? html`<p role="status">
          These rows were sent before, with this decision. Nothing was sent again, and your reason was not
          kept.
        </p>`
      : undefined
  return html`${before}
    <p>
      ${showTime(at, request)} ${by}, via
      ${formatVia(via)}${on && html`, on ${on}`}${route && html`, route ${drawRoute(decision)}`}.
    </p>
    <p>Why: ${why}</p>
    <section id="outcome" data-live tabindex="-1" autofocus>
      ${drawResult(decision, request)}
      ${rows.length === 0 ? undefined : drawCells(caption, ['Lines', 'Record', outcome], rows)}
    </section>
    ${drawNext(more, 'next records')}`
}

function drawResult(decision: DecisionPage, request: PageRequest): Html {
  const { action, correction, redelivery, states, pause } = decision
  if (action === 'resume') return html`<p>A watch goes on within seconds; without one, the next run does.</p>`
  if (pause !== undefined) return drawPauseEnd(pause, request)
  if (correction !== undefined) return drawCorrection(correction, decision, request)
  const progress = drawProgress(decision, request)
  if (redelivery === undefined)
    return html`${progress}
      <p>${drawCounts(states)}</p>`
  return html`${progress}
    <p>The second file: ${drawRedelivery(redelivery, request)}. Nothing was acknowledged again.</p>`
}

/** Of another decision the route may be gone, or an inbox, which has no page. */
function drawRoute({ action, route = '' }: DecisionPage): Html {
  if (action !== 'pause' && action !== 'resume') return html`${route}`
  return html`<a href="${href('/routes/:name', { name: route })}">${route}</a>`
}

function drawPauseEnd({ until, endedAt }: NonNullable<DecisionPage['pause']>, request: PageRequest): Html {
  if (endedAt !== undefined)
    return html`<p>A person ended it, or gave it another end, at ${showTime(endedAt, request)}.</p>`
  const end = until > request.now ? 'It ends by itself' : 'It ended by itself'
  return html`<p>${end} at ${showTime(until, request)}.</p>`
}

function drawOutcome({ state, direction, apiId, http, problems }: DecidedRecord): Html {
  const as = apiId === undefined ? '' : ` as ${apiId}`
  const status = http === undefined ? '' : `, HTTP ${http}`
  return html`${drawState(state, direction)}${as}${status} ${problems.map(drawProblem)}`
}

/** Where the corrected rows are, and what happens next. */
function drawCorrection(
  { folder, name, leftAt, givenUpAt, takenAs, taking, outcome = {} }: NonNullable<DecisionPage['correction']>,
  { file }: DecisionPage,
  request: PageRequest,
): Html {
  if (takenAs !== undefined)
    return html`<p>
      The corrected rows were taken as ${drawFileLink({ id: takenAs, name })}: ${drawCounts(outcome)}
    </p>`
  const again =
    file &&
    request.may('correct') &&
    html` <a href="${href('/files/:id/correct', { id: file.id })}">Correct them again</a>.`
  if (givenUpAt !== undefined)
    return html`<p>
      Their file, ${name}, was removed before it was taken; nothing of it was sent.${again || undefined}
    </p>`
  if (leftAt === undefined)
    return html`<p>Their file is not in ${folder} yet: the work was cut off.${again || undefined}</p>`
  return html`<p>The corrected rows lie in ${folder} as ${name}. That file is not taken yet.</p>
    ${drawRun(taking.route, request) ?? drawTaking(taking, request)}`
}

/** The run that was started with the decision, while it has not taken the file; over without a failure, it is of no more use. */
function drawRun(route: string, { query, findRun }: PageRequest): Html | undefined {
  const { run = '' } = query
  const work = findRun(run)
  if (work?.route !== route) return undefined
  const link = html`<a href="${href('/routes/:name/runs/:run', { name: route, run })}"
    >the run of ${route}</a
  >`
  if (work.failure !== undefined)
    return html`<p role="alert">It was not taken: ${work.failure.message} See ${link}.</p>`
  if (work.report !== undefined) return undefined
  return html`<p role="status">${work.busy === undefined ? 'It is being taken' : work.busy}: see ${link}.</p>`
}

/** What is still to come of it. */
function drawProgress(
  { id, route = '', states }: DecisionPage,
  { findWork, may }: PageRequest,
): Html | undefined {
  const work = findWork(id)
  const { planned = 0, sending = 0, uncertain = 0, deferred = 0 } = states
  const open = planned + sending + uncertain + deferred
  if (work?.isGoingOn === true) return html`<p role="status">The bridge is at work on it.</p>`
  const failure =
    work?.failure &&
    html`<div role="alert">
      <p>The decision is noted. Its work was not finished: ${work.failure.message}</p>
      <p class="fix">${renderInlineCode(work.failure.fix)}</p>
    </div>`
  if (open === 0) return failure
  return html`${failure}
    <p>
      ${formatCount(open, 'record of it is', 'records of it are')} not finished; the next run goes on:
      ${
        may('operate')
          ? html`<a href="${href('/routes/:name/run', { name: route })}">Run ${route} now …</a>`
          : html`<code>dropbridge run ${route}</code>`
      }
    </p>`
}
