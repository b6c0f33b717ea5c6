/** What `map coverage` says of the segments of an interchange. */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadMapping } from '../../src/mapping/load.ts'
import { coverDocuments } from '../../src/mapping-tools/edi/coverage.ts'
import { listReadyMappings } from '../../src/mapping-tools/edi/ready-mappings.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'

const root = resolve(import.meta.dirname, '../..')
const samples = join(root, 'samples/edi')

const READY = (await Promise.all([listReadyMappings('x12'), listReadyMappings('edifact')]))
  .flat()
  .flatMap(({ path, name, mapping }) =>
    mapping.examples.map((example) => ({
      name,
      mapping,
      example,
      input: resolve(dirname(path), example.input),
    })),
  )

/** The segments that the trailers of a sample count, and those of the envelopes around them. */
function countSegments(path: string): number {
  const text = readFileSync(path, 'latin1')
  const isLineTerminated = /walmart|870|invrpt/.test(basename(path))
  const joined = isLineTerminated ? text : text.replaceAll(/[\r\n]/g, '')
  const inSets = Array.from(joined.matchAll(/(?:SE|UNT)[^\w\s](\d+)[^\w\s]/g), ([, count]) => Number(count))
  const around = joined.match(/(?:GE|IEA|UNZ|UNE)[^\w\s]\d+[^\w\s]\d+/g) ?? []
  return inSets.reduce((sum, count) => sum + count, 2 * around.length)
}

/** Each file of samples/edi that comes in, with the ready mappings for it. An order file without an expectation is read as any order. */
const SAMPLES = readdirSync(samples)
  .filter((file) => !file.endsWith('.json') && !file.includes('-export.'))
  .map((file) => {
    const own = READY.filter(({ input }) => basename(input) === file)
    const readings =
      own.length > 0 ? own : READY.filter(({ name }) => name === 'x12/850-orders.yaml').slice(0, 1)
    return { file, readings }
  })

const run = (...args: string[]) => runCommand({ folder: samples }, args)

async function cover(sample: string, mappingName: string, segment?: number) {
  const mapping = await loadMapping(resolve(root, 'mappings', mappingName))
  if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')
  return coverDocuments(sample.includes('/') ? sample : join(samples, sample), mapping, segment)
}

describe('the segments of a file', () => {
  test.each(READY)('are all accounted for: $name', async ({ mapping, input }) => {
    const covered = await coverDocuments(input, mapping)

    expect(covered.segments, basename(input)).toBe(countSegments(input))
    expect(covered.used + covered.unused + covered.unknown).toBe(covered.segments)
    expect(covered.used).toBeGreaterThan(covered.segments / 4)
  })

  test.each(SAMPLES)('of $file are accounted for by what is learned from it', async ({ file, readings }) => {
    const input = join(samples, file)
    for (const { name, mapping, example } of readings) {
      const learned = await run('map', 'learn', input, '--operation', mapping.operation)
      const path = join(await tempFolder(), 'learned.yaml')
      const ready = join(root, 'mappings', name)
      const expected = resolve(dirname(ready), example.expect)
      const hasExpectation = basename(example.input) === file
      const examples = hasExpectation ? [{ input, expect: expected }] : []
      await writeFile(path, `${learned.out}\nexamples: ${JSON.stringify(examples)}\n`)

      const covered = await cover(input, path)

      expect([learned.exit, learned.out.includes('# fill in')]).toEqual([0, false])
      expect(covered.segments).toBe(countSegments(input))
      expect(covered.used + covered.unused + covered.unknown).toBe(covered.segments)
      expect(covered.used).toBeGreaterThan(covered.segments / 4)
      // A sample of two kinds of changes is learned as the kind that it has more of.
      if (file === 'ordchg.edi' && !learned.out.includes(name)) continue
      expect((await run('translate', input, '-m', path)).out).toBe(
        (await run('translate', input, '-m', ready)).out,
      )
      expect(hasExpectation ? (await run('map', 'test', path)).exit : 0).toBe(0)
    }
  })

  test('are used by the fields that take their values', async () => {
    const { places } = await cover('850-two-orders.x12', 'x12/850-orders.yaml')
    const find = (place: string) => places.find((each) => each.place === place)

    expect(find('N1*ST/N4')).toMatchObject({ status: 'used', count: 2 })
    expect(find('N1*ST/N4')?.elements.map(({ element, fields }) => [element, ...fields])).toEqual([
      ['N1*ST/N4.01', 'ship_to.city'],
      ['N1*ST/N4.02', 'ship_to.province'],
      ['N1*ST/N4.03', 'ship_to.postal_code'],
      ['N1*ST/N4.04', 'ship_to.country'],
    ])
    expect(find('PO1')?.elements.find(({ element }) => element === 'PO1.05')).toMatchObject({
      isUsed: false,
      example: 'NT',
      filled: 5,
    })
  })

  test('are unknown where the grammar has no place for them', async () => {
    const path = join(await tempFolder(), 'orders.x12')
    const known = await readFile(join(samples, '850-two-orders.x12'), 'latin1')
    await writeFile(path, known.replace('CTT*2*3~', 'HL*1**S~CTT*2*3~'))

    const covered = await cover(path, 'x12/850-orders.yaml')

    expect(covered.unknown).toBe(1)
    expect(covered.places.find(({ status }) => status === 'unknown')?.why).toBe('850 has no HL there')
  })
})

describe('the reason why a segment is not used', () => {
  test.each([
    [6, 'no path asks for REF*IA'],
    [22, 'no path names PID'],
  ])('of segment %i is that no path means it', async (segment, why) => {
    const { asked } = await cover('850-two-orders.x12', 'x12/850-orders.yaml', segment)

    expect(asked).toMatchObject({ segment, status: 'unused' })
    expect(asked?.why).toContain(why)
  })

  test('is that another path of the list came first', async () => {
    const { places } = await cover('desadv.edi', 'edifact/desadv.yaml')

    expect(places.find(({ place }) => place === 'DTM+137')?.why).toBe(
      'another path of the list came first (DTM+137.date after DTM+11.date)',
    )
  })

  test('is that it stands in another loop than the path reads', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'm.yaml')
    const ready = await readFile(join(root, 'mappings/x12/850-orders.yaml'), 'utf8')
    const tables = `file: ${JSON.stringify(join(root, 'mappings/tables/ship-via.csv'))}`
    const changed = ready
      .replace('file: ../tables/ship-via.csv', tables)
      .replace('phone1: [N1*ST/PER.TE, PER.TE]', 'phone1: N1*BT/PER.TE')
      .replace('email: [N1*ST/PER.EM, PER.EM]', 'email: N1*BT/PER.EM')
    await writeFile(path, changed.replace(/examples:[^]*/, ''))
    const mapping = await loadMapping(path)
    if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')

    const { places } = await coverDocuments(join(samples, '850-two-orders.x12'), mapping)

    expect(places.find(({ place }) => place === 'N1*ST/PER*DC')).toMatchObject({
      status: 'unused',
      why: 'it stands in the loop of N1*ST, and N1*BT/PER.TE, N1*BT/PER.EM does not lead there',
    })
  })
})

test('map coverage prints each place, and what the mapping never finds', async () => {
  const mapping = join(root, 'mappings/x12/850-orders.yaml')
  const { exit, out, err } = await runCommand({ folder: samples }, [
    'map',
    'coverage',
    '850-two-orders.x12',
    '-m',
    mapping,
  ])

  expect(exit).toBe(0)
  expect(out).toMatch(/^BEG +2 +used +purchase_order_number, a condition$/m)
  expect(err).toContain('Of 54 segments: 45 used, 9 unused, 0 unknown to the grammar.')
  expect(err).toContain('never fills: REF*PO.02')
})

test('map coverage says of mappings of columns what does the same', async () => {
  const mapping = join(root, 'mappings', 'shopify-orders.yaml')
  const { exit, err } = await runCommand({ folder: samples }, [
    'map',
    'coverage',
    '850-two-orders.x12',
    '-m',
    mapping,
  ])

  expect(exit).toBe(64)
  expect(err).toContain('Use `dropbridge map test MAPPING`: it says the same of columns.')
})
