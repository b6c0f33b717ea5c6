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
import { listSegmentRows } from '../mapping/export/segments.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { writeRows } from '../pipeline/outbound/file-rows.ts'
import { repeatable } from '../support/async.ts'
import { assert } from '../support/errors.ts'
import type { FileRecords, RecordReader } from './delivered-files.ts'
import type { Random } from './fault-plan.ts'
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
    const marks: { readonly mark: string; readonly set: number }[] = []
    const faults: string[] = []
    let isOwn = false
    let set = 0
    const reading = await format.read(openText(text), options)
    if (isUnreadable(reading)) return { marks, faults: reading.problems.map(({ message }) => message), isOwn }
    for await (const rows of reading.batches) {
      for (const { layout, verdict, problems = [], values } of rows) {
        // The lines of a record are in its own values; a set of another document is held.
        if (layout !== RECORD_LAYOUT) continue
        set = sharesSet(mapping) ? 1 : set + 1
        if (verdict !== undefined) continue
        isOwn = true
        if (problems.length > 0) faults.push(...problems.map(({ message }) => message))
        else marks.push({ mark: JSON.stringify(values), set })
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
      const text = await collectText(lines)
      if (unwritten.size === records.length) return records.map(() => undefined)
      const found = await readMarks(text)
      const { faults } = found
      const marks = found.marks.map(({ mark }) => mark)
      if (faults[0] !== undefined) return `its files have faults: ${faults[0]}`
      if (marks.length !== records.length - unwritten.size) return 'its files hold no record on its own'
      if (new Set(marks).size < marks.length) return 'several of its records look the same in its files'
      return records.map((_, index) => (unwritten.has(index) ? undefined : marks.shift()))
    },
    async read(text): Promise<FileRecords> {
      const { marks, faults, isOwn } = await readMarks(text)
      const find = (mark: string) => marks.filter((each) => each.mark === mark)
      return {
        count: (mark) => find(mark).length,
        findSets: (mark) => find(mark).map(({ set }) => set),
        faults,
        isOwn,
      }
    },
  }
}

/** The layout of rows that are records, and not lines. */
const RECORD_LAYOUT = 0

/** A set is one record; where all records share a set, each of the loops that the mapping writes for a record. */
function buildReadOptions(mapping: OutboundMapping): ReadOptions {
  const { composer, document: written } = mapping
  const { edi } = composer.write
  assert(edi && written, 'the mapping writes documents')
  // Not the segments around all records.
  const rows = listSegmentRows({ ...written.plan, frame: undefined })
  const { syntax, document } = edi
  const isShared = sharesSet(mapping)
  const openers = rows.flatMap(({ type = '' }) => (type.includes('/') ? [] : [type]))
  const paths = rows.flatMap(({ cells }) =>
    cells.flatMap(({ name, field }) => (isOfRecord(field) ? [isShared ? name : leaveLoops(name)] : [])),
  )
  const recordColumns = [...new Set(paths)].map((path): EdiColumn => {
    return { name: path, path, every: { with: '\n' } }
  })
  const records = isShared ? [...new Set(openers)] : [SET_BEGINNING[syntax]]
  return {
    format: syntax,
    edi: { document, usage: 'any', records, recordColumns, lineColumns: [] },
  }
}

/** Whether all records of a file share one set. */
function sharesSet({ composer: { frame } }: OutboundMapping): boolean {
  return frame !== undefined
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

/** How a partner answers one file. */
export interface AnswerManner {
  /** Whether it refuses the set with this ordinal. */
  readonly refuses: (set: number) => boolean
  /** Whether it answers the first half of the sets in one file, and the others in a later one. */
  readonly inParts: boolean
  /** Whether it sends each answer once more, under another control number. */
  readonly twice: boolean
}

const PLAIN_MANNER: AnswerManner = { refuses: () => false, inParts: false, twice: false }

/** What can go wrong without any fault shows at once. */
export const FIRST_MANNER: AnswerManner = { refuses: (set) => set === 2, inParts: true, twice: true }

/** It accepts most sets, and refuses every fourth. */
export function chooseManner(chance: Random): AnswerManner {
  const refused = chance.between(0, 3)
  return {
    refuses: (set) => set % 4 === refused,
    inParts: chance.next() < 0.5,
    twice: chance.next() < 0.5,
  }
}

interface AnsweringPartnerOptions {
  readonly format: Pick<InterchangeFormat, 'outline' | 'answer' | 'copySets'>
  /** The whole files that it has got so far, one character for each byte. */
  readonly listTexts: () => readonly string[]
  /** Where it drops its answers. */
  readonly folder: string
  /** The name of the answer with this control number. */
  readonly nameFor?: (number: number) => string
  readonly now: () => number
  /** Gives the control numbers of its answers. */
  readonly nextNumber: () => number
  /** How it answers groups of X12; 997 when left out. */
  readonly kind?: '997' | '999'
  /** How it answers its next file; when left out it accepts all sets at once. */
  readonly chooseManner?: () => AnswerManner
}

export interface AnsweredFile {
  readonly text: string
  /** The ordinals of the sets that the answers which were dropped so far accept and refuse. */
  readonly accepted: readonly number[]
  readonly refused: readonly number[]
}

/** An answer to some sets of a file that follow each other, or to all. */
interface Answer {
  readonly text: string
  readonly sets: readonly [first: number, last: number]
  readonly isPart: boolean
  readonly refused: readonly number[]
}

/**
 * Answers each file in its manner, under control numbers of its own, with answers that the bridge's own code composes. A file
 * that comes again with the same bytes is not answered again: the proof counts it as delivered twice.
 */
export function createAnsweringPartner({
  format,
  listTexts,
  folder,
  nameFor = (number) => `answer-${String(number).padStart(9, '0')}.edi`,
  now,
  nextNumber,
  kind = '997',
  chooseManner = () => PLAIN_MANNER,
}: AnsweringPartnerOptions) {
  const seen = new Set<string>()
  const answered = new Map<string, AnsweredFile>()
  /** Answers that are dropped the next time, each row one after the other. */
  let waiting: Answer[][] = []
  const plan = async (text: string): Promise<Answer[]> => {
    const found = await readControlNumbers(format, text, [])
    const count = found.reduce((sum, interchange) => sum + interchange.sets, 0)
    const { refuses, inParts, twice } = chooseManner()
    const isPart = inParts && count > 1
    const half = Math.ceil(count / 2)
    const runs: Answer['sets'][] = isPart
      ? [
          [1, half],
          [half + 1, count],
        ]
      : [[1, count]]
    const answers =
      count === 0 ? [] : runs.map((sets) => ({ text, sets, isPart, refused: list(sets).filter(refuses) }))
    return twice ? answers.flatMap((each) => [each, each]) : answers
  }
  const drop = async ({ text, sets, isPart, refused }: Answer) => {
    const before = answered.get(text)
    const accepted = list(sets).filter((set) => !refused.includes(set))
    const merge = (known: readonly number[] = [], more: readonly number[]) => [
      ...new Set([...known, ...more]),
    ]
    answered.set(text, {
      text,
      accepted: merge(before?.accepted, accepted),
      refused: merge(before?.refused, refused),
    })
    const number = nextNumber()
    const [first] = sets
    const input = isPart ? await collectText(format.copySets(openText(text), [sets])) : text
    const answer = format.answer(openText(input), {
      interchanges: [1],
      at: now(),
      numbers: { interchange: number, group: number },
      kind,
      ta1: 'asked',
      echoes: true,
      reused: new Set(),
      unrouted: refused.map((set) => [set - first + 1, set - first + 1] as const),
    })
    const whole = await collectText(answer)
    await dropFile(folder, nameFor(number), Buffer.from(isPart ? judgeNamedSetsOnly(whole) : whole, 'latin1'))
  }
  return {
    /** Answers what came since it looked last, and sends what it has left of earlier answers. Returns how many files it dropped. */
    async answerNew(): Promise<number> {
      for (const text of listTexts()) {
        if (!seen.has(text)) waiting.push(await plan(text))
        seen.add(text)
      }
      const due = waiting.flatMap((answers) => answers.slice(0, 1))
      waiting = waiting.map((answers) => answers.slice(1)).filter((answers) => answers.length > 0)
      for (const answer of due) await drop(answer)
      return due.length
    },
    /** The files that are answered; a later answer changes nothing of what was returned. */
    answered: (): readonly AnsweredFile[] => [...answered.values()],
  }
}

function list([first, last]: Answer['sets']): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

/** An answer to some sets must not judge the others: AK9 says P (some are accepted), and UCI that the interchange was received. */
function judgeNamedSetsOnly(answer: string): string {
  return answer.replace(/(AK9.)[AR]/g, '$1P').replace(/(?<head>UCI(.).*?\2.*?\2.*?\2)[47]/g, '$<head>8')
}

async function collectText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}
