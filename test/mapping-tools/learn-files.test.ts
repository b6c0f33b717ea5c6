/** What `map learn` detects in files that are no plain tables with English names. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { learnColumns } from '../../src/mapping-tools/learn/learn.ts'
import type { InboundOperationName } from '../../src/contract/operations.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { readRecords } from '../../src/mapping-tools/translate-file.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function learned(lines: readonly string[], operation: InboundOperationName = 'create-invoice') {
  const folder = await tempFolder()
  const path = join(folder, 'sample.csv')
  await writeFile(path, `${lines.join('\n')}\n`)
  const found = await learnColumns(path, operation, { format: createFormats(), name: 'm.yaml' })
  if ('problems' in found) throw new Error(found.problems.map(({ message }) => message).join('\n'))
  const bodies = async () => {
    await writeFile(join(folder, 'm.yaml'), found.text)
    const mapping = await loadMapping(join(folder, 'm.yaml'))
    if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')
    const read = await readRecords(path, createFormats(), mapping)
    if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'))
    const made: Readonly<Record<string, unknown>>[] = []
    for await (const { draft } of read.records) made.push(draft.body ?? { problems: draft.problems })
    return { made, wrong: read.bound.listMismatches() }
  }
  return { ...found, lines: found.text.split('\n'), bodies }
}

const fieldsOf = ({ placed }: Awaited<ReturnType<typeof learned>>) =>
  Object.fromEntries(
    placed.map(({ field, column, joined }) => [
      field,
      joined === undefined ? column : `${column} + ${joined}`,
    ]),
  )

test('German names and decimal commas are known, and a last row with a sum becomes the totals', async () => {
  const german = await learned([
    'Rechnungsliste Nordlicht GmbH;;;;;;;',
    'Stand: 21.11.2026;;;;;;;',
    'Auftragsnummer;Rechnungsnummer;Fälligkeitsdatum;Zahlungsziel;Rechnungsbetrag;Artikel-Nr;Menge;EK-Preis',
    'A-1;R-1;30.11.2026;30;1.241,73;HV-1;2;12,50',
    'A-1;R-1;30.11.2026;30;1.241,73;HV-2;1;1.216,73',
    'A-2;R-2;31.12.2026;30;12,50;HV-1;1;12,50',
    'SUMME;;;;;;4;',
  ])
  const { made, wrong } = await german.bodies()

  expect(german.lines).toContain('read: { format: csv, skip: header }')
  expect(german.lines).toContain(
    'totals: { when: { Auftragsnummer: SUMME }, sum: { Menge: Menge } } # likely: in the last row Menge is the sum of those above',
  )
  expect(german.unfinished).toEqual([])
  expect(wrong).toEqual([])
  expect(made).toHaveLength(2)
  expect(made[0]).toEqual({
    purchase_order_number: 'A-1',
    invoice_number: 'R-1',
    terms_date_due: '2026-11-30',
    terms_net_days_due: 30,
    due_amount: '1241.73',
    invoice_lines: [
      { variant: { identifier: 'HV-1' }, quantity: 2, net_price: '12.50' },
      { variant: { identifier: 'HV-2' }, quantity: 1, net_price: '1216.73' },
    ],
  })
})

test('a last row whose numbers agree with nothing is ignored', async () => {
  const { lines, bodies } = await learned([
    'PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost',
    'P-1,I-1,11/30/2026,30,25.00,HV-1,2,12.50',
    'P-2,I-2,12/31/2026,30,9.00,HV-2,1,9.00',
    'TOTAL,,,,,,99,',
  ])

  expect(lines).toContain('read: { format: csv, ignore: [{ startsWith: "TOTAL" }] }')
  expect((await bodies()).made).toHaveLength(2)
})

const ADDRESSES: readonly (readonly [language: string, header: string])[] = [
  [
    'German',
    'Bestellnummer;Bestelldatum;Vorname;Nachname;Straße;PLZ;Ort;Land;Artikelnummer;Menge;EK-Preis;Preis',
  ],
  [
    'French',
    "Numéro de commande;Date de commande;Prénom;Nom;Adresse;Code postal;Ville;Pays;Référence article;Quantité;Prix d'achat;Prix",
  ],
  [
    'Spanish',
    'Número de pedido;Fecha de pedido;Nombre;Apellidos;Dirección;Código postal;Ciudad;País;Artículo;Cantidad;Precio compra;Precio',
  ],
]

test.each(ADDRESSES)('%s column names find their fields', async (_language, header) => {
  const names = header.split(';')
  const found = await learned(
    [
      header,
      'A-1;20.11.2026;Ada;Park;Hauptstr. 1;01067;Dresden;DE;HV-1;2;7,50;12,50',
      'A-2;21.11.2026;Bo;Reed;Nebenweg 2;10115;Berlin;DE;HV-2;1;8,00;14,00',
    ],
    'create-order',
  )
  const fields = fieldsOf(found)

  expect(fields).toMatchObject({
    purchase_order_number: names[0],
    ordered_at: names[1],
    'ship_to.street1': names[4],
    'ship_to.postal_code': names[5],
    'ship_to.city': names[6],
    'ship_to.country': names[7],
    'order_lines[].variant.identifier': names[8],
    'order_lines[].quantity': names[9],
    'order_lines[].net_price': names[10],
    'order_lines[].price': names[11],
  })
  expect(found.lines).toContainEqual(expect.stringContaining(`{ from: ${names[11]}, decimal: "," }`))
})

test('a first and a last name in German are put together', async () => {
  const found = await learned(
    ['Bestellnummer;Vorname;Nachname', 'A-1;Ada;Park', 'A-2;Bo;Reed'],
    'create-order',
  )

  expect(fieldsOf(found)['ship_to.name1']).toBe('Vorname + Nachname')
})

test('numbered columns are several lines of one row', async () => {
  const { lines, bodies } = await learned([
    'PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU1,QTY1,COST1,SKU2,QTY2,COST2',
    'P-1,I-1,11/30/2026,30,34.00,HV-1,2,12.50,HV-2,1,9.00',
    'P-2,I-2,12/31/2026,30,9.00,HV-2,1,9.00,,,',
  ])

  expect(lines).toContain(
    'lines: { columns: ["SKU{n}", "QTY{n}", "COST{n}"] } # likely: numbered from 1 to 2',
  )
  expect((await bodies()).made.map((body) => body['invoice_lines'])).toEqual([
    [
      { variant: { identifier: 'HV-1' }, quantity: 2, net_price: '12.50' },
      { variant: { identifier: 'HV-2' }, quantity: 1, net_price: '9.00' },
    ],
    [{ variant: { identifier: 'HV-2' }, quantity: 1, net_price: '9.00' }],
  ])
})

test('numbered lines of an address are no lines of the record', async () => {
  const { lines } = await learned(
    ['PO Number,Name,Address 1,Address 2,SKU,Qty', 'P-1,Ada,1 Mill,Unit 2,A,1', 'P-2,Bo,2 Mill,Unit 3,B,2'],
    'create-order',
  )

  expect(lines.filter((line) => line.startsWith('lines:'))).toEqual([])
  expect(lines).toContain('    street2: Address 2 # sure: named so')
})

test('a damaged date adds no format with days and months the other way round, and is named', async () => {
  const head = 'PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost'
  const row = (po: number, date: string) => `P-${po},I-${po},${date},30,9.00,HV-1,1,9.00`
  const dates = ['11/30/2026', '12/31/2026', '11/28/2026', '30/11/2026']
  const { lines } = await learned([head, ...dates.map((date, index) => row(index, date))])

  const line = lines.find((each) => each.includes('terms_date_due'))
  expect(line).toContain('{ from: Due Date, format: MM/dd/yyyy }')
  expect(line).toContain('"30/11/2026" fits none of these formats')
})

test('comment lines are ignored, also above a file without a heading line', async () => {
  const rows = [
    'P-1,I-1,2026-11-30,30,25.00,HV-1,2,12.50',
    '# page 2',
    'P-2,I-2,2026-12-31,30,9.00,HV-2,1,9.00',
  ]
  const headless = await learned(['# invoices of 2026-11-21', ...rows])
  const headed = await learned([
    '# invoices of 2026-11-21',
    'PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost',
    ...rows,
  ])

  expect(headless.lines).toContain('  ignore: [{ startsWith: "#" }]')
  expect(headless.lines).toContain('    - Column 8 # "12.50"')
  expect(headed.lines).toContain('read: { format: csv, ignore: [{ startsWith: "#" }] }')
  expect((await headed.bodies()).made).toHaveLength(2)
})

test('a heading that begins with # is no comment', async () => {
  const { lines } = await learned([
    '#PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost',
    'P-1,I-1,2026-11-30,30,25.00,HV-1,2,12.50',
    'P-2,I-2,2026-12-31,30,9.00,HV-2,1,9.00',
  ])

  expect(lines).toContain('read: { format: csv }')
})

test('an e-mail address is proposed with a note', async () => {
  const { lines } = await learned(
    ['PO Number,Name,Email,SKU,Qty', 'P-1,Ada,a@b.example,A,1', 'P-2,Bo,c@d.example,B,2'],
    'create-order',
  )

  expect(lines).toContain(
    '    email: Email # likely: named so; personal data: leave it out unless it is needed',
  )
})
