/** How closed orders are invoiced. */
import { expect } from 'vitest'
import { invoiceBody, item, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { done, invoiced, ordered, sharedWorld, shipped } from './world.ts'

export function invoices({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves('rule.invoice.once')('a purchase order is invoiced once', async () => {
    const { purchase_order_number } = await invoiced(world())
    const again = await world().brand.post('invoices/', invoiceBody(purchase_order_number))
    expect([again.status, Object.keys(again.body)]).toEqual([400, ['purchase_order_number']])
  })

  proves('rule.invoice.after-close')(
    'an order is invoiced only when it is closed and completely fulfilled',
    async () => {
      const { id, purchase_order_number } = await ordered(world())
      const [line] = shipmentBody(id).shipment_lines
      const invoice_lines = [{ variant: { id: 9001 }, quantity: 2, net_price: '7.87' }]
      const refusal = async () => {
        const body = invoiceBody(purchase_order_number, { invoice_lines })
        const answer = await world().brand.post('invoices/', body)
        return [answer.status, 'purchase_order_number' in answer.body]
      }
      expect(await refusal()).toEqual([400, true])
      await done(world().brand.post('shipments/', shipmentBody(id, { shipment_lines: [line] })))
      expect(await refusal()).toEqual([400, true])
      await done(world().brand.put(`orders/${id}/close/`))
      expect(await refusal()).toEqual([400, true])
    },
  )

  proves('rule.invoice.subtotal', 'invoice.subtotal')(
    'the subtotal is the sum of the lines, whatever amount is due',
    async () => {
      const { subtotal, due_amount } = await invoiced(world(), { due_amount: '30.00' })
      expect([subtotal, due_amount]).toEqual(['26.98', '30.00'])
    },
  )

  proves('choice.invoice-create.number-formats')(
    'amounts with a currency sign, grouping commas or fewer decimals are understood',
    async () => {
      const { due_amount } = await invoiced(world(), { due_amount: '$1,026.9' })
      expect(due_amount).toBe('1026.90')
    },
  )

  proves('choice.invoice.unreachable', 'choice.invoice.adjustment-items')(
    'discount terms, charges and allowances are what the operator set, and change the amount due',
    async () => {
      const invoice = await invoiced(world())
      expect(invoice).toMatchObject({
        terms_discount_percent: null,
        remit_to: null,
        charges: [],
        allowances: [],
      })
      const changes = {
        terms_discount_percent: 2,
        charges: [{ type: 'Service Fee', description: 'Gift wrap', amount: '5.00' }],
        allowances: [{ type: 'Promotion Allowance', description: null, amount: '1.00' }],
      }
      await done(world().admin.patch(`invoices/${invoice.id}/`, changes))
      expect(await done(world().brand.get(`invoices/${invoice.id}/`))).toMatchObject({
        ...changes,
        subtotal: '26.98',
        due_amount: '30.98',
      })
    },
  )

  proves('choice.invoice-create.own-sku')('a brand may name an item by its own SKU', async () => {
    const lines = (identifier: string) => [{ variant: { identifier }, quantity: 1, net_price: '11.24' }]
    for (const identifier of ['HV-10001', 'NL-0002']) {
      const { invoice_lines } = await invoiced(world(), { invoice_lines: lines(identifier) })
      expect(invoice_lines[0].variant.id).toBe(9002)
    }
  })

  proves('rule.invoice-create.one-line-per-item', 'rule.invoice-create.one-of')(
    'two lines with one item and a line without an item are refused at their places',
    async () => {
      const { purchase_order_number } = await shipped(world())
      const invoice = (...variants: object[]) =>
        world().brand.post(
          'invoices/',
          invoiceBody(purchase_order_number, {
            invoice_lines: variants.map((variant) => ({ variant, quantity: 1, net_price: '7.87' })),
          }),
        )
      const twice = await invoice({ id: 9001 }, { identifier: 'NL-0001' })
      expect([twice.status, Object.keys(twice.body)]).toEqual([400, ['invoice_lines']])
      const nameless = await invoice({})
      expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['invoice_lines']])
    },
  )

  proves('rule.invoice-create.priority')('an item is found by id before identifier before UPC', async () => {
    const { upc } = item('NL-0001')
    const found = async (variant: object) => {
      const invoice_lines = [{ variant, quantity: 1, net_price: '7.87' }]
      return (await invoiced(world(), { invoice_lines })).invoice_lines[0].variant.id
    }
    expect(await found({ id: 9001, identifier: 'HV-10001', upc: item('NL-0002').upc })).toBe(9001)
    expect(await found({ identifier: 'HV-10001', upc })).toBe(9002)
    expect(await found({ upc })).toBe(9001)
  })

  proves(
    'state.acknowledge.invoice',
    'invoice.is_acknowledged',
    'invoice.acknowledged_at',
  )('the retailer acknowledges an invoice, once', async () => {
    const { id } = await invoiced(world())
    expect(await done(world().retailer.put(`invoices/${id}/acknowledge/`))).toMatchObject({
      id,
      is_acknowledged: true,
      acknowledged_at: '2026-11-21T02:15:00.000Z',
    })
  })
}
