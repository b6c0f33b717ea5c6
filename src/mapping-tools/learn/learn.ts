/** Guesses a first mapping from a sample file. */
import { basename } from 'node:path'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Format } from '../../domain/format.ts'
import { compileMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { type Field, listFields, placeColumns, type PlacedColumn } from './column-matching.ts'
import { findGrouping, guessKeyColumn, KEY_FIELDS, unpackNumberedColumns } from './record-rows.ts'
import { formatField, writeMapping } from './mapping-page.ts'
import { type ColumnProfile, profileColumn } from './column-profile.ts'
import { readSample } from './sample.ts'
import { findServices } from './spellings.ts'

/** Returns problems for a file that cannot be read as a whole; throws only when it cannot be opened. */
export async function learnMapping(
  path: string,
  operation: InboundOperationName,
  to: { readonly format: Format; readonly name: string },
) {
  const read = await readSample(path, to.format)
  if ('problems' in read) return read
  const fields = listFields(operation)
  const sample = unpackNumberedColumns(read.sample, fields)
  const columns = sample.columns.map((name, position) => profileColumn(name, position, sample.rows))
  const services = findServices(columns)
  const free = columns.filter((column) => column !== services?.column && isUsableColumn(column))
  const { placed: named, unplaced: open } = placeColumns(fields, free, sample.hasHeader)
  const placed = addGuessedKey(named, fields, free, operation)
  const grouping = findGrouping(operation, placed)
  const unusable = columns.filter((column) => column !== services?.column && !isUsableColumn(column))
  const unplaced = [
    ...open.filter(({ column }) => !placed.some((each) => each.column === column)),
    ...unusable.map((column) => ({ column, why: '' })),
  ].toSorted((a, b) => a.column.position - b.column.position)
  const text = writeMapping({
    operation,
    file: basename(path),
    sample,
    fields,
    placed,
    unplaced,
    grouping,
    services: operation === 'create-invoice' ? undefined : services,
  })
  return {
    /** The mapping file, with a reason on each line. */
    text,
    /** The places that a person must fill in, with their lines; empty when the mapping compiles. */
    unfinished: await findMappingErrors(text, to.name),
    placed: placed.map((each) => {
      const { field, column, joined, why } = each
      const { note, confidence } = formatField(each, grouping.blankContinues)
      return {
        field: field.path,
        column: column.name,
        ...(joined === undefined ? {} : { joined: joined.name }),
        confidence,
        why: note === undefined ? why : `${why}; ${note}`,
      }
    }),
    /** The columns that feed no field, with what they could be. */
    unplaced: unplaced.map(({ column, why }) => ({ column: column.name, why })),
  }
}

/** Columns without a name cannot be mapped, and those that begin with `_` are results of this bridge. */
function isUsableColumn({ name }: ColumnProfile): boolean {
  return name !== '' && !name.startsWith('_')
}

/** Guesses the record's key from repeated neighbouring values, when no column name gives it. */
function addGuessedKey(
  placed: readonly PlacedColumn[],
  fields: readonly Field[],
  columns: readonly ColumnProfile[],
  operation: InboundOperationName,
): readonly PlacedColumn[] {
  const [key] = KEY_FIELDS[operation]
  const field = fields.find(({ path }) => path === key)
  if (field === undefined || placed.some((each) => each.field === field)) return placed
  const column = guessKeyColumn(columns, placed)
  const why = 'neighbouring rows share it, and nothing comes back later'
  return column === undefined ? placed : [...placed, { field, column, confidence: 'guess', why }]
}

async function findMappingErrors(text: string, name: string): Promise<readonly string[]> {
  try {
    await compileMapping({ text, name, readTable: () => Promise.reject(new Error('no file is read here')) })
    return []
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'mapping-invalid') throw error
    return error.details
  }
}
