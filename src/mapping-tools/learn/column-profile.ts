/** Profiles the cells of a column: the share of them that fits each kind of value. */
import type { FieldRule } from '../../contract/fields.ts'
import { isProvinceOf } from '../../contract/places.ts'
import { compileDateFormat } from '../../mapping/values/date-format.ts'
import { toCountry, toProvince } from '../../mapping/values/places.ts'
import { suggestCurrencyFix } from '../../mapping/values/numbers.ts'
import { FAILED } from '../../mapping/values/text.ts'
import { splitWords } from './item-spellings.ts'
import { normalizeName } from './spellings.ts'

export interface ColumnProfile {
  readonly name: string
  /** The names that say what it holds: its own, also behind the title of its group; or what `Option1 Name` says. */
  readonly headings: readonly string[]
  /** Which one it is of the columns of this name, from 1; absent where there is one. */
  readonly nth?: number
  /** In a file of typed rows: whether it holds the record or its lines. */
  readonly level?: 'record' | 'line'
  readonly position: number
  /** All cells, blank ones too. */
  readonly cells: readonly string[]
  readonly filled: readonly string[]
  readonly distinct: ReadonlySet<string>
  readonly dates: DetectedDates | undefined
  readonly decimalComma: boolean
  /** A cell such as `1.001`, where no cell shows whether the mark stands before decimals or between thousands. */
  readonly openMark: string | undefined
}

export function profileColumn(
  name: string,
  position: number,
  cells: readonly string[],
  headings: readonly string[] = [name],
): ColumnProfile {
  const filled = cells.filter((cell) => cell !== '').map((cell) => cell.slice(0, LONGEST_CELL))
  return {
    name,
    headings,
    position,
    cells,
    filled,
    distinct: new Set(filled),
    dates: filled.length === 0 ? undefined : detectDates(filled),
    decimalComma: computeShare(filled, isDecimalComma) > 0.5,
    openMark: findOpenMark(filled),
  }
}

/** The profile reads this many characters of a cell. */
const LONGEST_CELL = 1000
const CURRENCY = /^(?:US\$|\p{Sc}|USD|EUR|GBP|CHF|CAD)\s?|\s?(?:\p{Sc}|USD|EUR|GBP|CHF|CAD)$/gu
const DECIMAL_COMMA = /^-?\d{1,3}(?:[. ]?\d{3})*,\d{1,2}$/
const MONEY = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/
const INTEGER = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.0+)?$/
const INTEGER_WITH_COMMA = /^(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,0+)?$/
const POSTAL = /^(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/i
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const TRACKING = /^(?:1Z[0-9A-Z]{16}|\d{12,22})$/

const isDecimalComma = (cell: string) => DECIMAL_COMMA.test(cell.replace(CURRENCY, ''))
const isMoney = (cell: string) => MONEY.test(cell.replace(CURRENCY, ''))

function findOpenMark(filled: readonly string[]): string | undefined {
  const marked = filled.filter((cell) => /[.,]/.test(cell))
  return marked.every((cell) => /^[^\d.,]*[1-9]\d{0,2}[.,]\d{3}[^\d.,]*$/.test(cell)) ? marked[0] : undefined
}

/** Lists what the cells of a number leave open: what their marks mean, and a currency that the API does not take. */
export function listNumberDoubts({ filled, decimalComma, openMark }: ColumnProfile, kind: string): string[] {
  const doubts: string[] = []
  if (kind === 'integer' && decimalComma) {
    const cell = filled.find((each) => each.includes(',')) ?? ''
    doubts.push(`"${cell}" is read as ${cell.replace(/,.*|\D/g, '')}`)
  }
  if (openMark !== undefined) {
    const other = openMark.includes('.') ? ',' : '.'
    const digits = openMark.replace(/\D/g, '')
    doubts.push(`the mark is a guess: if "${openMark}" means ${digits}, add decimal: "${other}"`)
  }
  const foreign = kind === 'money' ? filled.find((cell) => suggestCurrencyFix(cell) !== undefined) : undefined
  if (foreign !== undefined) {
    const sign = foreign.replace(/[\d\s.,()+-]/g, '')
    doubts.push(`records with ${sign} are refused: have the amounts sent in US dollars, without the sign`)
  }
  return doubts
}

/** The share of the filled cells for which the test holds; 0 without filled cells. */
export function computeShare(cells: readonly string[], test: (cell: string) => boolean): number {
  return cells.length === 0 ? 0 : cells.filter(test).length / cells.length
}

/** The share of the filled cells that the field takes. */
export function computeFittingShare({ filled, dates, decimalComma }: ColumnProfile, rule: FieldRule): number {
  switch (rule.kind) {
    case 'text':
      return computeShare(filled, (cell) =>
        rule.code === 'upc' ? /^\d{6,14}$/.test(cell) : cell.length <= (rule.max ?? 255),
      )
    case 'integer':
      return rule.reference !== undefined
        ? 1
        : computeShare(filled, (cell) => (decimalComma ? INTEGER_WITH_COMMA : INTEGER).test(cell))
    case 'money':
    case 'decimal':
      return computeShare(filled, decimalComma ? isDecimalComma : isMoney)
    case 'dateTime':
    case 'date':
      return dates?.share ?? 0
    case 'boolean':
      return computeShare(filled, (cell) => /^(?:true|false|yes|no|y|n|1|0)$/i.test(cell))
    case 'choice':
      return computeShare(filled, (cell) =>
        rule.values.some((value) => value.toLowerCase() === cell.toLowerCase()),
      )
    case 'country':
      return computeShare(filled, isCountryName)
    case 'province':
      return computeShare(filled, isProvinceName)
  }
}

/** The kinds of cells that alone identify a field. */
export type CellKind =
  'upc' | 'postal' | 'email' | 'country' | 'province' | 'date' | 'tracking' | 'count' | 'amount'

/** Lists the kinds, the surest first, each with its share of the cells. */
export function detectCellKinds(profile: ColumnProfile): (readonly [CellKind, number])[] {
  const { filled, dates, distinct, decimalComma } = profile
  const share = (test: (cell: string) => boolean) => computeShare(filled, test)
  const isAmount = decimalComma ? isDecimalComma : isMoney
  const looks: [CellKind, number][] = [
    ['upc', share(hasCheckDigit)],
    ['email', share((cell) => EMAIL.test(cell))],
    ['date', dates !== undefined && filled.every((cell) => cell.length >= 6) ? dates.share : 0],
    [
      'country',
      distinct.size <= 20 && isPlaceColumn(distinct)
        ? share((cell) => isCountryName(cell) && !isUsState(cell))
        : 0,
    ],
    ['province', isPlaceColumn(distinct) ? share(isProvinceName) : 0],
    ['postal', distinct.size > 1 ? share((cell) => POSTAL.test(cell)) : 0],
    ['tracking', share((cell) => TRACKING.test(cell) && !hasCheckDigit(cell))],
    ['amount', share((cell) => /[.,]\d{2}\D*$/.test(cell) && isAmount(cell))],
    ['count', share((cell) => /^\d{1,3}$/.test(cell) && Number(cell) > 0)],
  ]
  return looks.filter(([, found]) => found >= 0.9)
}

function hasCheckDigit(cell: string): boolean {
  if (!/^\d{12,14}$/.test(cell) || Number(cell) === 0) return false
  const digits = Array.from(cell, Number).toReversed()
  return digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

function isCountryName(cell: string): boolean {
  return toCountry(cell, () => FAILED) !== FAILED
}

/**
 * Whether short cells may be codes of places: all of them in capitals. `No` is no Norway, and one two-letter name among
 * others is no country; `NO` alone says no.
 */
function isPlaceColumn(distinct: ReadonlySet<string>): boolean {
  const short = [...distinct].filter((cell) => cell.length <= 3)
  const isAnswer = [...distinct].every((cell) => /^(?:yes|no|on|off|na|y|n)$/i.test(cell))
  return (
    !isAnswer && short.every((cell) => /^[A-Z]+$/.test(cell)) && [0, distinct.size].includes(short.length)
  )
}

function isProvinceName(cell: string): boolean {
  return ['US', 'CA', 'MX'].some((country) => isProvinceOf(country, toProvince(cell, country)))
}

function isUsState(cell: string): boolean {
  return cell !== 'CA' && isProvinceOf('US', cell.toUpperCase())
}

const COUNTER_NAMES = splitWords(`
  pos posno posnr position positionno positionnumber positionsnummer positionsnr line lineno linenr linenum linenumber
  orderline orderlinenumber lineitemnumber row rowno rownumber zeile zeilennr zeilennummer ligne linea
`)

/** Whether the column counts the lines of each record: named so, or from 1 up, in the file or wherever another column stays the same. */
export function isLineCounter(column: ColumnProfile, columns: readonly ColumnProfile[]): boolean {
  const { cells, filled } = column
  if (filled.length === 0 || !filled.every((cell) => /^\d{1,6}$/.test(cell))) return false
  if (COUNTER_NAMES.includes(normalizeName(column.name))) return true
  const numbers = cells.map(Number)
  const [step = 0] = numbers
  const isFirst = numbers.map((number) => number === step)
  const counts = numbers.every((number, row) => isFirst[row] || number === (numbers[row - 1] ?? 0) + step)
  // A single step up may be chance.
  if (![1, 10, 100].includes(step) || !counts || isFirst.filter((first) => !first).length < 2) return false
  const opensRecord = (key: ColumnProfile, row: number) =>
    row === 0 || (key.cells[row] !== '' && key.cells[row] !== key.cells[row - 1])
  if (isFirst.lastIndexOf(true) === 0 && cells.length > 3) return true
  return columns.some(
    (key) =>
      key !== column &&
      key.cells.length === cells.length &&
      isFirst.every((first, row) => first === opensRecord(key, row)),
  )
}

// Date formats: every known format is tried on every cell.

interface DetectedDates {
  /** The formats that read the most cells, together; empty for ISO 8601. */
  readonly formats: readonly string[]
  /** Each format with its number of cells, where there are several. */
  readonly seen: readonly string[]
  /** A cell that fits none of them. */
  readonly unread: string | undefined
  /** Other formats that read all of these cells too, such as the day and month the other way round. */
  readonly alternatives: readonly string[]
  /** The share of the cells that is read. */
  readonly share: number
  /** Whether all cells name their zone; else whether some are times without one, or only days. */
  readonly zone: 'named' | 'times' | 'days'
}

const DAY_FORMATS = [
  'yyyy-MM-dd|MM/dd/yyyy|dd/MM/yyyy|yyyy/MM/dd|dd.MM.yyyy|MM-dd-yyyy|dd-MM-yyyy|MM/dd/yy|dd/MM/yy|dd.MM.yy',
  'yyyyMMdd|MMM-dd-yy|MMM-dd-yyyy|dd-MMM-yy|dd-MMM-yyyy|MMM d, yyyy|d MMM yyyy|MMMM d, yyyy|d MMMM yyyy',
].flatMap((formats) => formats.split('|'))

const TIME_FORMATS = "| HH:mm| HH:mm:ss| hh:mm a| hh:mm:ss a|'T'HH:mm:ss| HH:mm:ss ZZZ|HHmm|HHmmss"

/** What ISO 8601 without a format reads. */
const ISO_PATTERN =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** At most so many formats are named for one column. */
const MAX_FORMATS = 3

/** Undefined when no cell is a date. */
function detectDates(cells: readonly string[]): DetectedDates | undefined {
  const distinct = [...new Set(cells)]
  if (!distinct.some((cell) => /\d/.test(cell))) return undefined
  const isIso = distinct.every((cell) => ISO_PATTERN.test(cell))
  if (isIso) {
    const hasZone = (cell: string) => ISO_PATTERN.exec(cell)?.[1] !== undefined
    const zone = rateZone(distinct, (cell) => cell.length > 10, hasZone)
    return { formats: [], seen: [], unread: undefined, alternatives: [], share: 1, zone }
  }
  let left = distinct
  const chosen: {
    readonly name: string
    readonly alternatives: readonly string[]
    readonly cells: number
  }[] = []
  const readers = FORMATS.filter(({ reads }) => distinct.slice(0, 200).some(reads))
  while (left.length > 0 && chosen.length < MAX_FORMATS) {
    // A damaged cell must not swap days and months in other cells: it stays unread, and is reported.
    const fitting = readers.filter(({ name }) => !chosen.some((each) => swapDayAndMonth(each.name) === name))
    const counted = fitting.map((reader) => ({ reader, cells: left.filter(reader.reads) }))
    const most = Math.max(0, ...counted.map((each) => each.cells.length))
    const best = counted.find((each) => each.cells.length === most && most > 0)
    if (best === undefined) break
    const mine = new Set(best.cells)
    const alternatives = readers.filter((reader) => reader !== best.reader && best.cells.every(reader.reads))
    const count = cells.filter((cell) => mine.has(cell)).length
    chosen.push({ name: best.reader.name, alternatives: alternatives.map(({ name }) => name), cells: count })
    left = left.filter((cell) => !mine.has(cell))
  }
  const [first] = chosen
  if (first === undefined) return undefined
  const unread = new Set(left)
  return {
    formats: chosen.map(({ name }) => name),
    seen: chosen.length === 1 ? [] : chosen.map(({ name, cells: count }) => `${name} in ${count}`),
    unread: left[0],
    alternatives: first.alternatives,
    share: cells.filter((cell) => !unread.has(cell)).length / cells.length,
    zone: rateZone(
      chosen.map(({ name }) => name),
      (name) => /[Hh]/.test(name),
      (name) => name.includes('Z'),
    ),
  }
}

/** Rates dates, or their formats. */
function rateZone(
  dates: readonly string[],
  hasTime: (date: string) => boolean,
  hasZone: (date: string) => boolean,
): DetectedDates['zone'] {
  if (dates.every(hasZone)) return 'named'
  return dates.some((date) => hasTime(date) && !hasZone(date)) ? 'times' : 'days'
}

/** Swaps days and months; keeps formats with month names or the year first. */
function swapDayAndMonth(name: string): string {
  return /^(?:MM.dd|dd.MM)/.test(name) ? name.replace(/^(..)(.)(..)/, '$3$2$1') : ''
}

/** Compiled once: every column is tried with all of them. */
const FORMATS = listFormats()

function listFormats() {
  const names = TIME_FORMATS.split('|').flatMap((time) => DAY_FORMATS.map((day) => day + time))
  return names.flatMap((name) => {
    const format = compileDateFormat(name)
    return typeof format === 'string'
      ? []
      : [{ name, reads: (cell: string) => format.read(cell) !== undefined }]
  })
}
