/** Resources as the service shows them, full and bare, taken apart into all their objects, each with its expected values. */
import { FIELD_ROWS } from './rows/all.ts'
import type { View } from './rows/row.ts'
import { playStory } from './story/story.ts'
import type { Sample, Expected } from './story/expected.ts'
import { openWorld } from './world.ts'

/** An object of an answer, with the expected values that are known. */
export interface Seen {
  readonly shown: Readonly<Record<string, unknown>>
  readonly expected: Expected
}

export interface Samples {
  /** Every object of the kind that occurred in the view. */
  of(resource: string, view: View): readonly Seen[]
}

export async function collectSamples(): Promise<Samples> {
  const world = await openWorld()
  const found = new Map<string, Seen[]>()
  try {
    for (const sample of await playStory(world)) {
      const { view, kind } = sample
      const { status, body: shown } = 'path' in sample ? await world[view].get(sample.path) : sample.answer
      if (status >= 300) throw new Error(`a sample of ${kind} answers ${status}`)
      keep(found, kind, { view, shown, expected: inView(kind, view, sample.expected) })
    }
  } finally {
    await world.close()
  }
  return { of: (resource, view) => found.get(`${view} ${resource}`) ?? [] }
}

/** Attributes under their codes in both views, so that one expected value serves both. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => [
      key,
      comparable(key === 'attributes' ? byCode(below) : below),
    ]),
  )
}

/** Where the objects inside a resource are, and their kinds. */
const PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  order: {
    sold_to: 'address',
    ship_to: 'address',
    shipping_method: 'shipping_method',
    requested_shipping_method: 'requested_shipping_method',
    shipping_accounts: 'shipping_account',
    order_lines: 'order_line',
  },
  order_line: { variant: 'variant_summary' },
  shipment: { shipping_method: 'shipping_method', ship_from: 'address', shipment_lines: 'shipment_line' },
  shipment_line: { variant: 'variant_summary' },
  invoice: { remit_to: 'address', invoice_lines: 'invoice_line' },
  invoice_line: { variant: 'variant_summary' },
  cancel: { cancel_lines: 'cancel_line' },
  cancel_line: { variant: 'variant_summary' },
  credit: { credit_lines: 'credit_line' },
  credit_line: { variant: 'variant_summary' },
  rma: { rma_lines: 'rma_line' },
  rma_line: { variant: 'variant_summary', order_line: 'order_line' },
  connection: { shipping_methods: 'shipping_method' },
  variant: { inventory: 'inventory', media: 'media', attributes: 'attribute' },
}

interface Shown {
  readonly view: View
  readonly shown: unknown
  readonly expected: unknown
}

/** Keeps the object and all objects inside it. */
function keep(found: Map<string, Seen[]>, kind: Sample['kind'], { view, shown, expected }: Shown): void {
  if (!isObject(shown)) return
  const known = isObject(expected) ? expected : {}
  const key = `${view} ${kind}`
  found.set(key, [...(found.get(key) ?? []), { shown, expected: known }])
  for (const [name, part] of Object.entries(PARTS[kind] ?? {})) {
    const below = name === 'attributes' ? byCode(shown[name]) : shown[name]
    for (const [one, of] of pairsOf(below, known[name], part === 'attribute')) {
      keep(found, part, { view, shown: one, expected: of })
    }
  }
}

/** The objects at a place, each with its expected values: one, those of an array in their order, or those under keys. */
function pairsOf(shown: unknown, expected: unknown, isByKey: boolean): (readonly [unknown, unknown])[] {
  if (Array.isArray(shown))
    return shown.map((one, index) => [one, Array.isArray(expected) ? expected[index] : undefined])
  if (!isByKey || !isObject(shown)) return [[shown, expected]]
  return Object.entries(shown).map(([key, one]) => [one, isObject(expected) ? expected[key] : undefined])
}

/** Removes what only the other view shows. */
function inView(kind: string, view: View, expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map((one: unknown) => inView(kind, view, one))
  if (!isObject(expected)) return expected
  const hidden = FIELD_ROWS.filter(
    (row) => row.resource === kind && row.view !== undefined && row.view !== view,
  )
  return Object.fromEntries(
    Object.entries(expected)
      .filter(([key]) => hidden.every((row) => row.key !== key))
      .map(([key, value]) => [key, inView(PARTS[kind]?.[key] ?? '', view, value)]),
  )
}

function byCode(attributes: unknown): unknown {
  if (!Array.isArray(attributes)) return attributes
  return Object.fromEntries(attributes.map((one: { code: string }) => [one.code, one]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
