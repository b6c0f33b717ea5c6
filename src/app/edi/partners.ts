/** Says of each partner how it is answered, what it sent and waits for, and by which grammar its documents are read. */
import type { Configuration } from '../../config/configuration.ts'
import type { Partner } from '../../config/edi.ts'
import type { Mapping } from '../../mapping/load.ts'
import type { Grammar } from '../../edi/grammar.ts'
import type { Syntax } from '../../edi/segment.ts'
import { compileReading } from '../../formats/edi/reading-plan.ts'
import { findPartner } from '../../pipeline/interchanges/takers.ts'
import type { InterchangeJournal, PartnerActivity } from '../../domain/interchange-journal.ts'

export interface PartnerOverview {
  readonly partner: Partner
  /** Absent where nothing came of it. */
  readonly activity?: PartnerActivity
  /** How many answers to it are not delivered, and when the first of them is or was due, milliseconds. */
  readonly undelivered: number
  readonly dueAt?: number
}

const ANSWERS_MAX = 10_000

/** Without a journal, nothing has come yet. */
export async function listPartners(
  { edi }: Pick<Configuration, 'edi'>,
  journal?: InterchangeJournal,
): Promise<readonly PartnerOverview[]> {
  const activities = (await journal?.listPartnerActivity()) ?? []
  const answers = (await journal?.listOverdueAnswers(Number.MAX_SAFE_INTEGER, ANSWERS_MAX)) ?? []
  return (edi?.partners ?? []).map((partner) => {
    const activity = activities.find((each) => each.partner === partner.name)
    const own = answers.filter((answer) => answer.partner === partner.name)
    const [first] = own
    return {
      partner,
      ...(activity && { activity }),
      undelivered: own.length,
      ...(first && { dueAt: first.dueAt }),
    }
  })
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
