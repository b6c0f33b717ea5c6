/** The envelopes of what routes export: from our addresses and the settings of a partner, and what does not fit a syntax. */
import type { EdiWriteOptions, Envelope, EnvelopeDelimiters } from '../domain/format.ts'
import type { Syntax } from '../domain/interchange.ts'
import { omitUndefined } from '../support/object-paths.ts'
import type { EdiConfiguration, EnvelopeUsage, Partner } from './edi.ts'

const DELIMITERS: Readonly<Record<Syntax | 'control', EnvelopeDelimiters>> = {
  x12: { element: '*', component: '>', segment: '~', repetition: '^', newline: '\n' },
  edifact: { element: '+', component: ':', segment: "'", repetition: '*', newline: '\n' },
  control: {
    element: '\u001d',
    component: '\u001f',
    segment: '\u001c',
    repetition: '\u001e',
    newline: '\n',
  },
}

/** The envelope of what a route exports, without its numbers and its time; undefined where one of the addresses is missing. */
export function buildEnvelopeSettings(
  { us }: Pick<EdiConfiguration, 'us'>,
  { outgoing }: Pick<Partner, 'outgoing'>,
  { syntax, usage, document }: EdiWriteOptions & { readonly usage: EnvelopeUsage },
): Omit<Envelope, 'at' | 'numbers'> | undefined {
  const { we, group, receivers, version: ofAll, versions, zone, delimiters, setNumbers } = outgoing
  const own = we === undefined ? (us.length === 1 ? us[0] : undefined) : us.find(({ name }) => name === we)
  const receiver = receivers[usage] ?? receivers.production
  if (own === undefined || receiver === undefined) return undefined
  const id = usage === 'test' ? (own.test ?? own.id) : own.id
  const version = versions[document] ?? (isVersionOf(syntax, ofAll) ? ofAll : undefined)
  return {
    sender: { id, group: own.group ?? id, ...omitUndefined({ qualifier: own.qualifier }) },
    receiver: { ...receiver, group: group ?? receiver.id },
    usage,
    zone,
    setNumbers,
    ...omitUndefined({ version }),
    delimiters: delimiters === 'control' ? DELIMITERS.control : { ...DELIMITERS[syntax], ...delimiters },
    asksForAnswer: false,
  }
}

/** A partner may have documents of both syntaxes. */
function isVersionOf(syntax: Syntax, version = ''): boolean {
  return /^\d{6}/.test(version) === (syntax === 'x12')
}

export const X12_ID_MAX = 15

/** What does not fit the syntax of a route's mapping, as the ends of sentences about the partner. */
export function findEnvelopeErrors(
  { sender, receiver, delimiters }: Omit<Envelope, 'at' | 'numbers'>,
  syntax: Syntax,
): string[] {
  const { newline: _, ...parts } = delimiters
  const errors: string[] = []
  if (new Set(Object.values(parts)).size < Object.keys(parts).length)
    errors.push('its `delimiters` equal each other, with those that are left out')
  if (syntax === 'edifact' && Object.values(parts).includes('?'))
    errors.push('its `delimiters` hold ?, which is the release character of EDIFACT')
  if (syntax === 'edifact') return errors
  const ids = [sender.id, sender.group, receiver.id, receiver.group]
  const long = ids.find((id) => id.length > X12_ID_MAX)
  if (long !== undefined)
    errors.push(
      `the id ${long} is longer than the ${X12_ID_MAX} characters that the envelope of X12 has room for`,
    )
  const isWrong = (qualifier = 'ZZ') => qualifier.length !== 2
  if (isWrong(sender.qualifier) || isWrong(receiver.qualifier))
    errors.push('a `qualifier` has two characters in X12, such as ZZ or 01')
  const special = Object.values(parts).find((delimiter) => ids.some((id) => id.includes(delimiter)))
  if (special !== undefined) errors.push(`an id holds the delimiter ${special}`)
  return errors
}

/** As it stands in ISA13 and in names of files. */
export function formatControlNumber(number: number): string {
  return String(number).padStart(9, '0')
}
