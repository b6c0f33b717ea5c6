/** The samples and the ready mappings, which users start from: each is right, and each is used. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findExampleFailures } from '../../src/mapping-tools/examples.ts'
import { CHAPTERS } from '../../src/cli/commands/demo.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { largeSamples } from '../samples/large.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(repository, path), 'utf8')
const filesIn = (folder: string, ending: string) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending))

const MAPPINGS = filesIn('mappings', '.yaml')

describe.each(MAPPINGS)('the mapping %s', (name) => {
  test('compiles, and its examples come out as they say', async () => {
    const path = join(repository, 'mappings', name)

    const mapping = await loadMapping(path)

    expect(mapping.warnings).toEqual([])
    expect(mapping.examples.length).toBeGreaterThan(0)
    expect(await findExampleFailures(mapping, path, createFormats())).toEqual([])
  })
})

test.each(Object.entries(largeSamples().files))('the sample %s is the one that is made', (name, text) => {
  expect(textOf(join('samples', name)) === text, 'npm run samples makes it again').toBe(true)
})

test('every sample is used: by the example of a mapping, by the demo, or by a test', () => {
  const samples = filesIn('samples', '')
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => name.slice(name.lastIndexOf('/') + 1))
  const users = [
    ...MAPPINGS.map((name) => textOf(join('mappings', name))),
    ...CHAPTERS.flatMap(({ drops }) => drops.map(({ sample }) => sample)),
    ...filesIn('test', '.test.ts')
      .filter((name) => name !== 'golden/samples.test.ts')
      .map((name) => textOf(join('test', name))),
  ]

  expect(samples.length).toBeGreaterThan(10)
  expect(samples.filter((sample) => !users.some((text) => text.includes(sample)))).toEqual([])
})

test('every lookup table is used by a mapping', () => {
  const tables = filesIn('mappings', '.csv')

  expect(
    tables.filter((table) => !MAPPINGS.some((name) => textOf(join('mappings', name)).includes(table))),
  ).toEqual([])
})
