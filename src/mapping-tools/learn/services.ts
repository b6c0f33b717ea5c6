/** Finds the columns for the shipping service and the carrier, and the API codes that their words probably mean. */
import type { InboundOperationName } from '../../contract/operations.ts'
import { foldColumnName } from '../../mapping/rows/columns.ts'
import { type ColumnProfile, computeShare } from './column-profile.ts'
import { splitWords } from './item-spellings.ts'

/** A column whose words a table of the mapping turns into codes or ids. */
export interface ServiceTable {
  readonly column: ColumnProfile
  readonly table: string
  /** The fields of the body that are looked up in the table, with its column for each. */
  readonly picks: Readonly<Record<string, string>>
  /** The words of the column, each with the codes that it probably means; an empty code where there is no clue. */
  readonly rows: readonly { readonly word: string; readonly codes: Readonly<Record<string, string>> }[]
}

/** Names of the columns for the shipping service and for the carrier. */
const SERVICE_NAMES = splitWords(`
  shipvia shippingmethod shipmethod packageshipmethod shippingservice shipservicelevel servicelevel carrierserviceselected
  carrierservicerequested serviceselected carrierservice deliverymethod deliveryservice shippingmethodtitle
  shippingmethodcode shipmethodcode methodcode servicecode shippingservicecode shippingcode shipcode
  shipmentinformationservicetype servicetype service delivery shipping versandart
  lieferart versandmethode modelivraison modedelivraison metodoenvio metododeenvio
`)

const CARRIER_NAMES = splitWords(
  'carriercode scac carriername shippingcarrier carrier shipcarrier packageshipcarrier',
)

/** A longer table is no help: a person must fill it in. */
const MAX_WORDS = 200

/** The fields that take the code or id of a service and of a carrier, with the columns of their tables. */
const FIELDS: Partial<
  Record<InboundOperationName, Readonly<Record<'service' | 'carrier', Readonly<Record<string, string>>>>>
> = {
  'create-order': {
    service: { 'shipping_method.code': 'method' },
    carrier: { 'shipping_method.carrier.code': 'carrier' },
  },
  'create-shipment': {
    service: { shipping_method_id: 'shipping_method_id' },
    carrier: { carrier_id: 'carrier_id' },
  },
}

/** Whether the field takes a code or an id that a table finds for the words of a file, and the API requires it. */
export function isServiceField(operation: InboundOperationName, path: string): boolean {
  const { service = {}, carrier = {} } = FIELDS[operation] ?? {}
  return path in service || (path in carrier && path !== 'carrier_id')
}

/** Finds the columns of the service and of the carrier; where there is only one of them, it says both. */
export function findServiceTables(
  operation: InboundOperationName,
  columns: readonly ColumnProfile[],
): ServiceTable[] {
  const fields = FIELDS[operation]
  if (fields === undefined) return []
  const find = (names: readonly string[]) =>
    names.flatMap((name) => columns.find((column) => isServiceColumn(column, name)) ?? [])[0]
  const service = find(SERVICE_NAMES)
  const carrier = find(CARRIER_NAMES)
  const create = (column: ColumnProfile, table: string, picks: ServiceTable['picks']): ServiceTable => {
    const rows = [...column.distinct].map((word) => ({ word, codes: guessCodes(word, Object.values(picks)) }))
    return { column, table, picks, rows }
  }
  const both = { ...fields.service, ...fields.carrier }
  if (service === undefined) return carrier === undefined ? [] : [create(carrier, 'ship-via', both)]
  if (carrier === undefined) return [create(service, 'ship-via', both)]
  return [create(service, 'ship-via', fields.service), create(carrier, 'carriers', fields.carrier)]
}

/** Words have letters: what a service costs, or when it delivers, is no name of it. */
function isServiceColumn({ name, filled, distinct, dates }: ColumnProfile, spelled: string): boolean {
  const isWord = dates === undefined && computeShare(filled, (cell) => /\p{L}/u.test(cell)) > 0.9
  if (!isWord || distinct.size > MAX_WORDS) return false
  const [, section = '', behind = ''] = /^(.*?) - (.+)$/.exec(name) ?? []
  const names = SECTIONS.includes(foldColumnName(section)) ? [name, behind] : [name]
  return names.some((each) => foldColumnName(each) === spelled)
}

const SECTIONS = splitWords('order shipment shipping carrier')

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

/** Ids are for a person to fill in: no word says them. */
function guessCodes(word: string, picks: readonly string[]): Readonly<Record<string, string>> {
  const first = (known: readonly (readonly [RegExp, string])[]) =>
    known.find(([pattern]) => pattern.test(word))?.[1] ?? ''
  const codes: Readonly<Record<string, string>> = { method: first(METHODS), carrier: first(CARRIERS) }
  return Object.fromEntries(picks.map((pick) => [pick, codes[pick] ?? '']))
}
