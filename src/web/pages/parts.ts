/** Parts that the reading pages draw alike: counts, problems, links and filters. */
import type { FileDownload, Obstacle } from '../../app/console/contents.ts'
import type { AnsweredFile } from '../../app/console/deliveries.ts'
import type { Total } from '../../app/console/lists.ts'
import { MASK, type ShownProblem } from '../../app/console/masks.ts'
import type { ShownDecision } from '../../app/console/decisions.ts'
import type { NamedWork } from '../../app/console/records.ts'
import type { ShownPause } from '../../app/console/routes.ts'
import { isInboxKey } from '../../config/edi.ts'
import type { RefusedCounts, RefusedFate } from '../../domain/decision.ts'
import type { FileEntry, FileOutcome } from '../../domain/file.ts'
import { type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { RecordState, StateCounts } from '../../domain/record.ts'
import type { LineRange } from '../../domain/translator.ts'
import { type Html, href, html, joinHtml, renderInlineCode } from '../../support/html.ts'
import type { Download, PageRequest } from '../page.ts'
import { drawTable, showState, showTime } from '../parts.ts'
import type { View } from '../people.ts'

/** Personal data of these records are shown. */
export function toViews(records: readonly { readonly id: number }[]): View[] {
  return records.map(({ id }) => ({ kind: 'record', ref: String(id) }))
}

/** The value of a filter; undefined where it is left out or empty. */
export function readFilter({ query }: Pick<PageRequest, 'query'>, name: string): string | undefined {
  return query[name]?.trim() || undefined
}

/** What was exported and acknowledged is called so. */
export function drawState(state: RecordState, direction: 'incoming' | 'outgoing' = 'incoming'): Html {
  if (direction === 'outgoing' && state === 'accepted')
    return html`<span class="state accepted">✓ acknowledged</span>`
  return showState(state)
}

/** Those with trouble last, as people read on from what is well. */
export function drawCounts(counts: StateCounts, direction: 'incoming' | 'outgoing' = 'incoming'): Html {
  const states = COUNTED.filter((state) => (counts[state] ?? 0) > 0)
  if (states.length === 0) return html`no records`
  return joinHtml(
    states.map((state) =>
      direction === 'outgoing' && state === 'accepted'
        ? html`<span class="state accepted">✓ ${formatNumber(counts.accepted ?? 0)} acknowledged</span>`
        : showState(state, counts[state]),
    ),
    ' ',
  )
}

/** The records of a file, as refused only those that still are; those of a file of interchanges are in files of the routes that take its sets. */
export function drawFileCounts({
  route,
  records,
  refused,
}: {
  readonly route: string
  readonly records: StateCounts
  readonly refused?: RefusedCounts | undefined
}): Html {
  const isOfSets = isInboxKey(route) && Object.keys(records).length === 0
  if (isOfSets) return html`its sets stand in the files of their routes`
  if (refused === undefined) return drawCounts(records)
  const { open, underWay, corrected, dismissed } = refused
  const standing = { ...records, rejected: open + underWay }
  const isLeft = Object.values(standing).some((count) => count > 0)
  const done = [
    ...(corrected === 0 ? [] : [`${formatNumber(corrected)} ${REFUSED_FATES.corrected}`]),
    ...(dismissed === 0 ? [] : [`${formatNumber(dismissed)} ${REFUSED_FATES.dismissed}`]),
  ]
  const parts = [
    ...(isLeft ? [drawCounts(standing)] : []),
    ...(done.length > 0 ? [html`${done.join(', ')}`] : []),
  ]
  return joinHtml(parts, ' ')
}

/** What became of a refused record, in the words of the line about the whole file. */
export const REFUSED_FATES: Readonly<Record<Exclude<RefusedFate, 'open'>, string>> = {
  corrected: 'sent again since',
  dismissed: 'given up',
  underWay: 'corrected and not finished',
}

const COUNTED: readonly RecordState[] = [
  ...(['accepted', 'exported', 'duplicate', 'skipped', 'planned', 'collected', 'sending'] as const),
  ...(['rejected', 'held', 'deferred', 'uncertain'] as const),
]

export function formatNumber(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 record`, `1,204 records`, `0 records`; with `many` where the plural has no s: `2 entries`, `3 records are`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

export function formatTotal({ count, isMore }: Total, one: string, many = `${one}s`): string {
  return isMore ? `more than ${formatNumber(count)} ${many}` : formatCount(count, one, many)
}

export function formatLines(lines: readonly LineRange[]): string {
  return lines.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ')
}

/** `line 86`, `lines 86–89, 94`. */
export function nameLines(lines: readonly LineRange[]): string {
  const isOne = lines.length === 1 && lines.every(([first, last]) => first === last)
  return `${isOne ? 'line' : 'lines'} ${formatLines(lines)}`
}

export function drawProblem({ code, title, message, fix, place, isWarning }: ShownProblem): Html {
  const where = place === '' ? undefined : html` <small>${place}</small>`
  const what = message === title ? renderInlineCode(title) : html`${renderInlineCode(title)} ${message}`
  const todo = fix === '' ? undefined : html`<br />${renderInlineCode(fix)}`
  return html`<div class="problem">
    ${isWarning ? 'Warning: ' : undefined}${what}${where}${todo} <code>${code}</code>
  </div>`
}

export function drawFileLink({ id, name }: NamedWork): Html {
  return html`<a href="${href('/files/:id', { id })}">${name}</a>`
}

const FILE_STATES: Readonly<Record<FileEntry['state'], string>> = {
  claiming: 'being taken',
  received: 'being read',
  planned: 'being sent',
  submitted: 'its results are being written',
  reported: 'being archived',
  closed: 'done',
}

const FILE_OUTCOMES: Readonly<Record<FileOutcome, string>> = {
  processed: 'done',
  duplicate: 'the same bytes as before',
  unusable: 'unusable',
  vanished: 'gone before it was taken',
}

/** The outcome too, where the file was not processed as usual. */
export function drawFileState({ state, outcome }: Pick<FileEntry, 'state' | 'outcome'>): Html {
  const as = outcome === undefined || outcome === 'processed' ? '' : `, ${FILE_OUTCOMES[outcome]}`
  return html`${FILE_STATES[state]}${as}`
}

/** Of a file that was found by its name: its outcome, or its state until it has one. */
export function nameFileState(state: string): string {
  return ({ ...FILE_STATES, ...FILE_OUTCOMES } as Readonly<Record<string, string>>)[state] ?? state
}

/** The words of a problem beside its code. */
export function drawReason(code: ProblemCode): Html {
  const known = PROBLEMS[code] as (typeof PROBLEMS)[ProblemCode] | undefined
  return known === undefined
    ? html`<code>${code}</code>`
    : html`${renderInlineCode(known.title)} <code>${code}</code>`
}

/** `3 sets in 1 interchange`: what an answer is about. */
export function formatAnswered({ sets, interchanges }: AnsweredFile): string {
  const brought = formatCount(interchanges, 'interchange')
  return sets === 0 ? brought : `${formatCount(sets, 'set')} in ${brought}`
}

export function drawDeliveryLink({ id, name }: NamedWork): Html {
  return html`<a href="${href('/deliveries/:id', { id })}">${name}</a>`
}

/** Leads to the form that has the bytes of a delivery delivered once more, where that is possible. */
export function drawAgainLink(delivery: { readonly id: string; readonly isRepeatable: boolean }): Html {
  const { id, isRepeatable } = delivery
  return isRepeatable
    ? html`<a href="${href('/deliveries/:id/redeliver', { id })}">Deliver again …</a>`
    : html``
}

/** A key may be blank, and a link needs a text. */
export function drawRecordLink({ id, key }: { readonly id: number; readonly key: string }): Html {
  return html`<a href="${href('/records/:n', { n: id })}">${key || `record #${id}`}</a>`
}

/** What a person did, in a word of the command that does it. */
export const DECIDED: Readonly<Record<ShownDecision['action'], string>> = {
  release: 'released',
  discard: 'discarded',
  dismiss: 'dismissed',
  correct: 'corrected',
  'resolve-accepted': 'resolved as accepted',
  'resolve-absent': 'resolved as absent',
  'resolve-discard': 'resolved and given up',
  'resolve-delivered': 'resolved as delivered',
  'resolve-again': 'had delivered again',
  restored: 'declared the journal restored',
  'doubt-ended': 'ended the doubt after a restoration',
  'set-numbers': 'set control numbers',
  redeliver: 'delivered again',
  pause: 'paused',
  resume: 'resumed',
}

/** A table of rows whose cells are drawn already. `ids`: of the rows, where they come and go on an open page. */
export function drawCells(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Html[])[],
  ids?: readonly string[],
): Html {
  const columns = head.map((name, at) => ({
    head: name,
    draw: (cells: readonly Html[]) => cells[at] ?? html``,
  }))
  const idOf = ids && ((cells: readonly Html[]) => ids[rows.indexOf(cells)] ?? '')
  return drawTable(caption, columns, rows, idOf)
}

/** The address of the page with another value of some filters; undefined removes one. */
export function linkTo(
  path: string,
  { query }: Pick<PageRequest, 'query'>,
  changes: Readonly<Record<string, string | number | undefined>>,
): string {
  return href(path, { ...query, ...changes })
}

export function drawNext(address: string | undefined, text: string): Html | undefined {
  return address === undefined ? undefined : html`<p><a rel="next" href="${address}">${text}</a></p>`
}

/** `words`: what stands for a value; without it, the value itself. */
export function drawChoice(
  {
    name,
    label,
    all,
    words = {},
  }: {
    readonly name: string
    readonly label: string
    readonly all: string
    readonly words?: Readonly<Record<string, string>>
  },
  values: readonly string[],
  chosen: string | undefined,
): Html {
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${all}</option>
      ${values.map(
        (value) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : undefined}>
            ${words[value] ?? value}
          </option>`,
      )}
    </select></label
  >`
}

/** A cell of a file; one that is hidden says so, or it looks like what the file holds. */
export function drawCellText(cell: string | undefined): Html {
  return cell === MASK ? html`${cell} <small class="hidden-cell">hidden for your role</small>` : html`${cell}`
}

/** Why something is not there, and what to do. */
export function drawObstacle({ message, fix }: Obstacle): Html {
  return html`<p>${message}</p>
    <p class="fix">${renderInlineCode(fix)}</p>`
}

/** Never shown by a browser, whatever the file holds. */
export function toDownloaded({ name, take }: FileDownload): Download | undefined {
  return take && { name, type: 'text/plain', contents: take() }
}

export function drawPause(
  { by, until, why }: Pick<ShownPause, 'by' | 'until' | 'why'>,
  request: PageRequest,
): Html {
  return html`by ${by} until ${showTime(until, request)}: ${why}`
}
