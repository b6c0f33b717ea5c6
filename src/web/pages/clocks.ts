/** Deadlines: the board of orders on Today, the list behind each of its numbers, and the expected files. */
import {
  type Arrival,
  CLOCK_KINDS,
  type LateOrders,
  type OrderClock,
  type ClockBoard,
  type ClockKind,
  type ClocksPage,
  type ExpectedFileState,
  NEARNESS,
  type Nearness,
  readClocks,
} from '../../app/console/clocks.ts'
import type { Deadline } from '../../pipeline/references/deadlines.ts'
import { html, type Html, href, joinHtml } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { definePage, type PageRequest } from '../page.ts'
import { formatAge, showTime } from '../parts.ts'
import {
  drawCells,
  drawChoice,
  drawFileCounts,
  drawFileLink,
  drawNext,
  formatCount,
  formatNumber,
  linkTo,
  readFilter,
} from './parts.ts'

const KINDS: Readonly<Record<ClockKind, string>> = { acknowledge: 'Acknowledge', ship: 'Ship' }

/** As the heads of the columns say it. */
const HEADS: Readonly<Record<Nearness, string>> = {
  late: 'Late',
  '1 h': 'Within 1 h',
  '4 h': 'Within 4 h',
  today: 'Later today',
  tomorrow: 'Tomorrow',
}

export const clocksPage = definePage<ClocksPage>({
  path: '/clocks',
  permission: 'read',
  load: (context, request) => {
    const [what, when, after] = ['what', 'when', 'after'].map((name) => readFilter(request, name))
    const left = after !== undefined && /^\d{1,9}$/.test(after) ? { after: Number(after) } : {}
    return readClocks(context, { ...omitUndefined({ what, when }), ...left })
  },
  draw: (data, request) => ({ title: 'Orders by their deadlines', main: drawClocks(data, request) }),
})

/** How many orders are late, and how many will be. Each number leads to its orders. */
export function drawClockBoard({ counts, next, seenAt }: ClockBoard, request: PageRequest): Html {
  const rows = CLOCK_KINDS.map((what) => [
    html`${KINDS[what]}`,
    ...NEARNESS.map((when) => drawCount(counts[what][when], what, when)),
  ])
  const first =
    next === undefined
      ? undefined
      : html`Next: ${drawOrder(next)}, ${next.what} by ${showTime(next.by, request)}, in
        ${formatAge(next.by - request.now)}. `
  const age =
    seenAt === undefined ? undefined : html`As the API showed them since ${showTime(seenAt, request)}.`
  return html`${drawCells('Orders by their deadlines', ['To do', ...NEARNESS.map((when) => HEADS[when])], rows)}
    <p class="age">${first}${age}</p>`
}

function drawCount(count: number, what: ClockKind, when: Nearness): Html {
  if (count === 0) return html`0`
  const text = when === 'late' ? html`<span class="state rejected">✕ ${formatNumber(count)}</span>` : count
  return html`<a href="${href('/clocks', { what, when })}">${text}</a>`
}

function drawOrder({ purchaseOrder }: Pick<Deadline, 'purchaseOrder'>): Html {
  return html`<a href="${href('/orders/:key', { key: purchaseOrder })}">${purchaseOrder}</a>`
}

function drawClocks({ deadlines, total, board, next }: ClocksPage, request: PageRequest): Html {
  const filters = html`<form method="get" action="/clocks" class="filters">
    ${drawChoice({ name: 'what', label: 'To do', all: 'all' }, CLOCK_KINDS, readFilter(request, 'what'))}
    ${drawChoice({ name: 'when', label: 'Due', all: 'all' }, NEARNESS, readFilter(request, 'when'))}
    <button>Show</button>
  </form>`
  if (deadlines.length === 0)
    return html`${filters}
      <p>
        ${
          board === undefined
            ? 'The bridge has seen no open order with a deadline up to tomorrow.'
            : 'No order matches.'
        }
      </p>`
  const more = next === undefined ? undefined : linkTo('/clocks', request, { after: next })
  const rows = deadlines.map((each) => [
    drawOrder(each),
    html`${each.account}`,
    html`${KINDS[each.what]}`,
    showTime(each.by, request),
    drawLeft(each, request),
    html`${each.units}`,
    showTime(each.seenAt, request),
  ])
  const head = ['Order', 'Party', 'To do', 'By', 'Left', 'Units', 'Shown by the API at']
  return html`${filters}
    <section id="clocks" data-live>
      <p>
        ${formatCount(total, 'deadline')} of open orders, the next ones first. They are as the API last showed
        them to the bridge; <code>dropbridge late --live</code> asks it.
      </p>
      ${drawCells('Orders by their deadlines', head, rows)} ${drawNext(more, 'later ones')}
    </section>`
}

/** What is still to do with one order; the party is named where several show the order. */
export function drawOrderClocks(clocks: readonly OrderClock[], request: PageRequest): Html | undefined {
  if (clocks.length === 0) return undefined
  return html`<ul class="deadlines">
    ${clocks.map(
      (clock) =>
        html`<li>${clocks.length > 1 ? `${clock.account}: ` : ''}${drawOrderClock(clock, request)}</li>`,
    )}
  </ul>`
}

function drawOrderClock(
  { status, isAcknowledged, deadlines, seenAt }: OrderClock,
  request: PageRequest,
): Html {
  const parts = deadlines.map((each) => {
    const open =
      each.units === undefined ? undefined : `; ${formatCount(each.units, 'unit is', 'units are')} open`
    return html`${KINDS[each.what]} by ${showTime(each.by, request)}, ${drawLeft(each, request)}${open}.`
  })
  const nothing = deadlines.length === 0 ? 'Nothing of it is due.' : undefined
  const acknowledged = isAcknowledged ? 'It is acknowledged.' : undefined
  return html`${joinHtml(parts, ' ')} ${nothing} ${acknowledged}
    <small>The API showed it as ${status} at ${showTime(seenAt, request)}.</small>`
}

/** The most urgent of the late orders, and where all of them are. */
export function drawLateOrders({ orders, total, late }: LateOrders, request: PageRequest): Html {
  const lines = orders.map((each) => {
    const units = each.units === undefined ? undefined : `, ${formatCount(each.units, 'unit')} open`
    return html`<li>
      ${drawOrder(each)}: ${each.what} by ${showTime(each.by, request)}, ${drawLeft(each, request)}${units}
    </li>`
  })
  const list = late === orders.length && late >= total ? href('/clocks', { when: 'late' }) : href('/clocks')
  return html`<ul>
      ${lines}
    </ul>
    <p class="buttons"><a class="button" href="${list}">Orders by their deadlines</a></p>`
}

function drawLeft({ by }: Pick<Deadline, 'by'>, { now }: PageRequest): Html {
  if (by >= now) return html`in ${formatAge(by - now)}`
  return html`<span class="state rejected">✕ late ${formatAge(now - by)}</span>`
}

// Files that are expected by a time of day.

export function drawExpected(
  { last, came, missingSince, nextAt }: ExpectedFileState,
  request: PageRequest,
): Html {
  const next = html`next by ${showTime(nextAt, request)}`
  if (missingSince !== undefined) {
    const late = formatAge(request.now - missingSince)
    return html`<span class="state rejected">✕ missed</span>, by ${showTime(missingSince, request)}, late
      ${late}; ${next}`
  }
  if (came === undefined) return last === undefined ? html`… ${next}` : html`… none came since; ${next}`
  const { at, dueAt } = came
  if (at <= dueAt) return html`<span class="state accepted">✓ came</span> ${showTime(at, request)}; ${next}`
  return html`<span class="state held">✓ came late</span> ${showTime(at, request)}, ${formatAge(at - dueAt)}
    late; ${next}`
}

const CONTENTS: Readonly<Record<Arrival['contents'], string>> = {
  whole: 'whole',
  'in-part': '✕ in part',
  mended: '✓ what was refused is sent again or given up since',
  'perhaps-cut': '✕ perhaps cut off: its last line has no end',
  unusable: '✕ unusable as a whole',
  'being-read': '… being read',
}

/** Which file it was, whether all of it is there, and what came of its records. */
export function drawArrival({ file, contents, records, refused }: Arrival): Html {
  return html`${drawFileLink(file)}, ${CONTENTS[contents]}:
  ${drawFileCounts({ route: file.route, records, refused })}`
}
