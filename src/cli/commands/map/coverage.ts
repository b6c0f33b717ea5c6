/** `dropbridge map coverage`: which parts of a file a mapping uses, which it does not, and why. */
import { createFormats } from '../../../formats/formats.ts'
import {
  type CoveredPlace,
  coverDocuments,
  type DocumentCoverage,
} from '../../../mapping-tools/edi/coverage.ts'
import { coverExport, type ExportCoverage } from '../../../mapping-tools/edi/export-coverage.ts'
import { countPaths } from '../../../mapping-tools/edi/interchanges.ts'
import { type InboundMapping, loadMapping } from '../../../mapping/load.ts'
import { readApiRecords } from '../../../mapping-tools/exported-rows.ts'
import { EXIT, type ExitCode, usageError } from '../../../support/errors.ts'
import { defineCommand, FILE_ARGUMENT, translationFlags } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { formatCodedProblem, formatCount, formatTable } from '../../format/text.ts'
import type { Terminal } from '../../terminal.ts'

export const coverageCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: translationFlags({
    segment: { type: 'number', describe: 'Say of this segment why it is used or not' },
  }),
  async run(terminal, { file, mapping: name, segment, json }) {
    const mapping = await loadMapping(resolvePath(terminal, name))
    const path = resolvePath(terminal, file)
    if (mapping.direction === 'outbound') {
      if (segment !== undefined)
        throw usageError('--segment is for interchanges that come in', 'Leave --segment out.')
      return sayExportCoverage(terminal, coverExport(mapping, await readApiRecords(path)), { file, json })
    }
    if (mapping.translator.read.edi === undefined) throw notForTables()
    const covered = await coverDocuments(path, mapping, segment)
    if (covered.segments === 0)
      throw usageError(
        `${file} holds no interchange`,
        'Name a file of X12 or EDIFACT, which begins with ISA, UNA or UNB.',
      )
    if (segment !== undefined) return sayAsked(terminal, covered, segment, json)
    const neverFilled = await listNeverFilled(path, mapping)
    if (json) terminal.out(JSON.stringify({ ...covered, neverFilled }, null, 2))
    else sayCoverage(terminal, covered, neverFilled)
    return EXIT.ok
  },
})

function notForTables() {
  return usageError(
    'map coverage is for mappings of interchanges',
    'Use `dropbridge map test MAPPING`: it says the same of columns.',
  )
}

function sayExportCoverage(
  terminal: Terminal,
  covered: ExportCoverage | undefined,
  { file, json }: { readonly file: string; readonly json: boolean },
): ExitCode {
  if (covered === undefined) throw notForTables()
  const { records, held, values, carried, leftOut, neverWritten, neverFilled } = covered
  if (records === 0)
    throw usageError(
      `${file} holds no record`,
      'Name a file with records of the API: `dropbridge export ROUTE --out FILE` writes one.',
    )
  const exit = held.length > 0 ? EXIT.rejects : EXIT.ok
  if (json) {
    terminal.out(JSON.stringify(covered, null, 2))
    return exit
  }
  const rows = values.map(({ path, filled, of, elements, conditions, example }) => [
    path,
    `${filled} of ${of}`,
    elements.length > 0 ? 'carried' : conditions.length > 0 ? 'condition' : 'left out',
    [...elements, ...conditions.map((each) => `condition of ${each}`)].join(', ') || JSON.stringify(example),
  ])
  for (const line of formatTable(['value', 'filled', 'status', 'where, or an example'], rows, 90))
    terminal.out(line)
  terminal.say(
    `Of ${values.length} values in ${formatCount(records, 'record')}: ${carried} carried, ${leftOut} left out.`,
  )
  if (neverWritten.length > 0)
    terminal.say(`Segments of the mapping that these records never write: ${neverWritten.join(', ')}.`)
  if (neverFilled.length > 0)
    terminal.say(`Elements of other segments that they never fill: ${neverFilled.join(', ')}.`)
  for (const { number, problems } of held) {
    terminal.say(`Record ${number} would be held:`)
    for (const each of problems) terminal.say(`  ${formatCodedProblem(each)}`)
  }
  return exit
}

function sayAsked(terminal: Terminal, { asked, segments }: DocumentCoverage, segment: number, json: boolean) {
  if (asked === undefined)
    throw usageError(
      `there is no segment ${segment}: the file has ${segments}`,
      `Write a number from 1 to ${segments}.`,
    )
  if (json) terminal.out(JSON.stringify(asked, null, 2))
  else {
    terminal.out(`segment ${segment}: ${asked.text}`)
    terminal.out(`${asked.place}, ${asked.status}: ${asked.why}`)
  }
  return EXIT.ok
}

async function listNeverFilled(path: string, mapping: InboundMapping): Promise<string[]> {
  const counts = await countPaths(path, createFormats(), mapping)
  return [...new Set(counts.list().flatMap((each) => (each.filled === 0 ? [each.path] : [])))]
}

function sayCoverage(terminal: Terminal, covered: DocumentCoverage, neverFilled: readonly string[]): void {
  const rows = covered.places.flatMap(formatPlace)
  for (const line of formatTable(['segment', 'times', 'status', 'what for, or an example'], rows, 90))
    terminal.out(line)
  const { segments, used, unused, unknown } = covered
  terminal.say(`Of ${segments} segments: ${used} used, ${unused} unused, ${unknown} unknown to the grammar.`)
  if (neverFilled.length > 0)
    terminal.say(`Paths of the mapping that the file never fills: ${neverFilled.join(', ')}.`)
}

/** A line for the segment, and below it one for each of its elements that is not used. */
function formatPlace({ place, status, count, why, example, elements }: CoveredPlace): string[][] {
  const note = status === 'used' ? why : `${why}: ${example}`
  const open = status === 'used' ? elements.filter(({ isUsed }) => !isUsed) : []
  return [
    [place, String(count), status, note],
    ...open.map((each) => [`  ${each.element}`, String(each.filled), 'unused', `"${each.example}"`]),
  ]
}
