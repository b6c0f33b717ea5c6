/** Names, keys and cells with control characters and quotes: what a terminal and a shell get of them. */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgressBar, createScreenWriter } from '../../src/cli/terminal.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { type Commands, commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ESC = '\u001B[2K'
const CSI = '\u009B31m'
const EVIL = `x${ESC}\u0007\r${CSI}\u202E`
const BAD_NAME = `p${ESC}'1.csv`
const GOOD_NAME = `o'r $(d) "x".csv`
const WHO = ['--by', `Ada ${ESC}`, '--why', `wrong ${CSI}`]

/** Characters that move the cursor, colour what follows or turn the direction of writing. */
const controls = (text: string) => text.match(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu) ?? []

/** An office whose files have such names, keys and cells: one is refused, 20 records are rejected and 5 held. */
async function anUnsafeOffice(): Promise<{ world: World; run: Commands }> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const orders = sampleOrders({ seed: 5, orders: 26, damageEvery: 0 })
  for (const order of orders) {
    order.rows.length = 1
    Object.assign(order.rows[0] ?? {}, { SKU: "NL-NO'NE", UPC: '', 'Gift Message': '' })
  }
  for (const row of orders.slice(-2).flatMap(({ rows }) => rows)) row['PO Number'] += `'s $(x)`
  for (const row of orders[0]?.rows ?? [])
    Object.assign(row, { 'PO Number': `P-${EVIL}`, SKU: ESC, 'Gift Message': EVIL })
  const { text } = ordersFile(orders)
  await world.drop('inbox/orders', GOOD_NAME, text)
  await world.drop('inbox/orders', BAD_NAME, text)
  await world.drop('inbox/orders', `wrong '1.csv`, `Name,${EVIL}Colour\nTable,red${EVIL}\n`)
  return { world, run: await commandsOf(world) }
}

test(
  'no command prints a control character of a file name, a key or a cell',
  { timeout: 120_000 },
  async () => {
    const { world, run } = await anUnsafeOffice()
    const folder = join(world.folder, 'exchange', 'inbox', 'orders')
    const samples = join(world.folder, 'samples')
    await cp(folder, samples, { recursive: true })
    const mapping = world.configuration.routes.find(({ name }) => name === 'orders')?.mappingPath ?? ''
    const exported = world.configuration.routes.find(({ name }) => name === 'orders-out')?.mappingPath ?? ''
    const sample = join('samples', GOOD_NAME)
    await mkdir(join(world.folder, 'mappings'))
    const own = join(world.folder, 'mappings', `m${ESC}.yaml`)
    await cp(mapping, own)
    const record = { id: 1, purchase_order_number: EVIL, order_lines: [{ id: 1, quantity: 1 }] }
    await writeFile(join(world.folder, 'records.json'), JSON.stringify([record]))
    const po = 'HV-10003'
    const commands = [
      ['why-not', GOOD_NAME],
      ['why-not', BAD_NAME],
      ['why-not', `absent${ESC}.csv`],
      ['status'],
      ['check'],
      ['run'],
      ['run', '--log-format', 'human'],
      ['run', '--log-format', 'json'],
      ['status'],
      ['trace', GOOD_NAME],
      ['trace', `${GOOD_NAME}:2`],
      ['trace', po],
      ['trace', EVIL],
      ['trace', 'NL'],
      ['audit', 'verify'],
      ['notifications'],
      ['labels'],
      ['labels', EVIL],
      ['resolve', po, '--absent', ...WHO],
      ['resolve', EVIL, '--absent', ...WHO],
      ['discard', EVIL, ...WHO],
      ['discard', `orders/${po}`, ...WHO],
      ['release', GOOD_NAME, ...WHO],
      ['status'],
      ['trace', GOOD_NAME],
      ['translate', sample, '-m', mapping],
      ['translate', join('samples', `wrong '1.csv`), '-m', mapping],
      ['translate', join('samples', BAD_NAME), '-m', own],
      ['translate', 'records.json', '-m', exported],
      ['map', 'try', sample, '-m', mapping],
      ['map', 'try', sample, '-m', mapping, '--record', '26'],
      ['map', 'try', 'records.json', '-m', exported],
      ['map', 'try', join('samples', `wrong '1.csv`), '-m', mapping],
      ['map', 'learn', sample, '--operation', 'create-order'],
      ['map', 'learn', join('samples', `wrong '1.csv`), '--operation', 'create-order'],
      ['map', 'diff', mapping, own, sample],
      ['map', 'test', own],
      ['map', 'docs', own],
      ['export', 'orders-out'],
      ['explain', EVIL],
      ['prune', '--dry-run', '--older-than', '1d'],
      ['restored', '--dry-run', ...WHO],
      ['init', `new${ESC}`],
      ['watch', EVIL],
      [EVIL],
      ['run', `--${EVIL}`],
    ]
    const found: Record<string, string[]> = {}
    let shown = 0
    for (const command of commands) {
      for (const args of [command, [...command, '--json']]) {
        const { out, err } = await run(...args)
        const bad = controls(out + err)
        if (bad.length > 0) found[JSON.stringify(args)] = bad.map((each) => JSON.stringify(each))
        if ((out + err).includes(String.raw`\u001b`)) shown++
        if (args.at(-1) === '--json' && out.startsWith('{') && !out.includes('\n{')) JSON.parse(out)
      }
    }
    expect(found).toEqual({})
    expect(shown).toBeGreaterThan(20)
  },
)

test('commands in messages name such files and keys as a shell reads them', async () => {
  const { world, run } = await anUnsafeOffice()
  await cp(join(world.folder, 'exchange/inbox/orders', GOOD_NAME), join(world.folder, GOOD_NAME))
  const file = String.raw`'o'\''r $(d) "x".csv'`
  const key = String.raw`'orders/HV-10025'\''s $(x)'`

  const ran = await run('run', 'orders')
  const bare = await run('discard', `HV-10025's $(x)`, ...WHO)
  const resolved = await run('resolve', `HV-10025's $(x)`, '--absent', ...WHO)
  const learned = await run('map', 'learn', GOOD_NAME, '--operation', 'create-order', '--out', "it's.yaml")

  expect(ran.err).toContain(`dropbridge release ${file} --by`)
  expect(bare.err).toContain(`dropbridge discard ${key} --by`)
  expect(resolved.err).toContain(`dropbridge release or discard ${key} --by`)
  expect(learned.err).toContain(String.raw`map try ${file} -m 'it'\''s.yaml'`)
})

test('the progress bar shows the name of a file without its control characters', async () => {
  let drawn = ''
  const stream = { isTTY: true, columns: 200, write: (text: string) => ((drawn += text), true) }
  const bar = await createProgressBar({ progressStream: stream as unknown as NodeJS.WriteStream })

  bar.observe({ kind: 'progress', route: 'orders', phase: 'sending', file: `p${CSI}.csv`, done: 1, total: 2 })
  bar.clear()

  expect(drawn).not.toContain(CSI)
})

test('a file that is written to a screen shows its control characters, whatever the pieces it comes in', () => {
  let shown = ''
  const write = createScreenWriter((text) => (shown += text))

  for (const byte of Buffer.from(`Größe,x${ESC}\tÄ${CSI}\r\n`, 'utf8')) write(Uint8Array.of(byte))

  expect(shown.replaceAll('\\u000d', '')).toBe('Größe,x\\u001b[2K\tÄ\\u009b31m\n')
})

// Formulas

const FORMULA = '=HYPERLINK("http://x")'

test('result files guard what a spreadsheet would run, and rejects are byte for byte what was sent', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 4, damageEvery: 0 })
  for (const row of orders[0]?.rows ?? []) row['PO Number'] = '@PO-1'
  for (const row of orders[1]?.rows ?? []) Object.assign(row, { 'PO Number': '-5', Quantity: 'x' })
  for (const row of orders[2]?.rows ?? []) Object.assign(row, { 'PO Number': FORMULA, Qty: '=1+1' })
  const { text } = ordersFile(orders)
  await world.drop('inbox/orders', 'orders.csv', text)

  await world.run('orders')

  const cells = parseCsv(await world.read('results/orders.csv.results.csv')).flatMap(Object.values)
  expect(cells.filter((cell) => /^[=+@\t\r]|^-(?!5$)/.test(String(cell)))).toEqual([])
  expect(cells).toEqual(expect.arrayContaining([`'@PO-1`, '-5', `'${FORMULA}`]))
  const rejects = await world.read('results/orders.csv.rejects.csv')
  for (const line of rejects.split('\n')) expect(text).toContain(line)
  expect(rejects).toContain('=1+1')
})

/** An order of a buyer who calls himself a formula, exported with this under `write`. */
async function anExportedFormula(write: string): Promise<{ world: World; run: Commands }> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const route = world.configuration.routes.find(({ name }) => name === 'orders-out')
  const mapping = join(world.folder, 'own.yaml')
  const columns = '{ PO: purchase_order_number, Name: ship_to.name1, Note: { const: "=A1" } }'
  await writeFile(mapping, `operation: export-orders\nwrite: { format: csv${write} }\ncolumns: ${columns}\n`)
  Object.assign(route ?? {}, { mappingPath: mapping })
  const orders = sampleOrders({ seed: 5, orders: 2, damageEvery: 0 })
  for (const row of orders[0]?.rows ?? []) row['Ship To Name'] = FORMULA
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  return { world, run: await commandsOf(world) }
}

test('an export reports the cells that a spreadsheet would run, with their place', async () => {
  const { world, run } = await anExportedFormula('')
  const record = { id: 7, purchase_order_number: 'P-1', ship_to: { name1: FORMULA } }
  await writeFile(join(world.folder, 'records.json'), JSON.stringify([record]))

  const exported = await run('export', 'orders-out')
  const translated = await run('translate', 'records.json', '-m', 'own.yaml')
  const asJson = await run('translate', 'records.json', '-m', 'own.yaml', '--json')
  const tried = await run('map', 'try', 'records.json', '-m', 'own.yaml')
  const ran = await run('run', 'orders-out')

  const warning =
    'column "Name": The cell begins with "=", so a spreadsheet runs it. Set `formulas` under `write`: `guard` if people open the file in a spreadsheet, else `keep`.  [cell-is-formula]'
  expect([exported.exit, translated.exit, ran.exit]).toEqual([0, 0, 0])
  expect(exported.err).toContain(`warning: 1 formula, first in id 1: ${warning}`)
  expect(translated.err).toContain(`warning: 1 formula, first in id 7: ${warning}`)
  expect(JSON.parse(asJson.out)).toMatchObject({ warnings: [{ code: 'cell-is-formula' }] })
  expect(tried.out).toContain(`warning: ${warning}`)
  expect(ran.err).toContain(
    'orders-out: orders-1.csv: 1 cell that a spreadsheet runs as a formula, first in column "Name" of id 1',
  )
  expect(await world.read('outbox/orders-1.csv')).toContain(FORMULA.replaceAll('"', '""'))
})

test('an export that guards or keeps formulas reports none, and a guard leaves constants as they are', async () => {
  const guarded = await anExportedFormula(', formulas: guard')
  const kept = await anExportedFormula(', formulas: keep')

  const errors = [await guarded.run('run', 'orders-out'), await kept.run('run', 'orders-out')].map(
    ({ err }) => err,
  )

  expect(errors.join('\n')).not.toContain('formula')
  const [first] = parseCsv(await guarded.world.read('outbox/orders-1.csv'))
  expect(first).toMatchObject({ Name: `'${FORMULA}`, Note: '=A1' })
  expect(parseCsv(await kept.world.read('outbox/orders-1.csv'))[0]).toMatchObject({ Name: FORMULA })
})
