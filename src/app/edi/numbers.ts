/** The control numbers that were given to partners, and how a person changes them. */
import type { Configuration } from '../../config/configuration.ts'
import type { InterchangeJournal, NumberCounter } from '../../domain/interchange-journal.ts'
import { MAX_CONTROL_NUMBER } from '../../domain/interchange.ts'
import { BridgeError, usageError } from '../../support/errors.ts'
import { unknownNameError } from '../../support/text.ts'

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
  /** The last number of an interchange that counts as given; the next one follows it. */
  readonly interchange: number
  /** The same of groups; that of interchanges when left out. */
  readonly group?: number
  readonly by: string
  readonly why: string
}

/** Sets the last numbers that were given to a partner. Throws `usage-wrong` where it is not clear which are meant. */
export async function setNumbers(
  configuration: Pick<Configuration, 'edi'>,
  journal: InterchangeJournal,
  { partner, usage, interchange, group = interchange, by, why }: NumberChange,
): Promise<NumberCounter> {
  for (const last of [interchange, group])
    if (!Number.isInteger(last) || last < 0 || last > MAX_CONTROL_NUMBER)
      throw usageError(`a control number is a whole number from 0 to ${MAX_CONTROL_NUMBER}`)
  const own = (await listNumbers(configuration, journal, partner)).filter(
    ({ counter }) => counter.usage === usage,
  )
  const [first, ...others] = own
  if (first === undefined)
    throw new BridgeError('not-known', `no ${usage} number was given to partner ${partner} yet`, {
      fix: 'Set the first one by `numbers: { start: N }` of the partner.',
    })
  if (others.length > 0)
    throw new BridgeError(
      'not-known',
      `partner ${partner} has several counters, one for each pair of addresses`,
      {
        fix: 'Change the addresses of the partner one after the other.',
      },
    )
  const counter = { ...first.counter, interchange, group }
  await journal.setNumberCounter(counter, { by, why })
  return counter
}
