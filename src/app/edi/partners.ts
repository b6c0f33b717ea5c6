/** Partners: how each is answered, what it waits for, its control numbers, and by which grammar its documents are read. */
import type { Configuration } from '../../config/configuration.ts'
import type { Partner } from '../../config/edi.ts'
import type { InterchangeJournal, NumberCounter, PartnerActivity } from '../../domain/interchange-journal.ts'
import { type AnswerNumbers, MAX_CONTROL_NUMBER } from '../../domain/interchange.ts'
import type { Grammar } from '../../edi/grammar.ts'
import type { Syntax } from '../../edi/segment.ts'
import { compileReading } from '../../formats/edi/reading-plan.ts'
import type { Mapping } from '../../mapping/load.ts'
import { findPartner } from '../../pipeline/interchanges/context.ts'
import { BridgeError, usageError } from '../../support/errors.ts'
import { quoteForShell, unknownNameError } from '../../support/text.ts'

export interface PartnerOverview {
  readonly partner: Partner
  /** What answers it: CONTRL where it sends EDIFACT, as far as that is known. */
  readonly kinds: readonly ('997' | '999' | 'CONTRL')[]
  /** Absent where nothing came of it. */
  readonly activity?: PartnerActivity
  /** How many answers to it are not delivered, and when the first of them is or was due, milliseconds. */
  readonly undelivered: number
  readonly dueAt?: number
}

const ANSWERS_MAX = 10_000

/** Without a journal, nothing has come yet. */
export async function listPartners(
  { edi, routes }: Pick<Configuration, 'edi' | 'routes'>,
  journal?: InterchangeJournal,
): Promise<readonly PartnerOverview[]> {
  const activities = (await journal?.listPartnerActivity()) ?? []
  const answers = (await journal?.listOverdueAnswers(Number.MAX_SAFE_INTEGER, ANSWERS_MAX)) ?? []
  const counters = (await journal?.listNumberCounters()) ?? []
  return (edi?.partners ?? []).map((partner) => {
    const activity = activities.find((each) => each.partner === partner.name)
    const own = answers.filter((answer) => answer.partner === partner.name)
    const [first] = own
    return {
      partner,
      kinds: listAnswerKinds(routes, partner, counters),
      ...(activity && { activity }),
      undelivered: own.length,
      ...(first && { dueAt: first.dueAt }),
    }
  })
}

/** By the documents of its own routes, whose names are numbers in X12, and by the numbers that its answers had. */
function listAnswerKinds(
  routes: Configuration['routes'],
  { name, ids, answer }: Partner,
  counters: readonly NumberCounter[],
): PartnerOverview['kinds'] {
  const documents = routes.flatMap((route) => {
    const taken = route.direction === 'inbound' ? route.from.interchanges : undefined
    return taken?.partner === name ? [taken.document ?? ''] : []
  })
  const own = counters.filter(({ receiver }) => ids.some(({ address }) => address === receiver))
  const syntaxes = new Set<Syntax>([
    ...own.map(({ syntax }) => syntax),
    ...documents.map((document): Syntax => (/^\d/.test(document) ? 'x12' : 'edifact')),
  ])
  const isEdifact = syntaxes.has('edifact')
  return [
    ...(syntaxes.has('x12') || !isEdifact ? [answer.kind] : []),
    ...(isEdifact ? ['CONTRL' as const] : []),
  ]
}

/** A document, and the addresses of its sender in interchange and group. */
export interface SentDocument {
  readonly syntax: Syntax
  readonly document: string
  readonly sender: string
  readonly groupSender: string
}

/**
 * Returns a function that finds the grammar by which a route reads a document of this sender. Routes for the partner come
 * before those for any; what a route asks of the values of a set is not read. Undefined where no route reads it.
 */
export function createGrammarChooser(
  { edi, routes }: Pick<Configuration, 'edi' | 'routes'>,
  mappings: ReadonlyMap<string, Mapping>,
): (sent: SentDocument) => Grammar | undefined {
  const readers = routes.flatMap((route) => {
    const mapping = mappings.get(route.name)
    if (route.direction !== 'inbound' || mapping?.direction !== 'inbound') return []
    const { format: syntax, edi: read } = mapping.translator.read
    if (read === undefined || (syntax !== 'x12' && syntax !== 'edifact')) return []
    const { document } = read
    return [{ syntax, document, read, partner: route.from.interchanges?.partner }]
  })
  return ({ syntax, document, sender, groupSender }) => {
    const partner = findPartner(edi?.partners ?? [], sender, groupSender)?.name
    const fitting = readers.filter((each) => each.syntax === syntax && each.document === document)
    const named = partner === undefined ? undefined : fitting.find((each) => each.partner === partner)
    const reader = named ?? fitting.find((each) => each.partner === undefined)
    return reader && compileReading(syntax, reader.read).findGrammar(syntax, document)
  }
}

// The control numbers that were given to partners, and how a person changes them.

export interface NumbersOf {
  /** The name of the partner; absent for an address that no partner has any more. */
  readonly partner?: string
  readonly counter: NumberCounter
}

/** Of one partner, or of all. Throws `usage-wrong` for a partner that is not configured. */
export async function listNumbers(
  { edi }: Pick<Configuration, 'edi'>,
  journal: InterchangeJournal,
  wanted?: string,
): Promise<readonly NumbersOf[]> {
  const partners = edi?.partners ?? []
  const names = partners.map(({ name }) => name)
  if (wanted !== undefined && !names.includes(wanted))
    throw unknownNameError(`there is no partner "${wanted}"`, wanted, names)
  const all = (await journal.listNumberCounters()).map((counter): NumbersOf => {
    const partner = partners.find(({ ids }) => ids.some(({ address }) => address === counter.receiver))
    return { counter, ...(partner && { partner: partner.name }) }
  })
  return wanted === undefined ? all : all.filter(({ partner }) => partner === wanted)
}

export interface NumberChange {
  readonly partner: string
  readonly usage: 'production' | 'test'
  /** Of a partner with several pairs of addresses: those of the pair that is meant, as the list shows them. */
  readonly from?: string
  readonly to?: string
  /** The last number of an interchange that counts as given; the next one follows it. */
  readonly interchange: number
  /** The same of groups; that of interchanges when left out. */
  readonly group?: number
  /** Allows a number from which numbers are given a second time. */
  readonly mayRepeat?: boolean
  readonly by: string
  readonly why: string
}

/** A partner that was given no number yet, and the first one it gets. */
export interface FirstNumber {
  readonly partner: string
  readonly first: number
}

/** The partners that have none of the given counters. */
export function listFirstNumbers(
  { edi }: Pick<Configuration, 'edi'>,
  given: readonly NumbersOf[],
  wanted?: string,
): readonly FirstNumber[] {
  const known = new Set(given.map(({ partner }) => partner))
  return (edi?.partners ?? [])
    .filter(({ name }) => !known.has(name) && (wanted === undefined || name === wanted))
    .map(({ name: partner, firstNumber: first }) => ({ partner, first }))
}

/** Sets the last numbers that were given to a partner. Throws `usage-wrong` where it is not clear which are meant. */
export async function setNumbers(
  configuration: Pick<Configuration, 'edi'>,
  journal: InterchangeJournal,
  { partner, usage, from, to, interchange, group = interchange, mayRepeat = false, by, why }: NumberChange,
): Promise<NumberCounter> {
  for (const last of [interchange, group])
    if (!Number.isInteger(last) || last < 0 || last > MAX_CONTROL_NUMBER)
      throw usageError(
        `a control number is a whole number from 0 to ${MAX_CONTROL_NUMBER}`,
        'Write the number of the last interchange, with digits only: `--set 41`.',
      )
  const own = (await listNumbers(configuration, journal, partner)).filter(
    ({ counter }) =>
      counter.usage === usage &&
      (from ?? counter.sender) === counter.sender &&
      (to ?? counter.receiver) === counter.receiver,
  )
  const [first, ...others] = own
  if (first === undefined)
    throw new BridgeError('not-known', `no ${usage} number was given to partner ${partner} yet`, {
      fix:
        from === undefined && to === undefined
          ? 'Set the first one by `numbers: { start: N }` of the partner.'
          : `Write the addresses as \`dropbridge edi numbers ${quoteForShell(partner)}\` shows them.`,
    })
  if (others.length > 0)
    throw new BridgeError(
      'not-known',
      `partner ${partner} has several counters, one for each pair of addresses; name the pair`,
      {
        details: own.map(
          ({ counter: { sender, receiver } }) =>
            `--from ${quoteForShell(sender)} --to ${quoteForShell(receiver)}`,
        ),
        fix: 'Add the `--from` and `--to` of the pair to the command, and set the others after it.',
      },
    )
  if (!mayRepeat) assertHigher(first.counter, { interchange, group })
  const counter = { ...first.counter, interchange, group }
  await journal.setNumberCounter(counter, { by, why })
  return counter
}

/** Partners refuse a file whose number they know, so a lower number must be asked for with `--repeat`. */
function assertHigher(last: AnswerNumbers, { interchange, group }: AnswerNumbers): void {
  const isLower = interchange < last.interchange || group < last.group
  if (!isLower && (interchange > last.interchange || group > last.group)) return
  const used = `the last interchange had ${last.interchange}, the last group ${last.group}`
  throw new BridgeError(
    'usage-wrong',
    `${interchange} (group ${group}) is not above what was given: ${used}`,
    {
      fix: 'Set a higher one. With --repeat numbers are used twice, and the partner may refuse those files.',
    },
  )
}
