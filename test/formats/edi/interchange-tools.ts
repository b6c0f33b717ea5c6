/** Files of interchanges outlined, judged and answered, for the tests of the format. */
import type {
  AnswerRequest,
  JudgedRecord,
  JudgeOptions,
  SetJudgment,
  OutlinedPart,
  OutlineQuestion,
} from '../../../src/domain/interchange.ts'
import type { SetSelection } from '../../../src/domain/place.ts'
import type { Problem } from '../../../src/domain/problem.ts'
import { createInterchangeFormat } from '../../../src/formats/formats.ts'
import { type Chunks, outcomeOf, readFile, toInput } from './tools.ts'

const format = createInterchangeFormat()

export interface Outlined {
  readonly parts: readonly OutlinedPart[]
  readonly problems: readonly Problem[]
  /** Why the whole file is unusable. */
  readonly unusable: readonly Problem[]
}

export async function outlineFile(
  file: Uint8Array | Chunks,
  questions: readonly OutlineQuestion[] = [],
): Promise<Outlined> {
  const outline = await format.outline(toInput(file), questions)
  if ('problems' in outline) return { parts: [], problems: [], unusable: outline.problems }
  const parts: OutlinedPart[] = []
  for await (const batch of outline.parts) parts.push(...batch)
  return { parts, problems: outline.listProblems(), unusable: [] }
}

export function listOutlined<Kind extends OutlinedPart['kind']>(
  { parts }: Outlined,
  kind: Kind,
): Extract<OutlinedPart, { kind: Kind }>[] {
  return parts.filter((part): part is Extract<OutlinedPart, { kind: Kind }> => part.kind === kind)
}

export async function judgeSets(
  file: Uint8Array | Chunks,
  options: Partial<JudgeOptions> = {},
): Promise<SetJudgment[]> {
  const found: SetJudgment[] = []
  for await (const batch of format.judge(toInput(file), { reused: new Set(), ...options }))
    found.push(...batch)
  return found
}

/** All interchanges that there may be. */
const ALL = Array.from({ length: 50 }, (_, index) => index + 1)

/** The answer as text of which each character is a byte. */
export async function answerFile(
  file: Uint8Array | Chunks,
  request: Partial<AnswerRequest> = {},
): Promise<string> {
  const pieces: Uint8Array[] = []
  const whole: AnswerRequest = {
    interchanges: ALL,
    at: Date.UTC(2026, 10, 16, 15, 4, 5),
    numbers: { interchange: 41, group: 7 },
    kind: '997',
    ta1: 'asked',
    echoes: true,
    reused: new Set(),
    ...request,
  }
  for await (const piece of format.answer(toInput(file), whole)) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

export async function copySets(file: Uint8Array | Chunks, sets: SetSelection): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of format.copySets(toInput(file), sets)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** What a route makes of the records of a file, as the journal hands it to the verdicts. */
export async function judgeRecords(mapping: string, file: Uint8Array | Chunks): Promise<JudgedRecord[]> {
  const { drafts } = await readFile(mapping, file)
  return drafts
    .filter(({ problems }) => problems[0]?.place.spot?.set !== '')
    .map((draft) => ({
      line: draft.lines[0]?.[0] ?? 0,
      problems: outcomeOf(draft) === 'refused' ? draft.problems : [],
    }))
}

/** Records in batches of this size. */
export async function* inBatches(
  records: readonly JudgedRecord[],
  size = 3,
): AsyncGenerator<readonly JudgedRecord[]> {
  for (let from = 0; from < records.length; from += size)
    yield await Promise.resolve(records.slice(from, from + size))
}
