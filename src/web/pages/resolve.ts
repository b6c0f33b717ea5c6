/** Saying what came of a record whose answer was lost: what is known, and the three things a person may state. */
import { readResolutionPreview, type ResolutionPreview } from '../../app/console/deciding.ts'
import { type DeliveryPage, readDeliveryPage } from '../../app/console/deliveries.ts'
import { RESOLUTIONS, type ResolutionAction } from '../../domain/decision.ts'
import { type Html, href, html } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { drawForm, drawRefusal, readReason } from './forms.ts'
import { drawDeliveryState } from './deliveries.ts'
import { drawDeliveryLink, drawRecordLink, formatCount, toViews } from './parts.ts'
import { drawStory } from './records.ts'

export const resolvePage = definePage<ResolutionPreview>({
  path: '/records/:n/resolve',
  permission: 'operate',
  load: (context, request) => load(context, request),
  listViews: ({ record }) => toViews([record]),
  draw: (preview, request) => ({
    title: `What came of ${preview.record.key || `record #${preview.record.id}`}?`,
    main: drawResolution(preview, request),
  }),
  act: async (context, request) => {
    const preview = await load(context, request)
    return preview && carryOut(preview, request)
  },
})

async function load(
  context: Parameters<typeof readResolutionPreview>[0],
  request: Pick<PageRequest, 'params' | 'audience'>,
): Promise<ResolutionPreview | undefined> {
  const { n = '' } = request.params
  return /^\d{1,15}$/.test(n) ? readResolutionPreview(context, Number(n), request.audience) : undefined
}

async function carryOut(preview: ResolutionPreview, { form, hand, person }: ActionRequest) {
  const { outcome: action } = form
  const reason = readReason(form)
  if (!isResolution(action)) return refuse('Say what came of it. Nothing was done.')
  if ('refused' in reason) return refuse(reason.refused)
  const apiId = (form['apiId'] ?? '').trim()
  const isAccepted = action === 'resolve-accepted'
  if (isAccepted && apiId === '') return refuse('Give the id that the API has for it. Nothing was done.')
  if (!isAccepted && form['looked'] !== 'yes')
    return refuse('Check the API first, and say that you have. Nothing was done.')
  const { what } = preview
  const given = { what, action, by: person.name, why: reason.why, apiId: isAccepted ? apiId : undefined }
  const outcome = await hand.carryOut('resolve', omitUndefined(given))
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  const done = outcome.kind === 'done' ? outcome.result : outcome
  switch (done.kind) {
    case 'too-early':
      return refuse(formatTooEarly(done.waitMs), 409)
    case 'refused':
      return refuse(`${preview.record.route}: ${preview.record.key} is not resolved: ${done.why}`, 409)
    case 'known':
      return refuse('What came of it is known by now. Nothing was done.', 409)
    case 'decided':
    case 'going-on':
      return { to: href('/decisions/:n', { n: done.decision }) }
  }
}

function isResolution(text: string | undefined): text is ResolutionAction {
  return text !== undefined && Object.hasOwn(RESOLUTIONS, text)
}

function refuse(message: string, status: 409 | 422 = 422): ActionOutcome {
  return { refusal: { status, message } }
}

function formatTooEarly(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000)
  return `Its answer may still come. Resolve it in ${formatCount(seconds, 'second')}, or let a run look it up; an id that the API gave it can be noted now.`
}

function drawResolution(preview: ResolutionPreview, request: PageRequest): Html {
  const { record, isOpen } = preview
  const back = href('/records/:n', { n: record.id })
  if (!isOpen)
    return html`${drawRefusal(request)}
      <p>What came of it is known: ${drawRecordLink(record)} is ${record.state}.</p>`
  const form = {
    action: href('/records/:n/resolve', { n: record.id }),
    body: drawChoices(preview, request),
    button: 'Resolve 1 record',
    cancel: back,
  }
  return html`${drawRefusal(request)}
    <h2>What is known</h2>
    ${drawStory(record, request)}
    <h2>What the API has</h2>
    <p>
      Its answer was lost. Check the API, or ask the people there, whether it has the record
      <strong>${record.key}</strong>.
    </p>
    ${drawForm(form, request)}`
}

/** Drawn again when the time is over in which a late answer may still come. */
function drawChoices({ waitMs, lateAnswerMs }: ResolutionPreview, { typed = {} }: PageRequest): Html {
  const seconds = Math.ceil(waitMs / 1000)
  const isEarly = seconds > 0
  const draw = (action: ResolutionAction, more?: Html) => {
    const isShut = isEarly && action !== 'resolve-accepted'
    const marks = html`${typed['outcome'] === action ? html`checked` : undefined}
    ${isShut ? html`disabled` : undefined}`
    return html`<p id="${action}">
      <label
        ><input type="radio" name="outcome" value="${action}" required ${marks} />
        ${RESOLUTIONS[action]}</label
      >
      ${more}
    </p>`
  }
  const wait = isEarly
    ? html`<p id="late-answer">
        A late answer is waited for ${lateAnswerMs / 1000} s. For
        <span data-countdown="${seconds}">${seconds}</span> more seconds only an id of the API can be noted.
      </p>`
    : undefined
  return html`<fieldset id="outcomes" data-live>
      <legend>What came of it</legend>
      ${wait}
      ${draw(
        'resolve-accepted',
        html`<label
          >Its id at the API <input name="apiId" value="${typed['apiId']}" autocomplete="off"
        /></label>`,
      )}
      ${draw('resolve-absent')} ${draw('resolve-discard')}
    </fieldset>
    <p>
      <label>
        <input
          type="checkbox"
          name="looked"
          value="yes"
          ${typed['looked'] === 'yes' ? html`checked` : undefined}
        />
        I have checked the API (needed for the second and the third)</label
      >
    </p>`
}

// A delivery that is held: a person says whether its reader has the file.

const DELIVERY_PATH = '/deliveries/:id/resolve'

export const resolveDeliveryPage = definePage<DeliveryPage>({
  path: DELIVERY_PATH,
  permission: 'operate',
  load: loadDelivery,
  draw: (delivery, request) => ({
    title: `Was ${delivery.name} delivered?`,
    main: drawDeliveryChoice(delivery, request),
  }),
  act: async (context, request) => {
    const delivery = await loadDelivery(context, request)
    return delivery && resolveDelivery(delivery, request)
  },
})

function loadDelivery(
  context: Parameters<typeof readDeliveryPage>[0],
  request: Pick<PageRequest, 'params' | 'audience'>,
): Promise<DeliveryPage | undefined> {
  return readDeliveryPage(context, { id: request.params['id'] ?? '' }, request.audience)
}

const DELIVERY_CHOICES = {
  'resolve-delivered': 'Its reader has the file: it is not delivered again.',
  'resolve-again': 'Its reader does not have the file: it is delivered once more, under the same name.',
} as const

async function resolveDelivery(
  { id, held }: DeliveryPage,
  { form, hand, person }: ActionRequest,
): Promise<ActionOutcome> {
  const reason = readReason(form)
  const action = (Object.keys(DELIVERY_CHOICES) as (keyof typeof DELIVERY_CHOICES)[]).find(
    (each) => each === form['outcome'],
  )
  if (action === undefined) return refuse('Say whether it was delivered. Nothing was done.')
  if ('refused' in reason) return refuse(reason.refused)
  if (held === undefined) return refuse('It is not held any more. Nothing was done.', 409)
  const outcome = await hand.carryOut('resolveDelivery', {
    what: id,
    action,
    by: person.name,
    why: reason.why,
  })
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  if (outcome.kind === 'done' && outcome.result.kind === 'known')
    return refuse('Another person said it meanwhile. Nothing was done.', 409)
  return { to: href('/deliveries/:id', { id }) }
}

function drawDeliveryChoice(delivery: DeliveryPage, request: PageRequest): Html {
  const { id, held } = delivery
  const about = html`<p>${drawDeliveryLink(delivery)}: ${drawDeliveryState(delivery, request)}.</p>`
  if (held === undefined)
    return html`${drawRefusal(request)} ${about}
      <p>It is not held: there is nothing to say.</p>`
  const { typed = {} } = request
  const choices = Object.entries(DELIVERY_CHOICES).map(
    ([name, text]) =>
      html`<label
        ><input
          type="radio"
          name="outcome"
          value="${name}"
          ${typed['outcome'] === name ? html`checked` : undefined}
        />
        ${text}</label
      >`,
  )
  const form = {
    action: href(DELIVERY_PATH, { id }),
    body: html`<fieldset>
      <legend>Check its folder, and ask its reader</legend>
      ${choices}
    </fieldset>`,
    button: 'Note it, and go on',
    cancel: href('/deliveries/:id', { id }),
  }
  return html`${drawRefusal(request)} ${about} ${drawForm(form, request)}`
}
