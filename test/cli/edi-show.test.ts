/** `dropbridge edi show`: what a clerk sees of a file. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
