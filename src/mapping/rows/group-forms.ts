/** The `group` of a mapping: which rows make a record, in all the forms in which it can be said. */
import { z } from 'zod'
import { ColumnNames } from '../fields/origin-options.ts'
import { type KeyRow, optionalKeys } from '../key-table.ts'

const Text = z.string().min(1)

const GroupKey = z.union([ColumnNames, z.strictObject({ firstOf: z.array(ColumnNames).min(2) })], {
  error: 'expected a column name, a list of the names it may have, or `firstOf` with several columns',
})
const GroupKeys = z.array(GroupKey).min(1)

/** Which columns, where nothing more is said of them. */
const BY = z.union([Text, GroupKeys], { error: 'expected a column name or a list of them' })

/** What can be said beside `by`. */
const BESIDE = {
  blank: {
    schema: z.literal('continues', { error: 'expected `continues`' }),
    summary: 'a row in which they are blank belongs to the record before',
    example: 'group: { by: Name, blank: continues }',
  },
  differing: {
    schema: z.enum(['refuse', 'first'], { error: 'expected `refuse` or `first`' }),
    summary: 'of rows that say different things the first counts',
    example: 'group: { by: Name, differing: first }',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

export const GroupFrame = z.union([Text, GroupKeys, z.strictObject({ by: BY, ...optionalKeys(BESIDE) })], {
  error: 'expected a column name, a list of them, or `by` with `blank` and `differing`',
})
export type GroupFrame = z.infer<typeof GroupFrame>

/** Each form as it is written, for the documentation. */
export const GROUP_FORMS: readonly Pick<KeyRow, 'summary' | 'example'>[] = [
  { example: 'group: PO Number', summary: 'one column' },
  { example: 'group: [PO Number, Tracking Number]', summary: 'both together' },
  { example: 'group: [[PO Number, "PO #"]]', summary: 'one column under either name' },
  {
    example: 'group: [{ firstOf: [Order No, Record No] }]',
    summary: 'the first of two columns that is filled',
  },
  ...Object.values(BESIDE),
]
