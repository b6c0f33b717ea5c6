/** What `translate` and `map try` report of a file as a whole: what `run` would refuse, reported before anything is sent. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const CLOSE = `operation: close-order
group: PO
totals: { when: { PO: TOTALS }, rows: Note }
body: { order_id: { from: PO, find: order } }
`

const ORDERS = `operation: create-order
group: PO
body:
  purchase_order_number: PO
  ordered_at: { const: '2026-11-20' }
  ship_to:
    name1: Name
    street1: { const: 12 Mill Road }
    city: { const: Albany }
    province: { const: NY }
    postal_code: { const: '12207' }
    country: { const: US }
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - variant: { identifier: SKU }
      quantity: { const: 1 }
      net_price: { const: '9.00' }
      price: { const: '24.99' }
`

/** Both commands on the same file. */
async function runBoth(mapping: string, file: string): Promise<{ exits: number[]; messages: string[][] }> {
  const folder = await tempFolder()
  await writeFile(join(folder, 'm.yaml'), mapping)
  await writeFile(join(folder, 'in.csv'), file)
  const commands = [
    ['translate', 'in.csv', '-m', 'm.yaml'],
    ['map', 'try', 'in.csv', '-m', 'm.yaml'],
  ]
  const exits: number[] = []
  const messages: string[][] = []
  for (const args of commands) {
    const { terminal, err: lines } = listeningTerminal({ folder })
    exits.push(await runCommandLine(terminal, args))
    messages.push(lines.filter((line) => line.includes('in.csv') || line.includes('run ')))
  }
  return { exits, messages }
}

describe('translate and map try report what run would refuse', () => {
  test.each([
    [
      'control totals that disagree',
      'PO,Note\nA,\nTOTALS,2\n',
      'in.csv: line 3, column "Note": The totals say "2", but the file holds 1 row. Send the whole file again, or correct its totals.  [control-total-wrong]',
    ],
    [
      'control totals that are missing',
      'PO,Note\nA,\n',
      'in.csv: The file has no row of totals, of which PO is TOTALS: its end may be missing. Send the whole file again, or correct its totals.  [control-total-wrong]',
    ],
  ])('%s', async (_, file, expected) => {
    const { exits, messages } = await runBoth(CLOSE, file)

    const all = 'run refuses in.csv as a whole: nothing of it would be sent.'
    expect(exits).toEqual([65, 65])
    expect(messages).toEqual([
      [expected, all],
      [expected, all],
    ])
  })

  test('a record whose rows are not consecutive', async () => {
    const { exits, messages } = await runBoth(
      ORDERS,
      'PO,Name,SKU\nF0042,Ada Park,HV-1\nF0043,Bo Reed,HV-1\nF0042,Ada Park,HV-2\n',
    )

    const expected = [
      'in.csv: line 4: F0042 begins twice in this file (lines 2 and 4), with other contents; neither is sent. Two records: give them two numbers. One: remove the wrong version, or put its rows side by side.  [key-conflict]',
      'run refuses every version of a record of which a file has two.',
    ]
    expect(exits).toEqual([2, 2])
    expect(messages).toEqual([expected, expected])
  })

  test('a last line without a line end', async () => {
    const { exits, messages } = await runBoth(ORDERS, 'PO,Name,SKU\nF0042,Ada Park,HV-1\nF0043,Bo Reed,HV-1')

    const expected = [
      'The last line of in.csv (3) has no line end: run holds its record.  [file-perhaps-cut]',
    ]
    expect(exits).toEqual([0, 0])
    expect(messages).toEqual([expected, expected])
  })

  test.each([
    ['first', 'F0042,,HV-1\nF0043,Bo Reed,HV-1\nF0042,Ada Park,HV-2\n', 'line 4', 'line 2'],
    ['second', 'F0042,Ada Park,HV-1\nF0043,Bo Reed,HV-1\nF0042,,HV-2\n', 'line 2', 'line 4'],
  ])('a record of which the %s part is refused by itself', async (_, rows, good, broken) => {
    const { exits, messages } = await runBoth(ORDERS, `PO,Name,SKU\n${rows}`)

    const conflict = `in.csv: ${good}: F0042 begins twice in this file (lines 2 and 4), and ${broken} is refused; neither is sent. Two records: give them two numbers. One: remove the wrong version, or put its rows side by side.  [key-conflict]`
    expect(exits).toEqual([2, 2])
    for (const said of messages) expect(said).toContain(conflict)
  })

  test('a row names the column that is missing for the whole file, and those that are not used', async () => {
    const { terminal, out, err } = listeningTerminal({ folder: await tempFolder() })
    await writeFile(join(terminal.folder, 'm.yaml'), ORDERS)
    await writeFile(join(terminal.folder, 'in.csv'), 'PO,Name,Item Code\nF0042,Ada Park,HV-1\n')
    await runCommandLine(terminal, ['translate', 'in.csv', '-m', 'm.yaml'])

    expect([...out, ...err].join('\n')).toContain(
      'An item needs at least one of id, identifier, upc. The file has no column "SKU". The mapping does not use "Item Code". Rename the column',
    )
  })

  test('records of two orders are not taken for one while the ids of both are to be found', async () => {
    const acknowledged = `operation: acknowledge-order
group: [PO, Box]
body: { order_id: { from: PO, find: order } }
`
    const { exits } = await runBoth(acknowledged, 'PO,Box\nA,1\nB,1\n')
    expect(exits).toEqual([0, 0])
  })

  test('a file with only its header, of which nothing would be sent', async () => {
    const { exits, messages } = await runBoth(ORDERS, 'PO,Name,SKU\n')

    const expected = 'in.csv has no rows that make a record: run would send nothing.  [file-without-records]'
    expect(exits).toEqual([0, 0])
    expect(messages).toEqual([[expected], [expected]])
  })
})
