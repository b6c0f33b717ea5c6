/** What people read about documents in the commands, on the sample bridge. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { aSampleBridge } from '../../fixtures/sample-bridge.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url), 'utf8')

const OWN_FOLDER = `
  orders-direct:
    retailer: 1000
    operation: create-order
    from: { mailbox: van, folder: direct, match: '*' }
    mapping: ../../mappings/x12/850-orders.yaml
    results: { mailbox: erp }
`

test('a trace counts segments where a record came in a document, whichever way it came', async () => {
  const bridge = await aSampleBridge()
  await bridge.configure(OWN_FOLDER)
  await bridge.drop('van/in/day.x12', ONE_DAY)
  await bridge.drop('van/direct/more.x12', ONE_DAY.replaceAll('HV-41', 'HV-42'))
  await bridge.run('run')

  expect((await bridge.run('trace', 'HV-41001')).out).toContain('day.x12, segments 3-27, record 1')
  expect((await bridge.run('trace', 'HV-42001')).out).toContain('more.x12, segments 3-27, record 1')
  expect((await bridge.run('trace', 'more.x12')).out).toMatch(/record +segments +operation/)
  expect((await bridge.run('trace', 'more.x12:41')).out).toContain('more.x12, segments 28-45, record 2')
})

test('a value that is missing in a document is an element that its sender must fill in', async () => {
  const bridge = await aSampleBridge()
  await bridge.drop('van/in/day.x12', ONE_DAY.replace('BEG*00*DS*HV-41003', 'BEG*00*DS*'))
  await bridge.run('run')

  const results = await bridge.read('erp/results/day.x12.orders-in.results.csv')
  expect(results).toContain(
    'No value stands in REF*PO.02 or BEG.03, and the API requires purchase_order_number.',
  )
  expect(results).toContain('Have the sender fill in the element.')
  expect(results).not.toMatch(/\bcell\b/)
})

test('a segment that is missing is named, and not its elements', async () => {
  const bridge = await aSampleBridge()
  const day = ONE_DAY.replace(/(BEG\*00\*DS\*HV-41003[^]*?)N4\*[^~]*~\r?\n?/, '$1').replace(
    'SE*25*0003',
    'SE*24*0003',
  )
  await bridge.drop('van/in/day.x12', day)
  await bridge.run('run')

  const results = await bridge.read('erp/results/day.x12.orders-in.results.csv')
  expect(day).not.toBe(ONE_DAY)
  expect(results).toContain('There is no N1*BT/N4 behind this segment, and the API requires sold_to.city.')
  expect(results).toContain('Have the sender add N1*BT/N4.')
})
