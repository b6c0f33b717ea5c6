/** Writes order files of any size piece by piece, and the bodies that a mapping must make of them. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { translateFile } from '../../src/mapping-tools/translate-file.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import type { Format } from '../../src/domain/format.ts'
import type { Translator } from '../../src/domain/translator.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { repository } from './setting.ts'

export const ORDERS_PER_PIECE = 5000

export interface OrderFile {
  readonly path: string
  readonly orders: number
  readonly rows: number
}

/** Gives out purchase order numbers, so that no two files of a bench share one where that matters. */
export interface Numbers {
  take(count: number): number
}

export function purchaseOrderNumbers(first = 10_001): Numbers {
  let next = first
  return {
    take(count) {
      const taken = next
      next += count
      return taken
    },
  }
}

/** Writes a file of good orders until it has so many orders or, about, so many rows. */
export async function writeOrders(
  path: string,
  size: { readonly orders: number } | { readonly rows: number },
  numbers: Numbers,
): Promise<OrderFile> {
  const file = await open(path, 'w')
  let orders = 0
  let rows = 0
  try {
    const isDone = () => ('orders' in size ? orders >= size.orders : rows >= size.rows)
    while (!isDone()) {
      const wanted = 'orders' in size ? size.orders - orders : Math.ceil((size.rows - rows) / 2)
      const count = Math.min(ORDERS_PER_PIECE, wanted)
      const firstNumber = numbers.take(count)
      const piece = sampleOrders({ seed: firstNumber, orders: count, damageEvery: 0, firstNumber })
      const { text } = ordersFile(piece)
      await file.write(orders === 0 ? text : text.slice(text.indexOf('\n') + 1))
      orders += count
      for (const order of piece) rows += order.rows.length
    }
  } finally {
    await file.close()
  }
  return { path, orders, rows }
}

export const ORDERS_MAPPING = join(repository, 'mappings/retailer-orders.yaml')

export async function orderTranslator(path = ORDERS_MAPPING): Promise<Translator> {
  const mapping = await loadMapping(path)
  if (mapping.direction !== 'inbound') throw new Error(`${path} does not read files`)
  return mapping.translator
}

/** The bodies of a file as JSON. Throws when a record of it is refused. */
export async function* bodiesOf(
  file: string,
  translator: Translator,
  format: Pick<Format, 'read'> = createCsvFormat(),
): AsyncGenerator<string> {
  const translation = await translateFile(file, format, translator)
  if ('unusable' in translation) throw new Error(JSON.stringify(translation.unusable))
  for await (const drafts of translation.drafts) {
    for (const draft of drafts) {
      if (draft.body === undefined) throw new Error(JSON.stringify(draft.problems))
      yield JSON.stringify(draft.body)
    }
  }
}
