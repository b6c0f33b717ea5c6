/** Guesses a first mapping from a sample file. */
import { basename } from 'node:path'
import type { InboundOperationName } from '../../../contract/operations.ts'
import type { Format } from '../../../domain/format.ts'
import type { Problem } from '../../../domain/problem.ts'
import { compileMapping } from '../../../mapping/load.ts'
import { BridgeError } from '../../../support/errors.ts'
import { type Field, fieldsOf } from './fields.ts'
import { findGrouping, guessKeyColumn, keyFieldsOf } from './grouping.ts'
import { mappingPage } from './page.ts'
import { unpackedSample } from './numbered.ts'
import { type Confidence, type Placed, placeColumns } from './place.ts'
import { leafText } from './leaf.ts'
import { type ColumnProfile, profileOf } from './profile.ts'
import { readSample } from './sample.ts'
import { findServices } from './services.ts'

export interface LearnedMapping {
  /** The mapping file, with a reason on each line. */
  readonly text: string
  /** What is left to be filled in, each with its line; empty when the mapping compiles. */
  readonly unfinished: readonly string[]
  readonly placed: readonly {
    readonly field: string
    readonly column: string
    /** The last name behind a first one. */
    readonly joined?: string
    readonly confidence: Confidence
    readonly why: string
  }[]
  /** The columns that feed no field, with what they could be. */
  readonly unplaced: readonly { readonly column: string; readonly why: string }[]
}

/** The problems of a file that cannot be read as a whole; throws only when it cannot be opened. */
export async function learnMapping(
  path: string,
  operation: InboundOperationName,
  to: { readonly format: Format; readonly name: string },
): Promise<LearnedMapping | { readonly problems: readonly Problem[] }> {
  const read = await readSample(path, to.format)
  if ('problems' in read) return read
  const fields = fieldsOf(operation)
  const sample = unpackedSample(read.sample, fields)
  const columns = sample.columns.map((name, position) => profileOf(name, position, sample.rows))
  const services = findServices(columns)
  const free = columns.filter((column) => column !== services?.column && isUsable(column))
  const { placed: named, left: open } = placeColumns(fields, free, sample.hasHeader)
  const placed = withKey(named, fields, free, operation)
  const grouping = findGrouping(operation, placed)
  const unusable = columns.filter((column) => column !== services?.column && !isUsable(column))
  const left = [
    ...open.filter(({ column }) => !placed.some((each) => each.column === column)),
    ...unusable.map((column) => ({ column, why: '' })),
  ].toSorted((a, b) => a.column.position - b.column.position)
  const text = mappingPage({
    operation,
    file: basename(path),
    sample,
    fields,
    placed,
    left,
    grouping,
    services: operation === 'create-invoice' ? undefined : services,
  })
  return {
    text,
    unfinished: await mistakesIn(text, to.name),
    placed: placed.map((each) => {
      const { field, column, joined, why } = each
      const { note, confidence } = leafText(each, grouping.blankContinues)
      return {
        field: field.path,
        column: column.name,
        ...(joined === undefined ? {} : { joined: joined.name }),
        confidence,
        why: note === undefined ? why : `${why}; ${note}`,
      }
    }),
    unplaced: left.map(({ column, why }) => ({ column: column.name, why })),
  }
}

/** Columns without a name cannot be mapped, and those that begin with `_` are results of this bridge. */
function isUsable({ name }: ColumnProfile): boolean {
  return name !== '' && !name.startsWith('_')
}

/** When no name tells the record's key, the way its values stand together may. */
function withKey(
  placed: readonly Placed[],
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  operation: InboundOperationName,
): readonly Placed[] {
  const [key] = keyFieldsOf(operation)
  const field = fields.find(({ path }) => path === key)
  if (field === undefined || placed.some((each) => each.field === field)) return placed
  const column = guessKeyColumn(columns, placed)
  if (column === undefined) return placed
  return [
    ...placed,
    { field, column, confidence: 'guess', why: 'neighbouring rows share it, and nothing comes back later' },
  ]
}

async function mistakesIn(text: string, name: string): Promise<readonly string[]> {
  try {
    await compileMapping({ text, name, readTable: () => Promise.reject(new Error('no file is read here')) })
    return []
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'mapping-invalid') throw error
    return error.details
  }
}
