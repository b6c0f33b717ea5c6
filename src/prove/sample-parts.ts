/** What the writers of samples share: their options, the columns that distinguish records, and new texts for them. */
import { KEY_FIELDS } from '../mapping-tools/learn/record-rows.ts'
import { listGroupColumns, listMappedFields } from '../mapping-tools/mapped-fields.ts'
import type { InboundMapping } from '../mapping/load.ts'
import type { Format } from '../domain/format.ts'
import type { Draft } from '../domain/translator.ts'

export interface Sample {
  /** Its records have no numbers that could differ each time: the stock of items, for example. */
  readonly hasFixedRecords: boolean
  /** A file of about this many records. */
  readonly file: (records: number) => Uint8Array
  /** The drafts that the mapping of the first or of a later step makes from a file. */
  readonly drafts: (bytes: Uint8Array, mapping: InboundMapping) => Promise<Draft[]>
}

export interface SampleOptions {
  /** The mappings of the route's steps, the first one first. */
  readonly mappings: readonly [InboundMapping, ...InboundMapping[]]
  readonly path: string
  readonly format: Format
  readonly serial: NextNumber
}

/** Writes a file of about so many records, with new numbers. */
export type SampleWriter = (records: number, renewal: Renumbering) => Uint8Array

/** Returns a number that it never returned before. */
export type NextNumber = () => number

/** Columns, each with its other names, whose cells must differ in each copy of a record. */
export function findKeyColumns(mapping: InboundMapping): readonly (readonly string[])[] {
  // Items are the same in every copy, whichever record names them.
  const fields = KEY_FIELDS[mapping.operation].filter((field) => field !== 'variant_id')
  if (fields.length === 0) return []
  const leaves = listMappedFields(mapping).filter(({ field }) => fields.includes(field))
  const own = leaves.flatMap(({ branches }) => branches.flatMap(({ sources }) => sources))
  return [...own, ...listGroupColumns(mapping)]
}

/** The ways to make a new text from an old one; a mapping that takes a part of a text accepts one of them. */
export const RENUMBERINGS = {
  digits: (text: string, number: number) =>
    /\d/.test(text) ? text.replace(/\d{1,6}(?=\D*$)/, String(number)) : `${text}-${number}`,
  append: (text: string, number: number) => `${text}-${number}`,
  replace: (_: string, number: number) => `P${number}`,
} as const

export type Renumbering = keyof typeof RENUMBERINGS

/** The same old text becomes the same new one, so that rows which belong together still do. */
export function createRenumberer(renewal: Renumbering, serial: NextNumber): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined || text.trim() === '') return before ?? text
    const renewed = RENUMBERINGS[renewal](text, serial())
    known.set(text, renewed)
    return renewed
  }
}
