/** Which lines of a return a credit is for. */
import type { CreditCreate } from '../admin/bodies.ts'
import type { FieldErrors } from '../http/field-errors.ts'
import { findLine, type NamedLine } from '../items/catalog.ts'

/** A line of a return, and how much of it earlier credits hold. */
export interface ReturnedLine extends NamedLine {
  readonly order_line_id: number
  readonly quantity: number
  readonly credited: number
  readonly net_price: string
}

export interface CreditedLine {
  readonly orderLineId: number
  readonly quantity: number
  readonly price: string
}

/** Without lines in the body, everything that is left, at what the supplier was paid. What is wrong is among the errors. */
export function creditedLines(
  { credit_lines }: CreditCreate,
  returned: readonly ReturnedLine[],
  errors: FieldErrors,
): CreditedLine[] {
  if (credit_lines === null || credit_lines === undefined) return allThatIsLeft(returned, errors)
  const taken = new Set<number>()
  return credit_lines.flatMap(({ variant, quantity, price }, index) => {
    const line = findLine(returned, variant, 'brand')
    if (line === undefined) {
      errors.add(['credit_lines', index, 'variant'], 'The return has no line with this item.')
      return []
    }
    if (taken.has(line.order_line_id)) {
      errors.add(
        ['credit_lines', index, 'variant'],
        'Another line names the same item. There is one line per unique item.',
      )
    }
    taken.add(line.order_line_id)
    const left = line.quantity - line.credited
    if (quantity > left) {
      errors.add(
        ['credit_lines', index, 'quantity'],
        `Only ${left} of ${line.quantity} returned are left to be credited.`,
      )
    }
    return [{ orderLineId: line.order_line_id, quantity, price: price ?? line.net_price }]
  })
}

function allThatIsLeft(returned: readonly ReturnedLine[], errors: FieldErrors): CreditedLine[] {
  const lines = returned.flatMap(({ order_line_id, quantity, credited, net_price }) =>
    quantity > credited
      ? [{ orderLineId: order_line_id, quantity: quantity - credited, price: net_price }]
      : [],
  )
  if (lines.length === 0) errors.add([], 'All of the return is credited already.')
  return lines
}
