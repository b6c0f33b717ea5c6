/** Alerts about records that wait for a person and about work that no process continues. */
import { type Alert, createAlert } from '../domain/alert.ts'
import { listWorkNames } from '../config/configuration.ts'
import type { HeldFile, RejectedFile, UnresolvedRecord } from '../domain/decision.ts'
import { formatUnknownReceiverFix, formatUnknownSenderFix } from '../domain/edi-problems.ts'
import type { AnswerOutcome } from '../domain/interchange-journal.ts'
import type { Journal } from '../domain/journal.ts'
import { partSuffix } from '../domain/file.ts'
import { formatLeaseOwner } from '../domain/lease.ts'
import type { MissingDocuments } from '../domain/shipping-document.ts'
import { classifyWatches } from '../journal/heartbeat.ts'
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../support/clock.ts'
import { groupBy } from '../support/collections.ts'
import { nameFileInFix, quoteForShell } from '../support/text.ts'
import type { EvaluationContext } from './context.ts'

/** How many files with held or rejected records, or with missing documents, get an alert of their own. */
const HELD_MAX = 50

/** How many records without a known outcome are checked. */
const UNRESOLVED_MAX = 1000

/** A lookup or two may well fail; a record that waits longer than this needs a person. */
const UNKNOWN_MS = HOUR_MS

export async function findRecordAlerts(context: EvaluationContext): Promise<Alert[]> {
  const { journal, now } = context
  const held = await journal.listHeldFiles(HELD_MAX)
  const rejected = await journal.listRejectedFiles(HELD_MAX)
  const unknown = (await journal.listUnresolvedRecords(UNRESOLVED_MAX, {})).filter(
    ({ state, since }) => state === 'uncertain' && now - since > UNKNOWN_MS,
  )
  const answers = new Map<string, string>()
  for (const { what, file } of rejected)
    if (what === 'answer') answers.set(file, await describeOpenAnswers(journal, file))
    else if (what === 'unrouted') answers.set(file, await describeAnswerToUnrouted(context, file))
  return [
    ...held.map(buildHeldAlert),
    ...rejected.map((each) => buildRejectedAlert(context, each, { all: rejected, answers })),
    ...[...groupBy(unknown, ({ file }) => file).values()].map(buildUnknownAlert),
    ...(await journal.listMissingDocuments(HELD_MAX)).map(buildMissingDocumentsAlert),
    ...(await findStrandedRoutes(context)).map((each) => buildStrandedAlert(each, now)),
    ...findRestoreAlerts(await journal.listDoubtfulRoutes()),
  ]
}

function findRestoreAlerts(routes: Awaited<ReturnType<Journal['listDoubtfulRoutes']>>): Alert[] {
  const [first] = routes
  if (first === undefined) return []
  const since = Math.min(...routes.map((each) => each.since))
  const message = `the journal was restored; new records of ${routes.map(({ route }) => route).join(', ')} are looked up before they are first sent`
  return [createAlert({ code: 'journal-restored', subject: isoTime(since), since, message })]
}

function buildHeldAlert({ route, name, file, code, records, since }: HeldFile): Alert {
  const message = `${name}: ${records === 1 ? '1 record is' : `${records} records are`} held (${code})`
  const fix = `See \`dropbridge status\` and \`dropbridge explain ${code}\`.`
  return { code: 'records-held', route, subject: `${name} (${file}) ${code}`, since, message, fix }
}

/** Of an interchange that is from or to an unknown address: which of the two, and where to write it. */
function describeUnknown(
  addresses: string | undefined,
  us: readonly string[] = [],
): readonly [what: string, fix: string] {
  const [sender = '', receiver = ''] = (addresses ?? '').split(' to ')
  if (addresses !== undefined && us.length > 0 && !us.includes(receiver)) {
    const what = ` is for ${receiver}, which is no address under \`edi.us\`; it is from ${sender}`
    return [what, formatUnknownReceiverFix(receiver)]
  }
  const what =
    addresses === undefined
      ? ' is from or to an unknown party'
      : ` is from ${sender} to ${receiver}, and no partner has ${sender} among its \`ids\``
  return [what, formatUnknownSenderFix(sender === '' ? 'its address' : sender)]
}

/** How many problem codes of one file are named. */
const CODES_SHOWN = 5

/** `integer-expected`, or `3 integer-expected, 2 value-missing`: how many records have each problem. */
function formatCodes(codes: RejectedFile['codes']): string {
  const [first, second] = codes
  if (first === undefined) return ''
  if (second === undefined) return ` (${first.code})`
  const shown = codes.slice(0, CODES_SHOWN).map(({ code, records }) => `${records} ${code}`)
  const more = codes.length - shown.length
  return ` (${[...shown, ...(more > 0 ? [`${more} more codes`] : [])].join(', ')})`
}

/** Undefined until the file is reported, and where the route has gone. */
function findRejectsPath({ configuration, mailboxes }: EvaluationContext, file: RejectedFile) {
  const { route: ofFile, name, reportName } = file
  const route = configuration.routes.find((each) => each.name === ofFile)
  if (route?.direction !== 'inbound' || reportName === undefined) return undefined
  const { mailbox, folder } = route.results
  return mailboxes.get(mailbox)?.describe(folder, `${reportName}${partSuffix('rejects', name)}`)
}

function buildRejectedAlert(
  context: EvaluationContext,
  rejectedFile: RejectedFile,
  { all, answers }: { readonly all: readonly RejectedFile[]; readonly answers: ReadonlyMap<string, string> },
): Alert {
  const us = context.configuration.edi?.ourAddresses
  const { what, route, name, file, code, records, since } = rejectedFile
  const addresses = rejectedFile.addresses ?? undefined
  // The name of several files does not say which one is meant. Of more than the listed ones it is not known.
  const isNameUnique = all.length < HELD_MAX && all.filter((each) => each.name === name).length === 1
  const why = code === '' ? '' : ` (${code})`
  const are = records === 1 ? '1 record is' : `${records} records are`
  const dismissal = `\`dropbridge dismiss ${quoteForShell(isNameUnique ? name : file)} --by NAME --why TEXT\``
  const [unknownWhat, unknownFix] = describeUnknown(addresses, us)
  const rejects = findRejectsPath(context, rejectedFile)
  const texts = {
    rejected: [
      'records-rejected',
      `: ${are} rejected and not corrected${formatCodes(rejectedFile.codes)}`,
      rejects === undefined
        ? 'Have them corrected and sent again, or'
        : // Where no key names the corrected record, only the name of the file says what it corrects.
          `Correct ${rejects} and drop it in under its name, or`,
    ],
    unusable: ['file-unusable', ` cannot be used${why}`, 'Have it sent again, or'],
    unknown: [
      'partner-unknown',
      unknownWhat,
      `${nameFileInFix(unknownFix, isNameUnique ? name : file)} If you do not`,
    ],
    reused: [
      'number-reused',
      ' has a control number that came before, with other contents',
      'If you corrected it, drop it in with `.rejects.` in its name. Else have it sent under a new number, or',
    ],
    unrouted: [
      'sets-unrouted',
      ' holds documents that no route takes',
      'Add a route for them and drop its exceptions file in, or',
    ],
    answer: findAnswerText(code),
    vanished: ['file-vanished', ' was removed before it was read', 'Have it sent again, or'],
    'source-removed': [
      'source-removed',
      ' was removed from .claimed before it was archived',
      'Its records are done',
    ],
  } as const
  const [kind, text, fix] = texts[what]
  const message = `${name}${text}${answers.get(file) ?? ''}`
  // Sent again as it is, the file would be refused again.
  if (what === 'unusable' && rejectedFile.fix !== undefined) {
    const steps = nameFileInFix(rejectedFile.fix, isNameUnique ? name : file)
    // Taking the file again ends the alert.
    const end = steps.includes('dropbridge retake') ? 'If it is not needed' : 'When that is done'
    return {
      code: kind,
      route,
      subject: `${name} (${file})`,
      since,
      message,
      fix: `${steps} ${end}: ${dismissal}.`,
    }
  }
  return { code: kind, route, subject: `${name} (${file})`, since, message, fix: `${fix}: ${dismissal}.` }
}

/** How many answers of a file are read, and how many of the open ones are named. */
const FILE_ANSWERS_MAX = 1000
const NAMED_ANSWERS_MAX = 3

const OPEN_OUTCOMES: readonly AnswerOutcome[] = ['unmatched', 'contradicts', 'unreadable', 'answer-refused']

/** `: 997 for group 77 of van-1.x12, set 2 was accepted before`: which interchanges, groups and sets, and why. */
async function describeOpenAnswers(journal: Journal, file: string): Promise<string> {
  const all = await journal.listReceivedAnswers({ file }, FILE_ANSWERS_MAX)
  const open = all.filter(({ outcome }) => OPEN_OUTCOMES.includes(outcome))
  const named = open.slice(0, NAMED_ANSWERS_MAX).map(({ kind, number, delivery, reasons }) => {
    const what = kind === '997' || kind === '999' ? 'group' : 'interchange'
    const of = delivery === undefined ? '' : ` of ${delivery.name}`
    return [`${kind} for ${what} ${number}${of}`, ...reasons.slice(0, REASONS_MAX)].join(', ')
  })
  const more = open.length - named.length
  return named.length === 0 ? '' : `: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join('; ')}`
}

const REASONS_MAX = 3

/** What the answers to the file say of the sets that no route takes. Empty where none is sent, or they differ. */
async function describeAnswerToUnrouted({ configuration, journal }: EvaluationContext, file: string) {
  const partners = configuration.edi?.partners ?? []
  const unrouted = (await journal.listAnswers(file)).map(
    (answer) => partners.find(({ name }) => name === answer.partner)?.unrouted ?? 'hold',
  )
  if (unrouted.length === 0) return ''
  if (unrouted.every((each) => each === 'hold'))
    return '; the answer accepts those without faults, and they are held here'
  return unrouted.every((each) => each === 'refuse') ? '; the answer refuses them' : ''
}

/** `code`: what came of the answer. */
function findAnswerText(code: string) {
  if (code === 'contradicts' || code === 'unreadable' || code === 'answer-refused') return ANSWER_TEXTS[code]
  return ANSWER_TEXTS.unmatched
}

const ANSWER_TEXTS = {
  contradicts: [
    'answer-contradicts',
    ' answers documents otherwise than an earlier file did',
    'Ask the partner which answer is right (the first one counts), then',
  ],
  unreadable: [
    'answer-unmatched',
    ' holds an answer that cannot be read',
    'Have the partner send it again, then',
  ],
  'answer-refused': [
    'answer-unmatched',
    ' refuses an answer (997, TA1 or CONTRL) that the bridge sent',
    'Ask the partner what was wrong with it, then',
  ],
  unmatched: [
    'answer-unmatched',
    ' answers an interchange or a document that was not sent to its sender',
    'Ask the partner what it answered, then',
  ],
} as const

function buildUnknownAlert(records: readonly [UnresolvedRecord, ...UnresolvedRecord[]]): Alert {
  const [{ route, name, file, keyValues }] = records
  const key = keyValues.find((value) => value !== '') ?? ''
  const since = Math.min(...records.map((record) => record.since))
  const [were, them] =
    records.length === 1 ? ['1 record was', 'it'] : [`${records.length} records were`, 'them']
  const message = `${name}: ${were} sent, and it is not known whether the API has ${them}; the first: ${key}`
  const fix = `Run again. If it stays, check the API and say what it has: \`dropbridge resolve ${quoteForShell(key)}\`.`
  return { code: 'outcome-unknown', route, subject: `${name} (${file})`, since, message, fix }
}

function buildMissingDocumentsAlert({
  route,
  fileId,
  fileName,
  count,
  since,
  problem,
}: MissingDocuments): Alert {
  const what = count === 1 ? '1 packing slip or label is' : `${count} packing slips or labels are`
  const message = `${fileName}: ${what} missing: ${problem.message}`
  return createAlert({ code: 'documents-missing', route, subject: `${fileName} (${fileId})`, since, message })
}

/** Unfinished work of a route that was renamed or removed: no run continues it. */
export interface StrandedRoute {
  readonly route: string
  readonly message: string
  readonly fix: string
}

/** The routes and inboxes with unfinished work that the configuration does not name, and how much of it there is. */
export async function findStrandedRoutes({
  journal,
  configuration,
}: Pick<EvaluationContext, 'journal' | 'configuration'>): Promise<StrandedRoute[]> {
  const configured = new Set(listWorkNames(configuration))
  const stranded = (await journal.listUnfinishedRoutes()).filter((route) => !configured.has(route))
  const found: StrandedRoute[] = []
  for (const route of stranded) {
    const files = (await journal.listUnfinishedFiles(route)).length
    const deliveries = (await journal.listUnfinishedDeliveries(route)).length
    const counts = [
      ...(files === 0 ? [] : [files === 1 ? '1 file' : `${files} files`]),
      ...(deliveries === 0 ? [] : [deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`]),
    ]
    const work = counts.length === 0 ? '' : `: ${counts.join(' and ')}`
    const message = `the configuration has no route ${route} any more, and it has unfinished work${work}`
    const fix = `Give the route back its name, ${route}, at least until its work is done.`
    found.push({ route, message, fix })
  }
  return found
}

function buildStrandedAlert({ route, message, fix }: StrandedRoute, since: number): Alert {
  return { code: 'route-not-configured', route, subject: route, since, message, fix }
}

/** An answer that is late by less than this may be under way. */
const ANSWER_DELAY_MS = 15 * MINUTE_MS

const ANSWERS_MAX = 50

export async function findAnswerAlerts({ journal, now }: EvaluationContext): Promise<Alert[]> {
  const overdue = await journal.listOverdueAnswers(now - ANSWER_DELAY_MS, ANSWERS_MAX)
  const alerts: Alert[] = []
  for (const { partner, file, dueAt } of overdue) {
    const { name = file, route = '' } = (await journal.getFile(file)) ?? {}
    const message = `${name}: the answer to partner ${partner} is not delivered`
    alerts.push(
      createAlert({
        code: 'answer-overdue',
        route,
        subject: `${name} (${file}) ${partner}`,
        since: dueAt,
        message,
      }),
    )
  }
  return alerts
}

/** A person who stops using a watch must not see the alert for ever. */
const SHOWN_MS = 7 * DAY_MS

export async function findMissingWatches({ journal, now }: EvaluationContext): Promise<Alert[]> {
  const { unreplaced } = classifyWatches(await journal.listWatchers(), now)
  return unreplaced
    .filter(({ seenAt }) => now - seenAt < SHOWN_MS)
    .map(({ owner, routes, beganAt, seenAt }) => {
      const [who, began] = [formatLeaseOwner(owner), isoTime(beganAt)]
      const message = `the watch over ${routes.join(', ')} that began at ${began} (${who}) was last seen at ${isoTime(seenAt)}, and it was not asked to end`
      return createAlert({ code: 'watcher-lost', subject: `${who}, since ${began}`, since: seenAt, message })
    })
}
