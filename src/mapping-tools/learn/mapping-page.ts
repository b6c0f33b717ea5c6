/** Writes a learned mapping as YAML: every line with its reason, and each gap with what it needs. */
import { basename, extname } from 'node:path'
import {
  type InboundOperationName,
  isInbound,
  type OutboundOperationName,
  partiesOf,
} from '../../contract/operations.ts'
import { describeRule, type Shape } from '../../mapping/shape.ts'
import {
  type Confidence,
  type Field,
  getBodyShape,
  type PlacedColumn,
  type Placement,
} from './column-matching.ts'
import { computeShare, listNumberDoubts } from './column-profile.ts'
import { type Grouping, KEY_FIELDS } from './record-rows.ts'
import type { ClosingRow } from './sample-ends.ts'
import type { Sample } from './sample.ts'
import { isServiceField, type ServiceTable } from './services.ts'
import { findUnit } from './spellings.ts'

interface MappingDraft {
  readonly operation: InboundOperationName
  /** The sample's name, without its folder. */
  readonly file: string
  readonly sample: Sample
  readonly fields: readonly Field[]
  readonly placed: readonly PlacedColumn[]
  readonly unplaced: Placement['unplaced']
  readonly services: readonly ServiceTable[]
  readonly grouping: Grouping
}

const SERVICE_NOTE =
  'the API requires this: name the column with a table for its words, or write { const: … }'
const NEEDED_NOTE = 'the API requires this: name the column, or write { const: … }'

export const CONFIDENCE_NOTE =
  '# "sure" leaves no doubt; look at every "likely" once, and twice at every "guess".'

export function writeMapping(learned: MappingDraft): string {
  const body = writeBody(getBodyShape(learned.operation), '', 1, learned)
  const below = [...writeTables(learned), ...writeUnknownColumns(learned)]
  return `${[...writeHead(learned), 'body:', ...body, ...below].join('\n')}\n`
}

/** A route with the mapping, for a configuration of `init`. */
export function writeRoute(operation: InboundOperationName | OutboundOperationName, mapping: string): string {
  const stem = basename(mapping, extname(mapping)).toLowerCase()
  const name = stem.replace(/[^a-z0-9]+/g, '-')
  if (!isInbound(operation)) {
    return `  ${name}:
    ${partiesOf(operation).includes('retailer') ? 'retailer: 1000' : 'brand: 2000'}
    operation: ${operation}
    partner: haven
    mapping: ${formatYamlText(mapping)}`
  }
  return `  ${name}:
    ${partiesOf(operation).includes('retailer') ? 'retailer: 1000' : 'brand: 2000'}
    operation: ${operation}
    mapping: ${formatYamlText(mapping)}
    from: { mailbox: exchange, folder: inbox/${name} }
    results: { mailbox: exchange }`
}

function writeHead({ operation, file, sample, grouping, placed }: MappingDraft): string[] {
  const { rows, encoding, delimiter, damaged, statedOptions } = sample
  const sign = delimiter === '\t' ? 'tabs' : `"${delimiter}"`
  const written = sample.places === undefined ? `${sign} between the cells` : 'lines of fixed width'
  const above = statedOptions.skip === undefined ? '' : ', lines above the headings'
  const unread = damaged === 0 ? '' : `; cannot be read and left aside: ${damaged} of them`
  const confidence = placed
    .filter(({ field }) => KEY_FIELDS[operation].includes(field.path))
    .map((each) => each.confidence)
    .reduce(lowerConfidence, grouping.confidence)
  const ends = hasBlankEnd(sample) ? ', a delimiter at the end of each line' : ''
  return [
    `# Learned from ${file}: ${rows.length} ${sample.numbered === undefined ? 'rows' : 'lines'}, ${encoding}, ${written}${above}${ends}${unread}.`,
    ...(sample.unread === undefined ? [] : [`# Left aside: ${sample.unread}`]),
    CONFIDENCE_NOTE,
    `operation: ${operation}`,
    ...writeReadSection(sample),
    ...writeLinesSection(sample),
    ...writeTotalsSection(sample),
    ...(sample.typed === undefined ? [writeGroup(grouping, confidence)] : []),
  ]
}

function writeGroup({ keys, blankContinues, why }: Grouping, confidence: Confidence): string {
  if (keys.length === 0) return 'group: # needed: name the column whose value the rows of one record share'
  const group = formatGroup(
    keys.map(({ name }) => name),
    blankContinues,
  )
  const isRepeated = keys.some(({ nth }) => nth !== undefined)
  if (isRepeated)
    return `group: ${group} # guess: several columns have this name, and a group cannot say which: have one renamed`
  return `group: ${group} # ${confidence}: ${why}`
}

/** Whether the last column has neither a name nor a cell: each line ends with a delimiter. */
function hasBlankEnd({ columns, rows, hasHeader }: Sample): boolean {
  const at = columns.length - 1
  return hasHeader && columns[at] === '' && rows.every((row) => (row[at] ?? '') === '')
}

/** Writes the numbered columns; the body also names them with `{n}`. */
function writeLinesSection({ numbered }: Sample): string[] {
  if (numbered === undefined) return []
  const { names, count } = numbered
  const columns = names.map(formatYamlText).join(', ')
  return [`lines: { columns: [${columns}] } # likely: numbered from 1 to ${count}`]
}

/** Writes control totals from the last row, so that an incomplete file is not sent. */
function writeTotalsSection({ closing }: Sample): string[] {
  if (closing === undefined || closing.totals.length === 0) return []
  const counted = closing.totals.filter(({ what }) => what === 'rows').slice(0, 1)
  const added = closing.totals.filter(({ what }) => what === 'sum')
  const sums = added.map(({ column }) => `${formatYamlText(column)}: ${formatYamlText(column)}`)
  const keys = [
    `when: { ${formatYamlText(closing.column)}: ${formatYamlText(closing.word)} }`,
    ...counted.map(({ column }) => `rows: ${formatYamlText(column)}`),
    ...(sums.length === 0 ? [] : [`sum: { ${sums.join(', ')} }`]),
  ]
  const why = [
    ...counted.map(({ column }) => `${column} is the number of rows`),
    ...added.map(({ column }) => `${column} is the sum of those above`),
  ]
  return [`totals: { ${keys.join(', ')} } # likely: in the last row ${why.join(', ')}`]
}

function formatGroup(keys: readonly string[], blankContinues: boolean): string {
  const [first = ''] = keys
  const by = keys.length === 1 ? formatYamlText(first) : `[${keys.map(formatYamlText).join(', ')}]`
  return blankContinues ? `{ by: ${by}, blank: continues }` : by
}

/** Writes the fields of an object, without optional ones that no column feeds. */
function writeBody(shape: Shape, path: string, depth: number, learned: MappingDraft): string[] {
  if (shape.kind !== 'object') return []
  return [...shape.fields].flatMap(([name, field]) => {
    const below = path === '' ? name : `${path}.${name}`
    const indent = '  '.repeat(depth)
    if (field.kind === 'object') {
      const lines = writeBody(field, below, depth + 1, learned)
      return lines.length === 0 ||
        !(field.required || learned.placed.some(({ field }) => field.path.startsWith(`${below}.`)))
        ? []
        : [`${indent}${name}:`, ...lines]
    }
    if (field.kind === 'list' && field.item.kind === 'object') {
      const [first = '', ...otherLines] = writeBody(field.item, `${below}[]`, depth + 2, learned)
      const head = `${indent}${name}: # one item: filled once per row`
      return [head, `${indent}  - ${first.trimStart()}`, ...otherLines]
    }
    const leaf = writeField(below, learned)
    return leaf === undefined ? [] : [`${indent}${name}: ${leaf}`.replace(/: +#/, ': #')]
  })
}

/** Writes the value behind a field's name, with the reason; undefined for a field that is left out. */
function writeField(path: string, learned: MappingDraft): string | undefined {
  const service = writeServiceField(path, learned)
  if (service !== undefined) return service
  const found = learned.placed.find(({ field }) => field.path === path)
  if (found !== undefined) {
    const { text, note, confidence } = formatField(found, learned.grouping.groups)
    return `${text} # ${confidence}: ${[found.why, ...(note === undefined ? [] : [note])].join('; ')}`
  }
  if (isServiceField(learned.operation, path)) return `# ${SERVICE_NOTE}`
  const field = learned.fields.find((each) => each.path === path)
  if (field?.required === true) {
    if (field.within !== undefined) return undefined
    const columns = learned.unplaced.flatMap(({ column, fits }) => (fits?.includes(path) ? [column] : []))
    const forms = columns.map(({ name, decimalComma }) =>
      decimalComma ? `{ from: ${formatYamlText(name)}, decimal: "," }` : toOneLine(name),
    )
    const fitting = forms.length === 0 ? '' : `; perhaps ${forms.join(' or ')}`
    return `# ${NEEDED_NOTE} (${describeRule(field.rule)})${fitting}`
  }
  const note = `# ${NEEDED_NOTE.replace('this', 'this or another name of the item')}`
  return needsItemName(path, learned) ? note : undefined
}

/** Whether to ask for an item's usual name, because no column holds any of its names. */
function needsItemName(path: string, { placed }: MappingDraft): boolean {
  if (!/variant\.(?:identifier|brand_identifier)$/.test(path)) return false
  const object = path.replace(/[^.]+$/, '')
  return !placed.some(({ field }) => field.path.startsWith(object))
}

function writeServiceField(path: string, { services }: MappingDraft): string | undefined {
  const service = services.find(({ picks }) => picks[path] !== undefined)
  if (service === undefined) return undefined
  const { column, table, picks } = service
  return `{ from: ${formatYamlText(column.name)}, table: ${table}, pick: ${picks[path]} } # guess: named so; what its words mean: see the table below`
}

function writeTables({ operation, services }: MappingDraft): string[] {
  if (services.length === 0) return []
  const toDo =
    operation === 'create-shipment'
      ? 'fill in the ids of your carriers and methods: GET /v1/carriers/ lists them'
      : 'compare with the methods your connection allows, and fill in what is empty'
  const tables = services.flatMap(({ table, rows }) => [
    `  ${table}: # ${toDo}`,
    '    rows:',
    ...rows.map(({ word, codes }) => {
      const cells = Object.entries(codes).map(([pick, code]) => `${pick}: ${code || '""'}`)
      return `      ${formatYamlText(word)}: { ${cells.join(', ')} }${Object.values(codes).includes('') ? ' # fill in' : ''}`
    }),
  ])
  return ['tables:', ...tables]
}

function writeUnknownColumns({ unplaced }: MappingDraft): string[] {
  if (unplaced.length === 0) return []
  return [
    '# Unknown columns, for you to decide: map each, or leave it out:',
    ...unplaced.map(({ column: { name, cells }, why }) => {
      const known = why === '' ? '' : ` (${why})`
      return `#   ${toOneLine(name)}: ${formatSampleCell(cells)}${known}`
    }),
  ]
}

// One field: its column with the options that its cells need.

export function formatField(
  { field, column, joined, confidence }: PlacedColumn,
  groups: Grouping['groups'],
): {
  readonly text: string
  readonly note: string | undefined
  /** The confidence, with that of the options included. */
  readonly confidence: Confidence
} {
  const { filled, dates, decimalComma } = column
  const options: string[] = []
  const notes: string[] = []
  /** What is known, and no reason to doubt. */
  const remarks: string[] = []
  let isGuess = false
  const { rule } = field
  if (rule.kind === 'integer' && rule.reference !== undefined) options.push(`find: ${rule.reference}`)
  if ((rule.kind === 'dateTime' || rule.kind === 'date') && dates !== undefined) {
    if (dates.formats.length > 0) options.push(`format: ${formatDateFormats(dates.formats)}`)
    if (dates.seen.length > 0) notes.push(`${dates.seen.join(' and ')} of its cells`)
    if (dates.unread !== undefined) notes.push(`${JSON.stringify(dates.unread)} fits none of these formats`)
    if (dates.alternatives.length > 0)
      notes.push(`every cell fits ${dates.alternatives.join(' and ')} as well`)
    const isLocal = dates.zone !== 'named' && rule.kind === 'dateTime'
    const what = dates.zone === 'times' ? 'times are' : 'days begin at midnight'
    if (isLocal) notes.push(`${what} UTC unless you name their zone: zone: America/New_York`)
    else if (rule.kind === 'dateTime') remarks.push('its cells name their zone')
    isGuess = isLocal || dates.alternatives.length > 0
  }
  const isWhole = rule.kind === 'integer' && rule.reference === undefined
  if (isWhole || rule.kind === 'money' || rule.kind === 'decimal') {
    if (decimalComma) options.push('decimal: ","')
    const doubts = listNumberDoubts(column, rule.kind)
    notes.push(...doubts)
    isGuess = doubts.length > 0
  }
  const unit = rule.kind === 'decimal' ? findUnit(column.name) : undefined
  if (rule.kind === 'decimal' && unit === undefined)
    notes.push(`are these ${rule.unit}? its name does not say`)
  if (column.nth !== undefined && column.headings.includes(column.name)) {
    notes.push('several columns have this name: is this the one?')
    isGuess = true
  }
  const width = findLostZeros(field.path, filled)
  if (width !== undefined) {
    options.push(`digits: ${width}`)
    notes.push('a spreadsheet took zeros from the front')
  }
  const { max = Infinity } = rule.kind === 'text' && field.list ? rule : {}
  if (filled.some((cell) => Math.max(...cell.split(/\r\n|\r|\n/).map((line) => line.length)) > max))
    options.push(`wrap: ${max}`)
  if (field.path.endsWith('email')) notes.push('personal data: leave it out unless it is needed')
  const blank = column.cells.length - filled.length
  // Blank cells of rows that continue a record are no missing values.
  const isMissing = field.perRow
    ? blank > 0
    : groups.some((rows) => rows.every((row) => column.cells[row] === ''))
  if (field.required && isMissing && filled.length > 0) {
    notes.push(`blank in ${blank} of ${column.cells.length} rows, which a default would fill`)
  }
  if (unit !== undefined && unit.factor !== '1') {
    const calc = `round([${column.name}] * ${unit.factor}, 4)`
    return {
      text: `{ calc: ${JSON.stringify(calc)} }`,
      note: [`${unit.unit} become ${rule.kind === 'decimal' ? rule.unit : ''}`, ...notes].join('; '),
      confidence: lowerConfidence(confidence, isGuess ? 'guess' : 'likely'),
    }
  }
  const name = formatYamlText(column.name)
  if (column.nth !== undefined) options.unshift(`nth: ${column.nth}`)
  const source = joined === undefined ? `from: ${name}` : `all: [${name}, ${formatYamlText(joined.name)}]`
  const isShort = options.length === 0 && joined === undefined
  const doubt: Confidence = isGuess ? 'guess' : notes.length > 0 ? 'likely' : 'sure'
  return {
    text: isShort ? name : `{ ${[source, ...options].join(', ')} }`,
    note: notes.length + remarks.length === 0 ? undefined : [...remarks, ...notes].join('; '),
    confidence: lowerConfidence(confidence, doubt),
  }
}

const CONFIDENCES: readonly Confidence[] = ['guess', 'likely', 'sure']

function lowerConfidence(a: Confidence, b: Confidence): Confidence {
  return CONFIDENCES[Math.min(CONFIDENCES.indexOf(a), CONFIDENCES.indexOf(b))] ?? 'guess'
}

function formatDateFormats(formats: readonly string[]): string {
  const [first = ''] = formats
  const quoted = (format: string) => (/^[\w /:.-]+$/.test(format) ? format : JSON.stringify(format))
  return formats.length === 1 ? quoted(first) : `[${formats.map(quoted).join(', ')}]`
}

/** The full number of digits of a postal code or UPC, where some cells have one less and none has more. */
function findLostZeros(path: string, filled: readonly string[]): number | undefined {
  const full = path.endsWith('.postal_code') ? 5 : path.endsWith('.upc') ? 12 : undefined
  if (full === undefined) return undefined
  const isShort = (cell: string) => /^\d+$/.test(cell) && [full - 1, full - 2].includes(cell.length)
  const short = computeShare(filled, isShort)
  const long = filled.some((cell) => /^\d+$/.test(cell) && cell.length > full)
  return short > 0 && !long ? full : undefined
}

// The `read` section: what the file looks like, with the reason.

/** Returns the lines of the section, without options that the reader detects. */
function writeReadSection(sample: Sample): string[] {
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

// Texts of a file in a mapping: plain where that is unambiguous, else in quotes; cells in short.

const PLAIN_TEXT = /^[\p{L}][\p{L}\p{N} ()/._-]*(?<! )$/u
const YAML_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** Quotes what YAML would read as something else. */
export function formatYamlText(text: string): string {
  return PLAIN_TEXT.test(text) && !YAML_WORDS.test(text) ? text : JSON.stringify(text)
}

/** The first cell with a text. */
function formatSampleCell(cells: readonly string[]): string {
  const filled = cells.find((cell) => cell !== '')
  if (filled === undefined) return 'blank'
  const text = toOneLine(filled)
  return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
