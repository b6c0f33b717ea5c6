/** Which lines of a return a credit is for. */
import type { CreditCreate } from '../admin/bodies.ts'
import type { FieldErrors } from '../http/field-errors.ts'
import { linesNamed, matchLines, type NamedLine } from '../items/lines.ts'

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
  const left = (line: ReturnedLine) => line.quantity - line.credited
  const matched = matchLines({
    field: 'credit_lines',
    inputs: credit_lines,
    lines: returned,
    owner: 'return',
    find: (lines, variant) => linesNamed(lines, variant, 'brand'),
    left,
    tooMany: (line) => `Only ${left(line)} of ${line.quantity} returned are left to be credited.`,
    errors,
  })
  return matched.map(({ line, input }) => ({
    orderLineId: line.order_line_id,
    quantity: input.quantity,
    price: input.price ?? line.net_price,
  }))
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
