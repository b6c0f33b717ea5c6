/** Writes an interchange of X12 or EDIFACT: one group with a set for each record, or with one set for all. */
import {
  COMPONENT_MARK,
  type EdiWriteOptions,
  type Envelope,
  type EnvelopeAddress,
  type RowWriter,
  SET_BEGINNING,
} from '../../domain/format.ts'
import { GROUP_CODES } from '../../edi/documents.ts'
import { BridgeError } from '../../support/errors.ts'
import { splitMoment } from './answers/segments.ts'

/** Counts segments and sets, and writes the trailers. Every call returns whole segments. */
export function createInterchangeWriter(options: EdiWriteOptions, envelope: Envelope): RowWriter {
  const { syntax } = options
  const form = syntax === 'x12' ? createX12Form(options, envelope) : createEdifactForm(options, envelope)
  const encode = (text: string) => Buffer.from(text, syntax === 'x12' ? 'utf8' : 'latin1')
  const groupPart = String(envelope.numbers.group % GROUP_NUMBERS)
  let sets = 0
  /** The number of the set that is open, and how many segments it has. */
  let open: { readonly number: string; segments: number } | undefined
  const close = () => {
    if (open === undefined) return ''
    const end = form.endSet(open.number, open.segments + 1)
    open = undefined
    return end
  }
  const beginSet = () => {
    const end = close()
    sets += 1
    const counted = String(sets).padStart(4, '0')
    const number = envelope.setNumbers === 'grouped' ? groupPart + toGroupedPart(sets, counted) : counted
    open = { number, segments: 1 }
    return end + form.beginSet(number)
  }
  const beginning = SET_BEGINNING[syntax]
  return {
    formatHeader: () => encode(form.begin()),
    formatRows(rows) {
      let text = ''
      for (const row of rows) {
        if (row[0] === beginning) {
          text += beginSet()
          continue
        }
        if (open === undefined) throw new Error('A segment was written before the beginning of a set.')
        open.segments += 1
        text += form.write(row)
      }
      return encode(text)
    },
    formatEnd: () => encode(close() + form.end(sets)),
  }
}

/** ST02 has at most nine digits: five of the group and four of the set. */
const GROUP_NUMBERS = 100_000
const GROUPED_SETS_MAX = 9999

function toGroupedPart(sets: number, counted: string): string {
  if (sets <= GROUPED_SETS_MAX) return counted
  throw new BridgeError(
    'cannot-write',
    `a group has more than ${GROUPED_SETS_MAX} sets with \`set: grouped\``,
    {
      fix: 'Write `file: { records: 9999 }` in the mapping.',
    },
  )
}

/** How one syntax writes segments and what stands around them. */
interface Form {
  begin(): string
  beginSet(number: string): string
  endSet(number: string, segments: number): string
  end(sets: number): string
  write(row: readonly string[]): string
}

/** Elements and components at the end that are empty are left out. `escape` makes delimiters data. */
function createSegmentText(
  { element, component, segment, newline }: Envelope['delimiters'],
  escape: ((text: string) => string) | undefined,
): (row: readonly string[]) => string {
  const end = segment + newline
  const escaped = escape ?? ((text: string) => text)
  const joinComponents = (text: string) => {
    // ISA16 is the separator itself, which may be the mark.
    if (text === component) return text
    const parts = text.split(COMPONENT_MARK)
    const last = parts.findLastIndex((part) => part !== '')
    return parts
      .slice(0, last + 1)
      .map(escaped)
      .join(component)
  }
  return (row) => {
    let text = ''
    let blanks = ''
    for (let index = 0; index < row.length; index += 1) {
      const value = row[index] ?? ''
      if (index > 0) blanks += element
      if (value === '') continue
      const written = value.includes(COMPONENT_MARK) ? joinComponents(value) : escaped(value)
      if (written === '') continue
      text += blanks + written
      blanks = ''
    }
    return text + end
  }
}

/** A segment as it stands in a file with these delimiters, without its terminator. */
export function formatSegment(
  row: readonly string[],
  syntax: EdiWriteOptions['syntax'],
  { delimiters }: Pick<Envelope, 'delimiters'>,
): string {
  const bare = { ...delimiters, segment: '', newline: '' }
  return createSegmentText(bare, syntax === 'x12' ? undefined : createRelease(delimiters))(row)
}

// X12.

const ID_LENGTH = 15

/** ISA12 names the release of the group: `004010` is `00401`. From 00402 on, ISA11 is the repetition separator. */
function createX12Form({ document, version: ofMapping }: EdiWriteOptions, envelope: Envelope): Form {
  const { sender, receiver, usage, numbers, delimiters, asksForAnswer } = envelope
  const version = envelope.version ?? ofMapping
  const write = createSegmentText(delimiters, undefined)
  const number = String(numbers.interchange).padStart(9, '0')
  const { day, time } = splitMoment(envelope.at, envelope.zone)
  const release = version.slice(0, 5)
  const address = ({ qualifier = 'ZZ', id }: EnvelopeAddress) => [qualifier.padEnd(2), id.padEnd(ID_LENGTH)]
  return {
    write,
    begin() {
      const blanks = ['00', ' '.repeat(10), '00', ' '.repeat(10)]
      const repetition = release < '00402' ? 'U' : delimiters.repetition
      const moment = [day.slice(2), time]
      const last = [asksForAnswer ? '1' : '0', usage === 'test' ? 'T' : 'P', delimiters.component]
      const isa = [
        ...blanks,
        ...address(sender),
        ...address(receiver),
        ...moment,
        repetition,
        release,
        number,
      ]
      const ids = [sender.group, receiver.group]
      const gs = [GROUP_CODES[document] ?? '', ...ids, day, time, String(numbers.group), 'X', version]
      return write(['ISA', ...isa, ...last]) + write(['GS', ...gs])
    },
    beginSet: (set) => write(['ST', document, set]),
    endSet: (set, segments) => write(['SE', String(segments), set]),
    end: (sets) => write(['GE', String(sets), String(numbers.group)]) + write(['IEA', '1', number]),
  }
}

// EDIFACT.

const RELEASE = '?'
/** The level of characters that mappings write: Latin-1. */
const CHARACTERS = ['UNOC', '3'].join(COMPONENT_MARK)

/** Makes delimiters in a text data. */
function createRelease({ element, component, segment }: Envelope['delimiters']): (text: string) => string {
  const special = new Set([element, component, segment, RELEASE])
  const needsRelease = (text: string) => {
    for (let at = 0; at < text.length; at += 1) if (special.has(text.charAt(at))) return true
    return false
  }
  return (text) =>
    needsRelease(text)
      ? Array.from(text, (character) => (special.has(character) ? RELEASE + character : character)).join('')
      : text
}

/** `D.96A` is the directory; what stands behind it, such as `EAN008`, is the association's code. */
function createEdifactForm({ document, version: ofMapping }: EdiWriteOptions, envelope: Envelope): Form {
  const { sender, receiver, usage, numbers, delimiters, asksForAnswer } = envelope
  const { element, component, segment, newline } = delimiters
  const write = createSegmentText(delimiters, createRelease(delimiters))
  const number = String(numbers.interchange)
  const [directory = '', release = '', ...association] = (envelope.version ?? ofMapping).split('.')
  const type = [document, directory, release, 'UN', ...association].join(COMPONENT_MARK)
  const { day, time } = splitMoment(envelope.at, envelope.zone)
  const address = ({ id, qualifier = '' }: EnvelopeAddress) => [id, qualifier].join(COMPONENT_MARK)
  return {
    write,
    begin() {
      const moment = [day.slice(2), time].join(COMPONENT_MARK)
      const flags = [document, '', asksForAnswer ? '1' : '', '', usage === 'test' ? '1' : '']
      const unb = [CHARACTERS, address(sender), address(receiver), moment, number, '', ...flags]
      return `UNA${component}${element}.${RELEASE} ${segment}${newline}${write(['UNB', ...unb])}`
    },
    beginSet: (message) => write(['UNH', message, type]),
    endSet: (message, segments) => write(['UNT', String(segments), message]),
    end: (messages) => write(['UNZ', String(messages), number]),
  }
}

// The envelope for people.

/** What stands in an element of the envelope, and an example; blank where each file has another. */
export type EnvelopeRow = readonly [element: string, holds: string, example: string]

/** The elements of the envelope that partners agree on or need to know. */
export function describeEnvelope(options: EdiWriteOptions, envelope: Envelope): EnvelopeRow[] {
  const version = envelope.version ?? options.version
  return options.syntax === 'x12'
    ? listX12Envelope(options.document, version, envelope)
    : listEdifactEnvelope(options.document, version, envelope)
}

function listX12Envelope(document: string, version: string, envelope: Envelope): EnvelopeRow[] {
  const { sender, receiver, usage, delimiters, zone, asksForAnswer } = envelope
  const release = version.slice(0, 5)
  return [
    ['ISA05', 'qualifier of the sender', sender.qualifier ?? 'ZZ'],
    ['ISA06', 'id of the sender, filled up with blanks', sender.id],
    ['ISA07', 'qualifier of the receiver', receiver.qualifier ?? 'ZZ'],
    ['ISA08', 'id of the receiver, filled up with blanks', receiver.id],
    ['ISA09, ISA10', `date and time, in the time of ${zone}`, ''],
    release < '00402'
      ? ['ISA11', 'standard', 'U']
      : ['ISA11', 'what stands between repetitions', delimiters.repetition],
    ['ISA12', 'version of the envelope', release],
    ['ISA13', 'control number of the interchange, again in IEA02', ''],
    ['ISA14', 'whether a TA1 is asked for', asksForAnswer ? '1' : '0'],
    ['ISA15', 'P for production, T for a test', usage === 'test' ? 'T' : 'P'],
    ['ISA16', 'what stands between components', delimiters.component],
    ['GS01', 'code of the group', GROUP_CODES[document] ?? ''],
    ['GS02', 'sender of the group', sender.group],
    ['GS03', 'receiver of the group', receiver.group],
    ['GS06', 'control number of the group, again in GE02', ''],
    ['GS08', 'version of the document', version],
    ['ST01', 'document', document],
    ['ST02', 'control number of the set, again in SE02', ''],
  ]
}

function listEdifactEnvelope(document: string, version: string, envelope: Envelope): EnvelopeRow[] {
  const { sender, receiver, usage, zone, asksForAnswer } = envelope
  const [directory = '', release = '', association = ''] = version.split('.')
  return [
    ['UNB S001', 'characters and version of the syntax', 'UNOC:3'],
    [
      'UNB S002',
      'id and qualifier of the sender',
      [sender.id, sender.qualifier ?? ''].join(':').replace(/:$/, ''),
    ],
    [
      'UNB S003',
      'id and qualifier of the receiver',
      [receiver.id, receiver.qualifier ?? ''].join(':').replace(/:$/, ''),
    ],
    ['UNB S004', `date and time, in the time of ${zone}`, ''],
    ['UNB 0020', 'control number of the interchange, again in UNZ', ''],
    ['UNB 0026', 'document', document],
    ['UNB 0031', 'whether a CONTRL is asked for', asksForAnswer ? '1' : ''],
    ['UNB 0035', '1 for a test', usage === 'test' ? '1' : ''],
    ['UNH 0062', 'control number of the message, again in UNT', ''],
    [
      'UNH S009',
      'message, version, release, agency',
      [document, directory, release, 'UN', association].join(':').replace(/:$/, ''),
    ],
  ]
}
