/** Writes the `read` section of a learned mapping: what the file looks like, with the reason. */
import type { ClosingRow } from './closing-row.ts'
import type { Sample } from './sample.ts'
import { formatSampleCell, formatYamlText } from './yaml-text.ts'

/** Returns the lines of the section, without options that the reader detects. */
export function writeReadSection(sample: Sample): string[] {
  const { statedOptions, hasHeader, columns, rows, closing, typed, places } = sample
  const options = [`format: ${places === undefined ? 'csv' : 'fixed'}`]
  if (statedOptions.encoding !== undefined) options.push(`encoding: ${statedOptions.encoding}`)
  if (statedOptions.delimiter !== undefined)
    options.push(`delimiter: ${JSON.stringify(statedOptions.delimiter)}`)
  if (statedOptions.quote === null) options.push('quote: null')
  if (statedOptions.skip !== undefined) options.push(`skip: ${statedOptions.skip}`)
  const ignored = [...(statedOptions.ignore ?? []).map(formatIgnoreRule), ...listClosingIgnoreRules(closing)]
  if (ignored.length > 0) options.push(`ignore: [${ignored.join(', ')}]`)
  const left =
    listClosingIgnoreRules(closing).length === 0
      ? []
      : [`# likely: the last row, ${closing?.word}, is no record; every line that begins so is left out`]
  const why: string[] = []
  if (statedOptions.repeated !== undefined) options.push('repeated: allowed')
  if (statedOptions.header !== undefined) {
    options.push(`header: { lines: ${statedOptions.header.lines}, names: ${statedOptions.header.names} }`)
    why.push('the line below the names explains them')
  }
  if (statedOptions.rows?.long !== undefined) {
    options.push('rows: { long: cut }')
    why.push('each row ends with a delimiter that the header has not')
  }
  if (statedOptions.rows?.short !== undefined) options.push('rows: { short: pad }')
  const note = why.length === 0 ? '' : ` # likely: ${why.join('; ')}`
  const lines = ['read:', ...options.map((option) => `  ${option}`)]
  if (typed !== undefined) return [...lines, ...writeRecords(typed)]
  if (hasHeader && places === undefined) return [`read: { ${options.join(', ')} }${note}`, ...left]
  const cellsOf = (index: number) => rows.map((row) => row[index] ?? '')
  const formatColumn = (name: string, index: number) => {
    const { start, length } = places?.[index] ?? {}
    const column =
      places === undefined
        ? formatYamlText(name)
        : `{ name: ${formatYamlText(name)}, start: ${start}, length: ${length} }`
    return `    - ${column} # ${formatSampleCell(cellsOf(index))}`
  }
  const reason =
    places === undefined
      ? 'the file has no heading line: give the columns better names, here and below'
      : 'likely: the places at which all lines have blanks; compare them with the description of the file'
  return [...lines, `  columns: # ${reason}`, ...columns.map(formatColumn), ...left]
}

/** Writes the types of the rows, with the names of their cells where the file has none. */
function writeRecords({ typeIn, kinds, hasHeadings, columns }: NonNullable<Sample['typed']>): string[] {
  const header = kinds.find(({ as }) => as === 'header')?.type ?? ''
  const why =
    typeIn === undefined
      ? 'the first cell of each row names its type'
      : 'this column names the type of each row'
  const rename = hasHeadings ? '' : '; give the columns better names, here and below'
  const lines = kinds.flatMap(({ type, as }) => {
    const role = as === 'part' ? `of: ${formatYamlText(header)}` : `as: ${as}`
    if (as === 'ignore' || hasHeadings) return [`    ${formatYamlText(type)}: { ${role} }`]
    const own = columns.filter(({ name }) => name.startsWith(`${type} `))
    return [
      `    ${formatYamlText(type)}:`,
      `      ${role}`,
      '      columns:',
      ...own.map(({ name, cells }) => `        - ${formatYamlText(name)} # ${formatSampleCell(cells)}`),
    ]
  })
  const place = typeIn === undefined ? [] : [`  typeIn: ${formatYamlText(typeIn)}`]
  return [...place, `  records: # likely: ${why}${rename}`, ...lines]
}

function formatIgnoreRule(rule: NonNullable<Sample['statedOptions']['ignore']>[number]): string {
  return 'startsWith' in rule ? `{ startsWith: ${JSON.stringify(rule.startsWith)} }` : '{ header: repeated }'
}

/** Ignores a last row whose numbers match no totals. */
function listClosingIgnoreRules(closing: ClosingRow | undefined): string[] {
  if (closing === undefined || closing.totals.length > 0) return []
  const { word, isFirst } = closing
  const rule = isFirst ? `startsWith: ${JSON.stringify(word)}` : `matches: ${JSON.stringify(`\\b${word}\\b`)}`
  return [`{ ${rule} }`]
}
