/** What `map learn` makes of a document that a partner wants: the ready export, reduced to what the sample has. */
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { exportRecords, loadExport, ROOT } from '../formats/edi/exported.ts'
import { readApiRecords } from '../../src/mapping-tools/exported-rows.ts'
import { findExampleFailures } from '../../src/mapping-tools/examples.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'

const READY = ['x12', 'edifact'].flatMap((folder) =>
  readdirSync(join(ROOT, 'mappings', folder))
    .filter((file) => file.endsWith('-export.yaml'))
    .map((file) => `${folder}/${file.replace('.yaml', '')}`),
)

async function learn(sample: string, operation: string) {
  const folder = await tempFolder()
  await writeFile(join(folder, 'sample.x12'), sample)
  const { exit, out, err } = await runCommand({ folder }, [
    'map',
    'learn',
    'sample.x12',
    '--operation',
    operation,
  ])
  await writeFile(join(folder, 'm.yaml'), out)
  return { exit, out, err, path: join(folder, 'm.yaml'), folder }
}

/** `map test` of the learned mapping with these records: what it writes of them is what it is held to. */
async function holdToOwnFile(path: string, input: string) {
  const mapping = await loadMapping(path)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const { bytes, records } = exportRecords(mapping.composer, await readApiRecords(input))
  const expected = join(dirname(path), 'expected')
  await writeFile(expected, bytes)
  const withExample = { ...mapping, examples: [{ input, expect: expected }] }
  const failures = await findExampleFailures(withExample, path, createFormats())
  return { failures, problems: records.flatMap(({ problems }) => problems), text: bytes.toString('latin1') }
}

test.each(READY)('of what %s writes, it is the mapping that writes the same', async (name) => {
  const { operation, examples } = await loadExport(name)
  const path = join(ROOT, 'mappings', `${name}.yaml`)
  const [input, expected] = [examples[0]?.input, examples[0]?.expect].map((file) =>
    resolve(dirname(path), file ?? ''),
  )
  const { exit, out } = await runCommand({ folder: ROOT }, [
    'map',
    'learn',
    expected ?? '',
    '--operation',
    operation,
  ])
  const learned = join(await tempFolder(), 'm.yaml')
  await writeFile(
    learned,
    `${out}\nexamples: [{ input: ${JSON.stringify(input)}, expect: ${JSON.stringify(expected)} }]\n`,
  )

  expect([exit, out.includes('nothing fills them')]).toEqual([0, false])
  expect(await findExampleFailures(await loadMapping(learned), learned, createFormats())).toEqual([])
})

const INVOICE = `ISA*00*          *00*          *ZZ*ACMESUPPLY     *ZZ*HAVENRETAIL    *261124*1405*^*00501*000000101*0*P*>~
GS*IN*ACMESUPPLY*HAVENRETAIL*20261124*1405*101*X*005010VICS~
ST*810*0001~
BIG*20261124*INV-77*20261101*PO-1***PR~
CUR*BY*USD~
REF*IA*998877~
N1*RI*Acme Supply*92*4711~
N3*1 Dock Rd~
ITD*01*3*2**10**30~
IT1*1*5*CA*12.5**UP*086000100018*VP*A-1~
TDS*6250~
CAD*M***FDEG~
CTT*1~
SE*13*0001~
GE*1*101~
IEA*1*000000101~
`

test('it has the segments, elements, constants and the version of the sample, and lists what nothing fills', async () => {
  const { exit, out, err, path } = await learn(INVOICE, 'export-invoices')
  const { failures, problems, text } = await holdToOwnFile(path, join(ROOT, 'samples/exports/invoices.json'))

  expect(exit).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "# Learned from sample.x12: X12, 1 × 810 (Invoice).
    # From the ready mapping x12/810-export.yaml, without the segments and elements that the sample never fills.
    # Behind # stands the first value of the sample: compare what the field of the API holds.
    operation: export-invoices
    write: { format: x12, document: 810, version: "005010VICS" }
    segments:
      - BIG:
          '01': { from: invoiced_at, zone: America/New_York } # "20261124"
          '02': { from: invoice_number, required: true } # "INV-77"
          '04': { from: purchase_order_number, required: true } # "PO-1"
      - CUR:
          '01': { const: "BY" } # as the sample has it; the ready mapping writes "SE"
          '02': currency # "USD"
      - N1*RI:
          '02': remit_to.name1 # "Acme Supply"
          in:
            - N3:
                '01': remit_to.street1 # "1 Dock Rd"
      - ITD:
          '01': { const: "01" } # "01"
          '03': terms_discount_percent # "2"
          '05': terms_discount_days # "10"
          '07': terms_net_days_due # "30"
      - each: invoice_lines
        in:
          - IT1:
              '01': invoice_lines.invoice_line_number # "1"
              '02': invoice_lines.quantity # "5"
              '03': { const: "CA" } # as the sample has it; the ready mapping writes "EA"
              '04': invoice_lines.price # "12.5"
              UP: invoice_lines.variant.upc # "086000100018"
      - TDS:
          '01': due_amount # "6250"
      - CTT:
          '01': { count: IT1 } # "1"
    # The sample has these too, and nothing fills them. Add those that your partner needs:
    #   BIG.03 order date: "20261101", once
    #   BIG.07 invoice type: "PR", once
    #   REF*IA: "REF*IA*998877", once
    #   N1*RI.03 kind of id: "92", once
    #   N1*RI.04 id: "4711", once
    #   ITD*01.02 days count from: "3", once
    #   IT1.08 item number qualifier: "VP", once
    #   IT1.09 item number: "A-1", once
    #   CAD: "CAD*M***FDEG", once"
  `)
  expect(err).toBe('Of the 35 paths of the ready mapping x12/810-export.yaml, the sample fills 18.')
  expect([failures, problems]).toEqual([[], []])
  expect(text).toContain('*X*005010VICS~')
})

const SHIPMENT = `ISA*00*          *00*          *ZZ*ACMESUPPLY     *ZZ*HAVENRETAIL    *261124*1405*U*00401*000000101*0*P*>~
GS*SH*ACMESUPPLY*HAVENRETAIL*20261124*1405*101*X*004010~
ST*856*0001~
BSN*00*S-1*20261124*1405*0004~
HL*1**S~
TD5**2*FDEG~
HL*2*1*O~
PRF*PO-1~
HL*3*2*I~
LIN**SK*A-1~
SN1**2*EA~
SE*10*0001~
GE*1*101~
IEA*1*000000101~
`

test('a level that the sample leaves out is left out, and what stands in it is not', async () => {
  const { out, err, path } = await learn(SHIPMENT, 'export-shipments')
  const { failures, problems, text } = await holdToOwnFile(path, join(ROOT, 'samples/exports/shipments.json'))

  expect(out).not.toContain('HL*P')
  expect(err).toBe('Of the 27 paths of the ready mapping x12/856-export.yaml, the sample fills 10.')
  expect(out).toContain(`'05': { const: "0004" } # as the sample has it; the ready mapping writes "0001"`)
  expect([failures, problems]).toEqual([[], []])
  expect(text).toMatch(/HL\*2\*1\*O\*1~\nPRF\*HV-20001~\nHL\*3\*2\*I\*0~\nLIN\*\*SK\*/)
})

test('an operation that does not write the document, and a file that is no interchange, are refused with a fix', async () => {
  const other = await learn(INVOICE, 'export-orders')
  const none = await learn(INVOICE.replaceAll('810', '999'), 'export-invoices')
  const table = await learn('PO,Qty\nP-1,2\n', 'export-invoices')

  expect([other.exit, none.exit, table.exit]).toEqual([64, 64, 64])
  expect(other.err).toContain('The file holds 810 (Invoice); export-orders writes 850 or 860.')
  expect(other.err).toContain('fix: Name the operation of this document: --operation export-invoices.')
  expect(none.err).toContain('fix: Take a file with 810.')
  expect(table.err).toContain('fix: Copy the nearest export in mappings/, and change its columns.')
})
