/** What `map learn` makes of interchanges: the ready mapping of their document, reduced to what the sample fills. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboundOperationName } from '../../src/contract/operations.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { listReadyMappings } from '../../src/mapping-tools/edi/ready-mappings.ts'
import { findExampleFailures } from '../../src/mapping-tools/examples.ts'
import { learnMapping } from '../../src/mapping-tools/learn/learn.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'

const samples = resolve(import.meta.dirname, '../../samples/edi')

async function learn(path: string, operation: InboundOperationName) {
  const learned = await learnMapping(path, operation, { format: createFormats(), name: 'm.yaml' })
  if (!('ready' in learned && 'placed' in learned)) throw new Error('the file was not read as an interchange')
  return learned
}

/** Each ready mapping with each of its examples. */
const READY = (await Promise.all([listReadyMappings('x12'), listReadyMappings('edifact')]))
  .flat()
  .flatMap(({ name, path, mapping }) =>
    mapping.examples.map(({ input, expect: expected }) => ({
      name,
      operation: mapping.operation,
      input: resolve(dirname(path), input),
      expected: resolve(dirname(path), expected),
    })),
  )

describe('the mapping learned from a sample', () => {
  test.each(READY)('of $name does with $input what the ready mapping does', async (example) => {
    const { operation, input, expected, name } = example
    const learned = await learn(input, operation)
    const folder = await tempFolder()
    const path = join(folder, 'm.yaml')
    const examples = `examples: [{ input: ${JSON.stringify(input)}, expect: ${JSON.stringify(expected)} }]\n`
    await writeFile(path, learned.text + examples)

    expect(learned.unfinished).toEqual([])
    expect(learned.openCodes).toEqual([])
    // A sample of two kinds of changes is learned as the kind that it has more of.
    const isOtherKind = learned.ready.name !== name && basename(input) === 'ordchg.edi'
    if (isOtherKind) return
    expect(await findExampleFailures(await loadMapping(path), path, createFormats())).toEqual([])
  })

  test('keeps only the paths that the sample fills, with a value and how often', async () => {
    const { text, placed } = await learn(join(samples, '850-two-orders.x12'), 'create-order')

    expect(text).toContain('  purchase_order_number: BEG.03 # sure: "HV-41001", filled in 2 of 2\n')
    expect(text).toContain(
      '    email: N1*ST/PER.EM # likely: "ada.whitfield@example.com", filled in 1 of 2\n',
    )
    expect(text).not.toContain('REF*PO.02')
    expect(placed.find(({ field }) => field === 'ship_to.name2')).toBeUndefined()
  })

  test('is not sure of an item number that is only the one which the sample fills', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'orders.x12')
    const known = await readFile(join(samples, '850-two-orders.x12'), 'latin1')
    await writeFile(path, known.replaceAll('*SK*', '*ZZ*'))

    const learned = await learn(path, 'create-order')

    expect(learned.text).toMatch(
      /identifier: PO1\.VN # likely: "[^"]+", filled in 5 of 5; the sample never fills PO1\.SK, PO1\.IN\n/,
    )
  })

  test('keeps all lines of an address, since another document may fill those that the sample lacks', async () => {
    const { text } = await learn(join(samples, '850-two-orders.x12'), 'create-order')

    expect(text).toContain(
      '    street2: { all: [N1*ST/N3.02, N1*ST/N3#2.01, N1*ST/N3#2.02], with: ", " } # likely: "Apt 4", filled in 1 of 2\n',
    )
    expect(text).toContain(
      '    street2: { all: [N1*BT/N3.02, N1*BT/N3#2.01, N1*BT/N3#2.02], with: ", " } # guess: the sample never fills it; without it, such a line of another document would be lost\n',
    )
  })

  test('has the codes of the sample in its table, blank where they are not known', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'orders.x12')
    const known = await readFile(join(samples, '850-two-orders.x12'), 'latin1')
    await writeFile(path, known.replace('UPS Ground', 'Owl Post'))

    const learned = await learn(path, 'create-order')

    expect(learned.openCodes).toEqual([{ table: 'ship-via', code: 'Owl Post' }])
    expect(learned.text).toContain('      Owl Post: { method: "", carrier: "" } # fill in\n')
    expect(learned.text).toContain('      FedEx Ground: { method: FEDEX_GROUND, carrier: FDEG }\n')
    expect(learned.placed.find(({ field }) => field === 'shipping_method.code')?.confidence).toBe('guess')
  })

  test('asks for the zone of days that do not say it', async () => {
    const { text } = await learn(join(samples, '850-orders-walmart-style.x12'), 'create-order')

    expect(text).toMatch(/ordered_at: .* # guess: .*; is it the time of America\/Chicago\?/)
  })

  test('reads test interchanges when the sample is one', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'orders.x12')
    const known = await readFile(join(samples, '850-two-orders.x12'), 'latin1')
    await writeFile(path, known.replace('*P*:~', '*T*:~'))

    const learned = await learn(path, 'create-order')

    expect(learned.text).toContain('read: { format: x12, document: 850, usage: any }')
    expect(learned.ready.filled).toBe(
      (await learn(join(samples, '850-two-orders.x12'), 'create-order')).ready.filled,
    )
  })
})

const learnIn = (folder: string, args: readonly string[]) => runCommand({ folder }, ['map', 'learn', ...args])

describe('map learn on the command line', () => {
  test('says which operation reads the document when the named one does not', async () => {
    const { exit, err } = await learnIn(samples, [
      join(samples, '846-inventory.x12'),
      '--operation',
      'create-order',
    ])

    expect(exit).toBe(64)
    expect(err).toContain('The file holds 846 (Inventory advice); create-order reads 850.')
    expect(err).toContain('--operation update-variant')
  })

  test('says that a file with the name of an interchange holds none', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'orders.x12'), 'ST*850*0001~')

    const { exit, err } = await learnIn(folder, ['orders.x12', '--operation', 'create-order'])

    expect(exit).toBe(65)
    expect(err).toContain('does not begin with ISA')
  })

  test('names what is to be filled in, and the route', async () => {
    const folder = await tempFolder()
    const known = await readFile(join(samples, '850-two-orders.x12'), 'latin1')
    await writeFile(join(folder, 'orders.x12'), known.replace('UPS Ground', 'Owl Post'))

    const { exit, err } = await learnIn(folder, [
      'orders.x12',
      '--operation',
      'create-order',
      '--out',
      'm.yaml',
    ])

    expect(exit).toBe(0)
    expect(err).toContain('the sample fills 32')
    expect(err).toContain('table ship-via: what "Owl Post" means')
    expect(err).toContain('operation: create-order')
    expect(await readFile(join(folder, 'm.yaml'), 'utf8')).toContain('x12/850-orders.yaml')
  })
})

test('map docs and map try speak of paths and segments', async () => {
  const mapping = resolve(samples, '../../mappings/x12/850-orders.yaml')
  const page = await runCommand({ folder: samples }, ['map', 'docs', mapping])
  const tried = await runCommand({ folder: samples }, ['map', 'try', '850-two-orders.x12', '-m', mapping])

  expect(page.exit).toBe(0)
  expect(page.out).toContain('Interchanges of X12 with documents 850 (Purchase order), marked as production.')
  expect(page.out).toContain(
    '| N1*ST/N3.01 |  | yes | record | text of at most 255 characters | 12 Mill Lane |',
  )
  expect(page.out).not.toContain('commas')
  expect(tried.out).toContain('record 1 (HV-41001), segments 3, 20, 23')
})
