/** Finds the item, or the line of an order or return, that a body names. */
import type { ShippedVariantInput, VariantInput } from '../../contract/variant.ts'
import type { FieldErrors } from '../http/answers.ts'
import { build, type RowOf, type Store } from '../store/store.ts'
import { isAbsent } from '../values.ts'
import type { ItemRow } from './summaries.ts'

// Spec: "One per unique item".

type IdentifiedLine = Pick<ItemRow, 'variant_id' | 'brand_identifier' | 'retailer_identifier' | 'upc'>

interface LineInput {
  readonly variant: unknown
  readonly quantity: number
}

interface LineMatching<Line extends IdentifiedLine, Input extends LineInput> {
  /** The field of the body that holds the lines. */
  readonly field: string
  readonly inputs: readonly Input[]
  readonly lines: readonly Line[]
  /** The owner of the lines, for messages; `order` by default. */
  readonly owner?: string
  /** Returns every line that the name fits. */
  readonly find: (lines: readonly Line[], variant: Input['variant']) => readonly Line[]
  /** How many units of a line may be named. */
  readonly left: (line: Line) => number
  /** The message for too many units, such as `Only 2 of 3 are left to be shipped.` */
  readonly tooMany: (line: Line) => string
  readonly errors: FieldErrors
}

/** Matches body lines to the lines they name; adds errors for lines that name none, several or a line named before. */
export function matchLines<Line extends IdentifiedLine, Input extends LineInput>(
  matching: LineMatching<Line, Input>,
): { readonly line: Line; readonly input: Input }[] {
  const { field, inputs, lines, owner = 'order', find, left, tooMany, errors } = matching
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

/** Spec: id, then identifier (the retailer SKU if set), then upc. A brand may use its own SKU. Spec: not shown. */
export function findLinesByVariant<Line extends IdentifiedLine>(
  lines: readonly Line[],
  { id, identifier, upc }: VariantInput,
  namedBy: 'retailer' | 'brand',
): readonly Line[] {
  if (!isAbsent(id)) return lines.filter((line) => line.variant_id === id)
  if (isAbsent(identifier)) return lines.filter((line) => line.upc === upc)
  const bySku = lines.filter((line) => line.retailer_identifier === identifier)
  if (bySku.length > 0) return bySku
  const byBrand = lines.filter((line) => line.brand_identifier === identifier)
  return namedBy === 'brand' ? byBrand : byBrand.filter((line) => line.retailer_identifier === null)
}

/** Spec: when both are given, upc has priority. Where several lines have the UPC, brand_identifier decides. */
export function findLinesByShippedVariant<Line extends IdentifiedLine>(
  lines: readonly Line[],
  { upc, brand_identifier }: ShippedVariantInput,
): readonly Line[] {
  const byNumber = (some: readonly Line[]) =>
    some.filter((line) => line.brand_identifier === brand_identifier)
  if (isAbsent(upc)) return byNumber(lines)
  const byUpc = lines.filter((line) => line.upc === upc)
  return byUpc.length > 1 && !isAbsent(brand_identifier) ? byNumber(byUpc) : byUpc
}

/** An item as far as placing an order needs it. */
export type CatalogItem = RowOf<typeof itemsById>

/** Finds every item the retailer could mean. Spec: when several names are given the priority is id, identifier, upc. */
export function findItems(store: Store, retailer: number, { id, identifier, upc }: VariantInput) {
  if (!isAbsent(id)) return store.rows(itemsById, { id })
  if (isAbsent(identifier)) return isAbsent(upc) ? [] : store.rows(itemsByUpc, { upc })
  const own = store.rows(itemsByRetailerSku, { retailer, identifier })
  return own.length > 0 ? own : store.rows(itemsByBrandSku, { retailer, identifier })
}

/** Formats the name that has priority: `id 9001`, `identifier "NL-0001"`, `upc "086000100011"`. */
export function describeItem({ id, identifier, upc }: VariantInput): string {
  if (!isAbsent(id)) return `id ${id}`
  return isAbsent(identifier) ? `upc "${upc}"` : `identifier "${identifier}"`
}

/** Several brands may sell an item with the same UPC; at most this many are checked. */
const MAX_CANDIDATES = 100

const items = build
  .selectFrom('variants')
  .select(['variants.id', 'variants.brand_id', 'variants.lead_time_days'])
  .limit(MAX_CANDIDATES)

const itemsById = (p: { id: number }) => items.where('variants.id', '=', p.id)

const itemsByUpc = (p: { upc: string }) => items.where('variants.upc', '=', p.upc)

const itemsByRetailerSku = (p: { retailer: number; identifier: string }) =>
  items
    .innerJoin('retailer_variants', 'retailer_variants.variant_id', 'variants.id')
    .where('retailer_variants.retailer_id', '=', p.retailer)
    .where('retailer_variants.sku', '=', p.identifier)

/** Items without a retailer SKU. */
const itemsByBrandSku = (p: { retailer: number; identifier: string }) =>
  items
    .where('variants.identifier', '=', p.identifier)
    .where((expression) =>
      expression.not(
        expression.exists(
          expression
            .selectFrom('retailer_variants')
            .select('sku')
            .where('retailer_id', '=', p.retailer)
            .whereRef('variant_id', '=', 'variants.id')
            .where('sku', 'is not', null),
        ),
      ),
    )
