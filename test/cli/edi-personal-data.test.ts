/** Persons in interchanges: their names, addresses and messages stay in the contents, and go when these are pruned. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/support/sqlite.ts'
import { dress, HAVEN, make850, makeInterchange, type MadeSegment } from '../fixtures/edi-maker.ts'
import { aSampleBridge } from '../fixtures/sample-bridge.ts'

const DAY_MS = 86_400_000

/** A program that receives notifications: it appends each as a line to a file. */
const KEEPER = `let t='';process.stdin.on('data',c=>t+=c).on('end',()=>require('fs').appendFileSync(process.argv[1],t))`

/** What stands in the interchange and in no other place of the world. */
const PERSONAL = [
  'Zebulonia Quagmeyer',
  'care of Xanthippe',
  '77 Obfuscation Terrace',
  'Suite Kumquat',
  'Peculiarville',
  '5559871234',
  'zebulonia@quagmeyer.example',
  'Happy birthday dearest Zebulonia',
  'Wrongprovince Zyx',
]

const address = (province: string) => ({
  role: 'ST',
  name: 'Zebulonia Quagmeyer',
  name2: 'care of Xanthippe',
  street: ['77 Obfuscation Terrace', 'Suite Kumquat'],
  city: 'Peculiarville',
  province,
  postalCode: '12207',
  country: 'US',
  phone: '5559871234',
  email: 'zebulonia@quagmeyer.example',
})

const order = (po: string, province: string, more: readonly MadeSegment[] = []) =>
  make850({
    po,
    carrier: ['TD5', '', '', '', 'ZZ', 'FedEx Ground'],
    gift: ['Happy birthday dearest Zebulonia'],
    addresses: [address(province)],
    more,
    lines: [{ quantity: 1, price: '12.5', pairs: [['SK', 'HV-10001']], retail: '24.99' }],
  })

/** The good ones are posted; the others have a wrong value, a wrong structure, and no route. */
const INTERCHANGE = dress(
  makeInterchange({
    syntax: 'x12',
    sender: HAVEN,
    groups: [
      {
        sets: [
          order('HV-90001', 'NY'),
          order('HV-90002', 'Wrongprovince Zyx'),
          order('HV-90003', 'NY', [['P01', 'Zebulonia Quagmeyer']]),
          { ...order('HV-90004', 'NY'), document: '832' },
        ],
      },
    ],
  }),
)

const findPersonal = (text: string) => PERSONAL.filter((word) => text.includes(word))

async function readAll(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}

test('no person of an interchange is in the log, the events, the alerts, the page or a notification, and pruning leaves none in the journal', async () => {
  const bridge = await aSampleBridge()
  const path = join(bridge.folder, 'told.jsonl')
  await bridge.configure(`
keep: { contents: 30d }
log: { file: bridge.log, level: info }
status: { page: STATUS.html }
notifications:
  ops: { type: command, on: always, run: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(KEEPER)}, ${JSON.stringify(path)}] }
`)
  await bridge.drop('van/in/day.x12', INTERCHANGE)

  const run = await bridge.run('run')
  const status = await bridge.run('status', '--json')
  const journal = join(bridge.folder, 'state/journal.db')
  const readTable = (table: string, columns = '*') => {
    const database = openDatabase(journal, { readonly: true })
    const rows = database.prepare(`select ${columns} from ${table}`).all()
    database.close()
    return JSON.stringify(rows)
  }

  expect(run.exit).toBe(2)
  const sets = await bridge.read('erp/edi-results/day.x12.sets.csv')
  for (const what of ['province-unknown', 'segment-misspelled', 'edi-document-unrouted']) {
    expect(sets).toContain(what)
  }
  // It is there: in what the API got, and in the answer to the partner.
  expect(findPersonal(await readAll(join(bridge.folder, 'van/out')))).toEqual(['Wrongprovince Zyx'])
  expect(findPersonal(readTable('records'))).not.toEqual([])
  const texts = {
    log: await bridge.read('bridge.log'),
    page: await bridge.read('STATUS.html'),
    notifications: await bridge.read('told.jsonl'),
    status: status.out,
    events: readTable('events'),
    alerts: readTable('alerts'),
  }
  for (const [name, text] of Object.entries(texts)) {
    expect([name, text.length > 200, findPersonal(text)]).toEqual([name, true, []])
  }

  bridge.clock.skip(31 * DAY_MS)
  const later = await bridge.run('run')
  const audit = await bridge.run('audit', 'verify')

  expect(later.err).toContain('pruned: the contents of')
  // The journal with its log, the spool, and the answer that was delivered.
  expect(findPersonal(await readAll(join(bridge.folder, 'state')))).toEqual([])
  expect([audit.exit, audit.out]).toEqual([0, expect.stringContaining('whole')])
})
