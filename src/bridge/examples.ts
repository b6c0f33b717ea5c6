/** Running the examples a mapping carries: its files through the real reader, beside what must come of them. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isUnreadable } from '../domain/document.ts'
import type { Format } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import { checkOutboundLines, comparesByLine } from '../mapping/export/example-lines.ts'
import { checkInboundExample, checkOutboundExample } from '../mapping/examples.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../mapping/load.ts'
import { sourceAt } from './translate.ts'
import { BridgeError } from '../support/errors.ts'
import { unpacked } from '../support/unpack.ts'
import { fileBytes } from '../support/file-bytes.ts'

/** What is wrong with the examples of a mapping, one line each; none when all are as expected. */
export async function failingExamples(mapping: Mapping, path: string, format: Format): Promise<string[]> {
  const failures: string[] = []
  for (const { input, expect } of mapping.examples) {
    const files = { input: resolve(dirname(path), input), expect: resolve(dirname(path), expect) }
    const differences =
      mapping.direction === 'inbound'
        ? await inboundDifferences(mapping, files, format)
        : await outboundDifferences(mapping, files, format)
    failures.push(...differences.map((difference) => `${path}: example ${input}: ${difference}`))
  }
  return failures
}

interface ExampleFiles {
  readonly input: string
  readonly expect: string
}

async function inboundDifferences(
  { translator }: InboundMapping,
  { input, expect }: ExampleFiles,
  format: Format,
): Promise<string[]> {
  const expected = parsed(await textOf(expect), expect)
  const reading = await format.read(unpacked(fileBytes(input)), translator.read)
  if (isUnreadable(reading)) return reading.problems.map(inWords)
  const differences = await checkInboundExample(translator, { ...reading, source: sourceAt(input) }, expected)
  await reading.close()
  return differences
}

/** The expected file is read with the mapping's own dialect, so that only what it says is compared, cell by cell. */
async function outboundDifferences(
  { composer }: OutboundMapping,
  { input, expect }: ExampleFiles,
  format: Format,
): Promise<string[]> {
  const records = parsed(await textOf(input), input)
  if (!Array.isArray(records)) return [`${input} must hold an array of records`]
  if (comparesByLine(composer)) {
    const writer = format.writer(composer.columns, composer.write)
    return checkOutboundLines(composer, writer, { records, expected: await bytesOf(expect) })
  }
  const { delimiter, encoding, header } = composer.write
  const columns = header === false ? { columns: composer.columns } : {}
  const reading = await format.read(fileBytes(expect), {
    format: 'csv',
    delimiter,
    encoding,
    ...columns,
  })
  if (isUnreadable(reading)) return reading.problems.map(inWords)
  const rows: (readonly string[])[] = [reading.layouts[0]?.columns ?? []]
  for await (const batch of reading.batches) rows.push(...batch.map(({ values }) => values))
  return checkOutboundExample(composer, records as Record<string, unknown>[], rows)
}

function inWords({ message, hint }: Problem): string {
  return `${message.replace(/\.$/, '')}. ${hint}`
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BridgeError('mapping-invalid', `the example ${path} is not JSON`, { cause })
  }
}

async function textOf(path: string): Promise<string> {
  return (await bytesOf(path)).toString()
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new BridgeError('mapping-invalid', `the example ${path} cannot be read`, { cause })
  }
}
