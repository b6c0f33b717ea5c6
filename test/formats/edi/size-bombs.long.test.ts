/** Files that are made to use up memory or time: each is read to its end, and no process that reads one grows large. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

const MAX_PEAK_MB = 200

/** What each reader finds in the file, and why that is right. */
const FILES: readonly (readonly [name: string, found: Readonly<Record<string, unknown>>])[] = [
  ['one segment of 1 GB', { outline: 3 }],
  ['10 million empty segments', { judge: { A: 1 } }],
  ['a million interchanges of nothing', { inspect: { interchanges: 1_000_000, sets: 0, ofFile: 0 } }],
  [
    'a million interchanges that end wrong',
    { inspect: { interchanges: 1_000_000, sets: 0, ofFile: 10_000 } },
  ],
  ['100 000 components', { read: { rows: 1, codes: { 'element-too-many': 1, 'segment-too-large': 1 } } }],
  ['a million levels below each other', { judge: { R: 1 }, outline: 3 }],
  ['a million sets of one number', { judge: { E: 1_000_000 } }],
  ['a million sets of any number', { inspect: { interchanges: 1, sets: 1_000_000, ofFile: 0 } }],
  ['2 000 sets with numbers of 60 000 characters', { judge: { E: 1000, A: 1000 } }],
  ['12 000 sets with long texts in their faults', { inspect: { interchanges: 1, sets: 12_000, ofFile: 0 } }],
  ['500 MB of blanks, packed', { inspect: 'it grows to more than 250 times its size' }],
  [
    '100 MB of blank lines and sets, packed',
    { inspect: { interchanges: 1, sets: 48_000, ofFile: 0 }, judge: { A: 48_000 } },
  ],
  [
    'a million segments before the first record of a set',
    { reject: 3_200_218, read: { rows: 2, codes: { 'record-too-large': 1 } } },
  ],
]

test.each(FILES)('%s', async (name, found) => {
  const program = join(import.meta.dirname, 'read-generated.mjs')
  const { stdout } = await run('node', [program, name, ...Object.keys(found)])
  const report = JSON.parse(stdout) as { readonly found: unknown; readonly peakMb: number }

  expect(report.found).toEqual(found)
  expect(report.peakMb).toBeLessThan(MAX_PEAK_MB)
})
