/** Parts that pages draw alike: times, outcomes, tables and empty lists. */
import { DateTime } from 'luxon'
import type { Outcome, RecordState } from '../domain/record.ts'
import { html, type Html } from '../support/html.ts'

interface TimeContext {
  readonly zone: string
  readonly now: number
}

/** The time of day for today, else the date too; the whole moment in UTC is in the element. */
export function showTime(at: number, { zone, now }: TimeContext): Html {
  const time = DateTime.fromMillis(at, { zone, locale: 'en' })
  const isToday = time.hasSame(DateTime.fromMillis(now, { zone }), 'day')
  const text = isToday ? time.toFormat('HH:mm:ss') : time.toFormat('d MMM yyyy HH:mm')
  const utc = new Date(at).toISOString()
  return html`<time datetime="${utc}" title="${time.toFormat('yyyy-MM-dd HH:mm:ss')} ${zone}">${text}</time>`
}

/** `38 min`, `2 h 05`, `3 d`. */
export function formatAge(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${String(minutes % 60).padStart(2, '0')}` : `${Math.floor(hours / 24)} d`
}

/** Each outcome has a sign beside its word, because colours alone say nothing to some readers. */
const SIGNS: Readonly<Record<Outcome, string>> = {
  accepted: '✓',
  duplicate: '=',
  rejected: '✕',
  held: '‖',
  deferred: '…',
  uncertain: '?',
  skipped: '–',
  exported: '↗',
}

/** The words for the states of records that are no outcome; the journal and the log have the names. */
const UNDER_WAY: Readonly<Record<Exclude<RecordState, Outcome>, string>> = {
  planned: 'to be sent',
  collected: 'waiting',
  sending: 'being sent',
}

export function nameState(state: string): string {
  return state in UNDER_WAY ? UNDER_WAY[state as keyof typeof UNDER_WAY] : state
}

/** `✓ 3 accepted`; what is no outcome has no sign. */
export function showState(state: string, count?: number): Html {
  const sign = state in SIGNS ? `${SIGNS[state as Outcome]} ` : ''
  const number = count === undefined ? '' : `${count.toLocaleString('en-US')} `
  const text = sign + number + nameState(state)
  return html`<span class="state ${/^[a-z]+$/.test(state) ? state : ''}">${text}</span>`
}

export interface Column<Row> {
  readonly head: string
  readonly draw: (row: Row) => Html | string | number
}

/**
 * A table with a caption, whose rows are cards on a phone. The keyboard scrolls one that is wider than the page. Rows that
 * come and go on an open page need an id each, so that the focus stays on the row that it is on.
 */
export function drawTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  idOf?: (row: Row) => string,
): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ head }) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr ${idOf && html`id="${idOf(row)}"`}>
              ${columns.map(({ head, draw }) => html`<td data-label="${head}">${draw(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Stays fresh on an open page, also while it is empty: then it can come into being. */
export function drawLive(id: string, content: Html | undefined): Html {
  if (content === undefined) return html`<section id="${id}" data-live hidden></section>`
  return html`<section id="${id}" data-live>${content}</section>`
}
