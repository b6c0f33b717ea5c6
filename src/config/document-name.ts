/** The names of packing slips and labels: a text with fields of the created shipment, `{shipment_id}` and `{kind}`. */
import { BrandShipment } from '../contract/shipment.ts'
import { filledWith, leadsToValue, placeholdersOf, textMistakes } from './file-name.ts'

export const DEFAULT_DOCUMENT_NAME = '{purchase_order_number}-{tracking_number}-{kind}'

/** The name without its end; the template is one without mistakes. */
export function documentNameOf(template: string, values: Readonly<Record<string, unknown>>): string {
  return filledWith(template, values)
}

/** The placeholders of our own. */
const OWN = new Set(['shipment_id', 'kind'])
/** Two shipments differ in each of these; one of an order may have the purchase order number of another. */
const TELL_APART = ['tracking_number', 'shipment_id', 'id']

/** Everything that is wrong with a template, in words. */
export function documentNameMistakes(template: string): string[] {
  const found = placeholdersOf(template)
  const unknown = found.filter(
    ({ name, format }) => format !== undefined || !(OWN.has(name) || leadsToValue(BrandShipment, name)),
  )
  const mistakes = unknown.map(
    ({ whole }) =>
      `has ${whole}, which is not a placeholder: use {kind}, {shipment_id} or a field of a shipment, such as {tracking_number}`,
  )
  mistakes.push(...textMistakes(template))
  if (/\.(pdf|png|zpl|bin)$/i.test(template)) {
    mistakes.push('ends in a type of file: leave it out, because it follows from what the API makes')
  }
  if (unknown.length === 0 && !found.some(({ name }) => TELL_APART.includes(name))) {
    mistakes.push(
      'needs {tracking_number} or {shipment_id}, or the files of two shipments would have one name',
    )
  }
  return mistakes
}
