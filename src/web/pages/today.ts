/** Today, the first page: what needs a person, what is expected, and what came lately. */
import { readToday, type RefusalReason, type ShownAlert, type Today } from '../../app/console/today.ts'
import type { DeliveryState } from '../../domain/delivery.ts'
import type { Unfinished } from '../../domain/snapshot.ts'
import { html, type Html, href, joinHtml, renderInlineCode } from '../../support/html.ts'
import type { ConsoleContext } from '../../app/console/context.ts'
import { HOUR_MS } from '../../support/clock.ts'
import { definePage, type PageRequest } from '../page.ts'
import type { FailedSignIns, PeopleReader } from '../people.ts'
import { drawArrival, drawClockBoard, drawExpected, drawLateOrders } from './clocks.ts'
import { drawFileButtons, drawRefusal, drawTaking, drawWaiting, formatRecords } from './forms.ts'
import {
  drawAgainLink,
  drawDeliveryLink,
  drawFileCounts,
  drawFileLink,
  drawFileState,
  drawReason,
  formatCount,
  formatAnswered,
  formatNumber,
} from './parts.ts'
import { type Column, drawLive, drawTable, formatAge, showState, showTime } from '../parts.ts'

function load(
  context: ConsoleContext,
  {
    person,
    people,
    audience,
  }: Pick<PageRequest, 'person' | 'audience'> & { readonly people: Pick<PeopleReader, 'listAside'> },
) {
  return readToday(context, audience, people.listAside(person.name))
}

/** With what only admins see. */
type TodayPage = Today & { readonly failedSignIns?: readonly FailedSignIns[] }

/** So many failures of one name, or from one address, within a day are more than a person's own slips. */
const GUESSES_LEAST = 10

export const todayPage = definePage<TodayPage>({
  path: '/',
  permission: 'read',
  load: async (context, request) => {
    const today = await load(context, request)
    if (!request.may('administer')) return today
    const failedSignIns = request.people.listFailedSignIns(request.now - 24 * HOUR_MS, GUESSES_LEAST)
    return failedSignIns.length === 0 ? today : { ...today, failedSignIns }
  },
  draw: (today, request) => ({ title: formatTitle(today), main: drawToday(today, request) }),
})

function formatTitle({ alerts, checkedAt, failedSignIns = [] }: TodayPage): string {
  const count = alerts.length + failedSignIns.length
  if (count === 0) return checkedAt === undefined ? 'Today' : 'All is well'
  return formatCount(count, 'thing needs a person', 'things need a person')
}

/** Passwords may be guessed: each try is slowed down, and admins see that. */
function drawFailedSignIns(failed: readonly FailedSignIns[], request: PageRequest): Html {
  return html`<ul class="alerts">
    ${failed.map(({ of, count, lastAt }) => {
      const who = 'name' in of ? html`as ${of.name}` : html`from ${of.address}`
      return html`<li>
        <strong>${count} sign-ins ${who} failed within a day.</strong>
        <p class="fix">
          See who it was in the <a href="/access">access log</a>. Passwords may be guessed: each try is slowed
          down.
        </p>
        <small>the last one ${showTime(lastAt, request)} (${formatAge(request.now - lastAt)} ago)</small>
      </li>`
    })}
  </ul>`
}

function drawToday(today: TodayPage, request: PageRequest): Html {
  const show = (at: number) => showTime(at, request)
  const isRead = today.at !== undefined
  const sections = [
    drawSection('alerts', 'Needs a person', drawAlerts(today, request)),
    drawSection(
      'sign-ins',
      'Sign-ins that failed',
      today.failedSignIns && drawFailedSignIns(today.failedSignIns, request),
    ),
    drawSection('clocks', 'Orders to acknowledge and to ship', drawClocks(today, request)),
    drawList({ id: 'expected', title: 'Expected files', rows: today.expected, keyOf: ({ route }) => route }, [
      { head: 'Route', draw: ({ route }) => route },
      { head: 'By', draw: ({ by, zone }) => `${by} ${zone}` },
      { head: 'State', draw: (each) => drawExpected(each, request) },
      {
        head: 'File',
        draw: ({ came, last }) =>
          came ? drawArrival(came) : last ? html`${drawFileLink(last)}, ${show(last.at)}` : 'none yet',
      },
    ]),
    drawList(
      { id: 'scheduled', title: 'Scheduled routes', rows: today.scheduledRuns, keyOf: ({ route }) => route },
      [
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Last run', draw: ({ last }) => (last ? `${last.occurrence} ${last.state}` : 'none yet') },
        { head: 'Next', draw: ({ nextAt }) => (nextAt === undefined ? '' : show(nextAt)) },
      ],
    ),
    drawList(
      {
        id: 'files',
        title: 'Latest files',
        rows: today.files,
        keyOf: ({ id }) => id,
        empty: isRead ? 'No file came yet. Files that a route takes from its inbox stand here.' : READING,
      },
      [
        { head: 'File', draw: drawFileLink },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Received', draw: ({ receivedAt, claimedAt }) => show(receivedAt ?? claimedAt) },
        { head: 'Records', draw: drawFileCounts },
        { head: 'State', draw: drawFileState },
      ],
    ),
    drawList(
      {
        id: 'deliveries',
        title: 'Latest deliveries',
        rows: today.deliveries,
        keyOf: ({ id }) => id,
        empty: isRead ? 'Nothing was delivered yet.' : READING,
      },
      [
        { head: 'File', draw: drawDeliveryLink },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Made', draw: ({ composedAt }) => show(composedAt) },
        {
          head: 'Records',
          draw: ({ records, answers }) =>
            answers ? `answers ${formatAnswered(answers)}` : formatNumber(records),
        },
        {
          head: 'State',
          draw: ({ state, held }) =>
            held === undefined ? DELIVERED[state] : html`${showState('held')}: ${held}`,
        },
        ...(request.may('operate') ? [{ head: 'Again', draw: drawAgainLink }] : []),
      ],
    ),
    drawList(
      {
        id: 'held',
        title: 'Held for a person',
        rows: today.held,
        keyOf: ({ file, code }) => `${file}-${code}`,
      },
      [
        { head: 'File', draw: ({ file, name }) => drawFileLink({ id: file, name }) },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Records', draw: ({ records }) => showState('held', records) },
        { head: 'Since', draw: ({ since }) => show(since) },
        { head: 'Why', draw: ({ code }) => drawReason(code) },
      ],
    ),
    drawList(
      {
        id: 'corrections',
        title: 'Corrected, and not taken yet',
        rows: today.corrections,
        keyOf: ({ id }) => String(id),
      },
      [
        { head: 'File', draw: ({ from }) => drawFileLink(from) },
        {
          head: 'Records',
          draw: ({ id, records }) =>
            html`<a href="${href('/decisions/:n', { n: id })}">${formatRecords(records)}</a>`,
        },
        { head: 'Corrected by', draw: ({ by, at }) => html`${by} ${show(at)}` },
        { head: 'Lies in the inbox as', draw: ({ name }) => name },
        { head: 'Taken', draw: ({ taking }) => drawTaking(taking, request) },
      ],
    ),
    drawList(
      {
        id: 'waiting',
        title: 'Waits for orders; nothing to do',
        rows: today.waiting,
        keyOf: ({ file }) => file,
      },
      [
        { head: 'File', draw: ({ file, name }) => drawFileLink({ id: file, name }) },
        { head: 'Route', draw: ({ route }) => route },
        { head: 'Records', draw: ({ records }) => records },
        { head: 'For', draw: ({ message }) => message },
      ],
    ),
    drawList({ id: 'unfinished', title: 'Not finished', rows: today.unfinished, keyOf: nameUnfinished }, [
      {
        head: 'File',
        draw: (each) => ('file' in each ? drawFileLink({ id: each.file, name: each.name }) : each.name),
      },
      { head: 'Route', draw: ({ route }) => route },
      { head: 'Next', draw: drawNext },
    ]),
    drawList({ id: 'unmatched', title: 'Files that no route takes', rows: today.unmatchedFiles }, [
      { head: 'File', draw: ({ path }) => path },
      { head: 'Most similar pattern', draw: ({ nearest = '' }) => nearest },
    ]),
  ]
  return html`${sections}`
}

function drawSection(id: string, title: string, content: Html | undefined): Html {
  return drawLive(
    id,
    content &&
      html`<h2>${title}</h2>
        ${content}`,
  )
}

const DELIVERED: Readonly<Record<DeliveryState, string>> = {
  composed: 'being delivered',
  delivered: 'delivered',
  acknowledged: 'acknowledged',
  done: 'delivered',
}

const READING = 'The journal is being read.'

interface List<Row> {
  readonly id: string
  readonly title: string
  readonly rows: readonly Row[]
  /** Names a row within the list. */
  readonly keyOf?: (row: Row) => string
  /** Shown where there are no rows; without it an empty list is not shown. */
  readonly empty?: string
}

function drawList<Row>({ id, title, rows, keyOf, empty }: List<Row>, columns: readonly Column<Row>[]): Html {
  const idOf = keyOf && ((row: Row) => `${id}-${keyOf(row)}`)
  if (rows.length > 0) return drawSection(id, title, drawTable(title, columns, rows, idOf))
  return drawSection(id, title, empty === undefined ? undefined : html`<p>${empty}</p>`)
}

function drawClocks({ clocks, isNoneDue, hasRoutes }: Today, request: PageRequest): Html | undefined {
  if (clocks !== undefined) return drawClockBoard(clocks, request)
  if (!isNoneDue || !hasRoutes) return undefined
  return html`<p>No open order that the bridge has seen is due up to the end of tomorrow.</p>`
}

function drawAlerts(today: Today, request: PageRequest): Html {
  const { alerts, at } = today
  const age = drawAge(today, request)
  if (!today.hasRoutes)
    return html`<p>
      The configuration has no route yet. <code>dropbridge init</code> writes one to start from.
    </p>`
  if (at === undefined)
    return html`<p>${READING}</p>
      ${age}`
  if (alerts.length === 0)
    return html`<p>${today.checkedAt === undefined ? 'Not known yet.' : 'Nothing needs a person.'}</p>
      ${age}`
  const isAside = ({ asideUntil }: ShownAlert) => asideUntil !== undefined
  const aside = alerts.filter(isAside)
  const open = alerts.filter((alert) => !isAside(alert))
  return html`<ul class="alerts">
      ${open.map((alert) => drawAlert(alert, request))}
    </ul>
    ${aside.length === 0 ? undefined : drawAside(aside, request)} ${age}`
}

/** They count as before: only this person does not see them at the top. */
function drawAside(alerts: readonly ShownAlert[], request: PageRequest): Html {
  return html`<details id="aside">
    <summary>You put ${alerts.length} of them aside</summary>
    <ul class="alerts">
      ${alerts.map((alert) => drawAlert(alert, request))}
    </ul>
  </details>`
}

/** How old the alerts are: mailboxes are listed in the background, and may not answer. */
function drawAge({ checkedAt, checkingSince, failure }: Today, request: PageRequest): Html {
  const { now } = request
  const parts = [
    checkedAt === undefined
      ? html`Mailboxes were not listed yet; these are the alerts that the bridge noted last.`
      : html`Mailboxes were listed at ${showTime(checkedAt, request)}, ${formatAge(now - checkedAt)} ago.`,
    ...(checkingSince === undefined
      ? []
      : [html`They are being listed since ${formatAge(now - checkingSince)}.`]),
    ...(failure === undefined ? [] : [html`The last try failed: ${failure}`]),
  ]
  return html`<p class="age">${joinHtml(parts, ' ')}</p>`
}

function drawAlert(alert: ShownAlert, request: PageRequest): Html {
  const { id, code, route, subject, since, message, fix, late, rejected } = alert
  // Behind the name of a file or delivery stands its id in brackets.
  const name = subject.replace(/ \([^()]+\).*$/, '')
  const about = [
    ...(route === undefined ? [] : [html`${route}`]),
    since > request.now
      ? html`first due ${showTime(since, request)} (in ${formatAge(since - request.now)})`
      : html`since ${showTime(since, request)} (${formatAge(request.now - since)})`,
    html`<code>${code}</code>`,
    // Of a file that did not come, the subject is its day.
    ...(late !== undefined || /^\d{4}-\d\d-\d\d$/.test(subject)
      ? []
      : [html`<a href="${href('/search', { q: name })}">Search for ${name}</a>`]),
  ]
  return html`<li id="alert-${id}">
    <strong>${showMoments(message, request)}</strong>
    ${rejected && drawReasons(rejected.reasons)}
    <p class="fix">${request.may('operate') ? '' : 'For an operator: '}${renderInlineCode(fix)}</p>
    <small>${joinHtml(about, ' · ')}</small>
    ${late && drawLateOrders(late, request)} ${drawButtons(alert, request)}
    ${request.may('operate') ? drawAsideForm(alert, request) : undefined}
  </li>`
}

function drawReasons(reasons: readonly RefusalReason[]): Html | undefined {
  if (reasons.length === 0) return undefined
  const lines = reasons.map(
    ({ title, records }) =>
      html`<li>${records === undefined ? undefined : `${formatNumber(records)} × `}${title}</li>`,
  )
  return html`<ul>
    ${lines}
  </ul>`
}

/** A message with its moments, which are in UTC, as the page shows times. */
function showMoments(text: string, request: PageRequest): Html {
  const parts = text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
  return joinHtml(
    parts.map((part, index) => (index % 2 === 1 ? showTime(Date.parse(part), request) : html`${part}`)),
    '',
  )
}

const ASIDE_PATH = '/aside/:alert'

const ASIDE_HOURS: readonly number[] = [1, 4, 24]

function drawAsideForm({ id, asideUntil, message }: ShownAlert, request: PageRequest): Html {
  const { csrf, once } = request
  const until = asideUntil === undefined ? undefined : html`Aside until ${showTime(asideUntil, request)}.`
  const buttons =
    asideUntil === undefined
      ? html`Not now, again in
        ${ASIDE_HOURS.map((hours) => html`<button name="hours" value="${hours}" aria-label="Not now, again in ${hours} h: ${message}">${hours} h</button> `)}`
      : html`<button name="hours" value="0" aria-label="Undo: ${message}">Undo</button>`
  return html`<form method="post" action="${href(ASIDE_PATH, { alert: id })}" class="aside">
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="once" value="${once}" />
    <p class="buttons">${until} ${buttons}</p>
  </form>`
}

/** An alert that a person wants to see later. It still stands, and everybody else sees it. */
export const asidePage = definePage<ShownAlert>({
  path: ASIDE_PATH,
  permission: 'operate',
  load: async (context, request) => findAlert(await load(context, request), request),
  draw: (alert, request) => ({
    title: 'Not now',
    main: html`${drawRefusal(request)}
      <ul class="alerts">
        ${drawAlert(alert, request)}
      </ul>
      <p><a href="/">Today</a></p>`,
  }),
  act: async (context, request) => {
    const { person, people, audience, now, form } = request
    const noneAside = { person, audience, people: { listAside: () => new Map<string, number>() } }
    const alert = findAlert(await load(context, noneAside), request)
    if (alert === undefined) return undefined
    const hours = Number(form['hours'])
    if (hours !== 0 && !ASIDE_HOURS.includes(hours))
      return { refusal: { status: 422, message: 'Choose 1, 4 or 24 hours. Nothing was done.' } }
    people.setAside(person.name, alert.id, hours === 0 ? undefined : now + hours * HOUR_MS)
    return { to: '/' }
  },
})

function findAlert({ alerts }: Today, { params }: Pick<PageRequest, 'params'>): ShownAlert | undefined {
  return alerts.find(({ id }) => id === params['alert'])
}

function drawButtons(
  { decidable, unresolved, rejected, delivery }: ShownAlert,
  request: PageRequest,
): Html | undefined {
  if (delivery !== undefined) return drawDeliveryButtons(delivery, request)
  if (decidable !== undefined) return drawFileButtons(decidable.file, decidable, request)
  if (rejected !== undefined) {
    const file = href('/files/:id', { id: rejected.file, state: 'rejected' })
    const text =
      rejected.missing === undefined && request.may('correct')
        ? 'See and correct its records'
        : 'See its records'
    const until =
      rejected.waiting.length === 0 ? undefined : html`<p>Until then they count as not corrected.</p>`
    return html`${rejected.waiting.map((each) => drawWaiting(each, request))} ${until}
      <p class="buttons"><a class="button" href="${file}">${text}</a></p>`
  }
  if (unresolved === undefined) return undefined
  const records = href('/files/:id', { id: unresolved, state: 'uncertain' })
  return html`<p class="buttons"><a class="button" href="${records}">See its records</a></p>`
}

function drawDeliveryButtons(
  { id, isRepeatable }: NonNullable<ShownAlert['delivery']>,
  { may }: PageRequest,
): Html {
  const again =
    isRepeatable && may('operate')
      ? html` <a class="button" href="${href('/deliveries/:id/redeliver', { id })}">Deliver again …</a>`
      : undefined
  return html`<p class="buttons">
    <a class="button" href="${href('/deliveries/:id', { id })}">See the delivery</a>${again}
  </p>`
}

function nameUnfinished(work: Unfinished): string {
  return 'file' in work ? work.file : work.delivery
}

function drawNext({ next, records }: Unfinished): Html {
  if (records.length === 0) return html`${next}`
  const states = records.map(({ state, count, why }) =>
    why === undefined ? showState(state, count) : html`${showState(state, count)}: ${why}`,
  )
  return joinHtml(states, '; ')
}
