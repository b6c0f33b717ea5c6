/** How many columns of the exports of common platforms `map learn` places, and whether it places them right. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { learnColumns } from '../../src/mapping-tools/learn/learn.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { PLATFORM_EXPORTS, type PlatformExport } from '../fixtures/platform-exports.ts'
import { HELD_OUT_EXPORTS } from '../fixtures/held-out-exports.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function measure({ platform, operation, columns, csv }: PlatformExport) {
  const path = join(await tempFolder(), 'export.csv')
  await writeFile(path, csv)
  const learned = await learnColumns(path, operation, { format: createFormats(), name: 'm.yaml' })
  if ('problems' in learned) throw new Error(learned.problems.map(({ message }) => message).join('\n'))
  const { placed } = learned
  const placesOf = (name: string) => placed.filter(({ column, joined }) => column === name || joined === name)
  const useful = columns.filter(({ fields }) => fields.length > 0)
  const missed = useful.filter(
    ({ name, fields }) => !placesOf(name).some(({ field }) => fields.includes(field)),
  )
  const wrong = columns.flatMap(({ name, fields }) =>
    placesOf(name)
      .filter(({ field, confidence }) => confidence !== 'guess' && !fields.includes(field))
      .map(({ field, confidence }) => `${platform}: ${name} is no ${field} (${confidence})`),
  )
  return { useful: useful.length, missed: missed.map(({ name }) => `${platform}: ${name}`), wrong }
}

async function measureAll(exports: readonly PlatformExport[]) {
  const measured = await Promise.all(exports.map(measure))
  const useful = measured.reduce((sum, each) => sum + each.useful, 0)
  const missed = measured.flatMap((each) => each.missed)
  return { share: 1 - missed.length / useful, missed, wrong: measured.flatMap((each) => each.wrong) }
}

test('places at least 95 % of the useful columns of ten header sets, and none wrong without the mark `guess`', async () => {
  const { share, missed, wrong } = await measureAll(PLATFORM_EXPORTS)

  expect(PLATFORM_EXPORTS).toHaveLength(10)
  expect(wrong).toEqual([])
  expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
})

test('places most columns of exports that it was not made for, and none wrong without the mark `guess`', async () => {
  const { share, missed, wrong } = await measureAll(HELD_OUT_EXPORTS)

  expect(wrong).toEqual([])
  expect(share, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
})
