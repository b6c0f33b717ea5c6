/** `dropbridge edi show`: what a clerk sees of a file. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runHere } from '../fixtures/terminal.ts'

const SAMPLES = join(import.meta.dirname, '../../samples/edi')

test('segments stand in their loops, with names, meanings, numbers and bytes', async () => {
  const { exit, stdout } = await runHere(SAMPLES, ['edi', 'show', '850-two-orders.x12', '--set', '1'])

  expect(exit).toBe(0)
  const lines = stdout.split('\n').map((line) => line.slice(18).trim())
  expect(lines).toEqual(
    expect.arrayContaining(['BEG01 00 original (purpose)', 'REF*CO  customer order: W501001']),
  )
  expect(stdout).toContain('     4       172        BEG  Beginning of a purchase order\n')
  expect(stdout).not.toContain('HV-41002')
})

test('the standard of an envelope and a mutually defined mode of transport have their meanings', async () => {
  const folder = await tempFolder()
  const text = await readFile(join(SAMPLES, '850-two-orders.x12'), 'utf8')
  const other = text.replace(/(TD5\*[^*~]*\*[^*~]*\*[^*~]*\*)[A-Z]+/, '$1ZZ')
  expect(other).not.toBe(text)
  await writeFile(join(folder, 'other.x12'), other)

  const { stdout } = await runHere(folder, ['edi', 'show', 'other.x12'])

  expect(stdout).toContain('ISA11 U standard of X12')
  expect(stdout).toContain('TD504 ZZ mutually defined')
})

test('--raw prints the segments as they stand in the file, and --json an object for each', async () => {
  const raw = await runHere(SAMPLES, ['edi', 'show', 'orders.edi', '--raw'])
  const json = await runHere(SAMPLES, ['edi', 'show', 'orders.edi', '--json'])

  expect(raw.stdout.split('\n')[2]).toBe("BGM+220+HV-42001+9'")
  const [, , bgm] = json.stdout.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as object)))
  expect(bgm).toMatchObject({ segment: 3, id: 'BGM', set: 1, depth: 2, faults: [] })
})

test('a set that is not there ends with 2, and a file without an interchange with 65', async () => {
  expect((await runHere(SAMPLES, ['edi', 'show', 'orders.edi', '--set', '99'])).exit).toBe(2)
  expect((await runHere(SAMPLES, ['edi', 'show', '../../package.json'])).exit).toBe(65)
})

test('amounts with implied decimals have their point, and lines and packages say what they are about', async () => {
  const show = async (file: string) => {
    const { stdout } = await runHere(SAMPLES, ['edi', 'show', file])
    return stdout.split('\n').map((line) => line.slice(18).trim())
  }

  expect(await show('810-invoices.x12')).toEqual(
    expect.arrayContaining([
      'IT1  Line of an invoice 1: 2 EA, UP 086000100025',
      'TDS  Total of an invoice: 50.57',
      'TDS01 5057 50.57 (amount due)',
    ]),
  )
  expect(await show('850-one-day.x12')).toContain('PO1  Line of an order 1: 2 EA, UP 086000100025')
  expect(await show('856-shipments.x12')).toContain('SN1  Quantity shipped: 2 EA')
})

test('the second mark of a package is named like the first', async () => {
  const folder = await tempFolder()
  const text = await readFile(join(SAMPLES, '856-shipments.x12'), 'utf8')
  await writeFile(join(folder, 'a.x12'), text.replace('MAN*CP*794600004101', 'MAN*CP*794600004101**GM*00123'))

  const { stdout } = await runHere(folder, ['edi', 'show', 'a.x12', '--set', '1'])

  expect(stdout).toContain('MAN*CP  tracking number: 794600004101; SSCC: 00123\n')
  expect(stdout).toContain('MAN04 GM SSCC (kind of mark)\n')
  expect(stdout).toContain('MAN05 00123 (mark)\n')
})
