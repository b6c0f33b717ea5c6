/** Releasing and discarding what is held: the preview, and what its form does. */
import {
  type DecisionPreview,
  type DecisionQuery,
  type DismissalPreview,
  readDecisionPreview,
  readDeliveryDismissal,
  readFileDismissal,
  readRecordDismissal,
} from '../../app/console/deciding.ts'
import type { ConsoleContext } from '../../app/console/context.ts'
import type { Audience } from '../../app/console/masks.ts'
import { type DecisionAction, DECISIONS } from '../../domain/decision.ts'
import { type Html, href, html } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { type ActionOutcome, type ActionRequest, definePage, type PageRequest, toRefusal } from '../page.ts'
import { drawForm, drawRefusal, formatRecords, readReason } from './forms.ts'
import {
  drawCells,
  drawDeliveryLink,
  drawFileLink,
  drawNext,
  drawProblem,
  drawRecordLink,
  formatLines,
  formatNumber,
  readFilter,
  formatCount,
  toViews,
} from './parts.ts'

/** The four pages: each decision about a file, and about one record. */
export const decidePages = (Object.keys(DECISIONS) as DecisionAction[]).flatMap((action) => [
  defineDecidePage(`/files/:id/${action}`, ({ params: { id = '' } }) => ({ action, file: id })),
  defineDecidePage(`/records/:n/${action}`, ({ params: { n = '' } }) =>
    /^\d{1,15}$/.test(n) ? { action, record: Number(n) } : undefined,
  ),
])

function defineDecidePage(
  path: string,
  toQuery: (request: Pick<PageRequest, 'params'>) => DecisionQuery | undefined,
) {
  return definePage<DecisionPreview>({
    path,
    permission: 'operate',
    load: async (context, request) => {
      const query = toQuery(request)
      const after = readFilter(request, 'after')
      const from = after !== undefined && /^\d{1,12}$/.test(after) ? { after: Number(after) } : {}
      return query && readDecisionPreview(context, { ...query, ...from }, request.audience)
    },
    listViews: ({ records }) => toViews(records),
    draw: (preview, request) => ({ title: formatTitle(preview), main: drawPreview(preview, request) }),
    act: async (context, request) => {
      const query = toQuery(request)
      const preview = query && (await readDecisionPreview(context, query, request.audience))
      return preview && carryOut(preview, request)
    },
  })
}

async function carryOut(preview: DecisionPreview, request: ActionRequest): Promise<ActionOutcome> {
  const { form, hand, person } = request
  const reason = readReason(form)
  if ('refused' in reason) return { refusal: { status: 422, message: reason.refused } }
  if (form['seen'] !== preview.digest) return CHANGED
  if (needsNumber(preview) && (form['number'] ?? '').replace(/[ ,.]/g, '') !== String(preview.total)) {
    const message = `Type the number of records to give them up: ${formatNumber(preview.total)}. Nothing was done.`
    return { refusal: { status: 422, message } }
  }
  const asked = { what: preview.what, expected: preview.digest, by: person.name, why: reason.why }
  const outcome = await hand.carryOut(preview.action, asked)
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  const done = outcome.kind === 'done' ? outcome.result : outcome
  return 'decision' in done ? { to: href('/decisions/:n', { n: done.decision }) } : CHANGED
}

const CHANGED: ActionOutcome = {
  refusal: {
    status: 409,
    message:
      'The records changed after this page was shown, and nothing was done. These are the records of now.',
  },
}

/** Giving up is for ever; a person who means so many says how many. */
const NUMBER_FROM = 100

function needsNumber({ action, total }: DecisionPreview): boolean {
  return action === 'discard' && total >= NUMBER_FROM
}

const TITLES: Readonly<Record<DecisionAction, string>> = { release: 'Send', discard: 'Give up' }

function formatTitle({ action, file, record }: DecisionPreview): string {
  const what = record === undefined ? `what is held of ${file.name}` : record.key || `record #${record.id}`
  return `${TITLES[action]} ${what}`
}

function drawPreview(preview: DecisionPreview, request: PageRequest): Html {
  const { file, total, record } = preview
  const back =
    record === undefined ? href('/files/:id', { id: file.id }) : href('/records/:n', { n: record.id })
  if (total === 0)
    return html`${drawRefusal(request)}
      <p>Nothing of it waits for this decision. <a href="${back}">Back</a></p>`
  const form = {
    action: getPath(preview),
    body: html`<input type="hidden" name="seen" value="${preview.digest}" /> ${drawNumber(preview, request)}`,
    button: formatButton(preview),
    cancel: back,
  }
  return html`${drawRefusal(request)} ${drawEffects(preview)} ${drawReasons(preview)}
  ${drawForm(form, request)} ${drawRecords(preview, request)}`
}

function getPath({ action, file, record }: DecisionPreview): string {
  return record === undefined
    ? href(`/files/:id/${action}`, { id: file.id })
    : href(`/records/:n/${action}`, { n: record.id })
}

function drawNumber(preview: DecisionPreview, { typed = {} }: PageRequest): Html | undefined {
  if (!needsNumber(preview)) return undefined
  return html`<label for="number">How many records are given up: ${formatNumber(preview.total)}</label>
    <input
      id="number"
      name="number"
      value="${typed['number']}"
      inputmode="numeric"
      required
      autocomplete="off"
    />`
}

/** `Send 409 records`: without those that others have sent meanwhile. */
function formatButton({ action, total, becomes }: DecisionPreview): string {
  const { planned = 0, uncertain = 0 } = becomes
  if (action === 'discard') return `Give up ${formatRecords(total)}`
  if (planned > 0 && uncertain > 0)
    return `Send ${formatRecords(planned)}, look up ${formatNumber(uncertain)}`
  if (planned > 0) return `Send ${formatRecords(planned)}`
  if (uncertain > 0) return `Look up ${formatRecords(uncertain)}`
  return `Close ${formatRecords(total)} without sending`
}

function drawEffects({ action, file, route, total, becomes }: DecisionPreview): Html {
  const of = html`of ${drawFileLink(file)}, route ${route}`
  if (action === 'discard')
    return html`<p>${formatRecords(total)} ${of} will be given up: not sent, and reported as rejected.</p>`
  const { planned = 0, uncertain = 0, duplicate = 0, rejected = 0 } = becomes
  const lines = [
    ...(planned > 0 ? [`${formatRecords(planned)} will be sent to the API.`] : []),
    ...(uncertain > 0
      ? [`${formatRecords(uncertain)} may have taken effect, and the API is asked first.`]
      : []),
    ...(duplicate > 0
      ? [
          `${formatCount(duplicate, 'record came again meanwhile, with the same contents, and becomes a duplicate', 'records came again meanwhile, with the same contents, and become duplicates')}.`,
        ]
      : []),
    ...(rejected > 0
      ? [
          `${formatCount(rejected, 'record came meanwhile with other contents, and is rejected and not sent', 'records came meanwhile with other contents, and are rejected and not sent')}.`,
        ]
      : []),
  ]
  return html`<p>${formatRecords(total)} ${of}:</p>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>`
}

function drawReasons({ reasons }: DecisionPreview): Html {
  const rows = reasons.map(
    ({ problem, records }) => html`<dd>${formatRecords(records)}: ${drawProblem(problem)}</dd>`,
  )
  return html`<dl>
    <dt>Why they wait</dt>
    ${rows}
  </dl>`
}

function drawRecords(preview: DecisionPreview, request: PageRequest): Html {
  const { records, total, next, action } = preview
  const rows = records.map((record) => [
    html`${formatLines(record.lines)}`,
    drawRecordLink(record),
    html`${BECOMES[action][record.becomes] ?? record.becomes}${record.verdict.map(drawProblem)}`,
  ])
  const shown = records.length === total ? '' : `, ${formatNumber(records.length)} of them on this page`
  const more =
    next === undefined ? undefined : href(getPath(preview), omitUndefined({ ...request.query, after: next }))
  return html`<h2>${formatRecords(total)}${shown}</h2>
    ${drawCells('Records of the decision', ['Lines', 'Record', 'What becomes of it'], rows)}
    ${drawNext(more, 'next records')}`
}

const BECOMES: Readonly<Record<DecisionAction, Readonly<Record<string, string>>>> = {
  release: {
    planned: 'sent',
    uncertain: 'looked up, and sent if it is not there',
    duplicate: 'duplicate, not sent',
    rejected: 'rejected, not sent',
  },
  discard: { rejected: 'given up' },
}

// Dismissing: a person wants no correction of what was refused.

/** The three pages: of a file, of one of its records, and of a delivery. */
export const dismissPages = [
  defineDismissPage('/files/:id/dismiss', readFileDismissal),
  defineDismissPage('/records/:n/dismiss', readRecordDismissal),
  defineDismissPage('/deliveries/:id/dismiss', readDeliveryDismissal),
]

type ReadDismissal = (
  context: ConsoleContext,
  id: string,
  audience: Audience,
) => Promise<DismissalPreview | undefined>

function defineDismissPage(path: string, read: ReadDismissal) {
  return definePage<DismissalPreview>({
    path,
    permission: 'operate',
    load: (context, { params, audience }) => read(context, getSubject(params), audience),
    listViews: ({ records }) => toViews(records),
    draw: (preview, request) => ({
      title: formatDismissal(preview),
      main: drawDismissal(preview, request),
    }),
    act: async (context, request) => {
      const preview = await read(context, getSubject(request.params), request.audience)
      return preview && dismiss(preview, request)
    },
  })
}

/** The paths have one named part: an id or a number. */
function getSubject(params: PageRequest['params']): string {
  const [subject = ''] = Object.values(params)
  return subject
}

async function dismiss(
  { what, seen }: DismissalPreview,
  { form, hand, person }: ActionRequest,
): Promise<ActionOutcome> {
  const reason = readReason(form)
  if ('refused' in reason) return { refusal: { status: 422, message: reason.refused } }
  if (form['seen'] !== seen) return CHANGED
  const outcome = await hand.carryOut('dismiss', { what, by: person.name, why: reason.why })
  if (outcome.kind === 'failed') return toRefusal(outcome.failure)
  const { decision } = outcome.kind === 'done' ? outcome.result : outcome
  return { to: href('/decisions/:n', { n: decision }) }
}

function formatDismissal({ of, record }: DismissalPreview): string {
  return record === undefined
    ? `Dismiss what is refused of ${of.name}`
    : `Dismiss ${record.key || `record #${record.id}`}`
}

function drawDismissal(preview: DismissalPreview, request: PageRequest): Html {
  const { of, open, direction, route, seen, record, underWay } = preview
  const link = direction === 'incoming' ? drawFileLink(of) : drawDeliveryLink(of)
  const stays =
    underWay === 0
      ? undefined
      : html`<p>
          ${formatCount(underWay, 'record is', 'records are')} corrected and on the way: not dismissed here.
        </p>`
  if (open.length === 0)
    return html`${drawRefusal(request)}
      <p>Nothing else of ${link} waits for a correction or an answer.</p>
      ${stays}`
  const [page, path] = getDismissalPaths(preview)
  const form = {
    action: path,
    body: html`<input type="hidden" name="seen" value="${seen}" />`,
    button: record === undefined ? 'Dismiss it' : 'Dismiss this record',
    cancel: page,
  }
  const lines = open.map(
    ({ records, why }) => html`<li>${records === 0 ? '' : `${formatRecords(records)}: `}${why}</li>`,
  )
  return html`${drawRefusal(request)}
    <p>Of ${link}, route ${route}:</p>
    <ul>
      ${lines}
    </ul>
    ${stays}
    <p>
      Dismissing sends nothing and changes no record. It notes that a person needs nothing more of it. The
      alert of the file ends once nothing else of it waits.
    </p>
    ${drawForm(form, request)} ${drawRefused(preview)}`
}

function getDismissalPaths({
  of: { id },
  record,
  direction,
}: DismissalPreview): [page: string, path: string] {
  if (record !== undefined)
    return [href('/records/:n', { n: record.id }), href('/records/:n/dismiss', { n: record.id })]
  return direction === 'incoming'
    ? [href('/files/:id', { id }), href('/files/:id/dismiss', { id })]
    : [href('/deliveries/:id', { id }), href('/deliveries/:id/dismiss', { id })]
}

function drawRefused({ records, open }: DismissalPreview): Html | undefined {
  if (records.length === 0) return undefined
  const total = open.reduce((sum, each) => sum + each.records, 0)
  const rows = records.map((record) => [
    html`${formatLines(record.lines)}`,
    drawRecordLink(record),
    html`${record.problems.map(drawProblem)}`,
  ])
  const shown =
    records.length >= total ? undefined : html`<p>The first ${formatNumber(records.length)} of them:</p>`
  return html`<h2>What is dismissed</h2>
    ${shown} ${drawCells('Records that are dismissed', ['Lines', 'Record', 'Problems'], rows)}`
}
