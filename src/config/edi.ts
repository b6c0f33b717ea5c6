/** Interchanges of X12 and EDIFACT: our addresses, the partners, the inboxes, and which sets a route takes of them. */
import { z } from 'zod'
import type { Envelope, EnvelopeAddress, EnvelopeDelimiters } from '../domain/format.ts'
import { MAX_CONTROL_NUMBER } from '../domain/interchange.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { AlertIfNotEmptied } from './alerts.ts'
import {
  DEFAULT_FOLDERS,
  DEFAULT_INTERCHANGE_MATCH,
  Folder,
  MailboxName,
  Name,
  normalizeFolder,
  RESULT_DELIMITERS,
  type ResultsFolder,
  toResultsFolder,
} from './folders.ts'
import { DEFAULT_ANSWER_NAME, findAnswerNameErrors } from './file-name.ts'
import { FolderSource, type FileSource, toFileSource } from './inbox.ts'
import { TimeZone } from './schedule.ts'
import { NonZeroDuration, Retention, Text, toMs } from './time-values.ts'

// The settings.

/** YAML drops the leading zeros of numbers. */
const QUOTED = 'must be text in quotes, so that leading zeros stay'
const ID_RULE = 'has 1 to 35 characters, as they stand in the envelope, without blanks around them'

const Id = z.string(QUOTED).regex(/^(?=.{1,35}$)[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u, ID_RULE)

const addressShape = {
  qualifier: z
    .string(QUOTED)
    .regex(/^[A-Za-z0-9]{1,4}$/, 'has 1 to 4 letters or digits, such as ZZ, 01 or 14')
    .optional()
    .describe('What kind of id it is: ISA05 or the second part of S002, such as ZZ, 12 or 14.'),
  id: Id.describe('The id in the envelope: ISA06, or the first part of S002.'),
}

const OurAddressSettings = z.strictObject({
  ...addressShape,
  test: Id.optional().describe('The id that test interchanges are sent to, where it is another one.'),
  group: Id.optional().describe('The sender of the groups that we write (GS02); the id when left out.'),
})

const USAGES = ['production', 'test'] as const

export const Usage = z.enum(USAGES)

const DELIMITER_RULE = 'is one character that is no letter, digit or blank'

const Delimiter = z.string().regex(/^[\p{Cc}!-/:-@[-`{-~]$/u, DELIMITER_RULE)

const DelimiterSettings = z.strictObject({
  element: Delimiter.optional().describe('Between elements; * in X12, + in EDIFACT when left out.'),
  component: Delimiter.optional().describe('Between the components of an element; > or :.'),
  segment: Delimiter.optional().describe("Behind each segment; ~ or '."),
  repetition: Delimiter.optional().describe('Between repetitions of an element; ^ or *.'),
  newline: z
    .enum(['', '\n', '\r\n'])
    .optional()
    .describe('What stands behind each segment besides; a line break when left out.'),
})

const Version = z
  .string(QUOTED)
  .regex(/^[A-Z0-9][A-Z0-9.]{1,19}$/i, 'is a version such as 004010, 005010X231 or D.96A')

const PartnerAddress = z.strictObject({
  ...addressShape,
  group: Id.optional().describe(
    'The sender of its groups (GS02, UNG 0040), where several partners send under the same id.',
  ),
  usage: z
    .enum(USAGES)
    .default('production')
    .describe(
      'test: the receiver of our test interchanges. Others go to the first id that is not for tests.',
    ),
})

const ANSWER_WHEN = ['understood', 'syntax', 'none'] as const

const AnswerSettings = z.strictObject({
  when: z
    .enum(ANSWER_WHEN)
    .default('understood')
    .describe(
      'understood: once the mappings have read the sets, so that the answer also refuses sets that cannot go on; syntax: at once, by their structure alone; none: never.',
    ),
  within: NonZeroDuration.default('1h').describe(
    'After this time it answers by the structure alone, even if a mapping has not read the sets.',
  ),
  kind: z
    .literal([997, 999], 'must be 997 or 999, without quotes')
    .default(997)
    .describe('Which set answers groups of X12; EDIFACT is answered by CONTRL.'),
  ta1: z
    .enum(['asked', 'always'])
    .default('asked')
    .describe(
      'When a TA1 answers the envelope: when ISA14 asks for it, or always. A refused one always has one.',
    ),
  echo: z
    .boolean()
    .default(true)
    .describe('Whether the answer repeats wrong values, such as in AK404; no where they may be personal.'),
})

const AnswerName = z.string().superRefine((template, context) => {
  for (const message of findAnswerNameErrors(template)) context.addIssue({ code: 'custom', message })
})

export const PartnerSettings = z.strictObject({
  title: Text.optional().describe('Its name, for people.'),
  ids: z.array(PartnerAddress).min(1).describe('The addresses that it sends from, those of its tests too.'),
  answer: z
    .union([z.enum(ANSWER_WHEN), AnswerSettings])
    .default('understood')
    .describe('When and how it is answered: one of the words alone, or settings.'),
  to: z
    .strictObject({
      mailbox: MailboxName,
      folder: Folder.describe('Where answers are left, and exports of routes without a `to`.'),
      name: AnswerName.default(DEFAULT_ANSWER_NAME).describe(
        'The name of each file, with {icn} (its control number), {partner}, {kind} (997, 999, TA1 or CONTRL; of an export the document), {seq} or {date:yyyyMMdd-HHmmss}.',
      ),
    })
    .optional()
    .describe('Where its answers are left; needed unless it is answered never.'),
  we: Name.optional().describe(
    'Which of our addresses under `edi.us` sends to it; may be left out where there is one.',
  ),
  group: Id.optional().describe('The receiver of the groups that we write (GS03); its id when left out.'),
  version: Version.optional().describe(
    'The version of the documents that we write, where it is not that of the mapping: 004010, or D.96A.',
  ),
  documents: z
    .record(Text, Version)
    .default({})
    .describe("The version of single documents, such as { 856: '005010' }."),
  confirms: z
    .boolean()
    .default(true)
    .describe(
      'Whether it answers what we export with 997, 999 or CONTRL; what is not answered in time (`overdue` of the route) is an alert then.',
    ),
  zone: TimeZone.default('UTC').describe('The zone of the dates and times in the envelopes that we write.'),
  delimiters: z
    .union([z.literal('control'), DelimiterSettings], 'must be settings, or the word control')
    .default({})
    .describe(
      'The delimiters of what we write; control: the bytes 1D, 1F, 1C and 1E, which no value can hold.',
    ),
  numbers: z
    .strictObject({
      start: z
        .int()
        .min(1)
        .max(MAX_CONTROL_NUMBER)
        .default(1)
        .describe('The first control number; a later change does nothing.'),
      group: z
        .enum(['own', 'interchange'])
        .default('own')
        .describe('The number of a group that we export: counted on its own, or that of its interchange.'),
      set: z
        .enum(['counted', 'grouped'])
        .default('counted')
        .describe(
          'The number of a set: 0001 and so on in each group, or behind the number of the group, so that each comes once.',
        ),
    })
    .prefault({})
    .describe('The control numbers of what is sent to it.'),
  duplicates: z
    .strictObject({
      window: Retention.default('400d').describe(
        'How long the number of an interchange must not come again; numbers start anew at some time.',
      ),
      reused: z
        .enum(['refuse', 'accept'])
        .default('refuse')
        .describe(
          'What is done with other contents under a number that came before: refuse, or accept them.',
        ),
    })
    .prefault({})
    .describe('How interchanges are found that came before.'),
  unrouted: z
    .enum(['hold', 'refuse'])
    .default('hold')
    .describe('What the answer says of sets that no route takes: they are accepted and held, or refused.'),
})

export const ResultFolder = z.strictObject({
  mailbox: MailboxName,
  folder: Folder.default(DEFAULT_FOLDERS.results).describe('The folder for the result files.'),
  delimiter: z
    .enum(RESULT_DELIMITERS, 'must be a comma, or in quotes ";", "\\t" or "|"')
    .default(',')
    .describe('Between the cells of NAME.results.csv; ";" for a spreadsheet with a decimal comma.'),
  byteOrderMark: z
    .boolean()
    .default(false)
    .describe('Whether NAME.results.csv begins with a mark by which Excel detects UTF-8.'),
  alertIfNotEmptied: AlertIfNotEmptied,
})

const InterchangeInboxSettings = z.strictObject({
  from: FolderSource(DEFAULT_INTERCHANGE_MATCH, 'INBOX').describe('Where files come from.'),
  results: ResultFolder.describe('The folder for what became of the sets of a file.'),
})

export const EdiSettings = z.strictObject({
  us: z
    .record(Name, OurAddressSettings)
    .default({})
    .describe('Our own addresses; interchanges to others are not taken. With none, all are for us.'),
  partners: z
    .union([Text.describe('A folder with one YAML file for each partner.'), z.record(Name, PartnerSettings)])
    .default({})
    .describe('Who sends interchanges: a folder with one YAML file for each, or the partners themselves.'),
  inboxes: z
    .record(Name, InterchangeInboxSettings)
    .default({})
    .describe('Folders whose files feed several routes, each with the sets that it takes.'),
})

/** `from` of a route that takes sets of an inbox. */
export const InterchangeSource = z.strictObject({
  inbox: Text.describe('One of the inboxes of interchanges, in place of a mailbox and folder.'),
  partner: Text.optional().describe(
    'Whose sets are taken; when left out, those that no route with a partner takes, of any sender.',
  ),
  document: z
    .union([Text, z.int().transform(String)], 'must be a document, such as 850 or ORDERS')
    .describe('Which sets are taken, such as 850 or ORDERS: the document of the mapping.'),
  when: z
    .record(
      Text,
      z.union([z.string(), z.array(z.string()).min(1)], 'must be text in quotes, or a list of texts'),
    )
    .optional()
    .describe("Further values of the sets that are taken, by their paths, such as { BCH.01: ['01', '03'] }."),
})

// The same as the program uses it.

export interface EdiConfiguration {
  /** Such as `ZZ:HAVENRETAIL`; empty where any receiver is us. */
  readonly ourAddresses: readonly string[]
  /** The same with their names, as senders of what is written. */
  readonly us: readonly OurAddress[]
  readonly partners: readonly Partner[]
  readonly inboxes: readonly InterchangeInbox[]
}

export type OurAddress = Readonly<z.output<typeof OurAddressSettings>> & { readonly name: string }

export type EnvelopeUsage = Envelope['usage']

export interface Partner {
  /** The key, or the name of its file without extension. */
  readonly name: string
  readonly title?: string
  /** `address` is such as `12:7755550100`; with the group where several partners share it. */
  readonly ids: readonly { readonly address: string; readonly group?: string }[]
  readonly answer: {
    readonly when: (typeof ANSWER_WHEN)[number]
    readonly withinMs: number
    readonly kind: '997' | '999'
    readonly ta1: 'asked' | 'always'
    readonly echoes: boolean
  }
  /** Where answers go; `name` is a template for `formatAnswerName`. Absent only where nothing is answered. */
  readonly to?: { readonly mailbox: string; readonly folder: string; readonly name: string }
  readonly firstNumber: number
  /** Whether it answers what is exported to it. */
  readonly confirms: boolean
  /** How interchanges to it are written. */
  readonly outgoing: {
    /** The name of our address; absent where it is the only one. */
    readonly we?: string
    readonly group?: string
    readonly receivers: Readonly<Partial<Record<EnvelopeUsage, Omit<EnvelopeAddress, 'group'>>>>
    readonly version?: string
    /** By document. */
    readonly versions: Readonly<Record<string, string>>
    readonly zone: string
    readonly delimiters: 'control' | Readonly<Partial<EnvelopeDelimiters>>
    readonly groupFollows: boolean
    readonly setNumbers: Envelope['setNumbers']
  }
  readonly duplicates: {
    readonly windowMs: number
    readonly reused: 'refuse' | 'accept'
  }
  readonly unrouted: 'hold' | 'refuse'
}

/** A folder whose files feed several routes. */
export interface InterchangeInbox {
  readonly name: string
  /** Its name in the journal, which no route can have: `inbox:NAME`. */
  readonly key: string
  readonly from: FileSource
  readonly results: ResultsFolder
}

/** The sets that a route takes of an inbox. */
export interface InterchangeChoice {
  /** The name of the inbox. */
  readonly inbox: string
  /** Absent: any sender, for sets that no route with a partner takes. */
  readonly partner?: string
  readonly document: string
  /** The values that are taken, by path. */
  readonly when?: Readonly<Record<string, readonly string[]>>
}

/** `zone` is the one of times of day that name none. */
export function toEdi(file: z.output<typeof EdiSettings>, zone: string | undefined): EdiConfiguration {
  const { us, partners, inboxes } = file
  assert(typeof partners !== 'string', 'the files of the partners were not read')
  return {
    ourAddresses: Object.values(us).flatMap(({ test, qualifier, id }) => [
      formatAddress({ qualifier, id }),
      ...(test === undefined ? [] : [formatAddress({ qualifier, id: test })]),
    ]),
    us: Object.entries(us).map(([name, address]) => ({ ...address, name })),
    partners: Object.entries(partners).map(([name, partner]) => toPartner(name, partner)),
    inboxes: Object.entries(inboxes).map(([name, { from, results }]) => ({
      name,
      key: buildInboxKey(name),
      // Interchanges say themselves where they end, and many have no line ends.
      from: { ...toFileSource(from, name, zone), lastLineEnd: 'optional' as const },
      results: toResultsFolder(results),
    })),
  }
}

const INBOX_PREFIX = 'inbox:'

export function buildInboxKey(inbox: string): string {
  return INBOX_PREFIX + inbox
}

/** Whether the name in the journal is that of an inbox of interchanges, and not of a route. */
export function isInboxKey(key: string): boolean {
  return key.startsWith(INBOX_PREFIX)
}

/** The name of the inbox of interchanges in the configuration. */
export function getInboxName(key: string): string {
  return key.slice(INBOX_PREFIX.length)
}

/** What messages call a route or inbox by its name in the journal: `route orders-in`, `inbox van`. */
export function formatIntakeKey(key: string): string {
  return isInboxKey(key) ? `inbox ${getInboxName(key)}` : `route ${key}`
}

/** As `InterchangeHead` has it: `ZZ:HAVEN`, or the id alone. */
export function formatAddress({ qualifier, id }: { qualifier?: string | undefined; id: string }): string {
  return qualifier === undefined ? id : `${qualifier}:${id}`
}

function toPartner(name: string, partner: z.output<typeof PartnerSettings>): Partner {
  const { title, ids, to, numbers, duplicates, unrouted, confirms } = partner
  const { window, ...sameNumber } = duplicates
  const answer =
    typeof partner.answer === 'string' ? AnswerSettings.parse({ when: partner.answer }) : partner.answer
  return {
    name,
    ...omitUndefined({ title }),
    ids: ids.map(({ group, qualifier, id }) => ({
      address: formatAddress({ qualifier, id }),
      ...omitUndefined({ group }),
    })),
    answer: {
      when: answer.when,
      withinMs: toMs(answer.within),
      kind: answer.kind === 999 ? '999' : '997',
      ta1: answer.ta1,
      echoes: answer.echo,
    },
    ...(to && { to: { ...to, folder: normalizeFolder(to.folder) } }),
    firstNumber: numbers.start,
    confirms,
    outgoing: toOutgoing(partner),
    duplicates: { windowMs: toMs(window), ...sameNumber },
    unrouted,
  }
}

/** The source of a route that takes sets of an inbox. */
export function toInterchangeChoice(
  { inbox: name, partner, document, when }: z.output<typeof InterchangeSource>,
  inboxes: readonly InterchangeInbox[],
): FileSource & { readonly interchanges: InterchangeChoice } {
  const inbox = inboxes.find((each) => each.name === name)
  assert(inbox !== undefined, 'a route from an unknown inbox passed the checks')
  const values = Object.entries(when ?? {}).map(([path, wanted]) => [path, [wanted].flat()])
  return {
    ...inbox.from,
    interchanges: {
      inbox: name,
      document,
      ...omitUndefined({ partner, when: when && Object.fromEntries(values) }),
    },
  }
}

// What is written to a partner.

function toOutgoing(partner: z.output<typeof PartnerSettings>): Partner['outgoing'] {
  const { we, group, version, documents: versions, zone, delimiters, numbers, ids } = partner
  const findReceiver = (usage: EnvelopeUsage) => {
    const found = ids.find((each) => each.usage === usage)
    return found && { id: found.id, ...omitUndefined({ qualifier: found.qualifier }) }
  }
  return {
    ...omitUndefined({ we, group, version }),
    receivers: omitUndefined({ production: findReceiver('production'), test: findReceiver('test') }),
    versions,
    zone,
    delimiters: delimiters === 'control' ? delimiters : omitUndefined(delimiters),
    groupFollows: numbers.group === 'interchange',
    setNumbers: numbers.set,
  }
}
