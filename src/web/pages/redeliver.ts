/** Delivering the bytes of a delivery once more: what would be done, and the form that does it. */
import { readRedeliveryPreview, type RedeliveryPreview } from '../../app/console/deliveries.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { drawForm, drawRefusal, formatRecords, readReason } from './forms.ts'
import { drawDeliveryState, drawRedelivery, drawTaken } from './deliveries.ts'
import { drawDeliveryLink, formatCount } from './parts.ts'

const PATH = '/deliveries/:id/redeliver'

export const redeliverPage = definePage<RedeliveryPreview>({
  path: PATH,
  permission: 'operate',
  load: (context, { params: { id = '' } }) => readRedeliveryPreview(context, id),
  draw: (preview, request) => ({
    title: `Deliver ${preview.delivery.name} again`,
    main: drawPreview(preview, request),
  }),
  act: async (context, request) => {
    const preview = await readRedeliveryPreview(context, request.params['id'] ?? '')
    return preview && carryOut(preview, request)
  },
})

async function carryOut(
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

function drawPreview(preview: RedeliveryPreview, request: PageRequest): Html {
  const { delivery, obstacle, seen } = preview
  const back = href('/deliveries/:id', { id: delivery.id })
  if (obstacle !== undefined)
    return html`${drawRefusal(request)}
      <p>${obstacle.message}</p>
      <p class="fix">${renderInlineCode(obstacle.fix)}</p>
      <p><a href="${back}">Back</a></p>`
  const form = {
    action: href(PATH, { id: delivery.id }),
    body: html`<input type="hidden" name="seen" value="${seen}" />`,
    button: `Deliver ${formatRecords(delivery.records)} again`,
    cancel: back,
  }
  return html`${drawRefusal(request)} ${drawFacts(preview, request)} ${drawForm(form, request)}`
}

function drawFacts(
  { delivery, to, name, redeliveries, open }: RedeliveryPreview,
  request: PageRequest,
): Html {
  const { records, rows, route, isAwaited } = delivery
  const taken =
    isAwaited || delivery.confirmedAt !== undefined
      ? html` Taken: ${drawTaken(delivery, request)}.`
      : undefined
  return html`<dl>
      <dt>The file</dt>
      <dd>
        ${drawDeliveryLink(delivery)} of ${route}: ${formatRecords(records)} in ${formatCount(rows, 'row')},
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
