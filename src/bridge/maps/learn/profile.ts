/** What the cells of a column look like, as the share of the filled ones that could be a value of some kind. */
import type { FieldRule } from '../../../contract/fields.ts'
import { isProvinceOf } from '../../../contract/places.ts'
import { toCountry, toProvince } from '../../../mapping/values/places.ts'
import { FAILED } from '../../../mapping/values/value.ts'
import { type DatesFound, findDates } from './dates.ts'

export interface ColumnProfile {
  readonly name: string
  readonly position: number
  /** All cells, blank ones too. */
  readonly cells: readonly string[]
  readonly filled: readonly string[]
  readonly distinct: ReadonlySet<string>
  readonly dates: DatesFound | undefined
  /** Whether decimals stand behind a comma. */
  readonly decimalComma: boolean
}

export function profileOf(
  name: string,
  position: number,
  rows: readonly (readonly string[])[],
): ColumnProfile {
  const cells = rows.map((row) => row[position] ?? '')
  const filled = cells.filter((cell) => cell !== '').map((cell) => cell.slice(0, LONGEST))
  return {
    name,
    position,
    cells,
    filled,
    distinct: new Set(filled),
    dates: filled.length === 0 ? undefined : findDates(filled),
    decimalComma: shareOf(filled, (cell) => DECIMAL_COMMA.test(cell)) > 0.5,
  }
}

/** What stands behind so many characters tells nothing more. */
const LONGEST = 1000

const DECIMAL_COMMA = /^[$€£]?\s?-?\d{1,3}(?:[. ]?\d{3})*,\d{1,2}\s?[€]?$/
const MONEY = /^[$€£]?\s?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:\s?(?:USD|€|\$))?$/
const INTEGER = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.0+)?$/
const POSTAL = /^(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/i
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const TRACKING = /^(?:1Z[0-9A-Z]{16}|\d{12,22})$/

/** The share of the filled cells for which the test holds; 0 of none. */
export function shareOf(cells: readonly string[], test: (cell: string) => boolean): number {
  return cells.length === 0 ? 0 : cells.filter(test).length / cells.length
}

/** What share of the filled cells the field would take. */
export function shareFitting({ filled, dates, decimalComma }: ColumnProfile, rule: FieldRule): number {
  switch (rule.kind) {
    case 'text':
      return shareOf(filled, (cell) =>
        rule.code === 'upc' ? /^\d{6,14}$/.test(cell) : cell.length <= (rule.max ?? 255),
      )
    case 'integer':
      return rule.reference !== undefined ? 1 : shareOf(filled, (cell) => INTEGER.test(cell))
    case 'money':
    case 'decimal':
      return shareOf(filled, (cell) => (decimalComma ? DECIMAL_COMMA : MONEY).test(cell))
    case 'dateTime':
    case 'date':
      return dates?.share ?? 0
    case 'boolean':
      return shareOf(filled, (cell) => /^(?:true|false|yes|no|y|n|1|0)$/i.test(cell))
    case 'choice':
      return shareOf(filled, (cell) =>
        rule.values.some((value) => value.toLowerCase() === cell.toLowerCase()),
      )
    case 'country':
      return shareOf(filled, isCountryName)
    case 'province':
      return shareOf(filled, isProvinceName)
  }
}

/** How the cells look when their kind alone tells which field they are for. */
export type Look =
  'upc' | 'postal' | 'email' | 'country' | 'province' | 'date' | 'tracking' | 'count' | 'amount'

/** The kinds, the surest first, with the share of the cells that look so. */
export function looksOf(profile: ColumnProfile): (readonly [Look, number])[] {
  const { filled, dates, distinct, decimalComma } = profile
  const share = (test: (cell: string) => boolean) => shareOf(filled, test)
  const looks: [Look, number][] = [
    ['upc', share(hasCheckDigit)],
    ['email', share((cell) => EMAIL.test(cell))],
    ['date', dates !== undefined && filled.every((cell) => cell.length >= 6) ? dates.share : 0],
    ['country', distinct.size <= 20 ? share((cell) => isCountryName(cell) && !isUsState(cell)) : 0],
    ['province', share(isProvinceName)],
    ['postal', distinct.size > 1 ? share((cell) => POSTAL.test(cell)) : 0],
    ['tracking', share((cell) => TRACKING.test(cell) && !hasCheckDigit(cell))],
    [
      'amount',
      share((cell) => /[.,]\d{2}\D*$/.test(cell) && (decimalComma ? DECIMAL_COMMA : MONEY).test(cell)),
    ],
    ['count', share((cell) => /^\d{1,3}$/.test(cell) && Number(cell) > 0)],
  ]
  return looks.filter(([, found]) => found >= 0.9)
}

/** Whether the last digit of a UPC, EAN or GTIN is right. */
function hasCheckDigit(cell: string): boolean {
  if (!/^\d{12,14}$/.test(cell) || Number(cell) === 0) return false
  const digits = Array.from(cell, Number).toReversed()
  const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

function isCountryName(cell: string): boolean {
  return toCountry(cell, () => FAILED) !== FAILED
}

function isProvinceName(cell: string): boolean {
  return ['US', 'CA', 'MX'].some((country) => isProvinceOf(country, toProvince(cell, country)))
}

function isUsState(cell: string): boolean {
  return cell !== 'CA' && isProvinceOf('US', cell.toUpperCase())
}
