/** The implementation guide that `map docs` writes of a document that goes out. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, checkFile, loadExport } from '../formats/edi/exported.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runHere } from '../fixtures/terminal.ts'

const NAMES = ['x12', 'edifact'].flatMap((folder) =>
  readdirSync(join(ROOT, 'mappings', folder))
    .filter((file) => file.endsWith('-export.yaml'))
    .map((file) => `${folder}/${file.replace('.yaml', '')}`),
)

interface Guide {
  readonly envelope: { readonly sender: { readonly id: string } }
  readonly segments: readonly {
    readonly segment: string
    readonly isMandatory: boolean
    readonly elements: readonly { readonly element: string; readonly example: string }[]
  }[]
}

test.each(NAMES)(
  'of %s it has each segment and element of the mapping, a sound sample, and its acceptance',
  async (name) => {
    const folder = await tempFolder()
    const mapping = await loadExport(name)
    const page = name.split('/')[1] ?? ''
    const { exit, stdout } = await runHere(ROOT, [
      'map',
      'docs',
      `mappings/${name}.yaml`,
      '--json',
      '--out',
      folder,
    ])
    const { segments } = JSON.parse(stdout) as Guide

    expect(exit).toBe(0)
    expect(segments.map(({ segment }) => segment)).toEqual(mapping.rows.map(({ type }) => type))
    const counts = segments.map(({ elements }) => elements.length)
    expect(mapping.rows.every(({ cells }, index) => cells.length <= (counts[index] ?? 0))).toBe(true)
    const extension = name.startsWith('x12') ? 'x12' : 'edi'
    const sample = await readFile(join(folder, `${page}.sample.${extension}`))
    const answer = await readFile(join(folder, `${page}.answer.${extension}`), 'latin1')
    const text = await readFile(join(folder, `${page}.md`), 'utf8')
    expect((await checkFile(sample)).faults).toEqual([])
    expect(answer).toMatch(extension === 'x12' ? /AK9\*A\*/ : /UCI\+1\+.*\+7'/)
    expect(text).toContain(`\n\`\`\`\n${sample.toString('latin1').trimEnd()}\n\`\`\`\n`)
    expect(text).toContain(answer.trimEnd())
  },
)

const MAPPING = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': { from: invoiced_at, zone: America/New_York }, '02': invoice_number }
  - REF*VR: { when: { currency: EUR }, '02': { all: [brand.code, brand.name], with: '_|*' } }
  - N1*RI: { '02': remit_to.name1, in: [N3: { '01': { from: remit_to.street1, long: cut } }] }
  - each: invoice_lines
    in: [IT1: { '02': invoice_lines.quantity, '03': { const: EA }, UP: invoice_lines.variant.upc }]
  - TDS: { '01': due_amount }
  - each: charges
    in: [SAC*C: { '02': { from: charges.type, table: charges, default: F050 }, '05': charges.amount, '15': { from: charges.type, default: 'a*b_ <i> \`x\` [y]' } }]
  - CTT: { '01': { count: IT1 } }
tables: { charges: { rows: { shipping: D240 } } }
examples: [{ input: records.json, expect: out.x12 }]
`
const RECORD = {
  invoiced_at: '2026-11-20T03:15:00Z',
  invoice_number: 'N|1`2',
  due_amount: '50.57',
  invoice_lines: [{ quantity: 2, variant: { upc: '086000100018' } }],
}

async function guide(mapping: string, ...args: readonly string[]) {
  const folder = await tempFolder()
  await writeFile(join(folder, 'm_y.yaml'), mapping)
  await writeFile(join(folder, 'records.json'), JSON.stringify([RECORD]))
  await writeFile(
    join(folder, 'dropbridge.yaml'),
    `api: { baseUrl: https://api.example.com, clientId: a, clientSecret: b }
mailboxes: { van: { type: directory, path: ./van } }
edi:
  us: { platform: { qualifier: '12', id: '5551112222' } }
  partners:
    haven:
      ids: [{ qualifier: ZZ, id: HAVENRETAIL }]
      group: HAVEN
      version: '005010'
      zone: America/Chicago
      delimiters: { element: '|', newline: '' }
      answer: none
routes: {}
`,
  )
  return runHere(folder, ['map', 'docs', 'm_y.yaml', ...args])
}

function section(page: string, title: string): string[] {
  const lines = page.split('\n')
  const from = lines.indexOf(title)
  const to = lines.findIndex((line, index) => index > from && line.startsWith('##'))
  return from === -1 ? [] : lines.slice(from, to === -1 ? undefined : to).filter((line) => line !== '')
}

test('each segment says whether it must be there, in which loop and for what; each element its name, form, codes and source', async () => {
  const { stdout } = await guide(MAPPING)

  expect(section(stdout, '### N1\\*RI/N3: Street').slice(1, 2)).toEqual([
    'Optional, at most 2 times, in the loop of `N1*RI`.',
  ])
  expect(section(stdout, '### TDS: Total of an invoice')).toMatchInlineSnapshot(`
    [
      "### TDS: Total of an invoice",
      "Mandatory, once.",
      "| Element | Number | Name | Form | Needed | What stands in it | Field of the API | Example |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      "| \`TDS.01\` | 610 | amount due | number, at most 15 digits, the last 2 are decimals | yes |  | \`due_amount\` | \`5057\` |",
    ]
  `)
  expect(section(stdout, '### IT1: Line of an invoice')).toMatchInlineSnapshot(`
    [
      "### IT1: Line of an invoice",
      "Optional, at most 200000 times. It begins a loop. One for each of \`invoice_lines\`.",
      "| Element | Number | Name | Form | Needed | What stands in it | Field of the API | Example |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      "| \`IT1.02\` | 358 | quantity | number with a point before its decimals, at most 10 digits |  |  | \`invoice_lines.quantity\` | \`2\` |",
      "| \`IT1.03\` | 355 | unit | code, 2 characters |  | always "EA" (each) |  | \`EA\` |",
      "| \`IT1.UP\` | 234 | item number | text, at most 48 characters |  | behind the qualifier "UP" (U.P.C.) | \`invoice_lines.variant.upc\` | \`086000100018\` |",
    ]
  `)
  expect(section(stdout, '### SAC\\*C: Allowance or charge')).toMatchInlineSnapshot(`
    [
      "### SAC\\*C: Allowance or charge",
      "Optional, at most 25 times. It begins a loop. One for each of \`charges\`.",
      "| Element | Number | Name | Form | Needed | What stands in it | Field of the API | Example |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      "| \`SAC.01\` | 248 | allowance or charge | code, 1 character | yes | always "C" (charge) |  | \`C\` |",
      "| \`SAC.02\` | 1300 | kind | code, 4 characters |  | one of: D240 (freight); "F050" (other) where there is nothing | \`charges.type\` |  |",
      "| \`SAC.05\` | 610 | amount | number, at most 15 digits, the last 2 are decimals |  |  | \`charges.amount\` |  |",
      "| \`SAC.15\` | 352 | text | text, at most 80 characters |  | "a\\*b\\_ \\<i> \\\`x\\\` \\[y\\]" where there is nothing | \`charges.type\` |  |",
    ]
  `)
  expect(section(stdout, '### REF\\*VR: Reference')).toMatchInlineSnapshot(`
    [
      "### REF\\*VR: Reference",
      "Optional, at most 12 times. Only when currency EUR.",
      "| Element | Number | Name | Form | Needed | What stands in it | Field of the API | Example |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      "| \`REF.01\` | 128 | qualifier | code, 2 to 3 characters | yes | always "VR" (vendor id) |  | \`VR\` |",
      "| \`REF.02\` | 127 | reference | text, at most 30 characters |  | all of the fields together | \`brand.code\`, \`brand.name\` |  |",
    ]
  `)
})

test('texts of the mapping and of its example are no markup', async () => {
  const { stdout } = await guide(MAPPING)

  expect(stdout).toContain('# m_y: what you receive')
  expect(section(stdout, '### BIG: Beginning of an invoice').at(-1)).toContain('| ``N\\|1`2`` |')
  expect(stdout).toContain('"a\\*b\\_ \\<i> \\`x\\` \\[y\\]" where there is nothing')
})

test('with --partner the envelope is that of the configuration', async () => {
  const { exit, stdout } = await guide(MAPPING, '--partner', 'haven')
  const envelope = section(stdout, '## Envelope')

  expect(exit).toBe(0)
  expect(envelope[1]).toBe(
    'Between elements stands `|`, between components `>`, between repetitions `^`; a segment ends with `~`.',
  )
  expect(envelope.filter((line) => /ISA0[5-8]|ISA1[125]|GS0[238]|ISA09/.test(line))).toMatchInlineSnapshot(`
    [
      "| \`ISA05\` | qualifier of the sender | \`12\` |",
      "| \`ISA06\` | id of the sender, filled up with blanks | \`5551112222\` |",
      "| \`ISA07\` | qualifier of the receiver | \`ZZ\` |",
      "| \`ISA08\` | id of the receiver, filled up with blanks | \`HAVENRETAIL\` |",
      "| \`ISA09, ISA10\` | date and time, in the time of America/Chicago |  |",
      "| \`ISA11\` | what stands between repetitions | \`^\` |",
      "| \`ISA12\` | version of the envelope | \`00501\` |",
      "| \`ISA15\` | P for production, T for a test | \`P\` |",
      "| \`GS02\` | sender of the group | \`5551112222\` |",
      "| \`GS03\` | receiver of the group | \`HAVEN\` |",
      "| \`GS08\` | version of the document | \`005010\` |",
    ]
  `)
  expect(stdout).toContain('~GS|IN|5551112222|HAVEN|20260105|0600|1|X|005010~ST|810|0001~')
})

test('a partner that there is not, and one for a file that comes in, are refused', async () => {
  const unknown = await guide(MAPPING, '--partner', 'havn')
  const inbound = await runHere(ROOT, ['map', 'docs', 'mappings/x12/850-orders.yaml', '--partner', 'haven'])

  expect([unknown.exit, inbound.exit]).toEqual([64, 64])
  expect(unknown.stderr).toContain('Did you mean "haven"?')
})
