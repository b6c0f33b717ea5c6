/** Stock by warehouse, as an operator counts it. Runs in the write queue. */
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors } from '../http/field-errors.ts'
import type { Resources } from '../resources.ts'
import { createSetStock } from '../variants/stock.ts'
import type { StockChange } from './bodies.ts'

export function createStockChanging({ store, clock, variants }: Resources) {
  const setStock = createSetStock(store)
  const find = store.prepare((p: { id: number }) =>
    store.build.selectFrom('variants').select('id').where('id', '=', p.id),
  )
  return (id: number, { locations }: StockChange): Answer => {
    if (find.first({ id }) === undefined) return notFound()
    const wrong = setStock(id, locations, clock.now())
    if (wrong === undefined) return answered(variants.brand([id], false)[0])
    const errors = createFieldErrors()
    errors.add(['locations', 'non_field_errors'], wrong)
    return errors.answer()
  }
}
