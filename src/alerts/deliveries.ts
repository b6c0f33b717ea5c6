/** Alerts about deliveries: held, not fetched or confirmed in time, and receipts that confirm nothing. */
import { fillNameTemplate } from '../config/file-name.ts'
import type { OutboundOperationName } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { OverdueRules } from '../config/alerts.ts'
import type { OutboundRoute } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import type {
  DeliveryEntry,
  UnacknowledgedRecord,
  UnconfirmedDelivery,
  UnwrittenRecords,
} from '../domain/delivery.ts'
import type { RefusedDelivery } from '../domain/interchange-journal.ts'
import { formatPlace } from '../domain/place.ts'
import { PROBLEMS } from '../domain/problem.ts'
import { findFormerPath } from '../pipeline/outbound/outbox.ts'
import { checkOverdue, type Overdue, waitsForConfirmation } from '../pipeline/outbound/confirmation-rules.ts'
import { formatRecordName } from '../pipeline/outbound/file-rows.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { isoTime } from '../support/clock.ts'
import { findSimilarName, quoteForShell } from '../support/text.ts'
import {
  type EvaluationContext,
  formatFolder,
  GRACE_MS,
  groupByFolder,
  limitAlerts,
  toNamePattern,
} from './context.ts'

/** How many waiting files of a route are checked; later ones wait no longer than these. */
const AWAITED_MAX = 10_000

/** How many held deliveries get an alert of their own. */
const HELD_MAX = 50

export async function findDeliveryAlerts(context: EvaluationContext): Promise<Alert[]> {
  const { journal, configuration, mailboxes, now } = context
  const alerts = (await journal.listHeldDeliveries(HELD_MAX)).map((each) => buildHeldAlert(context, each))
  for (const each of await journal.listUnacknowledgedRecords(HELD_MAX)) {
    // One alert for all refused documents of a delivery says more.
    if (each.problems[0]?.code !== 'edi-refused-by-partner')
      alerts.push(buildUnacknowledgedAlert(context, each))
  }
  alerts.push(...(await journal.listUnwrittenRecords()).map(buildUnwrittenAlert))
  for (const each of await journal.listRefusedDeliveries(HELD_MAX))
    alerts.push(buildRefusalAlert(context, each))
  for (const route of configuration.routes) {
    if (route.direction !== 'outbound' || route.overdue === undefined) continue
    const mailbox = mailboxes.get(route.to.mailbox)
    const found: Alert[] = await findUnanswered(context, route, route.overdue)
    const awaited = waitsForConfirmation(route)
      ? await journal.listUnconfirmedDeliveries(AWAITED_MAX, route.name)
      : []
    for (const delivery of awaited) {
      const path = mailbox?.describe(delivery.folder, delivery.name) ?? delivery.name
      const late = checkOverdue(delivery, route.overdue, now)
      if (delivery.refusedReceipt !== undefined) found.push(buildRefusedAlert(route, delivery, path))
      else if (late !== undefined) {
        const former = mailbox && findFormerPath(mailbox, delivery)
        const which = await describeInterchange(context, route, delivery)
        found.push(buildOverdueAlert(route, delivery, { ...late, path: `${path}${which}`, former, now }))
      }
    }
    alerts.push(...limitAlerts(context, found, route.name))
  }
  return alerts
}

function buildHeldAlert({ configuration, mailboxes }: EvaluationContext, delivery: DeliveryEntry): Alert {
  const { route: name, folder, name: file, id, records, composedAt, held = '' } = delivery
  const route = configuration.routes.find((each) => each.name === name)
  const mailbox = route?.direction === 'outbound' ? mailboxes.get(route.to.mailbox) : undefined
  const message = `${mailbox?.describe(folder, file) ?? file} with ${records} records is not delivered. ${held}`
  const fix =
    route === undefined
      ? `Give the route back its name, ${name}.`
      : `Ask the reader of the files whether its records came, under whatever name (dropbridge trace ${id} lists them). All: dropbridge resolve ${id} --delivered; none: --again, with --by NAME --why TEXT; some: see docs/support.md.`
  return { code: 'delivery-held', route: name, subject: `${file} (${id})`, since: composedAt, message, fix }
}

/** `order HV-30015 (id 16) of /out/orders-1.csv is held: it was cancelled at …` */
function buildUnacknowledgedAlert(
  { configuration, mailboxes }: EvaluationContext,
  record: UnacknowledgedRecord,
): Alert {
  const { route: name, delivery, operation, apiId, state, since, problems } = record
  const route = configuration.routes.find((each) => each.name === name)
  const to = route?.direction === 'outbound' ? route.to : undefined
  const path = (to && mailboxes.get(to.mailbox)?.describe(to.folder, record.name)) ?? record.name
  const called = formatRecordName(operation as OutboundOperationName, record.body)
  const who = called === '' ? `id ${apiId}` : `${called} (id ${apiId})`
  const why = problems[0] === undefined ? '' : `: ${problems[0].message}`
  const message = `${who} of ${path} is ${state} and not acknowledged${why}`
  const dismissal = `dropbridge dismiss ${quoteForShell(`${name}/${apiId}`)} --by NAME --why TEXT`
  return createAlert({
    code: 'record-unacknowledged',
    route: name,
    subject: `${apiId} (${delivery})`,
    since,
    message,
    fix: `The reader of the file must leave it out; then \`${dismissal}\`.`,
  })
}

/** The title stands for the message, which quotes the value: that may be a name or an address. */
function buildUnwrittenAlert({ route, records, since, first }: UnwrittenRecords): Alert {
  const { apiId, operation, body, problems } = first
  const name = formatRecordName(operation as OutboundOperationName, body) || `id ${apiId}`
  const [found] = problems
  const { title, fix } = found === undefined ? { title: '', fix: undefined } : PROBLEMS[found.code]
  const where = found === undefined ? '' : formatPlace(found.place)
  const what = `${title.charAt(0).toLowerCase()}${title.slice(1)}`.replace(/\.$/, '')
  const why = [name, where, what].filter((part) => part !== '').join(': ')
  const are = records === 1 ? '1 record is' : `${records} records are`
  return createAlert({
    code: 'records-unwritten',
    route,
    subject: route,
    since,
    message: `${are} in no file and held; the first, ${why}`,
    ...(fix === undefined ? {} : { fix: `${fix} The next run writes what was held.` }),
  })
}

function buildRefusedAlert(route: OutboundRoute, delivery: UnconfirmedDelivery, path: string): Alert {
  const { name = '', at: since = 0 } = delivery.refusedReceipt ?? {}
  const subject = `${delivery.name} (${delivery.id})`
  const message = `the receipt ${name} for ${path} does not match \`receipt.contains\`${formatDeadline(delivery)}`
  const fix = `Read it in ${route.receipt?.archive ?? 'the archive'} and ask its sender for a new one.`
  return { code: 'receipt-refused', route: route.name, subject, since, message, fix }
}

function buildOverdueAlert(
  route: OutboundRoute,
  delivery: UnconfirmedDelivery,
  {
    since,
    isNear,
    path,
    former,
    now,
  }: Overdue & { readonly path: string; readonly former: string | undefined; readonly now: number },
): Alert {
  const left = isoTime(delivery.deliveredAt ?? delivery.composedAt)
  const isReceipt = route.acknowledge !== 'picked-up'
  const isAnswer = route.acknowledge === 'answered'
  const what = isAnswer ? 'no answer came for' : isReceipt ? 'no receipt came for' : 'not picked up:'
  const isOver = (delivery.acknowledgeBy ?? Infinity) <= now
  const isElsewhere = !isReceipt && former !== undefined
  const where = isElsewhere
    ? `${former}, which did not move to ${path.slice(0, -delivery.name.length - 1)} with its mailbox`
    : path
  return createAlert({
    code: isAnswer ? 'interchange-unanswered' : isReceipt ? 'receipt-overdue' : 'pick-up-overdue',
    route: route.name,
    // Another subject, so that it is reported again when the deadline of its records comes near.
    subject: `${delivery.name} (${delivery.id})${isNear ? ', time is short' : ''}`,
    since,
    message: `${what} ${where}, delivered at ${left}: ${isAnswer ? 'not all' : 'none'} of its ${delivery.records} records ${isAnswer ? 'are' : 'is'} acknowledged${formatDeadline(delivery)}${isOver ? '; the deadline has passed' : ''}`,
    ...(isElsewhere ? { fix: MOVED_FIX } : {}),
  })
}

/** Interchanges that wait for nothing at the API, and are not answered all the same. */
async function findUnanswered(
  context: EvaluationContext,
  route: OutboundRoute,
  overdue: OverdueRules,
): Promise<Alert[]> {
  const { journal, mailboxes, now } = context
  if (route.partner === undefined) return []
  const found = await journal.listUnansweredDeliveries(route.name, AWAITED_MAX)
  const alerts: Alert[] = []
  for (const delivery of found) {
    const late = checkOverdue(delivery, overdue, now)
    if (late === undefined) continue
    const { folder, name, id, deliveredAt, composedAt } = delivery
    const which = await describeInterchange(context, route, delivery)
    const path = mailboxes.get(route.to.mailbox)?.describe(folder, name) ?? name
    const since = isoTime(deliveredAt ?? composedAt)
    const message = `no answer came for ${path}${which}, delivered at ${since}`
    const subject = `${name} (${id})`
    const alert = createAlert({
      code: 'interchange-unanswered',
      route: route.name,
      subject,
      since: late.since,
      message,
      fix: `Ask the partner. If it never came: \`dropbridge edi resend ${quoteForShell(name)}\`; if it did: \`dropbridge dismiss ${quoteForShell(name)} --by NAME --why TEXT\`.`,
    })
    alerts.push(alert)
  }
  return alerts
}

function buildRefusalAlert({ configuration, mailboxes }: EvaluationContext, refused: RefusedDelivery): Alert {
  const { delivery, name, folder, route: routeName, sets, since, reasons, numbers, firstSet } = refused
  const route = configuration.routes.find((each) => each.name === routeName)
  const mailbox = route?.direction === 'outbound' ? mailboxes.get(route.to.mailbox) : undefined
  const path = mailbox?.describe(folder, name) ?? name
  const where = `interchange ${numbers.interchange}, group ${numbers.group}, set ${firstSet}`
  const which = sets === 1 ? where : `${where} first`
  const records = nameRecords(refused.records, sets)
  // What the partner repeats of our values may be personal.
  const plain = reasons.map((reason) => reason.replaceAll(/ holds ".*"(?=: )/gu, ''))
  const why = plain.length === 0 ? '' : `: ${plain.join('; ')}`
  const documents = sets === 1 ? '1 document' : `${sets} documents`
  const message = `the partner refused ${documents} of ${path} (${which}): ${records}${why}`.slice(
    0,
    MESSAGE_MAX,
  )
  const answer = `--by NAME --why TEXT`
  return createAlert({
    code: 'document-refused',
    route: routeName,
    subject: `${name} (${delivery})`,
    since,
    message,
    fix: `\`dropbridge trace ${quoteForShell(name)}\` lists them. Mend the cause. Send them anew: \`dropbridge release ${quoteForShell(name)} ${answer}\`; or give them up: \`dropbridge dismiss ${quoteForShell(name)} ${answer}\`.`,
  })
}

/** `order HV-30015, order HV-30016 and 4 more`, as people know them. */
function nameRecords(
  first: readonly { readonly operation: string; readonly apiId?: string; readonly body?: Resource }[],
  count: number,
): string {
  const names = first.map(({ operation, apiId = '', body }) => {
    const name = body === undefined ? '' : formatRecordName(operation as OutboundOperationName, body)
    return name === '' ? `id ${apiId}` : name
  })
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** ` (interchange 101, group 101: order HV-30015 and 2 more)`; empty for a delivery that is no interchange. */
async function describeInterchange(
  { journal }: EvaluationContext,
  { operation }: OutboundRoute,
  { id, records, prunedAt }: DeliveryEntry,
): Promise<string> {
  const reserved = await journal.findReservation(id)
  if (reserved === undefined) return ''
  const { interchange, group } = reserved.numbers
  const kept = prunedAt === undefined ? await journal.listDeliveryRecords(id, 0, RECORDS_NAMED) : []
  const first = kept.map(({ apiId, body }) => ({ operation, apiId, body: JSON.parse(body) as Resource }))
  const named = first.length === 0 ? '' : `: ${nameRecords(first, records)}`
  const again = (await journal.listRedeliveries(id)).at(-1)
  const resent = again === undefined ? '' : `, sent once more on ${isoTime(again.beganAt)}`
  return ` (interchange ${interchange}, group ${group}${named}${resent})`
}

const RECORDS_NAMED = 3

const MESSAGE_MAX = 500

const MOVED_FIX = 'Move it there. If its reader has it, let the route run once with `acknowledge: delivered`.'

function formatDeadline({ acknowledgeBy }: UnconfirmedDelivery): string {
  return acknowledgeBy === undefined
    ? ''
    : `; the first of its records should be acknowledged by ${isoTime(acknowledgeBy)}`
}

// Files in a receipt folder that confirm nothing: a receipt with another name is never read.

/** As many as a pass checks. */
const AWAITED_RECEIPTS_MAX = 10_000

type Receipt = NonNullable<OutboundRoute['receipt']> & { readonly route: string }

export async function findReceiptAlerts(context: EvaluationContext): Promise<readonly Alert[]> {
  const { configuration, mailboxes } = context
  const all = configuration.routes.flatMap((route): Receipt[] =>
    route.direction === 'outbound' && route.receipt ? [{ ...route.receipt, route: route.name }] : [],
  )
  const alerts: Alert[] = []
  for (const receipts of groupByFolder(context, all, (receipt) => receipt)) {
    const [first] = receipts
    // Where files may not be moved, receipts stay in the folder after they were read.
    if (mailboxes.get(first.mailbox)?.claimsInPlace !== false) continue
    alerts.push(...limitAlerts(context, await findStrayReceipts(context, receipts), formatFolder(first)))
  }
  return alerts
}

async function findStrayReceipts(
  { journal, listings, mailboxes, now }: EvaluationContext,
  receipts: readonly [Receipt, ...Receipt[]],
): Promise<Alert[]> {
  const awaited: string[] = []
  for (const { route, match } of receipts) {
    const deliveries = await journal.listUnconfirmedDeliveries(AWAITED_RECEIPTS_MAX, route)
    awaited.push(...deliveries.map((delivery) => fillNameTemplate(match, delivery.name)))
  }
  const [first] = receipts
  const files = (await listings.list(first, { only: awaited })) ?? []
  const wanted = new Set(awaited.map((name) => name.toLowerCase()))
  const patterns = receipts.map(({ match }) => compileFilePattern(toNamePattern(match)))
  return files
    .filter(({ name, modifiedAt }) => now - modifiedAt > GRACE_MS && !wanted.has(name.toLowerCase()))
    .filter(({ name }) => patterns.some((isReceipt) => isReceipt(name)))
    .map(({ name, modifiedAt: since }) => {
      const path = mailboxes.get(first.mailbox)?.describe(first.folder, name) ?? name
      // Most often the sender leaves out an ending of the file's own name.
      const [stem = name] = name.split('.')
      const nearest = awaited.find((each) => each.startsWith(`${stem}.`)) ?? findSimilarName(name, awaited)
      const suggestion = nearest === undefined ? '' : ` (the nearest name that is expected is ${nearest})`
      const message = `${path} confirms no file that waits for a receipt${suggestion}`
      return createAlert({
        code: 'receipt-unknown',
        subject: `${formatFolder(first)}/${name}`,
        since,
        message,
      })
    })
}
