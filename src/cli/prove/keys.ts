/** What makes the records of a sample file others: the columns of their keys, and texts that nobody used before. */
import { groupColumns, leavesOfMapping, type MappingLeaf } from '../../bridge/maps/leaves.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { foldedName } from '../../mapping/rows/columns.ts'

/** Gives a number that it never gave before. */
export type Serial = () => number

/** The fields that tell one record of the operation from another. Items are what they are, whoever names them. */
const KEY_FIELDS: Readonly<Record<InboundOperationName, readonly string[]>> = {
  'create-order': ['purchase_order_number'],
  'create-cancel': ['order_id'],
  'acknowledge-order': ['order_id'],
  'create-shipment': ['order_id', 'tracking_number'],
  'close-order': ['order_id'],
  'reopen-order': ['order_id'],
  'create-invoice': ['purchase_order_number', 'invoice_number'],
  'create-variant': ['attributes.identifier'],
  'update-variant': [],
  'acknowledge-shipment': ['shipment_id'],
  'acknowledge-invoice': ['invoice_id'],
  'acknowledge-cancel': ['cancel_id'],
  'acknowledge-credit': ['credit_id'],
  'acknowledge-return': ['return_id'],
  'acknowledge-variant': [],
}

/** Names of columns, each with its other names, whose cells a copy of a record must have of its own. */
export function keyColumns(mapping: InboundMapping): readonly (readonly string[])[] {
  const fields = KEY_FIELDS[mapping.operation]
  if (fields.length === 0) return []
  const leaves = leavesOfMapping(mapping).filter(({ field }) => fields.includes(field))
  const own = leaves.flatMap(({ branches }) => branches.flatMap(({ columns }) => columns))
  return [...own, ...groupColumns(mapping)]
}

/** Where the columns stand; those that are not there are left out. */
export function positionsOf(columns: readonly string[], named: readonly (readonly string[])[]): number[] {
  const folded = columns.map(foldedName)
  const found = named.flatMap((names) => {
    const wanted = new Set(names.map(foldedName))
    const at = folded.findIndex((name) => wanted.has(name))
    return at === -1 ? [] : [at]
  })
  return [...new Set(found)]
}

/** How a new text is made of an old one; mappings that take a part of a text bear one of them. */
export const RENEWALS = {
  digits: (text: string, number: number) =>
    /\d/.test(text) ? text.replace(/\d{1,6}(?=\D*$)/, String(number)) : `${text}-${number}`,
  append: (text: string, number: number) => `${text}-${number}`,
  replace: (_: string, number: number) => `P${number}`,
} as const

export type Renewal = keyof typeof RENEWALS

/** The same old text becomes the same new one, so that rows which belong together still do. */
export function renewing(renewal: Renewal, serial: Serial): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined || text.trim() === '') return before ?? text
    const renewed = RENEWALS[renewal](text, serial())
    known.set(text, renewed)
    return renewed
  }
}

/** A cell that no record can have, for the kinds of field that people get wrong; undefined where none is known. */
export function mistakeIn({ rule, branches }: MappingLeaf): string | undefined {
  const [branch, other] = branches
  if (branch === undefined || other !== undefined || branch.when !== undefined) return undefined
  if (branch.columns.length !== 1 || branch.options['table'] !== undefined) return undefined
  if (rule.kind === 'dateTime' || rule.kind === 'date') return 'yesterday'
  if (rule.kind === 'money' || rule.kind === 'decimal') return '12.345'
  return rule.kind === 'integer' && rule.reference === undefined ? 'two' : undefined
}
