/** Guesses a first mapping from a sample file. */
import { basename, extname } from 'node:path'
import {
  type InboundOperationName,
  isInbound,
  type OutboundOperationName,
} from '../../contract/operations.ts'
import type { Format } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { compileMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import {
  type Confidence,
  type Field,
  listFields,
  placeColumns,
  type PlacedColumn,
} from './column-matching.ts'
import {
  findGrouping,
  type Grouping,
  guessKeyColumn,
  KEY_FIELDS,
  unpackNumberedColumns,
  NO_GROUPING,
} from './record-rows.ts'
import { formatField, writeMapping } from './mapping-page.ts'
import { type ColumnProfile, profileColumn } from './column-profile.ts'
import { findInterchanges } from '../edi/interchanges.ts'
import { learnExport } from '../edi/export-learn.ts'
import { learnDocuments } from '../edi/learn.ts'
import { hasOpenLastLine } from '../translate-file.ts'
import { readSample, type Sample } from './sample.ts'
import { findServiceTables, type ServiceTable } from './services.ts'

interface LearnTarget {
  readonly format: Format
  /** The name of the mapping file, for messages. */
  readonly name: string
}

/**
 * Returns problems for a file that cannot be read as a whole. Throws when it cannot be opened, and for documents that the
 * operation does not read.
 */
export async function learnMapping(
  path: string,
  operation: InboundOperationName | OutboundOperationName,
  to: LearnTarget,
) {
  const found = await findInterchanges(path)
  if (!isInbound(operation)) {
    if (found === undefined) throw explainNoSample(operation)
    const learned = await learnExport(path, found, operation)
    return { ...learned, openCodes: [], unfinished: await findMappingErrors(learned.text, to.name) }
  }
  if (found !== undefined) {
    const learned = await learnDocuments(path, found, operation, to.format)
    return { ...learned, unfinished: await findMappingErrors(learned.text, to.name) }
  }
  if (EDI_EXTENSIONS.includes(extname(basename(path, '.gz')).toLowerCase())) {
    const why = 'The file does not begin with ISA, UNA or UNB.'
    return { problems: [problem('edi-not-found', {}, why)] }
  }
  return learnColumns(path, operation, to)
}

/** What a table holds for its reader cannot be guessed from a file. */
function explainNoSample(operation: OutboundOperationName): BridgeError {
  const message = `${operation} is an export, and the file is no interchange of X12 or EDIFACT to learn one from`
  return new BridgeError('usage-wrong', message, {
    fix: 'Copy the nearest export in mappings/, and change its columns.',
  })
}

/** Files with these names are said to be no interchange, instead of being read as columns. */
const EDI_EXTENSIONS: readonly string[] = ['.x12', '.edi', '.edifact']

/** Returns problems for a file that cannot be read as a whole; throws only when it cannot be opened. */
export async function learnColumns(path: string, operation: InboundOperationName, to: LearnTarget) {
  const read = await readSample(path, to.format)
  if ('problems' in read) return read
  const fields = listFields(operation)
  const sample = unpackNumberedColumns(read.sample, fields)
  const columns = profileColumns(sample)
  const isUsable = (column: ColumnProfile) => isUsableColumn(column) && column.name !== sample.typed?.typeIn
  const services = findServiceTables(operation, columns)
  const isOfService = (column: ColumnProfile) => services.some((each) => each.column === column)
  const free = columns.filter((column) => !isOfService(column) && isUsable(column))
  const { placed: named, unplaced: open } = placeColumns(fields, free, sample.hasHeader)
  const placed = addGuessedKey(named, fields, free, operation)
  const grouping = sample.typed === undefined ? findGrouping(operation, placed) : NO_GROUPING
  const unplaced = open.filter(({ column }) => !placed.some((each) => each.column === column))
  const ignored = columns.filter((column) => !isOfService(column) && !isUsable(column))
  const text = writeMapping({
    operation,
    file: basename(path),
    sample,
    fields,
    placed,
    unplaced,
    grouping,
    services,
  })
  return {
    /** Whether the last line of the sample has no line end: it may be cut. */
    hasOpenEnd: await hasOpenLastLine(path),
    /** Which rows cannot be read, and why the first of them; absent without one. */
    ...(sample.unread === undefined ? {} : { unread: sample.unread }),
    /** The mapping file, with a reason on each line. */
    text,
    /** The places that a person must fill in, with their lines; empty when the mapping compiles. */
    unfinished: await findMappingErrors(text, to.name),
    placed: [
      ...placed.map((each) => reportPlaced(each, grouping.groups)),
      ...services.flatMap(reportServices),
    ],
    /** The columns that feed no field, with what they could be. */
    unplaced: unplaced.map(({ column, why }) => ({ column: column.name, why })),
    /** Columns of the file: those that feed a field, those that do not, and those without a name or of a result file. */
    columns: countColumns(sample, {
      placed: [...listColumns(placed), ...services.map(({ column }) => column)],
      sure: listColumns(placed.filter((each) => formatField(each, grouping.groups).confidence === 'sure')),
      unplaced: unplaced.map(({ column }) => column),
      ignored,
    }),
  }
}

function reportPlaced(each: PlacedColumn, groups: Grouping['groups']): ReportedColumn {
  const { field, column, joined, why } = each
  const { note, confidence } = formatField(each, groups)
  return {
    field: field.path,
    column: column.name,
    ...(joined === undefined ? {} : { joined: joined.name }),
    confidence,
    why: note === undefined ? why : `${why}; ${note}`,
  }
}

interface ReportedColumn {
  readonly field: string
  readonly column: string
  readonly joined?: string
  readonly confidence: Confidence
  readonly why: string
}

function reportServices({ column, table, picks }: ServiceTable): ReportedColumn[] {
  const why = `its words are looked up in the table ${table}`
  return Object.keys(picks).map((field) => ({ field, column: column.name, confidence: 'guess', why }))
}

function listColumns(placed: readonly PlacedColumn[]): ColumnProfile[] {
  return placed.flatMap(({ column, joined }) => (joined === undefined ? [column] : [column, joined]))
}

/** Counts columns of the file: of numbered ones each, though they are profiled as one. */
function countColumns<K extends string>(
  { numbered }: Sample,
  groups: Readonly<Record<K, readonly ColumnProfile[]>>,
): Readonly<Record<K, number>> {
  const count = ({ name }: ColumnProfile) => (numbered?.names.includes(name) === true ? numbered.count : 1)
  const counted = Object.entries<readonly ColumnProfile[]>(groups).map(([group, columns]) => [
    group,
    columns.reduce((sum, column) => sum + count(column), 0),
  ])
  return Object.fromEntries(counted)
}

function profileColumns({ columns, rows, groups, typed }: Sample): ColumnProfile[] {
  if (typed !== undefined) {
    return typed.columns.map(({ name, cells, level }, position) => ({
      ...profileColumn(name, position, cells),
      level,
    }))
  }
  const profiles = columns.map((name, position) => {
    const [cells, group] = [rows.map((row) => row[position] ?? ''), groups?.[position] ?? '']
    const same = columns.flatMap((each, at) =>
      each.trim() === name.trim() && name.trim() !== '' ? [at] : [],
    )
    const full = group === '' ? [] : [`${group} ${name}`]
    if (same.length < 2) return profileColumn(name, position, cells, [...full, name])
    // Of columns with the same name only the title above them says which one it is.
    const profile = profileColumn(name, position, cells, group === '' ? [name] : full)
    return { ...profile, nth: same.indexOf(position) + 1 }
  })
  return profiles.map((profile) => nameByNeighbour(profile, profiles))
}

/** `Option1 Value` holds what `Option1 Name` says in all of its rows, such as colors. */
function nameByNeighbour(profile: ColumnProfile, profiles: readonly ColumnProfile[]): ColumnProfile {
  const [, name] = /^(.*\d.*) value(?:\(s\))?$/i.exec(profile.name) ?? []
  const neighbour = profiles.find((each) => each.name.toLowerCase() === `${name} name`.toLowerCase())
  const [said] = neighbour?.distinct ?? []
  return said === undefined || neighbour?.distinct.size !== 1 ? profile : { ...profile, headings: [said] }
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
  const isTyped = columns.some(({ level }) => level !== undefined)
  const why = isTyped ? 'no two records share it' : 'neighbouring rows share it, and nothing comes back later'
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
