/** Running the examples a mapping carries: the input through the mapping, beside what must come of it. */
import { createReadStream } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describePlace } from '../domain/problem.ts'
import type { Format } from '../domain/format.ts'
import type { Composer, Draft, Translator } from '../domain/translator.ts'
import type { Mapping } from '../mapping/load.ts'
import { BridgeError } from '../support/errors.ts'
import { translateFile } from './translate.ts'

/** Examples are small; a larger one is a mistake of the path. */
const EXAMPLE_BYTES_MAX = 16 << 20

/** What is wrong with the examples of a mapping, one line each; none when all are as expected. */
export async function failingExamples(mapping: Mapping, path: string, format: Format): Promise<string[]> {
  const failures: string[] = []
  for (const { input, expect } of mapping.examples) {
    const from = resolve(dirname(path), input)
    const expected = await textOf(resolve(dirname(path), expect))
    const difference =
      mapping.direction === 'inbound'
        ? await inboundDifference(from, expected, { format, translator: mapping.translator })
        : outboundDifference(await textOf(from), expected, { format, composer: mapping.composer })
    if (difference !== undefined) failures.push(`${path}: example ${input}: ${difference}`)
  }
  return failures
}

/**
 * The bodies of a file, in order. A reference stands in its place as what the file says, since only the API knows the
 * id; a refused record stands as its problem codes.
 */
export async function exampleBodies(
  path: string,
  format: Format,
  translator: Translator,
): Promise<unknown[]> {
  const translation = await translateFile(path, format, translator)
  if ('unusable' in translation) {
    throw new BridgeError('mapping-invalid', `${path} cannot be read with its mapping`, {
      details: translation.unusable.map((each) => [describePlace(each.place), each.message].join(': ')),
    })
  }
  const bodies: unknown[] = []
  for await (const drafts of translation.drafts) bodies.push(...drafts.map(exampleBody))
  return bodies
}

function exampleBody({ body, references, problems }: Draft): unknown {
  if (body === undefined) return { problems: problems.map((each) => each.code) }
  const named = references.map(({ field, key }) => [field, key])
  return JSON.parse(JSON.stringify({ ...Object.fromEntries(named), ...body }))
}

async function inboundDifference(
  path: string,
  expected: string,
  { format, translator }: { format: Format; translator: Translator },
): Promise<string | undefined> {
  const actual = await exampleBodies(path, format, translator)
  const wanted = JSON.parse(expected) as unknown[]
  if (actual.length !== wanted.length)
    return `${actual.length} records came out, ${wanted.length} are expected`
  const index = actual.findIndex((body, at) => !isDeepStrictEqual(body, wanted[at]))
  if (index === -1) return undefined
  return `record ${index + 1} is ${JSON.stringify(actual[index])}, expected ${JSON.stringify(wanted[index])}`
}

function outboundDifference(
  input: string,
  expected: string,
  { format, composer }: { format: Format; composer: Composer },
): string | undefined {
  const actual = exampleFile(JSON.parse(input) as Record<string, unknown>[], format, composer)
  if (actual === expected) return undefined
  const wanted = expected.split('\n')
  const at = actual.split('\n').findIndex((line, index) => line !== wanted[index])
  return `line ${at + 1} is ${JSON.stringify(actual.split('\n')[at])}, expected ${JSON.stringify(wanted[at])}`
}

/** The text of the file that the records make. */
export function exampleFile(
  records: readonly Record<string, unknown>[],
  format: Format,
  composer: Composer,
): string {
  const writer = format.writer(composer.columns, composer.write)
  const parts = [writer.head()]
  for (const record of records) {
    const composed = composer.rows(record)
    if ('rows' in composed) parts.push(writer.rows(composed.rows))
  }
  return Buffer.concat(parts).toString('utf8')
}

async function textOf(path: string): Promise<string> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of createReadStream(path, { end: EXAMPLE_BYTES_MAX })) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  } catch (cause) {
    throw new BridgeError('mapping-invalid', `the example ${path} cannot be read`, { cause })
  }
}
