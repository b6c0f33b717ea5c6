/** Checks EDI files without taking them: what is wrong with each interchange, group and set, and the answers that are due. */
import { createFileFaultProblem } from '../../formats/edi/spots.ts'
import { formatSender } from '../../formats/edi/describe.ts'
import type { JudgedRecord } from '../../domain/interchange.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import type { FindGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { createAnswers } from '../../formats/edi/answers/answer.ts'
import type { AnswerOptions } from '../../formats/edi/answers/segments.ts'
import type { TransactionSet } from '../../formats/edi/envelopes.ts'
import { type Findings, inspectFile } from '../../formats/edi/findings.ts'
import { judgeFile } from '../../formats/edi/judge.ts'
import type { GroupVerdict, JudgedPart, SetVerdict } from '../../formats/edi/judgment.ts'
import { compileReading } from '../../formats/edi/reading-plan.ts'
import { createFormats } from '../../formats/formats.ts'
import { translateFile } from '../../mapping-tools/translate-file.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { openEdiSource } from '../../mapping-tools/translate-file.ts'

/** One line of the result: an interchange, a group or a set. */
export interface CheckedPart {
  readonly kind: 'interchange' | 'group' | 'set'
  readonly number: string
  /** Sender and receiver; the code of a group; the document of a set. */
  readonly what: string
  readonly version: string
  verdict: GroupVerdict
  /** How many groups or sets it has; of a set, how many segments. */
  count: number
  counted: 'group' | 'set' | 'segment'
  /** How many of its records go on; only of sets, and with a mapping. */
  readonly records?: { readonly all: number; readonly refused: number }
}

export interface EdiCheck {
  /** Why nothing of the file can be used. */
  readonly unusable: string | undefined
  /** In the order of the file; sets that are sound only as far as there is room. */
  readonly parts: readonly CheckedPart[]
  /** How many sound sets are not among the parts, and how many others. */
  readonly unlisted: { readonly sound: number; readonly other: number }
  readonly counts: { readonly interchanges: number; readonly sets: number; readonly refused: number }
  /** The first problems, each with its place. */
  readonly problems: readonly Problem[]
  readonly moreProblems: number
  /** What changes no verdict. */
  readonly notes: readonly Problem[]
  readonly moreNotes: number
}

export interface EdiCheckOptions {
  readonly mapping?: InboundMapping | undefined
  readonly answer?: AnswerOptions | undefined
  /** Takes the bytes of the answers. */
  readonly write?: (bytes: Uint8Array) => Promise<void>
}

const NO_SETS = { count: 0, counted: 'set' } as const

const MAX_PARTS = 2000
const MAX_SOUND_SETS = 200
const MAX_PROBLEMS = 500

/** Reads the file twice, with a mapping four times. Memory is bounded, whatever the file holds. */
export async function checkEdiFile(path: string, options: EdiCheckOptions = {}): Promise<EdiCheck> {
  const source = openEdiSource(path)
  const findings = await inspectFile(source.bytes, findGrammars(options.mapping))
  const result = createResult(findings)
  for (const fault of findings.inspection.ofFile) result.addFault(fault, undefined)
  const unusable = findUnusable(findings, source.getDamage())
  if (unusable !== undefined) return result.finish(unusable)
  const translated: Translated = options.mapping === undefined ? {} : await translate(path, options.mapping)
  if ('unusable' in translated) {
    return result.finish(translated.unusable.map(({ message }) => message).join(' '))
  }
  const compose = options.answer === undefined ? undefined : createAnswers(options.answer)
  for await (const parts of judgeFile(source.bytes, findings, translated)) {
    let text = ''
    for (const part of parts) {
      result.add(part)
      text += compose?.(part) ?? ''
    }
    if (text !== '') await options.write?.(Buffer.from(text, 'latin1'))
  }
  return result.finish(undefined)
}

/** A mapping may bring the grammar of a partner. */
function findGrammars(mapping: InboundMapping | undefined): FindGrammar | undefined {
  const { format, edi } = mapping?.translator.read ?? {}
  if (edi === undefined || (format !== 'x12' && format !== 'edifact')) return undefined
  return compileReading(format, edi).findGrammar
}

type Translated =
  { readonly records?: AsyncIterable<readonly JudgedRecord[]> } | { readonly unusable: readonly Problem[] }

async function translate(path: string, { translator }: InboundMapping): Promise<Translated> {
  const translation = await translateFile(path, createFormats(), translator)
  if ('unusable' in translation) return { unusable: translation.unusable }
  return { records: toRecords(translation.drafts) }
}

/** What stands in no set makes no verdict on one, and held and skipped records count as accepted. */
async function* toRecords(batches: AsyncIterable<readonly Draft[]>): AsyncGenerator<readonly JudgedRecord[]> {
  for await (const drafts of batches) {
    yield drafts
      .filter(({ problems }) => problems[0]?.place.spot?.set !== '')
      .map(({ lines, problems, warnings = [], skipped, held }) => ({
        line: lines[0]?.[0] ?? 0,
        warnings,
        problems: skipped === true || held === true ? [] : problems,
      }))
  }
}

function findUnusable({ inspection, foreign }: Findings, damage: string | undefined): string | undefined {
  const { notFound, interchanges, ofFile } = inspection
  if (interchanges > 0) return damage
  if (damage !== undefined) return damage
  if (foreign === 'ebcdic')
    return 'The file is in EBCDIC, the code of mainframes. Have it converted to ASCII or UTF-8.'
  if (notFound !== undefined) return `The file begins with "${notFound.text}" and not with ISA, UNA or UNB.`
  return ofFile[0]?.message ?? 'The file holds nothing but blank lines.'
}

function createResult({ droppedNotes }: Findings) {
  const parts: CheckedPart[] = []
  const unlisted = { sound: 0, other: 0 }
  const counts = { interchanges: 0, sets: 0, refused: 0 }
  const problems: Problem[] = []
  const notes: Problem[] = []
  const more = { problems: 0, notes: 0 }
  let soundSets = 0
  let interchange: CheckedPart | undefined
  let group: CheckedPart | undefined
  let groups = 0
  let verdicts = { refused: 0, all: 0 }
  const push = (part: CheckedPart) => {
    if (parts.length < MAX_PARTS) parts.push(part)
    else unlisted.other += 1
    return part
  }
  const addProblem = (found: Problem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(found)
    else more.problems += 1
  }
  const addNote = (found: Problem) => {
    if (notes.length < MAX_PROBLEMS) notes.push(found)
    else more.notes += 1
  }
  const addFault = (fault: Fault, set: TransactionSet | undefined) => {
    const add = FAULTS[fault.kind].reach === 'note' ? addNote : addProblem
    add(createFileFaultProblem(fault, set))
  }
  const addSet = (verdict: SetVerdict, create: () => CheckedPart) => {
    counts.sets += 1
    verdicts.all += 1
    if (verdict === 'R') {
      counts.refused += 1
      verdicts.refused += 1
    }
    if (verdict !== 'A') return push(create())
    if (soundSets >= MAX_SOUND_SETS) unlisted.sound += 1
    else push(create())
    soundSets += 1
  }
  return {
    addFault,
    add(part: JudgedPart): void {
      switch (part.kind) {
        case 'interchange': {
          const { number, sender, receiver, segment } = part.interchange
          counts.interchanges += 1
          groups = 0
          verdicts = { refused: 0, all: 0 }
          const version = segment.id === 'ISA' ? segment.value(12) : segment.value(1)
          const what = formatSender(sender, receiver)
          interchange = push({
            kind: 'interchange',
            number,
            what,
            version,
            verdict: part.verdict,
            ...NO_SETS,
          })
          for (const each of [...part.faults, ...part.notes]) addFault(each, undefined)
          return
        }
        case 'group': {
          const { number, code, version, segment } = part.group
          // EDIFACT needs no groups.
          if (segment === undefined) group = undefined
          else {
            groups += 1
            group = push({ kind: 'group', number, what: code, version, verdict: part.verdict, ...NO_SETS })
          }
          for (const each of part.faults) addFault(each, undefined)
          return
        }
        case 'set': {
          const { set, verdict, records, segments } = part
          const { number, document: what, version } = set
          addSet(verdict, () => ({
            kind: 'set',
            number,
            what,
            version,
            verdict,
            count: segments,
            counted: 'segment',
            ...(records === undefined ? {} : { records: { ...records } }),
          }))
          for (const each of [...part.faults, ...part.notes]) addFault(each, set)
          for (const each of part.problems) addProblem(each)
          for (const each of part.warnings) addNote(each)
          return
        }
        case 'group-end':
          if (group !== undefined) Object.assign(group, { verdict: part.verdict, count: part.sets })
          group = undefined
          return
        case 'interchange-end':
          if (interchange === undefined) return
          Object.assign(
            interchange,
            groups > 0 ? { count: groups, counted: 'group' } : { count: verdicts.all },
          )
          if (interchange.verdict !== 'R' && verdicts.refused > 0)
            interchange.verdict = verdicts.refused === verdicts.all ? 'R' : 'P'
      }
    },
    finish: (unusable: string | undefined): EdiCheck => ({
      unusable,
      parts,
      unlisted,
      counts,
      problems,
      moreProblems: more.problems,
      notes,
      moreNotes: more.notes + droppedNotes,
    }),
  }
}
