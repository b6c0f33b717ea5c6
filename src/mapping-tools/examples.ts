/** Runs the examples of a mapping through the real reader and compares the results with the expected files. */
import { access, constants, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createExampleEnvelope, type Format, isUnreadable } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import {
  checkInboundExample,
  checkOutboundExample,
  checkOutboundLines,
  isComparedByLine,
} from '../mapping/examples.ts'
import type { Example } from '../mapping/file.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../mapping/load.ts'
import { buildFileSource } from './translate-file.ts'
import { BridgeError, describeUnreadable } from '../support/errors.ts'
import { repeatable } from '../support/async.ts'
import { gunzipIfNeeded } from '../support/gunzip.ts'
import { readFileBytes } from '../support/files.ts'

/** Lists the failures of a mapping's examples, one line each. */
export async function findExampleFailures(mapping: Mapping, path: string, format: Format): Promise<string[]> {
  const failures: string[] = []
  await assertReadable(mapping, path)
  for (const { input, expect } of mapping.examples) {
    const files = { input: resolve(dirname(path), input), expect: resolve(dirname(path), expect) }
    const differences =
      mapping.direction === 'inbound'
        ? await compareInboundExample(mapping, files, format)
        : await compareOutboundExample(mapping, files, format)
    failures.push(...differences.map((difference) => `${path}: example ${input}: ${difference}`))
  }
  return failures
}

async function assertReadable({ examples, placeOf }: Mapping, path: string): Promise<void> {
  for (const [index, example] of examples.entries())
    for (const key of ['input', 'expect'] as const) {
      const file = resolve(dirname(path), example[key])
      const why = await access(file, constants.R_OK).then(() => undefined, describeUnreadable)
      if (why === undefined) continue
      const details = [
        `${placeOf('examples', index, key)}the file ${file} ${why}: copy it too, or remove \`examples\``,
      ]
      throw new BridgeError('mapping-invalid', 'there is an error in a mapping', { details })
    }
}

async function compareInboundExample(
  { translator }: InboundMapping,
  { input, expect }: Example,
  format: Format,
): Promise<string[]> {
  const expected = await readExampleJson(expect)
  const reading = await format.read(
    repeatable(() => gunzipIfNeeded(readFileBytes(input))),
    translator.read,
  )
  if (isUnreadable(reading)) return reading.problems.map(formatProblem)
  const sourced = { ...reading, source: buildFileSource(input) }
  const differences = await checkInboundExample(translator, sourced, expected)
  await reading.close()
  return differences
}

/** Reads the expected file with the mapping's own dialect, to compare only its cells. */
async function compareOutboundExample(
  { composer }: OutboundMapping,
  { input, expect }: Example,
  format: Format,
): Promise<string[]> {
  const records = await readExampleJson(input)
  if (!Array.isArray(records)) return [`${input} must hold an array of records`]
  if (isComparedByLine(composer)) {
    const envelope = createExampleEnvelope(composer.write.format)
    const writer = format.createWriter(composer.columns, composer.write, envelope)
    return checkOutboundLines(composer, writer, { records, expected: await readFile(expect) })
  }
  const { delimiter, encoding, header } = composer.write
  const columns = header === false ? { columns: composer.columns } : {}
  const dialect = { format: 'csv', delimiter, encoding, ...columns } as const
  const reading = await format.read(readFileBytes(expect), dialect)
  if (isUnreadable(reading)) return reading.problems.map(formatProblem)
  const rows: (readonly string[])[] = [reading.layouts[0]?.columns ?? []]
  for await (const batch of reading.batches) rows.push(...batch.map(({ values }) => values))
  return checkOutboundExample(composer, records as Record<string, unknown>[], rows)
}

function formatProblem({ message, fix }: Problem): string {
  return `${message.replace(/\.$/, '')}. ${fix}`
}

async function readExampleJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BridgeError('mapping-invalid', `the example ${path} is not JSON`, { cause })
  }
}
