/** Records of the API written as documents by an export mapping, and what the checker of incoming files says of them. */
import { join } from 'node:path'
import { createExampleEnvelope, type Envelope } from '../../../src/domain/format.ts'
import type { Problem } from '../../../src/domain/problem.ts'
import type { Composer } from '../../../src/domain/translator.ts'
import type { Segment } from '../../../src/edi/segment.ts'
import { cutSegments, isSegment } from '../../../src/formats/edi/cut.ts'
import type { EnvelopeHandler } from '../../../src/formats/edi/envelopes.ts'
import { createInspector } from '../../../src/formats/edi/inspection.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { type InboundMapping, loadMapping } from '../../../src/mapping/load.ts'
import { toInput } from './tools.ts'

export const ROOT = join(import.meta.dirname, '../../..')

export type ApiRecord = Readonly<Record<string, unknown>>

export interface Exported {
  readonly bytes: Buffer
  /** Of each record: its rows, or why it is held. */
  readonly records: readonly {
    readonly problems: readonly Problem[]
    readonly warnings: readonly Problem[]
  }[]
  readonly written: readonly ApiRecord[]
}

/** A ready export mapping, such as `x12/850-export`. */
export async function loadExport(name: string) {
  const mapping = await loadMapping(join(ROOT, 'mappings', `${name}.yaml`))
  if (mapping.direction !== 'outbound') throw new Error(`${name} is no export`)
  return mapping
}

export async function loadImport(path: string): Promise<InboundMapping> {
  const mapping = await loadMapping(path)
  if (mapping.direction !== 'inbound') throw new Error(`${path} is an export`)
  return mapping
}

/** Writes the records that can be written, as the bridge does. */
export function exportRecords(
  composer: Composer,
  records: readonly ApiRecord[],
  change: Partial<Envelope> = {},
): Exported {
  const example = createExampleEnvelope(composer.write.format)
  if (example === undefined) throw new Error('The mapping writes no document.')
  const envelope = { ...example, ...change }
  const writer = createFormats().createWriter([], composer.write, envelope)
  const frame = composer.frame?.(envelope)
  const pieces: Uint8Array[] = [writer.formatHeader(), writer.formatRows(frame?.begin ?? [])]
  const written: ApiRecord[] = []
  const outcomes = records.map((record) => {
    const composed = composer.composeRows(record, envelope)
    if ('problems' in composed) return { problems: composed.problems, warnings: [] }
    frame?.addRecord(composed.rows)
    pieces.push(writer.formatRows(composed.rows))
    written.push(record)
    return { problems: [], warnings: composed.warnings ?? [] }
  })
  pieces.push(writer.formatRows(frame?.createEnd() ?? []), writer.formatEnd?.() ?? Buffer.alloc(0))
  return { bytes: Buffer.concat(pieces), records: outcomes, written }
}

export interface Checked {
  readonly sets: number
  /** Everything that the checker finds, notes included. */
  readonly faults: readonly string[]
  readonly segments: readonly Segment[]
}

/** Checks a file as `edi check` does. */
export async function checkFile(bytes: Uint8Array): Promise<Checked> {
  const faults: string[] = []
  const handler: EnvelopeHandler = {
    onFault: ({ kind, id, segment, message }) =>
      faults.push(`${kind} at ${id} (${segment}): ${message ?? ''}`),
  }
  const inspector = createInspector(handler)
  const segments: Segment[] = []
  for await (const items of cutSegments(toInput(bytes)))
    for (const item of items) {
      inspector.take(item)
      if (isSegment(item)) segments.push(item)
    }
  const { sets, notFound } = inspector.finish()
  if (notFound !== undefined) faults.push(`nothing is found at ${notFound.at}`)
  return { sets, faults, segments }
}
