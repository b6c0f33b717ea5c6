/** The commands about mapping files, as the program runs them. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const repository = new URL('../..', import.meta.url).pathname
const MAPPING = join(repository, 'mappings/retailer-orders.yaml')
const SAMPLE = join(repository, 'samples/orders/retailer-orders.csv')

interface Output {
  readonly exit: number
  readonly out: string
  readonly err: string
}

async function dropbridge(folder: string, ...args: readonly string[]): Promise<Output> {
  const { terminal, out, err } = listeningTerminal({ folder })
  const exit = await runCommandLine(terminal, ['map', ...args])
  return { exit, out: out.join('\n'), err: err.join('\n') }
}

/** A folder with one file in it. */
async function folderWith(name: string, text: string | Uint8Array): Promise<string> {
  const folder = await tempFolder()
  await writeFile(join(folder, name), text)
  return folder
}

const AMAZON = [
  'order-id\torder-item-id\tpurchase-date\tbuyer-email\tbuyer-name\tsku\tproduct-name\tquantity-purchased\titem-price\tship-service-level\trecipient-name\tship-address-1\tship-address-2\tship-city\tship-state\tship-postal-code\tship-country\tship-phone-number\tdelivery-Instructions',
  '112-1\t99001\t2026-11-16T10:50:49-08:00\ta@b.example\tAda W\tHV-1\tVase\t2\t19.99\tStandard\tAda Whitfield\t12 Mill Lane\t\tPortland\tME\t04101\tUS\t555-0142\tring "twice',
  '112-1\t99002\t2026-11-16T10:50:49-08:00\ta@b.example\tAda W\tHV-2\t"9"" Lamp\t1\t29.99\tStandard\tAda Whitfield\t12 Mill Lane\t\tPortland\tME\t04101\tUS\t555-0142\t',
  '112-2\t99003\t2026-11-17T08:00:00-08:00\tc@d.example\tTom\tHV-1\tVase\t1\t19.99\tExpedited\tTom Reed\t33 County Road\tUnit B\tNewark\tNJ\t07102\tUS\t\t',
  '',
].join('\n')

const SHIPSTATION = `Order - Number,Date - Order Date,Ship To - Name,Ship To - Address 1,Ship To - City,Ship To - State,Ship To - Postal Code,Ship To - Country,Item - SKU,Item - Qty,Item - Cost,Item - Price,Carrier - Service Requested
1001,11/16/2026 9:05:00 AM,Ada Whitfield,12 Mill Lane,Portland,ME,4101,United States,HV-1,2,11.24,23.47,FedEx Ground
1001,11/16/2026 9:05:00 AM,Ada Whitfield,12 Mill Lane,Portland,ME,4101,United States,HV-2,1,28.09,57.17,FedEx Ground
1002,11/17/2026 1:15:00 PM,Mei Chen,196 Harbor Rd,Austin,TX,78701,US,HV-3,1,11.83,24.65,UPS Ground
`

describe('learn', () => {
  test('a mapping learned from the retailer sample compiles and translates the file it was learned from', async () => {
    const folder = await tempFolder()

    const learned = await dropbridge(
      folder,
      'learn',
      SAMPLE,
      '--operation',
      'create-order',
      '--out',
      'm.yaml',
    )
    const tried = await dropbridge(folder, 'try', SAMPLE, '-m', 'm.yaml', '--record', '1', '--json')

    expect(learned).toMatchObject({ exit: 0, out: '' })
    expect(learned.err).not.toContain('filled in')
    expect(await readFile(join(folder, 'm.yaml'), 'utf8')).toContain(
      '    country: Country # likely: named so; blank in 1 of 6 rows, which a default would fill\n',
    )
    const record = JSON.parse(tried.out) as { outcome: string; fields: { field: string; value: unknown }[] }
    expect(tried.exit).toBe(0)
    expect(record.outcome).toBe('translated')
    const values = new Map(record.fields.map(({ field, value }) => [field, value]))
    expect(values.get('purchase_order_number')).toBe('HV-20001')
    expect(values.get('shipping_method.code')).toBe('FEDEX_GROUND')
    expect(values.get('order_lines[1].net_price')).toBe('28.09')
  })

  test('a sample whose last line has no line end may be cut, and that is said', async () => {
    const sample = 'PO,Name,SKU,Qty\nA-1,Ada,HV-1,2\nA-2,Bo,HV-1,12'
    const open = await folderWith('open.csv', sample)
    const whole = await folderWith('whole.csv', `${sample}\n`)

    const cut = await dropbridge(open, 'learn', 'open.csv', '--operation', 'create-order')
    const learned = await dropbridge(whole, 'learn', 'whole.csv', '--operation', 'create-order')

    expect(cut.err).toContain(
      'The last line of open.csv has no line end: run holds its record.  [file-perhaps-cut]\n',
    )
    expect(learned.err).not.toContain('line end')
  })

  test('an Amazon report: tabs, quotes that are data, and what the API needs and the file lacks', async () => {
    const folder = await folderWith('amazon.txt', AMAZON)

    const { exit, out, err } = await dropbridge(folder, 'learn', 'amazon.txt', '--operation', 'create-order')

    expect(exit).toBe(0)
    for (const line of [
      'read: { format: csv, quote: null }',
      'group: order-id # sure: 3 rows make 2 records',
      '  purchase_order_number: order-id # sure: named so',
      '  ordered_at: purchase-date # sure: named so; its cells name their zone',
      '    street1: ship-address-1 # sure: named so',
      '      quantity: quantity-purchased # sure: named so',
      '#   product-name: "Vase"',
    ])
      expect(out.split('\n')).toContain(line)
    expect(out).toMatch(/^ {6}net_price: # the API requires this: name the column/m)
    const line = out.split('\n').findIndex((each) => each.includes('net_price:')) + 1
    expect(err).toContain('To be filled in before it works:')
    expect(err).toContain(`mapping.yaml:${line}:`)
    expect(err.match(/mapping\.yaml:/g)).toHaveLength(1)
  })

  test('a ShipStation export: dates with am and pm, zeros that a spreadsheet took, and the codes of carriers', async () => {
    const folder = await folderWith('ship.csv', SHIPSTATION)

    const { out, err } = await dropbridge(
      folder,
      'learn',
      'ship.csv',
      '--operation',
      'create-order',
      '--out',
      'm.yaml',
    )
    const tried = await dropbridge(folder, 'try', 'ship.csv', '-m', 'm.yaml', '--json')
    const [first, second] = tried.out
      .split('\n')
      .map((line) => JSON.parse(line) as { fields: { field: string; value: unknown }[] })

    expect(out).toBe('')
    expect(err).toContain('Wrote m.yaml')
    expect(first?.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'ordered_at', value: '2026-11-16T09:05:00Z' }),
        expect.objectContaining({ field: 'ship_to.postal_code', value: '04101' }),
        expect.objectContaining({ field: 'ship_to.country', value: 'US' }),
      ]),
    )
    expect(second?.fields).toContainEqual(
      expect.objectContaining({ field: 'shipping_method.carrier.code', value: 'UPSN' }),
    )
  })

  test('the Shopify sample: rows without a number continue the order before', async () => {
    const shopify = join(repository, 'samples/orders/shopify-orders.csv')

    const { out } = await dropbridge(await tempFolder(), 'learn', shopify, '--operation', 'create-order')

    expect(out).toMatch(/^group: \{ by: Name, blank: continues \} # guess: \d+ rows make 3 records$/m)
    expect(out).toContain('    street1: Shipping Address1 # sure: named so')
    expect(out).toContain('      Standard: { method: "", carrier: "" } # fill in')
  })

  test('shipments and invoices are learned too', async () => {
    const folder = await tempFolder()
    const invoices = join(repository, 'samples/invoices/supplier-invoices.csv')
    const shipments = join(repository, 'samples/shipments/supplier-shipments.csv')

    const invoice = await dropbridge(folder, 'learn', invoices, '--operation', 'create-invoice')
    const shipment = await dropbridge(folder, 'learn', shipments, '--operation', 'create-shipment')

    expect(invoice.err).not.toContain('filled in')
    expect(invoice.out).toContain('  terms_date_due: { from: Due Date, format: MM/dd/yyyy } # sure: named so')
    expect(shipment.out).toContain('group: [PO Number, Tracking Number] # sure: 5 rows make 3 records')
    expect(shipment.out).toContain('  order_id: { from: PO Number, find: order } # sure: named so')
    expect(shipment.err).toContain('body.ship_from_street1')
  })

  test('a file without headings: columns are recognised by their contents', async () => {
    const folder = await folderWith(
      'bare.csv',
      `PO-1,acme,2026-11-16T15:20:00Z,HV-1,2,Ada Whitfield,Portland,04101,ME,US
PO-1,acme,2026-11-16T15:20:00Z,HV-2,1,Ada Whitfield,Portland,04101,ME,US
PO-2,acme,2026-11-16T16:20:00Z,HV-1,1,Tom Reed,Newark,07102,NJ,US
`,
    )

    const { out } = await dropbridge(folder, 'learn', 'bare.csv', '--operation', 'create-order')

    expect(out).toContain('    - Column 4 # "HV-1"')
    expect(out).toContain('group: Column 1 # guess: 3 rows make 2 records')
    expect(out).toContain(
      '    postal_code: Column 8 # guess: which field it is, by its cells: 100 % are postal codes',
    )
    expect(out).toContain(
      '    country: Column 10 # guess: which field it is, by its cells: 100 % are countries',
    )
  })

  test('days that could be months are a guess, and both readings are named', async () => {
    const folder = await folderWith('d.csv', 'PO Number,Order Date,SKU\nP-1,03/04/2026,A\nP-2,05/06/2026,B\n')

    const { out } = await dropbridge(folder, 'learn', 'd.csv', '--operation', 'create-order')

    expect(out).toContain('format: MM/dd/yyyy } # guess: named so; every cell fits dd/MM/yyyy as well')
  })

  test('an encoding other than UTF-8 is detected', async () => {
    const folder = await folderWith('w.csv', Buffer.from('PO Number,Ship To Name\nP-1,Jos\u00e9\n', 'latin1'))

    const { out } = await dropbridge(folder, 'learn', 'w.csv', '--operation', 'create-order')

    expect(out).toContain('read: { format: csv, encoding: windows-1252 }')
  })

  test('no file is overwritten, and a file that cannot be learned from is reported', async () => {
    const folder = await folderWith('m.yaml', 'mine')
    const typed = join(repository, 'samples/orders/dropstream-orders.csv')

    const there = await dropbridge(folder, 'learn', SAMPLE, '--operation', 'create-order', '--out', 'm.yaml')
    const records = await dropbridge(folder, 'learn', typed, '--operation', 'create-order')
    const wrong = await dropbridge(folder, 'learn', SAMPLE, '--operation', 'create-ordr')
    await writeFile(join(folder, 'bare.csv'), 'PO Number,Qty\n')
    const bare = await dropbridge(folder, 'learn', 'bare.csv', '--operation', 'create-order')
    const missing = await dropbridge(folder, 'learn', 'no.csv', '--operation', 'create-order')

    expect([there.exit, records.exit, wrong.exit, missing.exit]).toEqual([74, 0, 64, 64])
    expect(there.err).toContain('fix: Name another file with --out, or move this one away.')
    expect(await readFile(join(folder, 'm.yaml'), 'utf8')).toBe('mine')
    expect(records.out).toMatch(/^ +PH:$/m)
    expect(records.out).toMatch(/^ +PD:$/m)
    expect(bare).toMatchObject({
      exit: 65,
      err: expect.stringContaining('no rows under its first line') as string,
    })
    expect(wrong.err).toContain('Did you mean "create-order"?')
    expect(missing.err).toContain('no.csv')
  })
})

describe('try', () => {
  test('shows for every field the column, the cell, what is done to it and the value', async () => {
    const { exit, out, err } = await dropbridge(
      await tempFolder(),
      'try',
      SAMPLE,
      '-m',
      MAPPING,
      '--record',
      '1',
    )

    expect(exit).toBe(0)
    expect(out).toContain('record 1 (HV-20001), lines 2, 4')
    expect(out).toMatch(
      /^ordered_at +Order Date +"11\/16\/2026 09:05" → format MM\/dd\/yyyy HH:mm, zone America\/New_York "2026-11-16T14:05:00Z"$/m,
    )
    expect(out).toMatch(
      /^shipping_method\.code +Ship Via +"FedEx Ground" → table ship-via pick method "FEDEX_GROUND"$/m,
    )
    expect(out).toMatch(/^gift_message +Gift Message +.* → wrap 64 \["Happy birthday, Nana!","With love/m)
    expect(out).toMatch(/^order_lines\[1\]\.quantity +Qty +"1"$/m)
    expect(err).toContain('columns that are not used: Description')
  })

  test('problems are shown at their field, and the exit code says that a record is refused', async () => {
    const text = (await readFile(SAMPLE, 'utf8')).replace(',2,11.24,', ',two,11.24,')
    const folder = await folderWith('damaged.csv', text)

    const { exit, out } = await dropbridge(folder, 'try', 'damaged.csv', '-m', MAPPING)

    expect(exit).toBe(2)
    expect(out).toContain('record 1 (HV-20001), lines 2, 4: refused')
    expect(out).toMatch(
      /^order_lines\[0\]\.quantity +Qty +"two" → as a whole number from 1 WRONG: integer-expected$/m,
    )
    expect(out).toMatch(/wrong: line 2, column "Qty": "two" is not a whole number/)
  })

  test('each line that is packed into a row has its own line in the table', async () => {
    const sample = join(repository, 'samples/orders/woocommerce-orders-packed.csv')
    const mapping = join(repository, 'mappings/woocommerce-orders-packed.yaml')

    const { exit, out } = await dropbridge(await tempFolder(), 'try', sample, '-m', mapping, '--record', '1')

    expect(exit).toBe(0)
    expect(out).toContain('record 1 (4101), line 2')
    expect(out).toMatch(/^order_lines\[0\]\.quantity +line_items +"id:41011.*" → match .* "2"$/m)
    expect(out).toMatch(/^order_lines\[1\]\.quantity +line_items +"id:41012.*" → match .* "4"$/m)
  })

  test('a record that is not in the file is named', async () => {
    const { exit, err } = await dropbridge(await tempFolder(), 'try', SAMPLE, '-m', MAPPING, '--record', '9')

    expect(exit).toBe(64)
    expect(err).toContain('has 3 records; there is no record 9')
  })
})

describe('test', () => {
  test('runs the examples and reports what they leave untried', async () => {
    const shopify = join(repository, 'mappings/shopify-orders.yaml')

    const { exit, out, err } = await dropbridge(await tempFolder(), 'test', MAPPING, shopify)

    expect(exit).toBe(0)
    expect(out).toContain('columns that are not used: Description')
    expect(out).toContain('fields that no example fills: ship_to.name2')
    expect(out).toContain('ship_to.name1: firstOf Billing Name')
    expect(out).not.toContain('ship_to.country: default')
    expect(err).toContain('Every example gives what it should.')
  })

  test('a failing example is reported field by field, with 65', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'tables'))
    await writeFile(
      join(folder, 'tables/ship-via.csv'),
      await readFile(join(repository, 'mappings/tables/ship-via.csv')),
    )
    const text = await readFile(MAPPING, 'utf8')
    await writeFile(join(folder, 'm.yaml'), text.replaceAll('../samples/orders/', ''))
    await writeFile(join(folder, 'retailer-orders.csv'), await readFile(SAMPLE))
    const expected = await readFile(SAMPLE.replace('.csv', '.expected.json'), 'utf8')
    await writeFile(join(folder, 'retailer-orders.expected.json'), expected.replace('"ME"', '"MA"'))

    const { exit, out } = await dropbridge(folder, 'test', 'm.yaml', '--json')

    const [tested] = JSON.parse(out) as { failures: string[]; coverage: { unusedColumns: string[] } }[]
    expect(exit).toBe(65)
    expect(tested?.failures).toEqual([
      'example retailer-orders.csv: Record 1: ship_to.province is "ME"; expected was "MA". Correct the mapping, or the file of `expect` in its `examples`.',
    ])
    expect(tested?.coverage.unusedColumns).toEqual(['Description'])
  })
})

describe('diff', () => {
  test('a mapping that does the same changes nothing', async () => {
    const { exit, out, err } = await dropbridge(await tempFolder(), 'diff', MAPPING, MAPPING, '--on', SAMPLE)

    expect({ exit, out, err }).toEqual({ exit: 0, out: '', err: 'Nothing changes in 1 file.' })
  })

  test('changed fields are shown with both values, and records that are refused now with the reason', async () => {
    const folder = await folderWith(
      'new.yaml',
      `extends: ${MAPPING}\nbody: { ship_to: { phone1: null, phone2: Phone, country: { default: CA } } }\n`,
    )
    await mkdir(join(folder, 'files'))
    await writeFile(join(folder, 'files/orders.csv'), await readFile(SAMPLE))

    const { exit, out, err } = await dropbridge(folder, 'diff', MAPPING, 'new.yaml', '--on', 'files')

    expect(exit).toBe(2)
    expect(out.split('\n').slice(0, 5)).toEqual([
      `${join('files', 'orders.csv')}: HV-20001 changes`,
      '  ship_to.phone1: "555-0142" -> (left out)',
      '  ship_to.phone2: (left out) -> "555-0142"',
      `${join('files', 'orders.csv')}: HV-20002 is refused now`,
      '  line 5, column "State": "Puerto Rico" is not a state or province of CA, such as AB (Alberta), BC (British Columbia), MB (Manitoba).',
    ])
    expect(err).toBe('3 records change in 1 file.')
  })
})

describe('diff of exports', () => {
  const orders = join(repository, 'mappings/orders-export.yaml')
  const records = join(repository, 'samples/exports/orders.json')

  test('shows the cells that change, and a text for records whose outcome changes', async () => {
    const folder = await folderWith(
      'new.yaml',
      `extends: ${orders}\ncolumns: { PO Number: { from: purchase_order_number, case: lower } }\n`,
    )

    const { exit, out } = await dropbridge(folder, 'diff', orders, 'new.yaml', '--on', records)

    expect(exit).toBe(2)
    expect(out).toMatch(/^ {2}rows\[0\]\.PO Number: "([A-Z0-9-]+)" -> "[a-z0-9-]+"$/m)
  })

  test('an export and another mapping cannot be compared', async () => {
    const { exit, err } = await dropbridge(await tempFolder(), 'diff', orders, MAPPING, '--on', records)

    expect(exit).toBe(64)
    expect(err).toContain('one of the mappings is for an export, and the other one is not')
  })
})

describe('docs', () => {
  test('a page with every column, a template, a good file and a bad one with what is wrong', async () => {
    const folder = await tempFolder()

    const { exit } = await dropbridge(folder, 'docs', MAPPING, '--out', 'partner')
    const page = await readFile(join(folder, 'partner/retailer-orders.md'), 'utf8')
    const template = await readFile(join(folder, 'partner/retailer-orders.template.csv'), 'utf8')
    const good = await dropbridge(folder, 'try', 'partner/retailer-orders.good.csv', '-m', MAPPING)
    const bad = await dropbridge(folder, 'try', 'partner/retailer-orders.bad.csv', '-m', MAPPING)

    expect(exit).toBe(0)
    expect((await readdir(join(folder, 'partner'))).toSorted()).toEqual([
      'retailer-orders.bad.csv',
      'retailer-orders.good.csv',
      'retailer-orders.md',
      'retailer-orders.template.csv',
    ])
    expect(page).toContain(
      '| Ship To Name | Recipient | yes | record | text of at most 255 characters | Ada Whitfield |',
    )
    expect(page).toContain('a date written as MM/dd/yyyy HH:mm; in the time of America/New_York')
    expect(page).toContain('blank means "US"')
    expect(page).toMatch(/\| Ship Via \|.*one of: FedEx Ground, FedEx 2Day/)
    expect(template.split(',').slice(0, 3)).toEqual(['PO Number', 'Customer Order', 'Order Date'])
    expect([good.exit, bad.exit]).toEqual([0, 2])
    for (const [, problem = ''] of page.matchAll(/^- (.*)$/gm)) expect(bad.out).toContain(problem)
    expect(page).toMatch(/^- line \d+, column "Qty": "two" is not a whole number/m)
  })
})

test('a mapping without examples is shown as untested, and its page has no part about examples', async () => {
  const text = 'operation: export-orders\ncolumns: { PO: purchase_order_number }\n'
  const folder = await folderWith('bare.yaml', text)

  expect(await dropbridge(folder, 'test', 'bare.yaml')).toEqual({
    exit: 0,
    out: 'bare.yaml: no examples, so nothing was tested',
    err: '',
  })
})

describe('schema and help', () => {
  test('the schema is JSON, of all operations, of one, or of grammars', async () => {
    const folder = await tempFolder()
    const all = await dropbridge(folder, 'schema')
    const one = await dropbridge(folder, 'schema', 'create-invoice')
    const grammar = await dropbridge(folder, 'schema', '--grammar')

    expect(JSON.parse(all.out)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' })
    expect(JSON.parse(one.out)).toMatchObject({ properties: { operation: { const: 'create-invoice' } } })
    expect(JSON.parse(grammar.out)).toMatchObject({
      title: 'A dropbridge grammar file',
      properties: { codes: {} },
    })
  })

  test.each([
    [['lern', 'x'], 'Did you mean "learn"?'],
    [[], 'Name what to do: learn, try, test, coverage, diff, docs, schema.'],
    [['schema', 'create-order2'], 'Did you mean "create-order"?'],
    [['schema', 'create-order', '--grammar'], 'a grammar is of no operation'],
    [['try', SAMPLE, '-m', join(repository, 'mappings/orders-export.yaml')], 'is for an export'],
  ])('map %j is refused with 64 and a fix', async (args, message) => {
    const { exit, out, err } = await dropbridge(await tempFolder(), ...args)

    expect({ exit, out }).toEqual({ exit: 64, out: '' })
    expect(err).toContain(message)
  })
})
