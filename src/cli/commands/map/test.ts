/** `dropbridge map test`: runs the examples of mappings, and says what they leave untried. */
import { failingExamples } from '../../../bridge/examples.ts'
import { type Coverage, coverageOf } from '../../../bridge/maps/coverage.ts'
import { createFormats } from '../../../formats/formats.ts'
import { loadMapping } from '../../../mapping/load.ts'
import { EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'

export interface TestOptions {
  readonly mappings: readonly string[]
  readonly json: boolean
}

interface Tested {
  readonly mapping: string
  readonly examples: number
  readonly failures: readonly string[]
  /** Absent for exports: their columns are all written for every record. */
  readonly coverage?: Coverage
}

export async function test(terminal: Terminal, { mappings, json }: TestOptions): Promise<ExitCode> {
  const tested: Tested[] = []
  for (const name of mappings) tested.push(await testOne(terminal, name))
  if (json) terminal.out(JSON.stringify(tested, null, 2))
  else for (const each of tested) for (const line of inWords(each)) terminal.out(line)
  const failed = tested.filter(({ failures }) => failures.length > 0)
  terminal.say(
    failed.length === 0
      ? 'Every example gives what it should.'
      : `${failed.length === 1 ? 'A mapping does' : `${failed.length} mappings do`} not do what the examples say.`,
  )
  return failed.length === 0 ? EXIT.ok : EXIT.unusableFile
}

async function testOne(terminal: Terminal, name: string): Promise<Tested> {
  const path = pathFrom(terminal, name)
  const mapping = await loadMapping(path)
  const format = createFormats()
  const found = await failingExamples(mapping, path, format)
  const failures = found.map((failure) => failure.replace(`${path}: `, ''))
  const tested = { mapping: name, examples: mapping.examples.length, failures }
  if (mapping.direction === 'outbound' || mapping.examples.length === 0) return tested
  return { ...tested, coverage: await coverageOf(mapping, path, format) }
}

function inWords({ mapping, examples, failures, coverage }: Tested): string[] {
  const counted = examples === 1 ? 'one example' : `${examples} examples`
  const untried: readonly (readonly [string, readonly string[]])[] = [
    ['columns that are not used', coverage?.unusedColumns ?? []],
    ['columns that no example has', coverage?.absentColumns ?? []],
    ['fields that no example fills', coverage?.unfilledFields ?? []],
    ['options that no example takes', coverage?.untakenOptions ?? []],
  ]
  return [
    `${mapping}: ${examples === 0 ? 'no examples, so nothing was tested' : counted}`,
    ...failures.map((failure) => `  wrong: ${failure}`),
    ...untried
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `  ${what}: ${names.join(', ')}`),
  ]
}
