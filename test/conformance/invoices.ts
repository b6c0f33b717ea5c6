/** How closed orders are invoiced. */
import { expect } from 'vitest'
import { invoiceBody, item, orderBody, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { done, inWorld, invoiced, joinRetailer, ordered, type Party, sharedWorld, shipped } from './world.ts'

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

  proves('choice.invoice-create.same-number')(
    'of two orders with one number the items decide, then the older is meant, and each is invoiced once',
    async () => {
      await inWorld(async (own) => {
        const other = await joinRetailer(own)
        const invoice = async (number: string, id: number) => {
          const invoice_lines = [{ variant: { id }, quantity: 1, net_price: '7.87' }]
          const { status, body } = await own.brand.post('invoices/', invoiceBody(number, { invoice_lines }))
          return status === 201 ? body.retailer.name : [status, Object.keys(body)]
        }
        const trade = async (retailer: Party, number: string, id: number) => {
          const order_lines = [{ variant: { id }, quantity: 1, net_price: '7.87', price: '16.73' }]
          const order = await done(retailer.post('orders/', orderBody(number, { order_lines })))
          const { upc } = order.order_lines[0].variant
          const shipment_lines = [{ variant: { upc }, quantity: 1 }]
          await done(own.brand.post('shipments/', shipmentBody(order.id, { shipment_lines })))
        }
        await trade(own.retailer, 'PO-A', 9001)
        await trade(other, 'PO-A', 9003)
        expect(await invoice('PO-A', 9003)).toBe('Quay & Quince')
        expect(await invoice('PO-A', 9001)).toBe('Harbor & Vine')
        await trade(other, 'PO-B', 9001)
        await trade(own.retailer, 'PO-B', 9001)
        expect(await invoice('PO-B', 9001)).toBe('Quay & Quince')
        expect(await invoice('PO-B', 9001)).toBe('Harbor & Vine')
        expect(await invoice('PO-B', 9001)).toEqual([400, ['purchase_order_number']])
      })
    },
  )

  proves('choice.invoice-create.largest')('an invoice of a million is refused', async () => {
    const { purchase_order_number } = await shipped(world())
    const invoice = (net_price: string) =>
      world().brand.post(
        'invoices/',
        invoiceBody(purchase_order_number, {
          invoice_lines: [{ variant: { id: 9001 }, quantity: 2, net_price }],
        }),
      )
    const { status, body } = await invoice('500000.00')
    expect([status, Object.keys(body)]).toEqual([400, ['invoice_lines']])
    expect((await invoice('499999.99')).body.subtotal).toBe('999999.98')
  })

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
