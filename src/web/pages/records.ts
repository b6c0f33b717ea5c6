/** The pages of one record and of one order: the whole life, readable by people who know neither files nor the API. */
import {
  type LifeEvent,
  type OrderPage,
  readOrderPage,
  readRecordPage,
  type RecordCorrection,
  type RecordPage,
  type RecordStory,
} from '../../app/console/records.ts'
import { MASK } from '../../app/console/masks.ts'
import { type Html, href, html, joinHtml } from '../../support/html.ts'
import { drawLive, showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawOrderClocks } from './clocks.ts'
import { drawRecordButtons, drawTaking } from './forms.ts'
import {
  DECIDED,
  drawDeliveryLink,
  drawFileLink,
  drawProblem,
  drawRecordLink,
  drawState,
  drawCells,
  formatCount,
  nameLines,
  toViews,
} from './parts.ts'

export const recordPage = definePage<RecordPage>({
  path: '/records/:n',
  permission: 'read',
  load: async (context, request) => {
    const { n = '' } = request.params
    return /^\d{1,15}$/.test(n) ? readRecordPage(context, Number(n), request.audience) : undefined
  },
  listViews: ({ record }) => toViews([record]),
  draw: ({ record, related, clocks }, request) => ({
    title: nameStory(record),
    main: drawLive(
      'record',
      html`${drawRecordButtons(record, request)} ${drawOrderClocks(clocks, request)}
      ${drawStory(record, request)} ${drawRelated(related, request)}`,
    ),
  }),
})

export const orderPage = definePage<OrderPage>({
  path: '/orders/:key',
  permission: 'read',
  load: (context, request) => readOrderPage(context, request.params['key'] ?? '', request.audience),
  listViews: ({ records }) => toViews(records),
  draw: ({ key, records, earlier, clocks, isRefusedWhole }, request) => ({
    title: key,
    main: drawLive(
      'order',
      html`${drawOrderClocks(clocks, request)}
        ${isRefusedWhole ? html`<p>As far as the bridge knows, nothing of it is at the API.</p>` : undefined}
        ${drawNow(records)}
        <p>${formatCount(records.length, 'record')}, oldest first.</p>
        ${
          earlier === 0
            ? undefined
            : html`<p>${formatCount(earlier, 'earlier record is', 'earlier records are')} not shown.</p>`
        }
        ${records.map(
          (story) =>
            html`<section id="record-${story.id}">
              <h2><a href="${href('/records/:n', { n: story.id })}">${nameStory(story)}</a></h2>
              ${drawRecordButtons(story, request)} ${drawStory(story, request)}
            </section>`,
        )}`,
    ),
  }),
})

/** What stands of an order, in one line: each record but those that were corrected or given up; nothing of a single one. */
function drawNow(records: readonly RecordStory[]): Html | undefined {
  const standing = records.filter(({ isCorrected }) => isCorrected !== true)
  if (records.length < 2 || standing.length === 0) return undefined
  const parts = standing.map(({ id, operation, state, direction, apiId }) => {
    const as = apiId === undefined ? undefined : ` as ${apiId}`
    return html`<a href="#record-${id}">${operation}</a> ${drawState(state, direction)}${as}`
  })
  return html`<p><strong>Now:</strong> ${joinHtml(parts, ', ')}.</p>`
}

/** A refused record that waits for no correction any more says why, as far as it is known. */
function drawStanding(
  { state, isCorrected }: Pick<RecordStory, 'state' | 'isCorrected'>,
  direction: RecordStory['direction'],
  since = 'corrected or given up since',
): Html {
  const isOver = isCorrected === true && state === 'rejected'
  return html`${drawState(state, direction)}${isOver ? `, ${since}` : undefined}`
}

function nameFate({ corrections, life }: RecordStory): string | undefined {
  if (corrections.some(({ state }) => state === 'taken')) return 'sent again since'
  const isGivenUp = life.some((event) => event.what === 'decided' && GIVEN_UP.includes(event.action))
  return isGivenUp ? 'given up' : undefined
}

const GIVEN_UP: readonly string[] = ['dismiss', 'discard', 'resolve-discard']

function nameStory({ operation, key, id }: RecordStory): string {
  return `${operation} ${key || `#${id}`}`
}

/** What is known of a record, with its whole life. */
export function drawStory(story: RecordStory, request: PageRequest): Html {
  const { direction, apiId, route, account, step, problems, first, file, delivery } = story
  const at = apiId === undefined ? '' : ` as ${apiId} at the API`
  const of = step === undefined ? '' : `, step ${step}`
  return html`<p>${drawStanding(story, direction, nameFate(story))}${at}</p>
    <p>
      Route ${route},
      ${account}${of}${file && html`, from ${drawFileLink(file)}`}${
        delivery && html`, in ${drawDeliveryLink(delivery)}`
      }
    </p>
    ${story.correctionOf && drawCorrectionOf(story.correctionOf, request)}
    ${story.corrections.map((each) => drawCorrectedAs(each, request))} ${problems.map(drawProblem)}
    ${
      first &&
      html`<p>
        The first one is ${drawRecordLink(first)}${first.file && html` in ${drawFileLink(first.file)}`}.
      </p>`
    }
    <ol class="timeline">
      ${story.life.map((event) => html`<li>${showTime(event.at, request)} ${drawEvent(event, story)}</li>`)}
    </ol>
    <p>${formatSendings(story)} <a href="${href('/records/:n/proof', { n: story.id })}">Proof</a></p>
    ${drawInterchange(story)} ${drawDocuments(story)} ${drawContents(story, request)}`
}

/** Of a record in a corrected file. */
function drawCorrectionOf({ record, file, ...decision }: RecordCorrection, request: PageRequest): Html {
  const source = file.id === undefined ? html`${file.name}` : drawFileLink({ id: file.id, name: file.name })
  const before = record && html`record ${drawRecordLink(record)} of `
  return html`<p>Its row was refused before, as ${before}${source}. ${drawCorrector(decision, request)}</p>`
}

/** Of a refused record. */
function drawCorrectedAs(
  { record, file, state, taking, ...decision }: RecordCorrection,
  request: PageRequest,
): Html {
  const into = file.id === undefined ? html`${file.name}` : drawFileLink({ id: file.id, name: file.name })
  return html`<p>
      ${drawCorrector(decision, request)}
      ${record ? html`Corrected as record ${drawRecordLink(record)} of ${into},` : html`Corrected in ${into}:`}
      ${record ? drawResult(record) : WAITS[state]}
    </p>
    ${taking && drawTaking(taking, request)}`
}

function drawCorrector(
  { by, at, why, decision }: Pick<RecordCorrection, 'by' | 'at' | 'why' | 'decision'>,
  request: PageRequest,
): Html {
  return html`${by}
    <a href="${href('/decisions/:n', { n: decision })}">corrected it</a> ${showTime(at, request)}: ${why}.`
}

function drawResult({ state, apiId }: NonNullable<RecordCorrection['record']>): Html {
  const as = apiId === undefined ? undefined : html` as ${apiId} at the API`
  return html`${drawState(state)}${as}.`
}

const WAITS: Readonly<Record<RecordCorrection['state'], string>> = {
  begun: 'that file is not in the inbox yet.',
  waiting: 'that file lies in the inbox and is not taken yet.',
  'given-up': 'that file was removed before it was taken, and nothing of it was sent.',
  taken: 'see there what came of it.',
}

function drawEvent(event: LifeEvent, { call = '', direction }: RecordStory): Html {
  switch (event.what) {
    case 'came':
      return html`came in ${drawFileLink(event.file)}, ${nameLines(event.lines)}`
    case 'planned':
      return html`read, to be sent`
    case 'sent':
      return html`sent (attempt ${event.attempt}) <code>${call}</code>`
    case 'not-sent':
      return html`attempt ${event.attempt} was taken back before its request`
    case 'answered': {
      const status = event.http === undefined ? '' : `HTTP ${event.http}, `
      return html`answered (attempt ${event.attempt}): ${status}${event.result}`
    }
    case 'no-answer':
      return html`no answer (attempt ${event.attempt}): whether it took effect is not known yet`
    case 'restored':
      return html`the journal was restored from a backup of then: it may have been sent since`
    case 'looked-up':
      return html`looked up at the API:
      ${LOOKED_UP[event.found] ?? event.found}${event.apiId && html` as ${event.apiId}`}`
    case 'decided':
      return html`${event.by} ${DECIDED[event.action]} it: ${event.why}`
    case 'composed':
      return html`written into ${drawDeliveryLink(event.delivery)}`
    case 'delivered':
      return html`delivered in ${drawDeliveryLink(event.delivery)}`
    case 'delivered-again':
      return html`delivered again as ${event.name}, the same bytes as ${drawDeliveryLink(event.delivery)}`
    case 'confirmed':
      return html`${drawDeliveryLink(event.delivery)}
      ${event.confirmedBy === 'picked-up' ? 'was picked up' : `was confirmed: ${event.confirmedBy}`}`
    case 'delivery-acknowledged':
      return html`all of ${drawDeliveryLink(event.delivery)} was acknowledged`
    case 'state':
      return drawState(event.state, direction)
  }
}

const LOOKED_UP: Readonly<Record<string, string>> = {
  accepted: 'it is there',
  planned: 'it is not there, so it is sent again',
  held: 'it proves neither that it is there nor that it is not, so a person must find out',
  uncertain: 'not known yet',
}

export function formatSendings({
  timesSent,
  timesEffective,
  direction,
}: Pick<RecordStory, 'timesSent' | 'timesEffective' | 'direction'>): string {
  if (direction === 'outgoing' && timesSent === 0) return 'Not acknowledged yet.'
  const what = direction === 'incoming' ? 'Sent' : 'Acknowledgement sent'
  const sent =
    timesSent === 1
      ? `${what} once`
      : timesSent === 0
        ? 'Not sent'
        : `${what} ${formatCount(timesSent, 'time')}`
  if (timesEffective === undefined) return `${sent}; whether it took effect is not known yet.`
  if (timesSent === 0) return `${sent}.`
  return timesEffective === 1 ? `${sent}; took effect once.` : `${sent}; took no effect.`
}

function drawInterchange({ interchange, sending }: RecordStory): Html {
  const came =
    interchange &&
    html`<p>
      Interchange ${interchange.number} of ${drawFileLink(interchange.file)}, ${interchange.sender} to
      ${interchange.receiver}:
      ${interchange.verdict}${interchange.answer && html`, answered in ${drawDeliveryLink(interchange.answer)}`}.
    </p>`
  const verdict = sending?.verdict && html` Its partner says of its set: ${sending.verdict}.`
  const went =
    sending &&
    html`<p>
      Interchange ${sending.interchange}, group ${sending.group} to
      ${sending.receiver}.${verdict || undefined}
      ${sending.answers.map(({ file, verdict: said }) => html` Answer ${drawFileLink(file)}: ${said}.`)}
    </p>`
  return html`${came}${went}`
}

function drawDocuments({ documents }: RecordStory): Html | undefined {
  if (documents.length === 0) return undefined
  return html`<ul>
    ${documents.map(
      ({ kind, state, folder, name, problem }) =>
        html`<li>
          ${kind}: ${state}${name && html`, ${folder}/${name}`} ${problem && drawProblem(problem)}
        </li>`,
    )}
  </ul>`
}

/** The request and the answer as far as the journal keeps them; folded, because they may be long. */
function drawContents(story: RecordStory, request: PageRequest): Html | undefined {
  const { body, answer, prunedAt, direction, life } = story
  if (prunedAt !== undefined)
    return html`<p>Its body and what was kept of answers were pruned on ${showTime(prunedAt, request)}.</p>`
  const isAnswered = direction === 'incoming' && life.some(({ what }) => what === 'answered')
  const note = isAnswered ? html`<p class="age">${KEPT_OF_ANSWERS}</p>` : undefined
  const isHidden = JSON.stringify([body, answer]).includes(MASK)
  const hidden = isHidden
    ? html`<p class="age">${MASK} stands for what is hidden for your role.</p>`
    : undefined
  return html`${drawFolded('Body', body)} ${drawFolded('Kept of the answer', answer)} ${hidden} ${note}`
}

const KEPT_OF_ANSWERS =
  'Of an answer the journal keeps the status, the id, the words of a refusal, and what packing slips and labels need.'

function drawFolded(title: string, content: unknown): Html | undefined {
  if (content === undefined) return undefined
  return html`<details>
    <summary>${title}</summary>
    <pre>${JSON.stringify(content, null, 2)}</pre>
  </details>`
}

function drawRelated(related: RecordPage['related'], request: PageRequest): Html | undefined {
  if (related.length === 0) return undefined
  const rows = related.map((each) => [
    html`${each.operation}`,
    drawRecordLink(each),
    drawStanding(each, each.operation.startsWith('export-') ? 'outgoing' : 'incoming'),
    showTime(each.changedAt, request),
  ])
  return html`<h2>Of the same order</h2>
    ${drawCells('Other records of the same order', ['Operation', 'Record', 'State', 'Changed'], rows)}`
}
