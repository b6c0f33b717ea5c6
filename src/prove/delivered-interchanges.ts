/** What a partner does with the interchanges that it gets: reads their records, compares their control numbers, answers them. */
import type { Resource } from '../domain/api.ts'
import {
  type EdiColumn,
  type EdiWriteOptions,
  type Envelope,
  type Format,
  isUnreadable,
  type ReadOptions,
  SET_BEGINNING,
} from '../domain/format.ts'
import type { InterchangeFormat, OutlinedPart } from '../domain/interchange.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { writeRows } from '../pipeline/outbound/file-rows.ts'
import { repeatable } from '../support/async.ts'
import { assert } from '../support/errors.ts'
import type { FileRecords, RecordReader } from './delivered-files.ts'
import { createDefect, type Defect } from './results.ts'
import { dropFile } from './world.ts'

interface DocumentReaderInput {
  readonly mapping: OutboundMapping
  readonly format: Format
  /** Its numbers and its date do not matter: no record is recognized by them. */
  readonly envelope: Envelope
}

/** Recognizes each record by all values of the API that its mapping writes. */
export function createDocumentReader({ mapping, format, envelope }: DocumentReaderInput): RecordReader {
  const { composer, operation } = mapping
  const options = buildReadOptions(mapping)
  const readMarks = async (text: string) => {
    const marks: string[] = []
    const faults: string[] = []
    let isOwn = false
    const reading = await format.read(openText(text), options)
    if (isUnreadable(reading)) return { marks, faults: reading.problems.map(({ message }) => message), isOwn }
    for await (const rows of reading.batches) {
      for (const { layout, verdict, problems = [], values } of rows) {
        // The lines of a record are in its own values; a set of another document is held.
        if (layout !== RECORD_LAYOUT || verdict !== undefined) continue
        isOwn = true
        if (problems.length > 0) faults.push(...problems.map(({ message }) => message))
        else marks.push(JSON.stringify(values))
      }
    }
    return { marks, faults, isOwn }
  }
  return {
    async describe(records) {
      const unwritten = new Set<number>()
      const lines = writeRows(
        { composer, format, operation, envelope },
        listOnePage(records),
        { records: 0, rows: 0 },
        (_unwritten, _record, index) => unwritten.add(index),
      )
      const chunks: Uint8Array[] = []
      for await (const chunk of lines) chunks.push(chunk)
      if (unwritten.size === records.length) return records.map(() => undefined)
      const { marks, faults } = await readMarks(Buffer.concat(chunks).toString('latin1'))
      if (faults[0] !== undefined) return `its files have faults: ${faults[0]}`
      if (marks.length !== records.length - unwritten.size) return 'its files hold no record on its own'
      if (new Set(marks).size < marks.length) return 'several of its records look the same in its files'
      return records.map((_, index) => (unwritten.has(index) ? undefined : marks.shift()))
    },
    async read(text): Promise<FileRecords> {
      const { marks, faults, isOwn } = await readMarks(text)
      return { count: (mark) => marks.filter((each) => each === mark).length, faults, isOwn }
    },
  }
}

/** The layout of rows that are records, and not lines. */
const RECORD_LAYOUT = 0

/** A set is one record; where all records share a set, each of the loops that the mapping writes for a record. */
function buildReadOptions({ composer, rows }: OutboundMapping): ReadOptions {
  const { write, frame } = composer
  const { edi } = write
  assert(edi, 'the mapping writes documents')
  const { syntax, document } = edi
  const sharesSet = frame !== undefined
  const openers = rows.flatMap(({ type = '' }) => (type.includes('/') ? [] : [type]))
  const paths = rows.flatMap(({ cells }) =>
    cells.flatMap(({ name, field }) => (isOfRecord(field) ? [sharesSet ? name : leaveLoops(name)] : [])),
  )
  const recordColumns = [...new Set(paths)].map((path): EdiColumn => {
    return { name: path, path, every: { with: '\n' } }
  })
  const records = sharesSet ? [...new Set(openers)] : [SET_BEGINNING[syntax]]
  return {
    format: syntax,
    edi: { document, usage: 'any', records, recordColumns, lineColumns: [] },
  }
}

/** Constants and counts have no field, and the values of the envelope have names with a dollar sign. */
function isOfRecord(field: string): boolean {
  return field !== '' && !field.startsWith('$')
}

/** The value wherever it stands in the set, such as `any/N4.02` for `N1*ST/N4.02`. */
function leaveLoops(path: string): string {
  return `any/${path.slice(path.lastIndexOf('/') + 1)}`
}

async function* listOnePage(records: readonly Resource[]): AsyncGenerator<readonly Resource[]> {
  yield records
}

/** One character for each byte. */
function openText(text: string): AsyncIterable<Uint8Array> {
  return repeatable(async function* () {
    yield Buffer.from(text, 'latin1')
  })
}

// Control numbers.

export interface DeliveredInterchange {
  /** What its numbers count for: the syntax, both addresses and the usage. */
  readonly scope: string
  readonly interchange: number
  /** The numbers of its groups, which X12 has. */
  readonly groups: readonly number[]
  readonly sets: number
}

/** The interchanges of a file, with the numbers of the groups that hold these documents. None of a file that is unreadable. */
export async function readControlNumbers(
  { outline }: Pick<InterchangeFormat, 'outline'>,
  text: string,
  documents: readonly EdiWriteOptions[],
): Promise<DeliveredInterchange[]> {
  const questions = documents.map(({ syntax, document }) => {
    return { syntax, document, paths: syntax === 'x12' ? ['GS.06'] : [] }
  })
  const outlined = await outline(openText(text), questions)
  if (isUnreadable(outlined)) return []
  const found: { scope: string; interchange: number; groups: Set<number>; sets: number }[] = []
  const take = (part: OutlinedPart) => {
    if (part.kind === 'interchange') {
      const { syntax, sender, receiver, usage, number } = part.head
      const scope = `${syntax} ${sender} to ${receiver}, ${usage}`
      found.push({ scope, interchange: Number(number), groups: new Set(), sets: 0 })
    }
    const open = found.at(-1)
    if (part.kind !== 'set' || open === undefined) return
    open.sets += 1
    for (const number of part.values) open.groups.add(Number(number))
  }
  for await (const parts of outlined.parts) parts.forEach(take)
  return found.map(({ groups, ...rest }) => ({ ...rest, groups: [...groups] }))
}

/** Finds numbers that are left out behind `before`, and those that came already. `carrier` is what has a number. */
export function compareNumbers(
  numbers: readonly number[],
  before: number,
  { name, carrier }: { readonly name: string; readonly carrier: string },
): Defect[] {
  const sorted = [...new Set(numbers)].toSorted((one, other) => one - other).filter((each) => each > before)
  const gaps = sorted.flatMap((number, at) => {
    const [first, last] = [(sorted[at - 1] ?? before) + 1, number - 1]
    if (first > last) return []
    if (first === last) return [createDefect('lost', `${name} ${first}`, `no ${carrier} has it`)]
    return [createDefect('lost', `${name}s ${first} to ${last}`, `no ${carrier} has them`)]
  })
  const used = numbers.filter((number, at) => number <= before || numbers.indexOf(number) !== at)
  const article = /^[aeiou]/.test(carrier) ? 'an' : 'a'
  return [
    ...gaps,
    ...used.map((number) =>
      createDefect('twice', `${name} ${number}`, `${article} ${carrier} before had it`),
    ),
  ]
}

// Answers of the partner.

interface AnsweringPartnerOptions {
  readonly format: Pick<InterchangeFormat, 'outline' | 'answer'>
  /** The whole files that it has got so far, one character for each byte. */
  readonly listTexts: () => readonly string[]
  /** Where it drops its answers. */
  readonly folder: string
  readonly now: () => number
  /** How it answers groups of X12; 997 when left out. */
  readonly kind?: '997' | '999'
  /** Whether it refuses a set, by its ordinal in the file; it accepts all sets when left out. */
  readonly refuses?: (text: string, set: number) => boolean
}

export interface AnsweredFile {
  readonly text: string
  /** The ordinals of the sets that it refused. */
  readonly refused: readonly number[]
}

/**
 * Answers each file once, under control numbers of its own, with an answer that the bridge's own code composes. A file that
 * comes again with the same bytes is not answered again: the proof counts it as delivered twice.
 */
export function createAnsweringPartner({
  format,
  listTexts,
  folder,
  now,
  kind = '997',
  refuses = () => false,
}: AnsweringPartnerOptions) {
  const answered = new Map<string, AnsweredFile>()
  let last = 0
  const answer = async (text: string) => {
    const found = await readControlNumbers(format, text, [])
    const sets = found.reduce((sum, interchange) => sum + interchange.sets, 0)
    const refused = Array.from({ length: sets }, (_, at) => at + 1).filter((set) => refuses(text, set))
    answered.set(text, { text, refused })
    const first = last + 1
    last += found.length
    const answers = format.answer(openText(text), {
      interchanges: found.map((_, at) => at + 1),
      at: now(),
      numbers: { interchange: first, group: first },
      kind,
      ta1: 'asked',
      echoes: true,
      reused: new Set(),
      unrouted: refused.map((set) => [set, set] as const),
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of answers) chunks.push(chunk)
    await dropFile(folder, `answer-${String(first).padStart(9, '0')}.edi`, Buffer.concat(chunks))
  }
  return {
    /** Answers what came since it looked last. Returns how many files these were. */
    async answerNew(): Promise<number> {
      const fresh = [...new Set(listTexts())].filter((text) => !answered.has(text))
      for (const text of fresh) await answer(text)
      return fresh.length
    },
    answered: (): readonly AnsweredFile[] => [...answered.values()],
  }
}
