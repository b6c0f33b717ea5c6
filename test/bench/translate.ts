/** How fast files become request bodies, beside a program written by hand and beside reading alone. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { mappedByHand, parsedByPapaparse } from './by-hand.ts'
import { interleave, timed, type Round, WrongCount } from './measure.ts'
import { bodiesOf, type OrderFile, orderTranslator, purchaseOrderNumbers, writeOrders } from './order-file.ts'
import type { Scale } from './scale.ts'
import { inFolder, repository } from './setting.ts'
import { type Row, speed } from './table.ts'

export function translateRows({ translate: { rows, rounds } }: Scale): Promise<Row[]> {
  return inFolder(async (folder) => {
    const file = await writeOrders(join(folder, 'orders.csv'), { rows }, purchaseOrderNumbers())
    const plain = await orderTranslator()
    const optioned = await orderTranslator(join(repository, 'test/bench/mappings/twenty-options.yaml'))
    await sameBodies({
      'the program by hand': () => mappedByHand(file.path),
      'the mapping': () => bodiesOf(file.path, plain),
      'the mapping with more options': () => bodiesOf(file.path, optioned),
    })

    const paces = await interleave(
      { rounds, count: file.orders },
      {
        papaparse: () => parseOnly(file),
        hand: () => countBodies(mappedByHand(file.path)),
        plain: () => countBodies(bodiesOf(file.path, plain)),
        optioned: () => countBodies(bodiesOf(file.path, optioned)),
      },
    )
    const rowSpeed = ({ ms }: { readonly ms: number }) => speed((file.rows / ms) * 1000)
    const ours = rowSpeed(paces.plain)
    const { papaparse, hand, plain: own } = paces
    return [
      {
        what: `translate ${file.rows} rows, to JSON`,
        beside: 'parse + map + JSON by hand',
        floor: rowSpeed(hand),
        ours,
        ratio: hand.ms / own.ms,
        reach: { atLeast: 0.6 },
      },
      {
        what: 'the same',
        beside: 'bare papaparse, rows as arrays',
        floor: rowSpeed(papaparse),
        ours,
        ratio: papaparse.ms / own.ms,
      },
      {
        what: 'the same with twenty more options',
        beside: 'the same mapping without them',
        floor: ours,
        ours: rowSpeed(paces.optioned),
        ratio: own.ms / paces.optioned.ms,
        reach: { atLeast: 0.7 },
      },
    ]
  })
}

export function countBodies(bodies: AsyncIterable<string>): Promise<Round> {
  return timed(async () => {
    let count = 0
    let characters = 0
    for await (const body of bodies) {
      count++
      characters += body.length
    }
    return characters > 0 ? count : 0
  })
}

/** Checks that all rows were read. */
function parseOnly({ path, rows, orders }: OrderFile): Promise<Round> {
  return timed(async () => {
    let found = 0
    for await (const piece of parsedByPapaparse(path)) {
      for (const cells of piece) if (cells.length > 1) found++
    }
    return found === rows + 1 ? orders : found
  })
}

/** A comparison is worthless when the two contenders do different work. */
export async function sameBodies(ways: Readonly<Record<string, () => AsyncIterable<string>>>): Promise<void> {
  const hashes = new Set<string>()
  for (const bodies of Object.values(ways)) {
    const hash = createHash('sha256')
    for await (const body of bodies()) hash.update(body)
    hashes.add(hash.digest('hex'))
  }
  if (hashes.size !== 1) throw new WrongCount(`not the same bodies come of ${Object.keys(ways).join(', ')}`)
}
