/** What partners read of their grammar: the page of `map docs`, and a file as `edi show -c` shows it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copySampleBridge } from '../fixtures/sample-bridge.ts'
import { runHere } from '../fixtures/terminal.ts'

const ONE_DAY = await readFile(new URL('../../samples/edi/850-one-day.x12', import.meta.url), 'utf8')

const GRAMMAR = `
extends: x12/850
versions: ["004010"]
segments: { ST: [CTT 1, { N9 0..5: [MSG 1..n] }], PO1: [ZA1 0..1, PID 0] }
required: [REF*DP, N1*ST/N4.03]
codes: { BEG.02: [DS, SA], PO1.03: [EA] }
closed: true
`

const MAPPING = `
extends: ../../mappings/x12/850-orders.yaml
read: { grammar: ./acme-850.yaml }
`

const env = {
  DROPBRIDGE_API_URL: 'https://api.example.com',
  DROPBRIDGE_RETAILER_ID: 'haven',
  DROPBRIDGE_RETAILER_SECRET: 'r3tailer',
  DROPBRIDGE_BRAND_ID: 'northlight',
  DROPBRIDGE_BRAND_SECRET: 'br4nd',
}

/** The sample bridge, whose partner Haven has a grammar of its own. */
async function aBridgeWithGrammar(): Promise<string> {
  const folder = await copySampleBridge()
  await writeFile(join(folder, 'acme-850.yaml'), GRAMMAR)
  await writeFile(join(folder, 'acme.yaml'), MAPPING)
  await writeFile(join(folder, 'day.x12'), ONE_DAY)
  const path = join(folder, 'dropbridge.yaml')
  const configuration = await readFile(path, 'utf8')
  await writeFile(path, configuration.replace('../../mappings/x12/850-orders.yaml', './acme.yaml'))
  return folder
}

test('the page for the partner says what its grammar requires, which codes it allows, and that it is closed', async () => {
  const { exit, stdout } = await runHere(await aBridgeWithGrammar(), ['map', 'docs', 'acme.yaml'])

  expect(exit).toBe(0)
  const section = stdout.slice(stdout.indexOf('## What a document must have'), stdout.indexOf('## Rules'))
  expect(section.trim().split('\n')).toEqual([
    '## What a document must have',
    '',
    'A document 850 that does not hold to this is refused as a whole, with its place.',
    '',
    '- REF*DP must be there.',
    '- N1*ST/N4.03 must be there.',
    '- BEG.02 is DS or SA.',
    '- PO1.03 is EA.',
    '- The document has CTT once, N9 at most 5 times with MSG at least once.',
    '- Each PO1 has ZA1 at most once, no PID.',
    '- The version begins with 004010.',
    '- Other segments, or more of one than said, are refused.',
  ])
  expect(stdout).toMatch(/\| PO1\.03 \|.*only EA/)
  expect(stdout).toMatch(/\| N1\*ST\/N4\.03 \|  \| yes \|/)
})

test('a mapping that reads by the built-in grammar has no such section', async () => {
  const folder = await copySampleBridge()

  const { stdout } = await runHere(folder, ['map', 'docs', '../../mappings/x12/850-orders.yaml'])

  expect(stdout).not.toContain('## What a document must have')
})

test('a file is shown with the faults that the grammar of its partner finds, once a configuration is named', async () => {
  const folder = await aBridgeWithGrammar()

  const plain = await runHere(folder, ['edi', 'show', 'day.x12', '--set', '1'], env)
  const own = await runHere(folder, ['edi', 'show', 'day.x12', '--set', '1', '-c', 'dropbridge.yaml'], env)

  expect(plain.stdout).not.toContain('!!')
  expect(own.stdout).toContain(
    '!! segment 3: No REF*DP stands in the set; the grammar requires it.  [segment-missing]',
  )
  expect(own.exit).toBe(0)
})

test('a document of another sender is shown by the built-in grammar', async () => {
  const folder = await aBridgeWithGrammar()
  await writeFile(join(folder, 'other.x12'), ONE_DAY.replace('HAVENRETAIL ', 'SOMEONEELSE '))

  const { stdout } = await runHere(folder, ['edi', 'show', 'other.x12', '-c', 'dropbridge.yaml'], env)

  expect(stdout).not.toContain('!!')
})
