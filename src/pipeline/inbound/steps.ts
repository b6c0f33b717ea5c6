/** Lists the steps of a route (one call or several in a row for each record), and opens a file for all of them. */
import { basename } from 'node:path'
import type { FileEntry } from '../../domain/file.ts'
import { type FileReading, isUnreadable, type ReadOptions } from '../../domain/format.ts'
import type { SetSelection } from '../../domain/place.ts'
import type { BoundTranslator, FileSource, Translator } from '../../domain/translator.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundContext } from '../context.ts'
import { getSpoolName } from './intake.ts'
import { explainWrongInbox, nameOtherDocuments } from './wrong-inbox.ts'

export interface RouteStep {
  /** From 1; left out where the route has one step. */
  readonly number?: number
  /** The context of the route as this step sees it. */
  readonly context: InboundContext
  /** Left out where the records are the orders of the step before. */
  readonly translator?: Translator
}

/** The steps in their order; the first has the route's own mapping. */
export function listSteps(context: InboundContext): readonly RouteStep[] {
  const { next = [], translator } = context
  if (next.length === 0) return [{ context, translator }]
  const { when: _when, waitMs: _waitMs, ...route } = context.route
  // Documents belong to shipments, which are the first step of a route that creates any.
  const { documents: _documents, ...common } = context
  return [
    { number: 1, context, translator },
    ...next.map(({ translator: own, ...step }, index): RouteStep => ({
      number: index + 2,
      context: { ...common, route: { ...route, ...step, isLaterStep: true }, translator: own ?? translator },
      ...(own === undefined ? {} : { translator: own }),
    })),
  ]
}

/** The context of the step that does the operation, or that of the route if no step does. */
export function getStepContext(context: InboundContext, operation: string): InboundContext {
  return listSteps(context).find((step) => step.context.route.operation === operation)?.context ?? context
}

export type RemovedSteps = ReturnType<typeof trackRemovedSteps>

/** Collects the operations that records of a file need and that the route does not do any more. */
export function trackRemovedSteps({ route: { name } }: InboundContext, file: FileEntry) {
  const absent = new Set<string>()
  return {
    note: (operation: string) => void absent.add(operation),
    /** The failure, which only a change of the configuration can mend; undefined when no operation is absent. */
    failure(): BridgeError | undefined {
      if (absent.size === 0) return undefined
      const waits = `route ${name} does no ${[...absent].join(', ')} any more, and records of ${file.name} wait for it`
      const why = `${waits}; put it back into the configuration until they are done`
      return new BridgeError('configuration-invalid', why)
    },
  }
}

/** The operations in the order of the steps; undefined where the route has one step. */
export function listOperations(context: InboundContext): readonly string[] | undefined {
  return context.next && listSteps(context).map((step) => step.context.route.operation)
}

/** Whether the order is checked right before sending, because its state at planning time means nothing yet. */
export function isCheckedWhenSent({ route }: Pick<InboundContext, 'route'>): boolean {
  return route.isLaterStep === true || route.waitMs !== undefined
}

// Binds a file to the mapping of every step before it is planned: a missing column stops the whole file.

interface BoundFile {
  readonly reading: FileReading
  readonly bound: BoundTranslator
}

interface OpenStep extends RouteStep {
  /** Left out where the records are the orders of the step before. */
  readonly source?: BoundFile
}

export interface OpenFile {
  readonly first: BoundFile
  readonly steps: readonly OpenStep[]
  readonly keyColumns: readonly string[]
  readonly columns?: ColumnDifferences
  close(): Promise<void>
}

/** Opens the file for all steps, or returns why it is unusable as a whole. */
export async function openSteps(
  context: InboundContext,
  file: FileEntry,
  more: Pick<FileSource, 'findsDateOrders'> = {},
) {
  const { format, spool } = context
  const sets = file.partOf === undefined ? undefined : await context.journal.getPartSets(file.id)
  const steps: OpenStep[] = []
  const sources: BoundFile[] = []
  const close = async () => {
    for (const { reading } of sources) await reading.close()
  }
  for (const step of listSteps(context)) {
    const { translator } = step
    if (translator === undefined) {
      steps.push(step)
      continue
    }
    const options = selectSets(nameOtherDocuments(context, translator), sets)
    const reading = await format.read(spool.read(getSpoolName(file.id)), options)
    if (isUnreadable(reading)) {
      await close()
      return { problems: await explainWrongInbox(context, file, reading) }
    }
    const bound = translator.bind(reading.layouts, { ...createFileSource(context, file), ...more })
    if (!('keyColumns' in bound)) {
      await Promise.all([close(), reading.close()])
      const { layouts } = reading
      return { problems: await explainWrongInbox(context, file, { problems: bound, layouts }) }
    }
    const source = { reading, bound }
    sources.push(source)
    steps.push({ ...step, source })
  }
  const [first] = sources
  if (first === undefined) return { problems: [] }
  const columns = compareColumns(sources)
  const allKeys = [...new Set(sources.flatMap(({ bound }) => bound.keyColumns))]
  const keyColumns = sources.length === 1 ? first.bound.keyColumns : allKeys
  return { first, steps, keyColumns, close, ...(columns === undefined ? {} : { columns }) }
}

/** Reads the file from its copy in the spool, as the mapping of the route describes it. */
export function openRows({ format, spool, translator }: InboundContext, file: FileEntry) {
  return format.read(spool.read(getSpoolName(file.id)), translator.read)
}

/** A part of a file of interchanges has only the sets that its route takes. */
export function selectSets(read: ReadOptions, sets: SetSelection | undefined): ReadOptions {
  return sets === undefined || read.edi === undefined ? read : { ...read, edi: { ...read.edi, sets } }
}

/** The columns that only the mapping names, and those that only the file has. */
export interface ColumnDifferences {
  readonly absent: readonly string[]
  readonly unused: readonly string[]
}

/** Undefined where the file has all columns. A column counts as unused only if no step uses it. */
function compareColumns(sources: readonly BoundFile[]): ColumnDifferences | undefined {
  const absent = [...new Set(sources.flatMap(({ bound }) => bound.absentColumns))]
  if (absent.length === 0) return undefined
  const [first, ...rest] = sources.map(({ bound }) => bound.unusedColumns)
  return { absent, unused: (first ?? []).filter((name) => rest.every((names) => names.includes(name))) }
}

// Finds the user's column, or the part of the mapping, for a field that a message of the API names.

/** Reads the file's header at the first question only: most files never need it. */
export function createFieldFinder(context: InboundContext, file: FileEntry) {
  const { translator } = context
  let binding: Promise<BoundTranslator | undefined> | undefined
  const bind = async () => {
    const reading = await openRows(context, file)
    if (isUnreadable(reading)) return undefined
    await reading.close()
    const bound = translator.bind(reading.layouts, createFileSource(context, file))
    return 'keyColumns' in bound ? bound : undefined
  }
  return async (field: string) => {
    binding ??= bind()
    const bound = await binding
    return { column: bound?.findColumn(field), origin: bound?.findOrigin(field) }
  }
}

export function createFileSource({ route }: Pick<InboundContext, 'route'>, file: FileEntry): FileSource {
  const part = file.correctionOf === undefined ? {} : { isPart: true as const }
  return { file: file.name, folder: basename(route.folder), ...part }
}
