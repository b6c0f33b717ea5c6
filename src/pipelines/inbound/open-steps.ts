/** Binding a file to the mapping of every step, before the first record is planned: what one of them lacks stops the file. */
import { isUnreadable, type Reading } from '../../domain/document.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import type { BoundTranslator } from '../../domain/translator.ts'
import type { InboundParts } from '../parts.ts'
import { fileSource } from './file-source.ts'
import { spoolName } from './pick-up.ts'
import { type Step, stepsOf } from './steps.ts'

export interface BoundFile {
  readonly reading: Reading
  readonly bound: BoundTranslator
}

export interface OpenStep extends Step {
  /** Left out where the records are the orders of the step before. */
  readonly source?: BoundFile
}

export interface OpenFile {
  readonly first: BoundFile
  /** The first one too. */
  readonly steps: readonly OpenStep[]
  /** The key columns of all steps, each once. */
  readonly keyColumns: readonly string[]
  readonly columns?: DifferingColumns
  /** Lets go of the file, however far it was read. */
  close(): Promise<void>
}

/** The steps ready to be planned, or why the file is unusable as a whole. */
export async function openSteps(
  parts: InboundParts,
  file: FileEntry,
): Promise<OpenFile | { readonly problems: readonly Problem[] }> {
  const { format, spool } = parts
  const steps: OpenStep[] = []
  const sources: BoundFile[] = []
  const close = async () => {
    for (const { reading } of sources) await reading.close()
  }
  for (const step of stepsOf(parts)) {
    const { translator } = step
    if (translator === undefined) {
      steps.push(step)
      continue
    }
    const reading = await format.read(spool.read(spoolName(file.id)), translator.read)
    if (isUnreadable(reading)) {
      await close()
      return reading
    }
    const bound = translator.bind(reading.layouts, fileSource(parts, file))
    if (!('keyColumns' in bound)) {
      await Promise.all([close(), reading.close()])
      return { problems: bound }
    }
    const source = { reading, bound }
    sources.push(source)
    steps.push({ ...step, source })
  }
  const [first] = sources
  if (first === undefined) return { problems: [] }
  const columns = differingColumns(sources)
  if (columns !== undefined) {
    parts.notify({ kind: 'columns-differ', route: parts.route.name, file: file.name, ...columns })
  }
  const several = [...new Set(sources.flatMap(({ bound }) => bound.keyColumns))]
  const keyColumns = sources.length === 1 ? first.bound.keyColumns : several
  return { first, steps, keyColumns, close, ...(columns === undefined ? {} : { columns }) }
}

/** The columns that only the mapping, or only the file, names. */
export interface DifferingColumns {
  readonly absent: readonly string[]
  readonly unused: readonly string[]
}

/** Undefined where the file has all columns. A column that one step does not use may be meant for another. */
function differingColumns(sources: readonly BoundFile[]): DifferingColumns | undefined {
  const absent = [...new Set(sources.flatMap(({ bound }) => bound.absentColumns))]
  if (absent.length === 0) return undefined
  const [first, ...others] = sources.map(({ bound }) => bound.unusedColumns)
  const unused = (first ?? []).filter((name) => others.every((names) => names.includes(name)))
  return { absent, unused }
}
