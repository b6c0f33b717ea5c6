/** The report of a day, a week or a month: what came and went, and what became of it. */
import {
  countUnderWay,
  formatReport,
  readReport,
  type Report,
  type ReportRow,
  type Span,
  SPANS,
  sumAmounts,
  totalRows,
} from '../../app/console/reports.ts'
import { type Html, href, html, joinHtml, renderInlineCode } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { definePage, type PageRequest } from '../page.ts'
import { formatAge, showTime } from '../parts.ts'
import { formatRecords } from './forms.ts'
import { drawCells, formatNumber, linkTo, readFilter, formatCount } from './parts.ts'

export const reportsPage = definePage<Report>({
  path: '/reports',
  permission: 'read',
  load: (context, request) => {
    const asked = readFilter(request, 'span')
    const span = SPANS.find((each) => each === asked) ?? 'day'
    return readReport(context, omitUndefined({ span, day: readFilter(request, 'day'), zone: request.zone }))
  },
  draw: (report, request) => ({
    title: `Report of ${formatTime(report)}`,
    main: drawReport(report, request),
  }),
  download: (report, request) =>
    readFilter(request, 'format') === 'csv'
      ? {
          name: `report-${report.span}-${report.from}.csv`,
          type: 'text/csv; charset=utf-8',
          contents: formatReport(report),
        }
      : undefined,
})

function formatTime({ span, from, to }: Report): string {
  return span === 'day' ? from : `${from} to ${to}`
}

function drawReport(report: Report, request: PageRequest): Html {
  const { rows, zone, hours, span } = report
  const long = hours === undefined ? '' : ` The day has ${hours} hours: clocks change on it.`
  const [incoming, outgoing] = [rows, rows].map((all, at) =>
    all.filter(({ direction }) => direction === (at === 0 ? 'incoming' : 'outgoing')),
  )
  const nothing = html`<p>No file came and none went out in this time.</p>`
  return html`${drawSteps(report, request)}
    <p>
      By ${zone}.${long} A file counts when it came, a delivery when it was delivered first: the same bytes
      delivered again do not count. In brackets: the ${span} before.
    </p>
    ${rows.length === 0 ? nothing : undefined} ${drawRows('Files that came', incoming ?? [], report)}
    ${drawRows('Files that went out', outgoing ?? [], report)}
    ${rows.some(({ amount }) => amount !== undefined) ? html`<p>${AMOUNTS}</p>` : undefined}
    ${drawUnsummed(report, request)} ${drawReasons(report)}`
}

/** A brand's view of an order has no `net_price`. */
const AMOUNTS =
  'An order counts with its net price, which the supplier is paid, or without one with its price, which the consumer pays: brands are shown only that. So the orders of a retailer and of a brand differ. The total of orders and that of invoices stand apart: an order and its invoice are the same goods.'

/** Earlier versions pruned amounts with the contents: which part of the time has none is said. */
function drawUnsummed({ unsummed, from }: Report, request: PageRequest): Html | undefined {
  if (unsummed === undefined) return undefined
  const { records, until } = unsummed
  return html`<p>
    The amounts lack ${formatRecords(records)} of files and deliveries from ${from} until
    ${showTime(until, request)}: they have no amount, or their contents were pruned by an earlier version.
    Counts are whole.
  </p>`
}

function drawSteps({ span, from, previous, next }: Report, request: PageRequest): Html {
  const spans = SPANS.map((each) => {
    const isShown = each === span ? html`aria-current="true"` : undefined
    return html`<a href="${linkTo('/reports', request, { span: each, day: from })}" ${isShown}>${each}</a>`
  })
  const to = (day: string) => linkTo('/reports', request, { span, day })
  return html`<nav aria-label="Time">
      <p>
        <a rel="prev" href="${to(previous)}">the ${span} before</a> · ${joinHtml(spans, ' · ')} ·
        <a rel="next" href="${to(next)}">the ${span} after</a>
      </p>
    </nav>
    <form method="get" action="/reports" class="filters">
      <input type="hidden" name="span" value="${span}" />
      <label>Day <input type="date" name="day" value="${from}" /></label>
      <button>Show</button>
      <a href="${linkTo('/reports', request, { span, day: from, format: 'csv' })}">CSV</a>
    </form>`
}

const AMOUNT = 'Amount, USD'

const HEAD = [
  'Route',
  'Files',
  'Records',
  'Sent',
  'Accepted first time',
  'After correction',
  'Refused',
  'Held',
  'Under way',
  'Duplicates',
  AMOUNT,
  'Slowest answer',
  'File to answer: median, 95 %',
]

/** What went out is not sent again: its acknowledgement is. */
const OUTGOING_HEAD = HEAD.map((name) =>
  name === 'Sent' ? 'Acknowledgement sent' : name === 'Accepted first time' ? 'Acknowledged' : name,
)

function drawRows(
  caption: string,
  rows: readonly ReportRow[],
  { before, span, from }: Report,
): Html | undefined {
  if (rows.length === 0) return undefined
  const cells = rows.map((row) => {
    const { route, direction, operation, party } = row
    const earlier = before.find(
      (each) =>
        each.route === route &&
        each.direction === direction &&
        each.operation === operation &&
        each.party === party,
    )
    return drawRow(row, earlier, { span, from })
  })
  const total = rows.length > 1 ? totalRows(rows) : undefined
  const [{ direction: own } = { direction: undefined }] = rows
  if (total !== undefined) {
    const earlier = totalRows(before.filter(({ direction }) => direction === own))
    const sums = [...sumAmounts(rows)]
    const apart = sums.map(([name, amount]) => html`${formatAmount(amount)} <small>${name}</small><br />`)
    const drawn = drawRow(total, earlier, { span: 'month', from })
    cells.push(
      sums.length > 1 ? drawn.map((cell, at) => (HEAD[at] === AMOUNT ? html`${apart}` : cell)) : drawn,
    )
  }
  return html`<h2>${caption}</h2>
    ${drawCells(`${caption}, with the ${span} before in brackets`, own === 'outgoing' ? OUTGOING_HEAD : HEAD, cells)}`
}

function drawRow(
  row: ReportRow,
  before: ReportRow | undefined,
  time: { span: Span; from: string },
): readonly Html[] {
  const {
    route,
    operation,
    party,
    states,
    corrected,
    amount,
    unknown,
    slowest,
    answered,
    acceptedFirst,
    acceptedCorrected,
  } = row
  const compare = (read: (of: ReportRow) => number) =>
    html`${formatNumber(read(row))} <small>(${formatNumber(before === undefined ? 0 : read(before))})</small>`
  const exported =
    states.exported === undefined
      ? undefined
      : html`<br /><small>${formatNumber(states.exported)} exported</small>`
  const since =
    corrected === 0
      ? undefined
      : html`<br /><small>${formatNumber(corrected)} corrected or given up since</small>`
  const skipped =
    states.skipped === undefined
      ? undefined
      : html`<br /><small>${formatNumber(states.skipped)} skipped</small>`
  const lacking =
    unknown === 0 ? undefined : html`<br /><small>without ${formatCount(unknown, 'record')}</small>`
  const isTotal = operation === '' && route === 'Total'
  const name = isTotal
    ? html`<strong>${route}</strong>`
    : html`${route}<br /><small>${operation} ${party}</small>`
  return [
    time.span === 'day' && row.direction === 'incoming'
      ? html`<a href="${href('/files', { route, day: time.from })}">${route}</a><br /><small
            >${operation} ${party}</small
          >`
      : name,
    compare(({ files }) => files),
    compare(({ records }) => records),
    compare(({ sent }) => sent),
    html`${compare((each) => each.acceptedFirst)}${formatShare(acceptedFirst, row)}${exported}`,
    html`${formatNumber(acceptedCorrected)}`,
    html`${compare((each) => each.states.rejected ?? 0)}${since}`,
    html`${formatNumber(states.held ?? 0)}`,
    html`${formatNumber(countUnderWay(row))}`,
    html`${formatNumber(states.duplicate ?? 0)}${skipped}`,
    amount === undefined
      ? html`–`
      : html`${formatAmount(amount)} <small>(${formatAmount(before?.amount ?? '0.00')})</small>${lacking}`,
    slowest === undefined
      ? html`–`
      : html`<a href="${href('/records/:n', { n: slowest.record })}">${formatDuration(slowest.ms)}</a>`,
    answered === undefined
      ? html`–`
      : html`${formatAge(answered.median * 1_000)}, ${formatAge(answered.p95 * 1_000)}`,
  ]
}

function formatShare(accepted: number, { records }: ReportRow): Html | undefined {
  if (records === 0) return undefined
  return html`<br /><small>${((100 * accepted) / records).toFixed(1)} %</small>`
}

/** `412,889.10`: digits of the text, because a number would round a long one. */
function formatAmount(amount: string): string {
  const [whole = '', cents = ''] = amount.split('.')
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${cents}`
}

function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatAge(ms)
}

function drawReasons({ reasons }: Report): Html | undefined {
  if (reasons.length === 0) return undefined
  const rows = reasons.map(({ route, code, title, column, records, corrected }) => [
    html`${formatNumber(records - corrected)}`,
    html`${formatNumber(corrected)}`,
    html`${renderInlineCode(title)} <code>${code}</code>`,
    html`${column ?? ''}`,
    html`${route}`,
  ])
  return html`<h2>Why records were refused or held</h2>
    ${drawCells('Reasons by code and column, the most frequent first', ['Open', 'Corrected or given up since', 'Problem', 'Column', 'Route'], rows)}`
}
