/** The fields of an operation's body as a list, with what may feed them. */
import type { FieldRule } from '../../../contract/fields.ts'
import { OPERATIONS, type InboundOperationName } from '../../../contract/operations.ts'
import { type ObjectShape, type Shape, shapeOf } from '../../../mapping/shape.ts'
import type { Look } from './profile.ts'

export interface Field {
  /** `order_lines[].quantity`. */
  readonly path: string
  readonly rule: FieldRule
  readonly list: boolean
  readonly perRow: boolean
  readonly required: boolean
  /** The optional object it stands in, such as `sold_to`; the whole object is left out unless it can be filled. */
  readonly within: string | undefined
  readonly look: Look | undefined
}

export function bodyShape(operation: InboundOperationName): ObjectShape {
  const shape = shapeOf(OPERATIONS[operation].body)
  if (shape.kind !== 'object') throw new Error(`the body of ${operation} is no object`)
  return shape
}

/** In the contract's order. */
export function fieldsOf(operation: InboundOperationName): Field[] {
  const walk = (shape: Shape, path: string, at: Pick<Field, 'perRow' | 'within'>): Field[] => {
    if (shape.kind === 'object') {
      return [...shape.fields].flatMap(([name, field]) => {
        const below = path === '' ? name : `${path}.${name}`
        const optional = field.kind === 'object' && !field.required ? below : at.within
        return walk(field, below, { ...at, within: optional })
      })
    }
    if (shape.kind === 'list' && shape.item.kind === 'object') {
      return walk(shape.item, `${path}[]`, { ...at, perRow: true })
    }
    const list = shape.kind === 'list'
    const field = shape.kind === 'list' ? shape.item : shape
    if (field.kind !== 'field' || field.rule === undefined) return []
    const { rule } = field
    return [{ path, rule, list, required: shape.required, look: lookOf(path), ...at }]
  }
  return walk(bodyShape(operation), '', { perRow: false, within: undefined })
}

/** The look of cells that could be for no other field. */
function lookOf(path: string): Look | undefined {
  const name = path.replace(/^.*\./, '')
  if (path.startsWith('sold_to.') || path.startsWith('ship_from')) return undefined
  return LOOKS[name]
}

const LOOKS: Readonly<Record<string, Look>> = {
  upc: 'upc',
  ordered_at: 'date',
  shipped_at: 'date',
  terms_date_due: 'date',
  country: 'country',
  province: 'province',
  postal_code: 'postal',
  email: 'email',
  tracking_number: 'tracking',
  quantity: 'count',
  net_price: 'amount',
}
