/** The options of a leaf: the tables behind the compiler, the published schema and the documentation. */
import { z } from 'zod'
import { ORIGIN_OPTIONS } from './fields/origin-options.ts'
import { TEXT_OPTIONS } from './fields/text-options.ts'
import { VALUE_OPTIONS } from './fields/value-options.ts'
import { optionalKeys } from './key-table.ts'

export { ColumnNames } from './fields/origin-options.ts'

/** Every option of a leaf of a body, in the order of the documentation. */
export const LEAF_OPTIONS = { ...ORIGIN_OPTIONS, ...TEXT_OPTIONS, ...VALUE_OPTIONS } as const

/** A leaf written with options, as a schema. */
export const BodyLeaf = z.strictObject(optionalKeys(LEAF_OPTIONS))
export type BodyLeaf = z.infer<typeof BodyLeaf>
