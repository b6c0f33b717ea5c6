/** What the forms of decisions have in common: tokens, the reason, why a form was refused, and buttons that lead to them. */
import type { DecidableCounts } from '../../app/console/deciding.ts'
import type { DecisionAction } from '../../domain/decision.ts'
import { type Html, href, html } from '../../support/html.ts'
import type { PageRequest } from '../page.ts'
import { formatNumber } from './parts.ts'

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
  return html`<div role="alert">
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
  return count === 1 ? '1 record' : `${formatNumber(count)} records`
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
  record: { readonly id: number; readonly possible: readonly (DecisionAction | 'resolve')[] },
  { may }: Pick<PageRequest, 'may'>,
): Html | undefined {
  if (record.possible.length === 0 || !may('operate')) return undefined
  const links = record.possible.map((action) => {
    const text = action === 'resolve' ? 'Say what came of it …' : `${VERBS[action]} this record …`
    return html`<a class="button" href="${href(`/records/:n/${action}`, { n: record.id })}">${text}</a> `
  })
  return html`<p class="buttons">${links}</p>`
}
