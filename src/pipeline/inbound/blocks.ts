/**
 * Decides by a scan whether the records of a long file can be sent while its rest is planned, and plans that rest block by
 * block. The scan reads what names each record, and finds what concerns several of them before the first is sent.
 */
import type { FileEntry, LastPlanned } from '../../domain/file.ts'
import { type FileReading, isUnreadable } from '../../domain/format.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import type { BoundTranslator, Draft, ScannedRecord } from '../../domain/translator.ts'
import type { InboundRules } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import { createRepeatFinder } from '../../support/collections.ts'
import { assert, BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { BlockSizes, InboundContext } from '../context.ts'
import { giveWay, LONG_FILE_BYTES } from './file-pass.ts'
import { createPlanner } from './planner.ts'
import { createFileSource, isCheckedWhenSent, type OpenFile, openRows, openSteps } from './steps.ts'
import { createRefusedRows } from './order-lanes.ts'

const USUAL_SIZES: BlockSizes = { fromBytes: LONG_FILE_BYTES, records: 200 }

/**
 * How many records the file has, if they can be planned while it is sent. Undefined where it is short, or where what happens to
 * a record may depend on a later one: a name that comes back, totals that differ, steps that follow each other.
 */
export async function scanForBlocks(
  context: InboundContext,
  file: FileEntry,
  { steps, first }: OpenFile,
): Promise<number | undefined> {
  const { route, next, translator, signal, blocks = USUAL_SIZES } = context
  const { keyField }: InboundRules = INBOUND_RULES[route.operation]
  const { format } = translator.read
  const isPlain = next === undefined && steps.length === 1 && file.partOf === undefined
  if (keyField === undefined || !isPlain || isCheckedWhenSent(context)) return undefined
  if (file.size < blocks.fromBytes || (format !== 'csv' && format !== 'fixed')) return undefined
  const reading = await openRows(context, file)
  if (isUnreadable(reading)) return undefined
  try {
    const bound = translator.bind(first.reading.layouts, createFileSource(context, file))
    const scan = 'keyColumns' in bound ? bound.scan(keyField) : undefined
    if (scan === undefined) return undefined
    const findRepeat = createRepeatedRecordFinder()
    let total = 0
    for await (const rows of reading.batches) {
      throwIfStopped(signal)
      const records = scan.take(rows)
      if (records.some(findRepeat)) return undefined
      total += records.length
      await giveWay(context, file)
    }
    const last = scan.finish()
    if (last.some(findRepeat) || scan.listMismatches().length > 0) return undefined
    return total + last.length
  } finally {
    await reading.close()
  }
}

/**
 * Finds records of one name, or of the same key cells: they are two versions or a repeat, and which one, only the whole file
 * shows. Where the one key cell is the name, as in most files, it is noted once: that halves the memory of the scan.
 */
export function createRepeatedRecordFinder(): (record: ScannedRecord) => boolean {
  const names = createRepeatFinder()
  const keys = createRepeatFinder()
  let isAnyNamedByKey = false
  return ({ name, keyValues }) => {
    if (name !== undefined && names.isRepeat(name)) return true
    if (keyValues.every((value) => value === '')) return false
    const [only = ''] = keyValues
    const key = keyValues.length === 1 ? only : JSON.stringify(keyValues)
    if (key === name) {
      isAnyNamedByKey = true
      return keys.has(key)
    }
    return keys.isRepeat(key) || (isAnyNamedByKey && names.has(key))
  }
}

// The records that are not planned yet, while the others are sent.

export interface RestOfFile {
  /** How many records it had when it was opened. */
  readonly records: number
  /** Plans the next block; the caller adds it to the journal. Undefined behind the last one. */
  nextBlock(): Promise<readonly PlannedRecord[] | undefined>
  close(): Promise<void>
}

/**
 * Opens what is not planned of a file; undefined where all of it is. After a crash the file is translated from its beginning, and
 * goes on behind the last record that the journal has. A mapping that has changed meanwhile may divide the file otherwise: then
 * it throws `configuration-invalid`, because records could be left out or come twice.
 */
export async function openRest(context: InboundContext, file: FileEntry): Promise<RestOfFile | undefined> {
  const { recordTotal: total } = file
  if (total === undefined) return undefined
  const last = await context.journal.findLastPlanned(file.id)
  const { number: before = 0 } = last ?? {}
  if (before === total) return undefined
  const opened = await openSteps(context, file)
  if (!('steps' in opened)) throw changedMappingError(context, file)
  const [step] = opened.steps
  assert(step?.source !== undefined, `Route ${context.route.name} has no mapping for ${file.id}.`)
  const { bound, reading } = step.source
  const { keyColumns } = opened
  const numbering = { last: 0 }
  const blockSize = (context.blocks ?? USUAL_SIZES).records
  const refused = createRefusedRows()
  const planner = createPlanner({
    context,
    file,
    step,
    keyColumns,
    numbering,
    refused,
    bound,
    reading,
    blockSize,
  })
  const drafts = readDrafts({ bound, reading }, createPlannedFilter(context, file, last))
  return {
    records: total - before,
    async nextBlock() {
      await giveWay(context, file)
      for (;;) {
        const block = await planner.takeBlock()
        if (block.length > 0) return block
        const { value, done } = await drafts.next()
        if (done !== true) {
          planner.wait(value)
          continue
        }
        const last = await planner.takeRest()
        if (before + planner.count() !== total) throw changedMappingError(context, file)
        return last.length > 0 ? last : undefined
      }
    },
    close: opened.close,
  }
}

async function* readDrafts(
  { bound, reading }: { readonly bound: BoundTranslator; readonly reading: FileReading },
  omitPlanned: (drafts: readonly Draft[]) => readonly Draft[],
): AsyncGenerator<readonly Draft[], undefined, undefined> {
  for await (const rows of reading.batches) yield omitPlanned(bound.translateRows(rows))
  yield omitPlanned(bound.finish())
}

/** Leaves out the drafts whose records are in the journal, after it has compared the last one's lines. */
function createPlannedFilter(context: InboundContext, file: FileEntry, last: LastPlanned | undefined) {
  return (drafts: readonly Draft[]): readonly Draft[] => {
    if (last === undefined) return drafts
    const same = drafts.find(({ number }) => number === last.number)
    if (same !== undefined && JSON.stringify(same.lines) !== JSON.stringify(last.lines))
      throw changedMappingError(context, file)
    return drafts.filter(({ number }) => number > last.number)
  }
}

function changedMappingError({ route }: InboundContext, { name }: FileEntry): BridgeError {
  const message = `${name} is sent in part, and the mapping of route ${route.name} now divides it into other records.`
  const fix = 'Put the mapping back as it was until the file is done.'
  return new BridgeError('configuration-invalid', message, { fix })
}
