/** How parcels travel: the column that names it, and the table from its words to the API's codes. */
import { foldedName } from '../../../mapping/rows/columns.ts'
import type { ColumnProfile } from './profile.ts'

export interface Services {
  readonly column: ColumnProfile
  /** Each word of the column, with the codes it probably means; empty where nobody can know. */
  readonly rows: readonly { readonly word: string; readonly carrier: string; readonly method: string }[]
  readonly why: string
}

/** The column that names how a parcel travels, and the one that names who carries it. */
const SERVICE_NAMES = [
  'shipvia',
  'shippingmethod',
  'shipmethod',
  'shippingservice',
  'shipservicelevel',
  'servicelevel',
  'carrierserviceselected',
  'carrierservicerequested',
  'serviceselected',
  'carrierservice',
  'deliverymethod',
  'deliveryservice',
  'service',
  'versandart',
  'lieferart',
  'versandmethode',
  'modelivraison',
  'modedelivraison',
  'metodoenvio',
  'metododeenvio',
]

const CARRIER_NAMES = ['carriercode', 'scac', 'carrier', 'carriername', 'shippingcarrier']

/** A table with more rows than a person fills in is no help. */
const MAX_WORDS = 200

/** The column that says most about how a parcel travels. */
export function findServices(columns: readonly ColumnProfile[]): Services | undefined {
  for (const names of [SERVICE_NAMES, CARRIER_NAMES]) {
    for (const name of names) {
      const column = columns.find((each) => each.filled.length > 0 && spells(each.name, name))
      if (column === undefined || column.distinct.size > MAX_WORDS) continue
      return { column, rows: [...column.distinct].map(codesOf), why: 'named so' }
    }
  }
  return undefined
}

function spells(column: string, name: string): boolean {
  return foldedName(column) === name || column.split(' - ').some((part) => foldedName(part) === name)
}

const CARRIERS: readonly (readonly [RegExp, string])[] = [
  [/fed\s?ex|fdeg|fdx/i, 'FDEG'],
  [/\bups\b|upsn/i, 'UPSN'],
  [/usps|postal|priority mail/i, 'USPS'],
]

const METHODS: readonly (readonly [RegExp, string])[] = [
  [/fed\s?ex.*ground/i, 'FEDEX_GROUND'],
  [/fed\s?ex.*2.?day/i, 'FEDEX_2_DAY'],
  [/fed\s?ex.*overnight/i, 'FEDEX_STANDARD_OVERNIGHT'],
  [/\bups\b.*ground/i, 'UPS_GROUND'],
  [/\bups\b.*2(?:nd)?.?day/i, 'UPS_2ND_DAY_AIR'],
  [/usps.*priority/i, 'USPS_PRIORITY'],
]

function codesOf(word: string): Services['rows'][number] {
  const first = (known: readonly (readonly [RegExp, string])[]) =>
    known.find(([pattern]) => pattern.test(word))?.[1] ?? ''
  return { word, carrier: first(CARRIERS), method: first(METHODS) }
}
