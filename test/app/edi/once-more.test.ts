/** What an inbox took or answered, once more: retake, redeliver, resolve and undo on the sample bridge. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCsv } from '../../fixtures/csv.ts'
import { aSampleBridge, type SampleBridge } from '../../fixtures/sample-bridge.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url), 'utf8')

async function aBridgeThatTookADay(): Promise<SampleBridge> {
  const bridge = await aSampleBridge()
  await bridge.drop('van/in/day.x12', ONE_DAY)
  await bridge.run('run')
  return bridge
}

const statuses = async (bridge: SampleBridge, name: string) =>
  parseCsv(await bridge.read(`erp/results/${name}.results.csv`)).map((row) => row['_status'])

describe('a file that an inbox took', () => {
  test('is taken again from the archive: accepted orders are duplicates, refused ones are judged anew', async () => {
    const bridge = await aBridgeThatTookADay()
    expect(await statuses(bridge, 'day.x12.orders-in')).toEqual(['accepted', 'rejected', 'accepted'])
    // The mended mapping reads the quantity that was refused.
    const mapping = join(bridge.folder, '../../mappings/x12/850-orders.yaml')
    const mended = (await readFile(mapping, 'utf8'))
      .replace('quantity: PO1.02', 'quantity: { from: PO1.02, table: words, miss: keep }')
      .replace('tables:', 'tables:\n  words: { rows: { two: 2 } }')
    await writeFile(mapping, mended)

    const { exit, err } = await bridge.run('retake', 'day.x12')

    expect(err).toContain('inbox:van: day.x12 is taken again from archive/van/')
    expect(await statuses(bridge, 'day.x12.orders-in~2')).toEqual(['duplicate', 'accepted', 'duplicate'])
    expect(exit).toBe(0)
    // Nobody is answered twice, and the archive keeps its one copy.
    expect(await bridge.list('van/out')).toEqual(['997-haven-000000001.edi'])
    expect((await bridge.run('audit', 'verify')).exit).toBe(0)
    expect((await bridge.run('trace', 'day.x12')).out).toContain('results day.x12~2.sets.csv')
  })

  test('is not taken again where its archived copy was changed', async () => {
    const bridge = await aBridgeThatTookADay()
    const [copy = ''] = await listFiles(join(bridge.folder, 'van/archive'))
    await writeFile(copy, ONE_DAY.replace('two', '2'))

    const { exit, err } = await bridge.run('retake', 'day.x12')

    expect(exit).toBe(2)
    expect(err).toContain('was changed or removed')
  })

  test('is not taken again where its archived copy is gone', async () => {
    const bridge = await aSampleBridge()
    await bridge.drop('van/in/day.x12', ONE_DAY)
    await bridge.run('run')
    await rm(join(bridge.folder, 'van/archive'), { recursive: true })

    expect((await bridge.run('retake', 'day.x12')).err).toContain('is not in the archive any more')
  })
})

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
