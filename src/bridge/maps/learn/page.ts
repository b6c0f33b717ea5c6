/** Writes a learned mapping down: every line with its reason, and what could not be found with what it needs. */
import type { InboundOperationName } from '../../../contract/operations.ts'
import { describeRule, type Shape } from '../../../mapping/shape.ts'
import { bodyShape, type Field } from './fields.ts'
import { type Grouping, keyFieldsOf } from './grouping.ts'
import type { Placed, Placing } from './place.ts'
import { leafText, lessOf } from './leaf.ts'
import type { ClosingRow } from './closing-row.ts'
import type { Sample } from './sample.ts'
import type { Services } from './services.ts'
import { yamlText } from './yaml-text.ts'

export interface Learned {
  readonly operation: InboundOperationName
  /** The sample's name, without its folder. */
  readonly file: string
  readonly sample: Sample
  readonly fields: readonly Field[]
  readonly placed: readonly Placed[]
  /** The columns that feed nothing. */
  readonly left: Placing['left']
  readonly services: Services | undefined
  readonly grouping: Grouping
}

const NEEDED = 'the API requires this: name the column, or write { const: … }'
const TABLE = 'ship-via'

/** The text of the mapping. */
export function mappingPage(learned: Learned): string {
  const body = bodyLines(bodyShape(learned.operation), '', 1, learned)
  const lines = [...headLines(learned), 'body:', ...body, ...tableLines(learned), ...unusedLines(learned)]
  return `${lines.join('\n')}\n`
}

function headLines({ operation, file, sample, grouping, placed }: Learned): string[] {
  const { rows, encoding, delimiter, damaged, told } = sample
  const written = delimiter === '\t' ? 'tabs' : `"${delimiter}"`
  const above = told.skip === undefined ? '' : ', lines above the headings'
  const unread = damaged === 0 ? '' : `; cannot be read and left aside: ${damaged} of them`
  const keys = grouping.keys.map(({ name }) => name)
  const confidence = placed
    .filter(({ field }) => keyFieldsOf(operation).includes(field.path))
    .map((each) => each.confidence)
    .reduce(lessOf, grouping.why.includes('differs') ? 'guess' : 'sure')
  return [
    `# Learned from ${file}: ${rows.length} ${sample.numbered === undefined ? 'rows' : 'lines'}, ${encoding}, ${written} between the cells${above}${unread}.`,
    '# "sure" leaves no doubt; look at every "likely" once, and twice at every "guess".',
    `operation: ${operation}`,
    ...readLines(sample),
    ...linesLines(sample),
    ...totalsLines(sample),
    keys.length === 0
      ? 'group: # needed: name the column whose value the rows of one record share'
      : `group: ${groupText(keys, grouping.blankContinues)} # ${confidence}: ${grouping.why}`,
  ]
}

function readLines({ told, hasHeader, columns, rows, closing }: Sample): string[] {
  const options = ['format: csv']
  if (told.encoding !== undefined) options.push(`encoding: ${told.encoding}`)
  if (told.delimiter !== undefined) options.push(`delimiter: ${JSON.stringify(told.delimiter)}`)
  if (told.quote === null) options.push('quote: null')
  if (told.skip !== undefined) options.push(`skip: ${told.skip}`)
  const ignored = [...(told.ignore ?? []).map(ignoreText), ...closingIgnored(closing)]
  if (ignored.length > 0) options.push(`ignore: [${ignored.join(', ')}]`)
  if (hasHeader) return [`read: { ${options.join(', ')} }`]
  return [
    'read:',
    ...options.map((option) => `  ${option}`),
    '  columns: # the file has no heading line: give the columns better names, here and below',
    ...columns.map(
      (name, index) => `    - ${yamlText(name)} # ${sampleOf(rows.map((row) => row[index] ?? ''))}`,
    ),
  ]
}

function ignoreText(rule: NonNullable<Sample['told']['ignore']>[number]): string {
  return 'startsWith' in rule ? `{ startsWith: ${JSON.stringify(rule.startsWith)} }` : '{ header: repeated }'
}

/** A last row whose numbers agree with nothing is passed over. */
function closingIgnored(closing: ClosingRow | undefined): string[] {
  if (closing === undefined || closing.says.length > 0) return []
  return closing.isFirst
    ? [`{ startsWith: ${JSON.stringify(closing.word)} }`]
    : [`{ matches: ${JSON.stringify(`\\b${closing.word}\\b`)} }`]
}

/** Numbered columns, in the body named with `{n}` too. */
function linesLines({ numbered }: Sample): string[] {
  if (numbered === undefined) return []
  const { names, count } = numbered
  return [`lines: { columns: [${names.map(yamlText).join(', ')}] } # likely: numbered from 1 to ${count}`]
}

/** A last row that says what the file holds keeps half a file from being sent. */
function totalsLines({ closing }: Sample): string[] {
  if (closing === undefined || closing.says.length === 0) return []
  const counted = closing.says.filter(({ what }) => what === 'rows').slice(0, 1)
  const added = closing.says.filter(({ what }) => what === 'sum')
  const sums = added.map(({ column }) => `${yamlText(column)}: ${yamlText(column)}`)
  const keys = [
    `when: { ${yamlText(closing.column)}: ${yamlText(closing.word)} }`,
    ...counted.map(({ column }) => `rows: ${yamlText(column)}`),
    ...(sums.length === 0 ? [] : [`sum: { ${sums.join(', ')} }`]),
  ]
  const why = [
    ...counted.map(({ column }) => `${column} is the number of rows`),
    ...added.map(({ column }) => `${column} is the sum of those above`),
  ]
  return [`totals: { ${keys.join(', ')} } # likely: in the last row ${why.join(', ')}`]
}

function groupText(keys: readonly string[], blankContinues: boolean): string {
  const [first = ''] = keys
  const by = keys.length === 1 ? yamlText(first) : `[${keys.map(yamlText).join(', ')}]`
  return blankContinues ? `{ by: ${by}, blank: continues }` : by
}

/** The lines of an object's fields; those that nothing feeds and nobody needs are left out. */
function bodyLines(shape: Shape, path: string, depth: number, learned: Learned): string[] {
  if (shape.kind !== 'object') return []
  return [...shape.fields].flatMap(([name, field]) => {
    const below = path === '' ? name : `${path}.${name}`
    const indent = '  '.repeat(depth)
    if (field.kind === 'object') {
      const lines = bodyLines(field, below, depth + 1, learned)
      return lines.length === 0 || !(field.required || isFed(below, learned))
        ? []
        : [`${indent}${name}:`, ...lines]
    }
    if (field.kind === 'list' && field.item.kind === 'object') {
      const lines = bodyLines(field.item, `${below}[]`, depth + 2, learned)
      const [first = '', ...others] = lines
      return [
        `${indent}${name}: # one item: filled once per row`,
        `${indent}  - ${first.trimStart()}`,
        ...others,
      ]
    }
    const leaf = leafLine(below, learned)
    return leaf === undefined ? [] : [`${indent}${name}: ${leaf}`.replace(/: +#/, ': #')]
  })
}

function isFed(path: string, { placed }: Learned): boolean {
  return placed.some(({ field }) => field.path.startsWith(`${path}.`))
}

/** What stands behind the name of a field, with the reason; undefined for one that is left out. */
function leafLine(path: string, learned: Learned): string | undefined {
  const service = serviceLeaf(path, learned)
  if (service !== undefined) return service
  const found = learned.placed.find(({ field }) => field.path === path)
  if (found !== undefined) {
    const { text, note, confidence } = leafText(found, learned.grouping.blankContinues)
    return `${text} # ${confidence}: ${[found.why, ...(note === undefined ? [] : [note])].join('; ')}`
  }
  const field = learned.fields.find((each) => each.path === path)
  if (field?.required === true) {
    const isOptional = field.within !== undefined
    return isOptional ? undefined : `# ${NEEDED} (${describeRule(field.rule)})`
  }
  return itemNeeded(path, learned)
    ? `# ${NEEDED.replace('this', 'this or another name of the item')}`
    : undefined
}

/** An item is named by any of its names; when none was found, the usual one is asked for. */
function itemNeeded(path: string, { placed }: Learned): boolean {
  if (!/variant\.(?:identifier|brand_identifier)$/.test(path)) return false
  const object = path.replace(/[^.]+$/, '')
  return !placed.some(({ field }) => field.path.startsWith(object))
}

/** The fields that say how a parcel travels, and the column of the table each is picked from. */
const SERVICE_FIELDS: Readonly<Record<string, string>> = {
  'shipping_method.code': 'method',
  'shipping_method.carrier.code': 'carrier',
  shipping_method_id: 'shipping_method_id',
  carrier_id: 'carrier_id',
}

function serviceLeaf(path: string, { services }: Learned): string | undefined {
  const pick = SERVICE_FIELDS[path]
  if (pick === undefined || services === undefined) return undefined
  const { column, why } = services
  return `{ from: ${yamlText(column.name)}, table: ${TABLE}, pick: ${pick} } # guess: ${why}; see the table below`
}

function tableLines({ operation, services }: Learned): string[] {
  if (services === undefined || operation === 'create-invoice') return []
  const byId = operation === 'create-shipment'
  const heading = byId
    ? `  ${TABLE}: # fill in the ids of your carriers and methods: GET /v1/carriers/ lists them`
    : `  ${TABLE}: # compare with the methods your connection allows, and fill in what is empty`
  return [
    'tables:',
    heading,
    '    rows:',
    ...services.rows.map(({ word, carrier, method }) => {
      const codes = byId
        ? 'carrier_id: "", shipping_method_id: ""'
        : `carrier: ${carrier || '""'}, method: ${method || '""'}`
      return `      ${yamlText(word)}: { ${codes} }${byId || carrier === '' || method === '' ? ' # fill in' : ''}`
    }),
  ]
}

function unusedLines({ left }: Learned): string[] {
  const named = left.filter(({ column }) => column.name !== '')
  if (named.length === 0) return []
  return [
    '# Columns that are not used:',
    ...named.map(({ column: { name, cells }, why }) => {
      const known = why === '' ? '' : ` (${why})`
      return `#   ${oneLine(name)}: ${sampleOf(cells)}${known}`
    }),
  ]
}

/** What stands in a column, for people. */
function sampleOf(cells: readonly string[]): string {
  const filled = cells.find((cell) => cell !== '')
  if (filled === undefined) return 'blank'
  const text = oneLine(filled)
  return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
