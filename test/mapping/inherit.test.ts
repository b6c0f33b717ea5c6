/** Mappings that extend others: inherited keys, removed keys, and the places of errors. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadMapping } from '../../src/mapping/load.ts'
import { readWithBases } from '../../src/mapping/source/inherit.ts'
import { openSourceReader, toPlain } from '../../src/mapping/source/source.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { draftsOf, mappingOf, errorsOf, ORDERS, orderSheet } from './sheet.ts'

const BASE = {
  'base.yaml': ORDERS.replace(
    'ordered_at: Order Date',
    'ordered_at: { from: Order Date, format: MM/dd/yyyy, zone: America/New_York }',
  ),
}

async function sourceOf(text: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  return toPlain((await mappingOf(text, files)).source)
}

describe('what a mapping changes in its base', () => {
  test('a mapping without keys of its own does what its base does', async () => {
    expect(await sourceOf('extends: ./base.yaml\n', { 'base.yaml': ORDERS })).toEqual(
      toPlain((await mappingOf(ORDERS)).source),
    )
  })

  test('objects are merged key by key, and what is not named stays', async () => {
    const text = `extends: base.yaml
body:
  ship_to: { city: Town }
  order_lines:
    - { variant: { identifier: Item }, quantity: Pieces, net_price: Cost, price: Retail }
`
    const plain = (await sourceOf(text, BASE)) as { body: Record<string, Record<string, unknown>> }

    expect(plain.body['ship_to']).toMatchObject({ city: 'Town', postal_code: 'Zip' })
    expect(plain.body['order_lines']).toEqual([
      { variant: { identifier: 'Item' }, quantity: 'Pieces', net_price: 'Cost', price: 'Retail' },
    ])
  })

  test('null takes a key of the base away', async () => {
    const plain = await sourceOf('extends: base.yaml\nbody: { ship_to: { street2: null } }\n', BASE)

    expect(plain).toHaveProperty('body.ship_to.street1')
    expect(plain).not.toHaveProperty('body.ship_to.street2')
  })

  test('`quote: null` is a value and not the taking away of one', async () => {
    const base = {
      'base.yaml': `${ORDERS}\nread: { format: csv, quote: "'" }\n`.replace('read: { format: csv }\n', ''),
    }

    expect(await sourceOf('extends: base.yaml\nread: { quote: null }\n', base)).toHaveProperty(
      'read.quote',
      null,
    )
  })

  test('a field keeps the options of the base when only its column is named anew', async () => {
    const text = 'extends: base.yaml\nbody: { ordered_at: { from: Bought } }\n'

    expect(await sourceOf(text, BASE)).toHaveProperty('body.ordered_at', {
      from: 'Bought',
      format: 'MM/dd/yyyy',
      zone: 'America/New_York',
    })
  })

  test('a map changes single items of a list', async () => {
    const base = {
      'base.yaml': `operation: export-orders
records:
  - { type: PH, columns: { PO: purchase_order_number, Name: ship_to.name1 } }
  - { type: PD, each: order_lines, columns: { SKU: order_lines.variant.identifier, Qty: order_lines.quantity } }
  - { type: PX, columns: { Id: id } }
`,
    }
    const text = `extends: base.yaml
records:
  PD: { columns: { SKU: { from: order_lines.variant.upc, default: none }, Qty: null } }
  PX: null
`

    expect(await sourceOf(text, base)).toEqual({
      operation: 'export-orders',
      records: [
        { type: 'PH', columns: { PO: 'purchase_order_number', Name: 'ship_to.name1' } },
        {
          type: 'PD',
          each: 'order_lines',
          columns: { SKU: { from: 'order_lines.variant.upc', default: 'none' } },
        },
      ],
    })
  })

  test('names in the lists of columns are changed one by one, those with places too', async () => {
    const columns = (list: string) => `${ORDERS}read: ${list}\n`
    const named = { 'base.yaml': columns('{ format: csv, columns: [PO Number, Qty, Cost, Note] }') }
    const placed = {
      'base.yaml': columns(
        '{ format: fixed, columns: [{ name: Qty, start: 3, length: 5 }, { name: Cost, length: 6 }] }',
      ),
    }
    const columnsOf = async (text: string, files: Readonly<Record<string, string>>) => {
      const root = openSourceReader()
      const read = await readWithBases(text, 'orders.yaml', {
        reader: root,
        readFile: (path) => Promise.resolve(files[path] ?? ''),
      })
      return read && (toPlain(read) as { read: { columns: unknown } }).read.columns
    }

    expect(
      await columnsOf('extends: base.yaml\nread: { columns: { Qty: Pieces, Note: null } }\n', named),
    ).toEqual(['PO Number', 'Pieces', 'Cost'])
    expect(
      await columnsOf(
        'extends: base.yaml\nread: { columns: { Qty: Pieces, Cost: { length: 9 } } }\n',
        placed,
      ),
    ).toEqual([
      { name: 'Pieces', start: 3, length: 5 },
      { name: 'Cost', length: 9 },
    ])
  })

  test('a name that is not in the list is an error', async () => {
    const base = { 'base.yaml': `${ORDERS}read: { format: csv, columns: [PO Number, Qty] }\n` }

    const [error] = await errorsOf('extends: base.yaml\nread: { columns: { Qyt: Pieces } }\n', base)

    expect([error]).toEqual([
      '2:20 read.columns.Qyt: the list that is extended has no "Qyt". Did you mean "Qty"?',
    ])
  })

  test('another source of a value takes the place of the one in the base; a constant that of everything', async () => {
    const text = `extends: base.yaml
body:
  ordered_at: { firstOf: [Bought, Paid] }
  ship_to: { country: { const: CA } }
`
    const plain = await sourceOf(text, BASE)

    expect(plain).toHaveProperty('body.ordered_at', {
      firstOf: ['Bought', 'Paid'],
      format: 'MM/dd/yyyy',
      zone: 'America/New_York',
    })
    expect(plain).toHaveProperty('body.ship_to.country', { const: 'CA' })
  })

  test('the columns of an export keep their order, and new ones come last', async () => {
    const base = `operation: export-orders
columns:
  PO: purchase_order_number
  Date: ordered_at
`
    const text =
      'extends: base.yaml\ncolumns: { from: id, PO: { from: purchase_order_number, default: "-" } }\n'
    const mapping = await mappingOf(text, { 'base.yaml': base })

    expect(mapping.direction === 'outbound' && mapping.composer.columns).toEqual(['PO', 'Date', 'from'])
  })

  test('five mappings may extend one another, and each changes something', async () => {
    const files: Record<string, string> = { '5.yaml': ORDERS }
    for (let number = 4; number >= 1; number -= 1) {
      files[`${number}.yaml`] =
        `extends: ${number + 1}.yaml\nbody: { ship_to: { name${number % 2 ? 1 : 2}: Name ${number} } }\n`
    }
    const text = 'extends: 1.yaml\n'

    expect(await sourceOf(text, files)).toMatchObject({
      body: { ship_to: { name1: 'Name 1', name2: 'Name 2' } },
    })
    expect(await errorsOf('extends: 0.yaml\n', { ...files, '0.yaml': text })).toEqual(
      ['1:1 extends: at most 5 mappings may stand behind one another'].map((line) =>
        line.replace('1:1', '4.yaml:1:10'),
      ),
    )
  })

  test('the merged mapping translates a file', async () => {
    const text = `extends: base.yaml
body: { ship_to: { name2: Name, country: { const: CA } } }
`
    const file = orderSheet({ 'Order Date': '11/16/2026', State: 'ON', Country: 'US' })
    const [draft] = await draftsOf(text, file, BASE)

    expect(draft?.problems).toEqual([])
    expect(draft?.body).toMatchObject({
      ordered_at: '2026-11-16T05:00:00Z',
      ship_to: { name2: 'Ada Park', province: 'ON', country: 'CA' },
    })
  })
})

describe('errors', () => {
  test('each is reported where it was written, in whichever file that is', async () => {
    const base = ORDERS.replace('quantity: Qty', 'quantity: { form: Qty }')
    const lines = await errorsOf('extends: base.yaml\nbody:\n  ship_to:\n    zip: Zip\n', {
      'base.yaml': base,
    })
    const line = base.slice(0, base.indexOf('form:')).split('\n').length

    expect(lines[0]).toMatch(/^4:5 body\.ship_to\.zip: the API has no such field\. It has: type, name1, /)
    expect(lines[1]).toMatch(
      new RegExp(`^base\\.yaml:${line}:\\d+ body\\.order_lines\\[0\\]\\.quantity\\.form: .*"from"`),
    )
  })

  test('a base that is no YAML is reported with its own place, and nothing else', async () => {
    const lines = await errorsOf('extends: base.yaml\n', { 'base.yaml': 'operation: [create-order\n' })

    expect(lines.length).toBeGreaterThan(0)
    expect(lines.every((line) => line.startsWith('base.yaml:'))).toBe(true)
  })

  test.each([
    ['extends: nowhere.yaml\n', '1:10 extends: the mapping nowhere.yaml cannot be read: no such file'],
    ['extends: [base.yaml]\n', '1:10 extends: expected the path of the mapping file that is extended'],
    ['extends: orders.yaml\n', '1:10 extends: a mapping cannot extend itself'],
    ['extends: ./a/../orders.yaml\n', '1:10 extends: a mapping cannot extend itself'],
  ])('%j is refused', async (text, line) => {
    expect(await errorsOf(text, BASE)).toEqual([line])
  })

  test('mappings that extend each other in a circle are refused', async () => {
    const files = { 'a.yaml': 'extends: b.yaml\n', 'b.yaml': 'extends: a.yaml\n' }

    expect(await errorsOf('extends: a.yaml\n', files)).toEqual([
      'b.yaml:1:10 extends: a mapping cannot extend itself',
    ])
  })

  test('null for what the base does not have is an error, with the nearest name', async () => {
    expect(await errorsOf('extends: base.yaml\nbody: { ship_to: { stret2: null } }\n', BASE)).toEqual([
      '2:20 body.ship_to.stret2: the mapping that is extended has nothing here to take away. Did you mean "street2"?',
    ])
  })
})

describe('files beside the base', () => {
  test('its tables are read from its own folder, and its examples are not inherited', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'common/tables'), { recursive: true })
    const base = ORDERS.replace(/tables:[^]*$/, 'tables:\n  ship-via: { file: tables/via.csv }\n')
    await writeFile(join(folder, 'common/base.yaml'), `${base}examples: [{ input: a.csv, expect: a.json }]\n`)
    await writeFile(join(folder, 'common/tables/via.csv'), 'via,method,carrier\nGround,FEDEX_GROUND,FDEG\n')
    await writeFile(
      join(folder, 'partner.yaml'),
      'extends: common/base.yaml\nexamples: [{ input: p.csv, expect: p.json }]\n',
    )

    const mapping = await loadMapping(join(folder, 'partner.yaml'))

    expect(mapping.examples).toEqual([{ input: 'p.csv', expect: 'p.json' }])
  })

  test('an error in a base is reported with the path of that base', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'common'))
    await writeFile(join(folder, 'common/base.yaml'), ORDERS.replace('quantity: Qty', 'quantity: 3'))
    await writeFile(join(folder, 'partner.yaml'), 'extends: common/base.yaml\n')

    const failure: unknown = await loadMapping(join(folder, 'partner.yaml')).catch((error: unknown) => error)

    if (!(failure instanceof BridgeError)) throw failure
    expect(failure.details).toHaveLength(1)
    expect(failure.details[0]).toContain(`${join(folder, 'common/base.yaml')}:`)
    expect(failure.details[0]).toContain('"3" is not a column name')
  })
})
