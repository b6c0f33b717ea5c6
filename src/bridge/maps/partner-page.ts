/** What a partner has to send, as a page of Markdown: each column with its names, what may stand in it, and an example. */
import { OPERATIONS } from '../../contract/operations.ts'
import { describeReference, REFERENCES } from '../../contract/references.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { describeRule } from '../../mapping/shape.ts'
import { conditionColumns, groupColumns, leavesOfMapping, type MappingLeaf, type Options } from './leaves.ts'
import { agreedWords, markdownTable } from './markdown.ts'
import { type FoundForm, formSentence, isNamed, rowLines } from './partner-form.ts'
import { ruleLines } from './partner-rules.ts'

export interface PartnerColumn {
  /** The name the mapping puts first. */
  readonly name: string
  readonly otherNames: readonly string[]
  readonly required: boolean
  readonly perRow: boolean
  /** What may stand in it. */
  readonly takes: readonly string[]
  readonly example: string
}

interface Known {
  /** A cell of the examples under one of these names. */
  readonly exampleOf: (names: readonly string[]) => string
  /** The words of each lookup table. */
  readonly words: ReadonlyMap<string, readonly string[]>
}

/** The columns in the order in which the mapping's body names them, those of the key first. */
export function partnerColumns(mapping: InboundMapping, known: Known): PartnerColumn[] {
  const columns = new Map<string, PartnerColumn>()
  const keys = new Set(groupColumns(mapping).map(([name = '']) => name))
  const add = (names: readonly string[], column: Pick<PartnerColumn, 'required' | 'perRow' | 'takes'>) => {
    const [name = '', ...others] = names
    const before = columns.get(name)
    const otherNames = [...new Set([...(before?.otherNames ?? []), ...others])]
    const takes = [...new Set([...(before?.takes ?? []), ...column.takes])]
    const required = column.required || before?.required === true
    const perRow = column.perRow && before?.perRow !== false
    columns.set(name, { name, otherNames, required, perRow, takes, example: known.exampleOf(names) })
  }
  for (const name of keys)
    add([name], { required: true, perRow: false, takes: ['the same on every row of a record'] })
  for (const leaf of leavesOfMapping(mapping)) {
    const isOne = leaf.branches.length === 1
    for (const { when, options, columns: sources } of leaf.branches) {
      // Of several sources any one may be blank, so none is required by itself.
      const isOnly = isOne && when === undefined && options['default'] === undefined && sources.length === 1
      const takes = takenBy(leaf, options, known.words)
      for (const names of sources)
        add(names, { required: leaf.required && isOnly, perRow: leaf.perRow, takes })
    }
  }
  for (const { name, perRow, needed } of conditionColumns(mapping)) {
    add([name], { required: needed, perRow, takes: columns.has(name) ? [] : ['decides what is taken'] })
  }
  return [...columns.values()]
}

function takenBy({ rule, list }: MappingLeaf, options: Options, words: Known['words']): string[] {
  const { format, zone, table, find, wrap, split, decimal, all, blanks, default: fallback } = options
  const takes: string[] = []
  if (typeof table === 'string') {
    takes.push(agreedWords(words.get(table) ?? []))
  } else if (rule.kind === 'integer' && rule.reference !== undefined && find !== undefined)
    takes.push(`${describeReference(rule.reference)} by ${REFERENCES[rule.reference].called}`)
  else if (format !== undefined) takes.push(`a date written as ${[format].flat().map(String).join(' or ')}`)
  else if (rule.kind === 'dateTime' || rule.kind === 'date') takes.push('a date written as yyyy-MM-dd HH:mm')
  else takes.push(describeRule(rule))
  if (Array.isArray(all)) takes.push(`together: ${all.map(String).join(', ')}`)
  if (typeof zone === 'string') takes.push(`in the time of ${zone}`)
  if (decimal === ',') takes.push('with a comma before the decimals')
  if (list && typeof split === 'string') takes.push(`several, with "${split}" between them`)
  if (list && typeof wrap === 'number') takes.push('longer texts are broken into lines')
  if (Array.isArray(blanks)) takes.push(`${blanks.map(String).join(' or ')} means blank`)
  if (fallback !== undefined) takes.push(`blank means ${JSON.stringify(fallback)}`)
  return takes
}

export function partnerPage(
  mapping: InboundMapping,
  columns: readonly PartnerColumn[],
  { title, form }: { readonly title: string; readonly form: FoundForm | undefined },
): string {
  const { read } = mapping.translator
  const keys = groupColumns(mapping).map(([name = '']) => `**${name}**`)
  const rows = columns.map((column) => [
    column.name,
    column.otherNames.join(', '),
    column.required ? 'yes' : '',
    column.perRow ? 'row' : 'record',
    column.takes.join('; '),
    column.example,
  ])
  const head = ['Column', 'Other names', 'Required', 'Per', 'What may stand in it', 'Example']
  return `${[
    `# ${title}: what to send`,
    '',
    `${OPERATIONS[mapping.operation].summary} ${formSentence(read, form)}`,
    '',
    keys.length === 0
      ? 'A header row opens a record, the detail rows after it are its lines.'
      : `Rows with the same ${keys.join(' and ')} that stand next to each other are one record. Columns "per record" say the same on each of its rows, or stand on the first one only.`,
    '',
    ...(isNamed(read) ? [NAMES, ''] : []),
    ...rowLines(read),
    ...markdownTable([head, ...rows]),
    '',
    ...ruleLines(mapping),
  ].join('\n')}\n`
}

const NAMES =
  'Upper and lower case, blanks and punctuation in the names of columns do not matter, nor does their order. Other columns may be there and are not looked at.'
