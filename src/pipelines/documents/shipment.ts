/** What is known of a created shipment: which documents it may have, and the values that name them. */
import type { CreatedShipment, DocumentKind } from '../../domain/shipping-document.ts'

type Values = Readonly<Record<string, unknown>>

/** What is kept of the answer to a create: its values, and those of the objects in it, but no lists. JSON text. */
export function answerToKeep(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))))
}

/** Those of the kinds that the API makes for the shipment, as far as can be known before it is asked. */
export function documentsFor(shipment: CreatedShipment, kinds: readonly DocumentKind[]): DocumentKind[] {
  if (shipment.isForgotten === true) return []
  const answer = valuesIn(shipment.answer)
  return kinds.filter((kind) => {
    const told = answer[FLAGS[kind]]
    return typeof told === 'boolean' ? told : kind !== 'label' || hasSize(valuesIn(shipment.body))
  })
}

const FLAGS = { label: 'valid_shipping_label', 'packing-slip': 'valid_packing_slip' } as const

/** Spec: "returns a label only if the shipment was created with" these. */
function hasSize(body: Values): boolean {
  return ['ship_weight', 'ship_width', 'ship_height', 'ship_length'].every(
    (field) => body[field] !== undefined && body[field] !== null,
  )
}

/**
 * The values of a document's name. Where the answer was lost, the file's own words stand for it; a shipment that has no
 * tracking number yet is told from others by its id.
 */
export function nameValues(shipment: CreatedShipment, kind: DocumentKind): Values {
  const { shipmentId = '', keyValues } = shipment
  const key = keyValues.find((value) => value.trim() !== '') ?? shipmentId
  return {
    purchase_order_number: key,
    tracking_number: shipmentId,
    id: shipmentId,
    ...withoutNulls(valuesIn(shipment.body)),
    ...withoutNulls(valuesIn(shipment.answer)),
    shipment_id: shipmentId,
    kind,
  }
}

function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
}

function valuesIn(json: string | undefined): Values {
  const value: unknown = json === undefined ? {} : JSON.parse(json)
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
