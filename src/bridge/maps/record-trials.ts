/** What of a mapping an example may try that is of no single value: conditions of objects, lines and records. */
import type { InboundMapping } from '../../mapping/load.ts'
import { toPlain } from '../../mapping/source/source.ts'
import { conditionText, longFormOf, mappedBody, type Options } from './leaves.ts'
import { cellOf, type FileRead, type RecordRead } from './records.ts'

interface RecordTrial {
  readonly name: string
  readonly isTried: (record: RecordRead, file: FileRead) => boolean
}

export function recordTrials(mapping: InboundMapping) {
  let open = [...objectTrials(mapping), ...ruleTrials(toPlain(mapping.source) as Options)]
  return {
    take(record: RecordRead, file: FileRead) {
      open = open.filter(({ isTried }) => !isTried(record, file))
    },
    untaken: () => open.map(({ name }) => name),
  }
}

/** Whether they are ever left out; that they are ever there shows in their fields. */
function objectTrials(mapping: InboundMapping): RecordTrial[] {
  return mappedBody(mapping).conditional.map(({ field, when }): RecordTrial => {
    const isOfIt = (path: string) => path === field || path.replace(/\[\d+\]/g, '[]').startsWith(`${field}.`)
    return {
      name: `${field}: not when ${conditionText(when)}`,
      isTried: ({ fields }) => fields.some((made) => made.absent === 'condition' && isOfIt(made.field)),
    }
  })
}

function ruleTrials({ only, hold, lines, group }: Options): RecordTrial[] {
  const trials: RecordTrial[] = []
  if (only !== undefined) {
    trials.push({ name: 'only: a record that is left out', isTried: ({ draft }) => draft.skipped === true })
  }
  const { same, columns, hold: lineHold } = longFormOf(lines)
  if (hold !== undefined || lineHold !== undefined) {
    trials.push({ name: 'hold: a record that is held', isTried: ({ draft }) => draft.held === true })
  }
  if (same === 'add') {
    const isTried = ({ fields }: RecordRead) =>
      fields.some(({ steps }) => steps.some(({ option }) => option === 'same'))
    trials.push({ name: 'lines: same add', isTried })
  }
  if (columns !== undefined) {
    const isTried = ({ rows }: RecordRead) => new Set(rows.map(({ line }) => line)).size < rows.length
    trials.push({ name: 'lines: several in one row', isTried })
  }
  if (longFormOf(group)['blank'] === 'continues') {
    trials.push({ name: 'group: blank continues', isTried: goesOnBlank })
  }
  return trials
}

/** Whether a row belongs to the record because its keys are blank. */
function goesOnBlank({ rows }: RecordRead, { layouts, bound }: FileRead): boolean {
  return rows
    .slice(1)
    .some((row) => bound.keyColumns.every((name) => cellOf(row, layouts, [name])?.text === ''))
}
