/** `dropbridge map try` with the mapping of an export: columns beside the values they show, with the text after each step. */
import { recordsIn } from '../../../bridge/maps/exported.ts'
import type { ExplainedCell, ExplainedRow } from '../../../mapping/export/explain-rows.ts'
import type { OutboundMapping } from '../../../mapping/load.ts'
import { recordName } from '../../../pipelines/outbound/record-name.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'

export interface TryExportOptions {
  readonly file: string
  readonly record: number | undefined
  readonly json: boolean
}

/** So many records are shown when none is named. */
const SHOWN = 3

export async function tryExport(
  terminal: Terminal,
  { operation, composer, explain }: OutboundMapping,
  { file, record: wanted, json }: TryExportOptions,
): Promise<ExitCode> {
  const records = await recordsIn(pathFrom(terminal, file))
  if (wanted !== undefined && records[wanted - 1] === undefined) {
    throw new BridgeError(
      'usage-wrong',
      `${file} has ${records.length} records; there is no record ${wanted}`,
    )
  }
  let held = 0
  for (const [index, record] of records.entries()) {
    const number = index + 1
    if (wanted === undefined ? number > SHOWN : number !== wanted) continue
    const rows = explain(record)
    const composed = composer.rows(record)
    const problems = 'problems' in composed ? composed.problems : []
    if (problems.length > 0) held += 1
    const outcome = problems.length > 0 ? 'held' : 'written'
    const name = recordName(operation, record)
    if (json) terminal.out(JSON.stringify({ number, name, outcome, rows, problems }))
    else for (const line of inWords({ number, name, outcome, rows })) terminal.out(line)
  }
  if (wanted === undefined && records.length > SHOWN) {
    terminal.say(`The first ${SHOWN} of ${records.length} records are shown; --record N shows another one.`)
  }
  return held > 0 ? EXIT.rejects : EXIT.ok
}

interface Tried {
  readonly number: number
  readonly name: string
  readonly outcome: string
  readonly rows: readonly ExplainedRow[]
}

function inWords({ number, name, outcome, rows }: Tried): string[] {
  const told = [name === '' ? '' : ` (${name})`, outcome === 'held' ? ': held' : ''].join('')
  return [`record ${number}${told}`, ...rows.flatMap(rowLines), '']
}

function rowLines({ type, cells }: ExplainedRow, index: number): string[] {
  const lines = cells.map((cell): readonly [string, string, string] => [
    cell.column,
    cell.values.map(({ path }) => path).join(' + ') || '-',
    stepsInWords(cell),
  ])
  const head: readonly [string, string, string] = ['column', 'field', 'value → steps → cell']
  const width = (at: 0 | 1) => Math.max(...[head, ...lines].map((line) => line[at].length))
  const [names, fields] = [width(0), width(1)]
  return [
    `row ${index + 1}${type === undefined ? '' : ` (${type})`}`,
    ...[head, ...lines].map(([name, field, steps]) =>
      `  ${name.padEnd(names)}  ${field.padEnd(fields)}  ${steps}`.trimEnd(),
    ),
  ]
}

/** `"FEDEX_GROUND" → table ship-via "Ground"`: the value, and what each step makes of it. */
function stepsInWords({ values, steps, text, refused }: ExplainedCell): string {
  const start = values.map(({ value }) => JSON.stringify(value)).join(' + ')
  const done = steps
    .map(({ does, text: now }) => ({ does, shown: JSON.stringify(now) }))
    .filter(({ does, shown }, index) => does !== 'written' || index > 0 || shown !== start)
    .map(({ does, shown }) => `${does} ${shown}`)
  const last = steps.at(-1)?.text ?? ''
  const end =
    refused.length > 0
      ? [`WRONG: ${refused.join(' ')}`]
      : text === last
        ? []
        : [`cell ${JSON.stringify(text)}`]
  return [start, ...done, ...end].filter((part) => part !== '').join(' → ')
}
