/** What the forms of decisions have in common: tokens, the reason, why a form was refused, and buttons that lead to them. */
import type { ShownWaiting, Taking } from '../../app/console/correct.ts'
import type { DecidableCounts } from '../../app/console/deciding.ts'
import type { RecordStory } from '../../app/console/records.ts'
import type { DecisionAction } from '../../domain/decision.ts'
import { type Html, href, html } from '../../support/html.ts'
import type { PageRequest } from '../page.ts'
import { showTime } from '../parts.ts'
import { formatCount } from './parts.ts'

/** A reason that is longer is refused. */
export const REASON_MAX = 1000

interface Form {
  /** Where it is sent. */
  readonly action: string
  readonly body: Html
  /** Names the effect. */
  readonly button: string
  /** Where to go without doing anything. */
  readonly cancel: string
}

/** A form that is carried out once. */
export function drawSubmit({ action, body, button, cancel }: Form, { csrf, once }: PageRequest): Html {
  return html`<form method="post" action="${action}" class="decision">
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="once" value="${once}" />
    ${body}
    <p class="buttons"><a href="${cancel}">Cancel</a> <button>${button}</button></p>
  </form>`
}

/** A form with a reason, which is carried out once. What was typed stays. */
export function drawForm(form: Form, request: PageRequest): Html {
  const { typed = {} } = request
  const body = html`${form.body}
    <label for="why">Why</label>
    <input
      id="why"
      name="why"
      value="${typed['why']}"
      maxlength="${REASON_MAX}"
      required
      autocomplete="off"
    />
    <p>The reason and your name are kept with the decision.</p>`
  return drawSubmit({ ...form, body }, request)
}

export function drawRefusal({ refusal }: PageRequest): Html | undefined {
  if (refusal === undefined) return undefined
  const fix = refusal.fix === undefined ? undefined : html`<p class="fix">${refusal.fix}</p>`
  return html`<div role="alert" tabindex="-1" autofocus>
    <p>${refusal.message}</p>
    ${fix}
  </div>`
}

/** The reason as it is kept; why it cannot be kept otherwise. */
export function readReason(form: Readonly<Record<string, string>>): { why: string } | { refused: string } {
  const why = (form['why'] ?? '').trim()
  if (why === '') return { refused: 'A reason is needed: it is kept with the decision. Nothing was done.' }
  if (why.length > REASON_MAX)
    return { refused: `The reason is longer than ${REASON_MAX} characters. Nothing was done.` }
  return { why }
}

export function formatRecords(count: number): string {
  return formatCount(count, 'record')
}

/** Says what takes a file that lies in an inbox, with the button that takes it now for a person who may. */
export function drawTaking(
  { route, isWatched, nextAt, isDue, pausedUntil }: Taking,
  request: Pick<PageRequest, 'may' | 'zone' | 'now'>,
): Html {
  if (pausedUntil !== undefined)
    return html`<p>
      The route ${route} is paused until ${showTime(pausedUntil, request)}: it is taken after that.
    </p>`
  if (nextAt === undefined && isWatched) return html`<p>A watch takes it within moments.</p>`
  const how =
    nextAt === undefined
      ? html`Nothing takes it by itself.`
      : isDue
        ? html`A scheduled run is due: it takes it.`
        : html`The next scheduled run takes it at ${showTime(nextAt, request)}.`
  if (!request.may('operate')) return html`<p>${how}</p>`
  const address = href('/routes/:name/run', { name: route })
  return html`<p>${how}</p>
    <p class="buttons"><a class="button" href="${address}">Take it now …</a></p>`
}

/** A run takes it, because no watch does. */
export function isTakenByRun({ isWatched, pausedUntil }: Taking): boolean {
  return !isWatched && pausedUntil === undefined
}

/** Where no watch takes the file: a run that is started with it. Without a schedule nothing else takes it. */
export function drawTakeChoice(taking: Taking, { typed = {}, zone, now }: PageRequest): Html {
  const { route, nextAt, isDue } = taking
  if (!isTakenByRun(taking)) return html``
  const isFirst = typed['expected'] === undefined
  const isChosen = isFirst ? nextAt === undefined : typed['take'] === 'yes'
  const other =
    nextAt === undefined
      ? 'Nothing else takes it from the inbox'
      : isDue
        ? 'A scheduled run is due'
        : html`The next scheduled run takes it ${showTime(nextAt, { zone, now })}`
  return html`<p>
    <label
      ><input type="checkbox" name="take" value="yes" ${isChosen ? html`checked` : undefined} /> Run ${route}
      after that, with whatever else waits in its inbox</label
    >. ${other}.
  </p>`
}

/** Of a file: a correction that lies in the inbox. */
export function drawWaiting({ id, name, by, records, taking }: ShownWaiting, request: PageRequest): Html {
  const are = formatCount(records, 'record is', 'records are')
  const waits = records === 1 ? 'waits' : 'wait'
  const decision = html`<a href="${href('/decisions/:n', { n: id })}">corrected</a>`
  return html`<p>${are} ${decision} by ${by} and ${waits} to be taken, as ${name}.</p>
    ${drawTaking(taking, request)}`
}

const VERBS: Readonly<Record<DecisionAction, string>> = { release: 'Send', discard: 'Give up' }

/** Links to the forms about a file, for a person who may use them. */
export function drawFileButtons(
  file: string,
  counts: DecidableCounts,
  { may }: Pick<PageRequest, 'may'>,
): Html | undefined {
  const actions = (Object.keys(VERBS) as DecisionAction[]).filter((action) => counts[action] > 0)
  if (actions.length === 0 || !may('operate')) return undefined
  const links = actions.map((action) => {
    const text = `${VERBS[action]} ${formatRecords(counts[action])} …`
    return html`<a class="button" href="${href(`/files/:id/${action}`, { id: file })}">${text}</a> `
  })
  return html`<p class="buttons">${links}</p>`
}

/** Links to the forms about one record. */
export function drawRecordButtons(
  record: Pick<RecordStory, 'id' | 'possible' | 'correcting' | 'isDismissible'>,
  { may }: Pick<PageRequest, 'may'>,
): Html | undefined {
  const { id, possible, correcting, isDismissible = false } = record
  const links = possible.map((action) => ({
    text: action === 'resolve' ? 'Say what came of it …' : `${VERBS[action]} this record …`,
    to: href(`/records/:n/${action}`, { n: id }),
  }))
  if (isDismissible) links.push({ text: 'Dismiss this record …', to: href('/records/:n/dismiss', { n: id }) })
  const buttons =
    links.length === 0 || !may('operate')
      ? undefined
      : html`<p class="buttons">
          ${links.map(({ text, to }) => html`<a class="button" href="${to}">${text}</a> `)}
        </p>`
  const who = possible.length > 0 && html`<p>${DECIDER[may('operate') ? 'own' : 'other']}</p>`
  return html`${correcting && drawCorrecting(correcting, may)} ${who || undefined} ${buttons}`
}

/** Who must do something about a record that waits for a decision. */
const DECIDER = {
  own: 'You, or another operator, must decide about it.',
  other: 'An operator must decide about it.',
} as const

/** Leads to the rows of a refused record on the page that corrects its file. */
function drawCorrecting(correcting: NonNullable<RecordStory['correcting']>, may: PageRequest['may']): Html {
  if ('missing' in correcting) return html`<p>It cannot be corrected here. ${correcting.missing}</p>`
  const others = 'or its sender corrects the row and sends it again'
  if (!may('correct')) return html`<p>An operator can correct it here and send it again, ${others}.</p>`
  const { file: id, line } = correcting
  const address = `${href('/files/:id/correct', { id, line })}#row-${line}`
  return html`<p>You, or another operator, can correct it here and send it again, ${others}.</p>
    <p class="buttons"><a class="button" href="${address}">Correct this record …</a></p>`
}
