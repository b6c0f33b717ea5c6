/** The commands of docs/support.md are run, and their output is that of the page. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandsOf, runUnheard } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const PAGE = new URL('../../docs/support.md', import.meta.url).pathname

const PACKAGE = new URL('../../', import.meta.url).pathname

const ORDERS = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })

/** Four orders, one of them refused, exported; a parcel whose answer was lost; and a file with a wrong name. */
async function anOffice(): Promise<World> {
  let ids = 0
  const newId = () => `k3v9m2x7q${100 + ++ids}`
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'], newId })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const parcels = sampleShipments(ORDERS.slice(0, 1), { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await runUnheard(world, 'shipments', { arrives: true })
  await world.drop('inbox/orders', 'orders.txt', ordersFile(ORDERS.slice(0, 1)).text)
  return world
}

test('docs/support.md shows the real output of its commands', async () => {
  const world = await anOffice()
  const run = await commandsOf(world)
  const plain = (text: string) =>
    text
      .replaceAll(world.folder, '/srv/bridge')
      .replaceAll(PACKAGE, '/opt/dropbridge/')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-21T12:00:00.000Z')
      .replaceAll(/\d{4}\/\d\d\/\d\d/g, '2026/11/21')
      .replaceAll(/[ \t]+$/gm, '')
  const page = readFileSync(PAGE, 'utf8')
  const pieces: string[] = []
  let last = 0
  for (const block of page.matchAll(/```\n\$ dropbridge (.+)\n[^]*?```\n/g)) {
    const args = [...(block[1] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? '')
    const { out, err } = await run(...args)
    const output = plain([out, err].filter((text) => text !== '').join('\n'))
    pieces.push(page.slice(last, block.index), `\`\`\`\n$ dropbridge ${block[1]}\n${output}\n\`\`\`\n`)
    last = block.index + block[0].length
  }
  pieces.push(page.slice(last))

  expect(pieces.length).toBeGreaterThan(8)
  await expect(pieces.join('')).toMatchFileSnapshot(PAGE)
})

/** What the person who asks is told, by the words of the question. */
const ANSWERS: readonly (readonly [question: RegExp, answer: RegExp])[] = [
  [/became of my order/, /rejected[^]*line 6, column "State": "ZZ" is not a state/],
  [/row was refused/, /line 6, column "State": .* Write the code of a state or province/],
  [/which file/, /delivery +outbox\/orders-1\.csv.*acknowledged /],
  [/shipped, closed or canceled/, /as brand\/2000 sees it: closed[^]* 6 +6 +0 /],
  [/still in the inbox/, /does not match "\*\.csv" of route orders[^]*fix: Rename the file/],
  [/all well/, /needs a person:[^]*held for a person/],
  [/send and receive/, /create-order +sent +1 [^]*export-orders +received +1 .*\d\.\d\d/],
  [/acknowledged or shipped soon/, /^ *\d+\.\d h +ship +HV-10002/m],
  [/canceled, or taken back/, /can +reopen: [^]*cannot +shipment 1/],
  [/lost your file/, /the bytes of orders-1\.csv once more/],
]

test('each of the ten questions of docs/support.md is answered by the one command beside it', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const rows = [...page.matchAll(/^\| \[(.+)\]\(#(.+)\) \| `dropbridge (.+)` \|$/gm)]
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  const run = await commandsOf(await anOffice())

  expect(rows).toHaveLength(ANSWERS.length)
  for (const [index, [, question = '', section, command = '']] of rows.entries()) {
    const [asked, answer] = ANSWERS[index] ?? []
    const { out, err } = await run(...command.split(' '))
    expect.soft(question).toMatch(asked ?? /^$/)
    expect.soft(headings, question).toContain(section)
    expect.soft(`${out}\n${err}`, question).toMatch(answer ?? /^$/)
  }
})
