/** Every field of every resource, as the service shows it full and bare, in both views. */
import { beforeAll, expect } from 'vitest'
import type { Ledger } from './ledger.ts'
import { FIELD_ROWS } from './rows/all.ts'
import { FIELD_SIZES } from './rows/general.ts'
import type { FieldRow, View } from './rows/row.ts'
import { collectSamples, comparable, type Samples, type Seen } from './samples.ts'

/** Fields that no call can fill, with the reason. They are there, and always empty. */
const NEVER_FILLED: Readonly<Record<string, string>> = {
  'order.attachments': 'in no body',
  'rma.attachments': 'in no body',
  'rma.memos': 'in no body',
}

/** Fields that may be null and never are, with the reason. */
const NEVER_EMPTY: Readonly<Record<string, string>> = {
  'shipment.batch_number': 'the service gives it to every shipment',
  'inventory.sellable_updated_at': 'an item is sellable from the start',
}

/** Ids that the service gives and that occur nowhere else. */
const NEVER_TOLD = ['address', 'order_line', 'shipment_line', 'cancel_line', 'credit_line', 'rma_line'].map(
  (resource) => `${resource}.id`,
)

/** Sizes of fields whose texts the service chooses itself. */
const SIZED = ['order.status', 'shipment.status', 'shipment.signature', 'cancel.reason']

export function fields({ proves }: Ledger): void {
  let samples: Samples
  beforeAll(async () => {
    samples = await collectSamples()
  })

  for (const row of FIELD_ROWS) {
    const limits = SIZED.includes(row.id) ? [`limit.${row.id}`] : []
    proves(row.id, ...limits)(titleOf(row), () => {
      const seen = viewsOf(row).flatMap((view) => samples.of(row.resource, view))
      expect(seen.filter(({ shown }) => !(row.key in shown))).toEqual([])
      const values = seen.map(({ shown }) => shown[row.key])
      expectShape(row, values)
      expectRange(row, values)
      expectShown(row, seen)
      if (row.view !== undefined) {
        const others = samples.of(row.resource, row.view === 'brand' ? 'retailer' : 'brand')
        expect(others.filter(({ shown }) => row.key in shown)).toEqual([])
      }
    })
  }
}

function titleOf({ resource, key, view, empty }: FieldRow): string {
  const where = view === undefined ? 'is shown' : `is shown in the ${view} view only`
  return `${resource}: ${key} ${where}${empty ? ', null when empty' : ''}`
}

function viewsOf({ view }: FieldRow): readonly View[] {
  return view === undefined ? ['retailer', 'brand'] : [view]
}

function expectShape({ id, shape, empty }: FieldRow, values: readonly unknown[]): void {
  for (const value of values) {
    if (empty && value === null) continue
    expect([value, shape.safeParse(value).error?.issues ?? []]).toEqual([value, []])
    const size = FIELD_SIZES[id]
    if (size !== undefined) expect(String(value).length).toBeLessThanOrEqual(size)
  }
}

/** A field occurs with a value, and where it may be null also without. */
function expectRange({ id, empty }: FieldRow, values: readonly unknown[]): void {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  if (id in NEVER_FILLED) {
    expect([values.length > 0, values.filter((value) => !isEmpty(value))]).toEqual([true, []])
    return
  }
  expect(values.some((value) => !isEmpty(value))).toBe(true)
  if (empty) expect(values.includes(null)).toBe(!(id in NEVER_EMPTY))
}

/** A field shows the value that was sent, or the other value that it must show. */
function expectShown({ id, key }: FieldRow, seen: readonly Seen[]): void {
  const known = seen.filter(({ expected }) => key in expected)
  expect(known.length > 0).toBe(!NEVER_TOLD.includes(id))
  for (const { shown, expected } of known) {
    expect(comparable({ [key]: shown[key] })).toMatchObject({ [key]: expected[key] })
  }
}
