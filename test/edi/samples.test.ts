/** The EDI samples: made from data, about items and orders that exist, each with the sets that its name promises. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sampleCatalogue } from '../../src/service/sample-seed.ts'
import { ediSamples } from '../samples/edi/files.ts'

const folder = new URL('../../samples/edi/', import.meta.url)
const made = ediSamples()

/** Each sample with its interchanges and the documents of its sets. */
const SAMPLES: readonly (readonly [name: string, interchanges: number, documents: readonly string[]])[] = [
  ['850-two-orders.x12', 1, ['850', '850']],
  ['850-one-day.x12', 1, ['850', '850', '850']],
  ['850-three-interchanges.x12', 3, ['850', '850', '850']],
  ['850-orders-amazon-style.x12', 1, ['850', '850', '850']],
  ['850-orders-walmart-style.x12', 1, ['850', '850']],
  ['855-acknowledgements.x12', 1, ['855', '855', '855', '855']],
  ['856-shipments.x12', 1, ['856', '856', '856']],
  ['856-shipments-order-level.x12', 1, ['856', '856']],
  ['810-invoices.x12', 1, ['810', '810', '810']],
  ['846-inventory.x12', 1, ['846', '846']],
  ['860-cancel-whole.x12', 1, ['860', '860']],
  ['860-cancel-lines.x12', 1, ['860', '860', '860']],
  ['870-order-status.x12', 1, ['870', '870']],
  ['orders.edi', 1, ['ORDERS', 'ORDERS', 'ORDERS']],
  ['ordchg.edi', 1, ['ORDCHG', 'ORDCHG']],
  ['ordrsp.edi', 1, ['ORDRSP', 'ORDRSP', 'ORDRSP']],
  ['desadv.edi', 1, ['DESADV', 'DESADV']],
  ['invoic.edi', 1, ['INVOIC', 'INVOIC']],
  ['invrpt.edi', 1, ['INVRPT', 'INVRPT']],
]

/** Without the line breaks that the dress put in: of wrapped files they stand anywhere. */
function readText(name: string): string {
  const text = readFileSync(new URL(name, folder), 'latin1')
  const isLineTerminated = /walmart|870|invrpt/.test(name)
  return isLineTerminated ? text : text.replaceAll(/[\r\n]/g, '')
}

test('each file of samples/edi is in the table', () => {
  const files = readdirSync(folder).filter((name) => !name.includes('.expected.'))
  expect(files.toSorted()).toEqual(SAMPLES.map(([name]) => name).toSorted())
})

describe.each(SAMPLES)('the sample %s', (name, interchanges, documents) => {
  test('is the one that is made', () => {
    expect(made[name]?.equals(readFileSync(new URL(name, folder))), 'npm run samples makes it again').toBe(
      true,
    )
  })

  test('has the sets that its name promises', () => {
    const text = readText(name)

    expect(text.match(/\bISA\W00|UNB\+/g)).toHaveLength(interchanges)
    expect(
      Array.from(text.matchAll(/ST\W(\d{3})\W|UNH\+\d+\+([A-Z]{6}):/g), ([, x12, edifact]) => {
        return x12 ?? edifact
      }),
    ).toEqual(documents)
  })

  test('is about items of the sample market', () => {
    const upcs = new Set(sampleCatalogue().map(({ upc }) => upc))
    const named = readText(name).match(/\b0860001\d{5}\b/g) ?? []

    expect(named.filter((upc) => !upcs.has(upc))).toEqual([])
  })

  test('is about orders that the samples of orders place', () => {
    const placed = SAMPLES.filter(([each]) => /^(850|orders)/.test(each)).flatMap(
      ([each]) => readText(each).match(/\bHV-4\d{4}\b/g) ?? [],
    )

    expect((readText(name).match(/\bHV-4\d{4}\b/g) ?? []).filter((po) => !placed.includes(po))).toEqual([])
  })
})
