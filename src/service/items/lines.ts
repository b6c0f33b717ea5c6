/** Lines of a body matched with the lines of an order or of a return. Spec: "One per unique item". */
import { isAbsent } from '../absent.ts'
import type { ShippedVariantInput, VariantInput } from '../../contract/variant.ts'
import type { FieldErrors } from '../http/field-errors.ts'

/** What a line of an order is known by. */
export interface NamedLine {
  readonly variant_id: number
  readonly brand_identifier: string
  readonly retailer_identifier: string | null
  readonly upc: string | null
}

interface LineInput {
  readonly variant: unknown
  readonly quantity: number
}

export interface LineMatching<Line extends NamedLine, Input extends LineInput> {
  /** The field of the body that holds the lines. */
  readonly field: string
  readonly inputs: readonly Input[]
  readonly lines: readonly Line[]
  /** What the lines belong to, for messages: `order`. */
  readonly owner: string
  /** Every line that the name fits. */
  readonly find: (lines: readonly Line[], variant: Input['variant']) => readonly Line[]
  /** How many units of a line may be named. */
  readonly left: (line: Line) => number
  /** Says that there are no more, such as `Only 2 of 3 are left to be shipped.` */
  readonly tooMany: (line: Line) => string
  readonly errors: FieldErrors
}

/** Each line of the body with the one it names; those that name none, several or one that was named are among the errors. */
export function matchLines<Line extends NamedLine, Input extends LineInput>(
  matching: LineMatching<Line, Input>,
): { readonly line: Line; readonly input: Input }[] {
  const { field, inputs, lines, owner, find, left, tooMany, errors } = matching
  const taken = new Set<Line>()
  return inputs.flatMap((input, index) => {
    const refuse = (part: 'variant' | 'quantity', message: string) =>
      errors.add([field, index, part], message)
    const [line, another] = find(lines, input.variant)
    if (line === undefined) {
      refuse('variant', `The ${owner} has no line with this item.`)
      return []
    }
    if (another !== undefined) {
      refuse('variant', `Several lines of the ${owner} have this UPC; name the item by its own number.`)
      return []
    }
    if (taken.has(line)) {
      refuse('variant', 'Another line names the same item. There is one line per unique item.')
    }
    taken.add(line)
    if (input.quantity > left(line)) refuse('quantity', tooMany(line))
    return [{ line, input }]
  })
}

/**
 * Spec: the priority is id, identifier, upc; identifier is the retailer SKU if set, otherwise the brand SKU. Where the
 * brand speaks its own SKU is taken too. Spec: not shown.
 */
export function linesNamed<Line extends NamedLine>(
  lines: readonly Line[],
  { id, identifier, upc }: VariantInput,
  speaker: 'retailer' | 'brand',
): readonly Line[] {
  if (!isAbsent(id)) return lines.filter((line) => line.variant_id === id)
  if (isAbsent(identifier)) return lines.filter((line) => line.upc === upc)
  const bySku = lines.filter((line) => line.retailer_identifier === identifier)
  if (bySku.length > 0) return bySku
  const byBrand = lines.filter((line) => line.brand_identifier === identifier)
  return speaker === 'brand' ? byBrand : byBrand.filter((line) => line.retailer_identifier === null)
}

/** Spec: when both are given, upc has priority. Where several lines have the UPC, brand_identifier decides. */
export function linesShipped<Line extends NamedLine>(
  lines: readonly Line[],
  { upc, brand_identifier }: ShippedVariantInput,
): readonly Line[] {
  const byNumber = (some: readonly Line[]) =>
    some.filter((line) => line.brand_identifier === brand_identifier)
  if (isAbsent(upc)) return byNumber(lines)
  const byUpc = lines.filter((line) => line.upc === upc)
  return byUpc.length > 1 && !isAbsent(brand_identifier) ? byNumber(byUpc) : byUpc
}
