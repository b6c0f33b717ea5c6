/** The pages of outgoing files: the list, one delivery with its records and rows, and delivering it once more. */
import type { FileDownload } from '../../app/console/contents.ts'
import {
  type DeliveriesPage,
  DELIVERY_CHOICES,
  type DeliveryPage,
  type DeliveryPreview,
  listDeliveries,
  type ListedDelivery,
  readDeliveryDownload,
  readDeliveryPage,
  readDeliveryPreview,
  readRedeliveryPreview,
  type RedeliveryPreview,
  type ShownRedelivery,
} from '../../app/console/deliveries.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { drawLive, showTime } from '../parts.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { drawForm, drawRefusal, formatRecords, readReason } from './forms.ts'
import {
  drawObstacle,
  toDownloaded,
  drawChoice,
  drawCounts,
  drawAgainLink,
  drawDeliveryLink,
  drawFileLink,
  drawNext,
  drawProblem,
  drawRecordLink,
  drawState,
  drawCells,
  drawCellText,
  formatAnswered,
  formatNumber,
  formatTotal,
  linkTo,
  readFilter,
  formatCount,
  toViews,
} from './parts.ts'

export const deliveriesPage = definePage<DeliveriesPage>({
  path: '/deliveries',
  permission: 'read',
  load: (context, request) => {
    const [route, state, after] = ['route', 'state', 'after'].map((name) => readFilter(request, name))
    return listDeliveries(context, omitUndefined({ route, state, after }))
  },
  draw: (data, request) => ({ title: 'Deliveries', main: drawDeliveries(data, request) }),
})

function drawDeliveries({ deliveries, total, next, routes }: DeliveriesPage, request: PageRequest): Html {
  const older = next === undefined ? undefined : linkTo('/deliveries', request, { after: next })
  const route = { name: 'route', label: 'Route', all: 'all' }
  const state = { name: 'state', label: 'State', all: 'all', words: STATE_WORDS }
  const form = html`<form method="get" action="/deliveries" class="filters">
    ${drawChoice(route, routes, readFilter(request, 'route'))}
    ${drawChoice(state, DELIVERY_CHOICES, readFilter(request, 'state'))} <button>Show</button>
  </form>`
  const list = html`<p>${formatTotal(total, 'delivery', 'deliveries')}, newest first.</p>
    ${
      deliveries.length === 0
        ? html`<p>No delivery matches. ${routes.length === 0 ? 'No route delivers files.' : ''}</p>`
        : drawCells(
            'Deliveries',
            request.may('operate') ? [...HEAD, 'Again'] : HEAD,
            deliveries.map((each) => drawRowCells(each, request)),
            deliveries.map(({ id }) => `delivery-${id}`),
          )
    }
    ${drawNext(older, 'older')}`
  return html`${form} ${drawLive('list', list)}`
}

const HEAD = ['File', 'Route', 'Records', 'State', 'Taken', 'Acknowledge by']

function drawRowCells(delivery: ListedDelivery, request: PageRequest): readonly Html[] {
  const { route, records, acknowledgeBy } = delivery
  return [
    drawDeliveryLink(delivery),
    html`${route}`,
    delivery.answers ? html`answers ${formatAnswered(delivery.answers)}` : html`${formatNumber(records)}`,
    drawDeliveryState(delivery, request),
    drawTaken(delivery, request),
    html`${acknowledgeBy === undefined ? undefined : showTime(acknowledgeBy, request)}`,
    ...(request.may('operate') ? [drawAgainLink(delivery)] : []),
  ]
}

const STATE_WORDS: Readonly<Record<(typeof DELIVERY_CHOICES)[number], string>> = {
  waiting: 'waiting for its reader',
  held: 'held for a person',
  composed: 'being delivered',
  delivered: 'delivered, not acknowledged yet',
  acknowledged: 'acknowledged',
  done: 'delivered, nothing to acknowledge',
}

export function drawDeliveryState(
  { state, deliveredAt, held, folder, again }: ListedDelivery,
  request: PageRequest,
): Html {
  const when =
    deliveredAt === undefined ? 'not in place yet' : html`delivered ${showTime(deliveredAt, request)}`
  const more =
    again === undefined ? undefined : `, delivered again ${again === 1 ? 'once' : `${again} times`}`
  // The others are said by when it was delivered.
  const before = state === 'acknowledged' ? `${state}, ` : ''
  return html`${before}${when} in ${folder}${more}${held === undefined ? undefined : html`, held: ${held}`}`
}

/** Who took it, and which answers of a partner came. */
function drawTaken(delivery: ListedDelivery, request: PageRequest): Html {
  const { sending } = delivery
  const taken = drawConfirmation(delivery, request)
  if (sending === undefined) return taken
  const answers = sending.answers.map(({ file, verdict }) => html` ${drawFileLink(file)}: ${verdict}`)
  return html`${taken}; interchange
  ${sending.interchange}${answers.length === 0 ? ', no answer yet' : ':'}${answers}`
}

function drawConfirmation(
  { isAwaited, isWatched, deliveredAt, confirmedAt, confirmedBy }: ListedDelivery,
  request: PageRequest,
): Html {
  if (confirmedAt !== undefined) {
    const by = confirmedBy === 'picked-up' ? 'picked up' : html`confirmed by ${confirmedBy}`
    return html`${by} ${showTime(confirmedAt, request)}`
  }
  if (isAwaited) return html`not yet: its reader is waited for`
  if (deliveredAt === undefined) return html``
  return isWatched ? html`not known` : html`not watched for this route`
}

export const deliveryPage = definePage<DeliveryPage>({
  path: '/deliveries/:id',
  permission: 'read',
  load: (context, request) => {
    const { id = '' } = request.params
    return readDeliveryPage(
      context,
      omitUndefined({ id, after: readFilter(request, 'after') }),
      request.audience,
    )
  },
  listViews: ({ page }) => toViews(page),
  draw: (data, request) => ({ title: data.name, main: drawDelivery(data, request) }),
})

function drawDelivery(delivery: DeliveryPage, request: PageRequest): Html {
  const { id, route, sequence, rows, records, answers, counts, page, next, prunedAt } = delivery
  const { redeliveries, acknowledgeBy } = delivery
  const more = next === undefined ? undefined : href('/deliveries/:id', { id, after: next })
  const main = html`<p>
      id ${id} · number ${sequence} of ${route} ·
      ${
        answers
          ? html`it answers ${formatAnswered(answers)} of ${drawFileLink(answers)}`
          : `${formatCount(records, 'record')} in ${formatCount(rows, 'row')}`
      }
    </p>
    <p>${drawDeliveryState(delivery, request)}. Taken: ${drawTaken(delivery, request)}.</p>
    ${acknowledgeBy === undefined ? undefined : html`<p>Acknowledge by ${showTime(acknowledgeBy, request)}</p>`}
    ${prunedAt === undefined ? undefined : html`<p>Its contents were pruned on ${showTime(prunedAt, request)}.</p>`}
    ${redeliveries.map((each) => html`<p>The same bytes once more: ${drawRedelivery(each, request)}</p>`)}
    ${drawButtons(delivery, request)}
    <h2>Records</h2>
    <p>${drawCounts(counts, 'outgoing')}</p>
    ${
      page.length === 0
        ? html`<p>
            It holds no records of orders, shipments or invoices: it is
            ${answers ? 'an answer' : 'an answer or a report'}.
          </p>`
        : drawCells(
            'Records, those with trouble first',
            ['Number', 'Record', 'Order', 'State', 'Problems'],
            page.map(({ number, id: record, key, purchaseOrder, state, problems }) => [
              html`${number}`,
              drawRecordLink({ id: record, key }),
              html`${purchaseOrder && html`<a href="${href('/orders/:key', { key: purchaseOrder })}">${purchaseOrder}</a>`}`,
              drawState(state, 'outgoing'),
              html`${problems.map(drawProblem)}`,
            ]),
            page.map(({ id: record }) => `record-${record}`),
          )
    }
    ${drawNext(more, 'next records')}`
  return drawLive('delivery', main)
}

/** One of the further files with the same bytes. */
export function drawRedelivery(
  { name, folder, state, beganAt, decided }: ShownRedelivery,
  request: PageRequest,
): Html {
  const who =
    decided &&
    html`. ${decided.by} <a href="${href('/decisions/:n', { n: decided.id })}">wanted it</a>: ${decided.why}`
  return html`${folder}/${name}, ${REDELIVERED[state]}, ${showTime(beganAt, request)}${who}`
}

const REDELIVERED: Readonly<Record<ShownRedelivery['state'], string>> = {
  begun: 'not in place yet: the next run finishes it',
  delivered: 'delivered',
  unclear: 'not known whether it is in place: see its folder',
  impossible: 'not delivered: its bytes could not be made again',
}

function drawButtons({ id, isRepeatable, isDismissible, held }: DeliveryPage, { may }: PageRequest): Html {
  const links = [
    { text: 'Preview', to: href('/deliveries/:id/preview', { id }) },
    ...(may('download') ? [{ text: 'Download', to: href('/deliveries/:id/download', { id }) }] : []),
    ...(held !== undefined && may('operate')
      ? [{ text: 'Say whether it was delivered …', to: href('/deliveries/:id/resolve', { id }) }]
      : []),
    ...(isDismissible && may('operate')
      ? [{ text: 'Dismiss what is refused …', to: href('/deliveries/:id/dismiss', { id }) }]
      : []),
    ...(isRepeatable && may('operate')
      ? [{ text: 'Deliver again …', to: href('/deliveries/:id/redeliver', { id }) }]
      : []),
  ]
  return html`<p class="buttons">
    ${links.map(({ text, to }) => html`<a class="button" href="${to}">${text}</a> `)}
  </p>`
}

// What is in it.

export const deliveryPreviewPage = definePage<DeliveryPreview>({
  path: '/deliveries/:id/preview',
  permission: 'read',
  load: (context, request) => readDeliveryPreview(context, request.params['id'] ?? '', request.audience),
  listViews: ({ delivery }) => [{ kind: 'delivery', ref: delivery.id }],
  draw: (preview, request) => ({
    title: `Preview of ${preview.delivery.name}`,
    main: drawPreview(preview, request),
  }),
})

function drawPreview(preview: DeliveryPreview, request: PageRequest): Html {
  const { delivery, columns, rows, missing, size = 0 } = preview
  const back = html`<p>${drawDeliveryLink(delivery)}, ${drawDeliveryState(delivery, request)}.</p>`
  if (missing !== undefined) return html`${back} ${drawObstacle(missing)}`
  const width = Math.max(1, ...rows.map(({ cells }) => cells.length))
  const names = Array.from({ length: width }, (_, at) => columns[at] ?? (width === 1 ? 'Line' : `${at + 1}`))
  const hasRecords = rows.some(({ record }) => record !== undefined)
  const shown = rows.map(({ cells, record }) => [
    ...(hasRecords ? [drawRowOrder(record)] : []),
    ...names.map((_, at) => drawCellText(cells[at])),
  ])
  const what = hasRecords ? 'row' : 'line'
  const count = formatCount(rows.length, what)
  return html`${back}
    <p>
      The first ${count} of ${formatCount(delivery.rows, 'row')}; ${formatCount(size, 'byte')} in all, the
      same as delivered.
    </p>
    ${drawCells(`First rows of ${delivery.name}`, [...(hasRecords ? ['Order'] : []), ...names], shown)}`
}

function drawRowOrder(record: DeliveryPreview['rows'][number]['record']): Html {
  if (record === undefined) return html``
  const { purchaseOrder } = record
  if (purchaseOrder === undefined) return drawRecordLink(record)
  return html`<a href="${href('/orders/:key', { key: purchaseOrder })}">${purchaseOrder}</a>`
}

export const deliveryDownloadPage = definePage<FileDownload>({
  path: '/deliveries/:id/download',
  permission: 'download',
  load: (context, { params: { id = '' } }) => readDeliveryDownload(context, id),
  listViews: ({ of }) => [{ kind: 'delivery', ref: of.id }],
  draw: ({ name, of, missing }) => ({
    title: `Download ${name}`,
    main: html`<p>${drawDeliveryLink(of)}</p>
      ${missing && drawObstacle(missing)}`,
  }),
  download: toDownloaded,
})

// The same bytes once more: what would be done, and the form that does it.

const REDELIVER_PATH = '/deliveries/:id/redeliver'

export const redeliverPage = definePage<RedeliveryPreview>({
  path: REDELIVER_PATH,
  permission: 'operate',
  load: (context, { params: { id = '' } }) => readRedeliveryPreview(context, id),
  draw: (preview, request) => ({
    title: `Deliver ${preview.delivery.name} again`,
    main: drawRedeliveryPreview(preview, request),
  }),
  act: async (context, request) => {
    const preview = await readRedeliveryPreview(context, request.params['id'] ?? '')
    return preview && redeliver(preview, request)
  },
})

async function redeliver(
  { delivery }: RedeliveryPreview,
  { form, hand, person }: ActionRequest,
): Promise<ActionOutcome> {
  const reason = readReason(form)
  if ('refused' in reason) return { refusal: { status: 422, message: reason.refused } }
  const asked = { what: delivery.id, expected: form['seen'] ?? '', by: person.name, why: reason.why }
  const outcome = await hand.carryOut('redeliver', asked)
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  const { decision } = outcome.kind === 'done' ? outcome.result : outcome
  return { to: href('/decisions/:n', { n: decision }) }
}

function drawRedeliveryPreview(preview: RedeliveryPreview, request: PageRequest): Html {
  const { delivery, obstacle, seen } = preview
  const back = href('/deliveries/:id', { id: delivery.id })
  if (obstacle !== undefined)
    return html`${drawRefusal(request)}
      <p>${obstacle.message}</p>
      <p class="fix">${renderInlineCode(obstacle.fix)}</p>
      <p><a href="${back}">Back</a></p>`
  const form = {
    action: href(REDELIVER_PATH, { id: delivery.id }),
    body: html`<input type="hidden" name="seen" value="${seen}" />`,
    button: delivery.answers
      ? 'Deliver the answer again'
      : `Deliver ${formatRecords(delivery.records)} again`,
    cancel: back,
  }
  return html`${drawRefusal(request)} ${drawRedeliveryFacts(preview, request)} ${drawForm(form, request)}`
}

function drawRedeliveryFacts(
  { delivery, to, name, redeliveries, open }: RedeliveryPreview,
  request: PageRequest,
): Html {
  const { records, rows, route, isAwaited, answers } = delivery
  const taken =
    isAwaited || delivery.confirmedAt !== undefined
      ? html` Taken: ${drawTaken(delivery, request)}.`
      : undefined
  return html`<dl>
      <dt>The file</dt>
      <dd>
        ${drawDeliveryLink(delivery)} of ${route}:
        ${answers ? `answers ${formatAnswered(answers)}` : `${formatRecords(records)} in ${formatCount(rows, 'row')}`},
        ${drawDeliveryState(delivery, request)}.${taken}
      </dd>
      <dt>The second file</dt>
      <dd>
        The same bytes as ${name}, or the next free name,
        ${to === undefined ? 'where the partner has its answers' : `in ${to}`}.
      </dd>
      ${redeliveries.length === 0 ? undefined : html`<dt>Delivered again before</dt>`}
      ${redeliveries.map((each) => html`<dd>${drawRedelivery(each, request)}</dd>`)}
    </dl>
    ${open && html`<p>${open.name} was begun and is not finished: it is finished now, and no other file is made.</p>`}
    <p>Nothing is acknowledged again.</p>
    <p><strong>A reader that takes both files has each record twice.</strong></p>`
}
