/** `dropbridge map test`: runs the examples of mappings, and says what they leave untried. */
import { failingExamples } from '../../../bridge/examples.ts'
import { type Coverage, coverageOf } from '../../../bridge/maps/coverage.ts'
import { type ExportCoverage, exportCoverageOf } from '../../../bridge/maps/export-coverage.ts'
import type { UntakenKeys } from '../../../bridge/maps/table-keys.ts'
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
  /** Absent where there are no examples. */
  readonly coverage?: Coverage | ExportCoverage
}

export async function test(terminal: Terminal, { mappings, json }: TestOptions): Promise<ExitCode> {
  const tested: Tested[] = []
  for (const name of mappings) tested.push(await testOne(terminal, name))
  if (json) terminal.out(JSON.stringify(tested, null, 2))
  else for (const each of tested) for (const line of inWords(each)) terminal.out(line)
  const failed = tested.filter(({ failures }) => failures.length > 0)
  for (const line of verdict(tested, failed.length)) terminal.say(line)
  return failed.length === 0 ? EXIT.ok : EXIT.unusableFile
}

/** Nothing is said of examples where there are none. */
function verdict(tested: readonly Tested[], failed: number): string[] {
  if (failed > 0) {
    const who = failed === 1 ? 'A mapping does' : `${failed} mappings do`
    return [`${who} not do what the examples say.`]
  }
  return tested.some(({ examples }) => examples > 0) ? ['Every example gives what it should.'] : []
}

async function testOne(terminal: Terminal, name: string): Promise<Tested> {
  const path = pathFrom(terminal, name)
  const mapping = await loadMapping(path)
  const format = createFormats()
  const found = await failingExamples(mapping, path, format)
  const failures = found.map((failure) => failure.replace(`${path}: `, ''))
  const tested = { mapping: name, examples: mapping.examples.length, failures }
  if (mapping.examples.length === 0) return tested
  const isInbound = mapping.direction === 'inbound'
  const coverage = isInbound ? await coverageOf(mapping, path, format) : await exportCoverageOf(mapping, path)
  return { ...tested, coverage }
}

function inWords({ mapping, examples, failures, coverage }: Tested): string[] {
  const counted = examples === 1 ? 'one example' : `${examples} examples`
  const untried: Partial<Coverage & ExportCoverage> = coverage ?? {}
  return [
    `${mapping}: ${examples === 0 ? 'no examples, so nothing was tested' : counted}`,
    ...failures.map((failure) => `  wrong: ${failure}`),
    ...UNTRIED.flatMap(([what, list]) => {
      const names = untried[list] ?? []
      return names.length === 0 ? [] : [`  ${what}: ${shortened(names)}`]
    }),
    ...(coverage?.untakenKeys ?? []).map(keysInWords),
  ]
}

const UNTRIED: readonly (readonly [string, Exclude<keyof (Coverage & ExportCoverage), 'untakenKeys'>])[] = [
  ['columns that are not used', 'unusedColumns'],
  ['columns that no example has', 'absentColumns'],
  ['columns that no example fills', 'unfilledColumns'],
  ['fields that no example fills', 'unfilledFields'],
  ['fields that no column prints', 'unprintedFields'],
  ['options that no example takes', 'untakenOptions'],
]

/** Of a price list or the like nobody wants to try every key. */
const MAX_KEYS = 40

function keysInWords({ table, keys, of }: UntakenKeys): string {
  const names = of > MAX_KEYS ? '' : `: ${shortened(keys)}`
  return `  keys of the table ${table} that no example looks up: ${keys.length} of ${of}${names}`
}

/** A line has so many names; `--json` has them all. */
const MAX_NAMES = 12

function shortened(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
