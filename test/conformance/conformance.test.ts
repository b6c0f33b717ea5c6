/**
 * The spec, row by row: every statement of it is data in `rows/`, every test names the rows that it proves, an unproven row fails
 * the build, and `docs/service.md` is printed from both.
 */
import { describe, expect, it } from 'vitest'
import { authentication } from './authentication.ts'
import { bodies } from './bodies.ts'
import { cancels } from './cancels.ts'
import { catalogue } from './catalogue.ts'
import { conventions } from './conventions.ts'
import { endpoints } from './endpoints.ts'
import { errors } from './errors.ts'
import { fields } from './fields.ts'
import { filters } from './filters.ts'
import { invoices } from './invoices.ts'
import { openLedger } from './ledger.ts'
import { orders } from './orders.ts'
import { pageOf } from './page.ts'
import { returns } from './returns.ts'
import { ROWS } from './rows/all.ts'
import { schemas } from './schemas.ts'
import { shipments } from './shipments.ts'

const ledger = openLedger(ROWS)

const PARTS = {
  conventions,
  authentication,
  errors,
  endpoints,
  orders,
  cancels,
  shipments,
  invoices,
  returns,
  catalogue,
  bodies,
  filters,
  fields,
}

for (const [name, register] of Object.entries(PARTS))
  describe(`${name}`, () => {
    register(ledger)
  })

describe('field tables', () => {
  schemas()
})

describe('rows', () => {
  it('each have a name of their own', () => {
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length)
  })

  it('are all proven', () => {
    expect(ledger.unproven().map(({ id, says }) => `${id}: ${says}`)).toEqual([])
  })

  it('are printed with their proofs in docs/service.md', async () => {
    const page = new URL('../../docs/service.md', import.meta.url).pathname
    await expect(pageOf(ROWS, ledger)).toMatchFileSnapshot(page)
  })
})
