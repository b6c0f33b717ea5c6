/** `dropbridge map test`: runs the examples of mappings, and says what they leave untried. */
import { findExampleFailures } from '../../../mapping-tools/examples.ts'
import { type Coverage, measureCoverage } from '../../../mapping-tools/coverage.ts'
import type { UntakenKeys } from '../../../mapping-tools/tables.ts'
import { createFormats } from '../../../formats/formats.ts'
import { loadMapping } from '../../../mapping/load.ts'
import { EXIT } from '../../../support/errors.ts'
import { defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { formatExampleCount } from '../../format/text.ts'
import type { Terminal } from '../../terminal.ts'

type TestedMapping = Awaited<ReturnType<typeof testMapping>>

export const testCommand = defineCommand({
  positionals: { mappings: { ...REQUIRED_TEXT, array: true } },
  options: { json: JSON_FLAG },
  async run(terminal, { mappings, json }) {
    const tested: TestedMapping[] = []
    for (const name of mappings) tested.push(await testMapping(terminal, name))
    if (json) terminal.out(JSON.stringify(tested, null, 2))
    else for (const line of tested.flatMap(formatTestedMapping)) terminal.out(line)
    const failed = tested.filter(({ failures }) => failures.length > 0)
    for (const line of formatVerdict(tested, failed.length)) terminal.say(line)
    return failed.length === 0 ? EXIT.ok : EXIT.unusableFile
  },
})

/** Leaves examples out where there are none. */
function formatVerdict(tested: readonly TestedMapping[], failed: number): string[] {
  if (failed > 0) {
    const who = failed === 1 ? 'A mapping does' : `${failed} mappings do`
    return [`${who} not do what the examples say.`]
  }
  return tested.some(({ examples }) => examples > 0) ? ['Every example gives what it should.'] : []
}

async function testMapping(terminal: Terminal, name: string) {
  const path = resolvePath(terminal, name)
  const mapping = await loadMapping(path)
  const format = createFormats()
  const found = await findExampleFailures(mapping, path, format)
  const failures = found.map((failure) => failure.replace(`${path}: `, ''))
  const examples = mapping.examples.length
  const warnings = mapping.direction === 'outbound' ? (mapping.document?.plan.warnings ?? []) : []
  const tested = {
    mapping: name,
    examples,
    failures,
    warnings: warnings.map((each) => each.replace(path, name)),
  }
  if (examples === 0) return tested
  return { ...tested, coverage: await measureCoverage(mapping, path, format) }
}

function formatTestedMapping({ mapping, examples, failures, warnings, ...rest }: TestedMapping): string[] {
  const counted = formatExampleCount(examples)
  const coverage = 'coverage' in rest ? rest.coverage : undefined
  return [
    `${mapping}: ${examples === 0 ? 'no examples, so nothing was tested' : counted}`,
    ...failures.map((failure) => `  wrong: ${failure}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...COVERAGE_GAPS.flatMap(([what, list]) => {
      const names = coverage?.[list] ?? []
      return names.length === 0 ? [] : [`  ${what}: ${shortenList(names)}`]
    }),
    ...(coverage?.untakenKeys ?? []).map(formatUntestedKeys),
  ]
}

const COVERAGE_GAPS: readonly (readonly [string, Exclude<keyof Coverage, 'untakenKeys'>])[] = [
  ['columns that are not used', 'unusedColumns'],
  ['columns that no example has', 'absentColumns'],
  ['columns that no example fills', 'unfilledColumns'],
  ['fields that no example fills', 'unfilledFields'],
  ['fields that no column prints', 'unprintedFields'],
  ['options that no example takes', 'untakenOptions'],
]

/** Few people want to try every key of a long table, such as a price list. */
const KEYS_SHOWN = 40

function formatUntestedKeys({ table, keys, of }: UntakenKeys): string {
  const names = of > KEYS_SHOWN ? '' : `: ${shortenList(keys)}`
  return `  keys of the table ${table} that no example looks up: ${keys.length} of ${of}${names}`
}

/** How many names a line lists; `--json` has them all. */
const NAMES_SHOWN = 12

function shortenList(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
