/** How items come back and are credited. Both are made on the administration path: the API only shows them. */
import { expect } from 'vitest'
import type { Ledger } from './ledger.ts'
import { credited, done, RETURN, returned, sharedWorld, shipped } from './world.ts'

export function returns({ proves }: Ledger): void {
  const { world } = sharedWorld()

  proves(
    'state.rma.created',
    'rule.rma.either-party',
    'choice.rma.operator',
    'rma.created_by',
  )('a return of either party starts as pending', async () => {
    for (const created_by of ['retailer', 'brand']) {
      const { id } = await returned(world(), { created_by })
      expect(await done(world().retailer.get(`rmas/${id}/`))).toMatchObject({ created_by, status: 'Pending' })
    }
  })

  proves('state.rma.accepted', 'order_line.quantity_returned')(
    'a return that the supplier closes is accepted, and its items count as returned',
    async () => {
      const { order_id } = await shipped(world())
      const { id } = await done(world().admin.post(`orders/${order_id}/rmas/`, RETURN))
      const counted = async () => {
        const { order_lines } = await done(world().retailer.get(`orders/${order_id}/`))
        return order_lines.map((line: { quantity_returned: number }) => line.quantity_returned)
      }
      expect(await counted()).toEqual([0, 0])
      await done(world().admin.put(`rmas/${id}/accept/`))
      expect((await done(world().retailer.get(`rmas/${id}/`))).status).toBe('Accepted')
      expect(await counted()).toEqual([1, 0])
    },
  )

  proves('rule.credit.after-acceptance')('a return that is pending is not credited', async () => {
    const { id } = await returned(world())
    const refused = await world().admin.post(`rmas/${id}/credits/`, { credit_number: 'CM-EARLY' })
    expect(refused.status).toBe(400)
  })

  proves('rule.credit.bound', 'limit.credit')(
    'credits are for no more than came back, in number and in value, all together',
    async () => {
      const { id } = await returned(world())
      await done(world().admin.put(`rmas/${id}/accept/`))
      let number = 0
      const credit = async (line: object) => {
        const credit_number = `CM-B${(number += 1)}`
        const credit_lines = [{ variant: { id: 9001 }, ...line }]
        return (await world().admin.post(`rmas/${id}/credits/`, { credit_number, credit_lines })).status
      }
      expect(await credit({ quantity: 2 })).toBe(400)
      expect(await credit({ quantity: 1, price: '7.88' })).toBe(400)
      expect(await credit({ quantity: 1, price: '7.87' })).toBe(201)
      expect(await credit({ quantity: 1, price: '0.01' })).toBe(400)
    },
  )

  proves(
    'choice.credit.adjustment-items',
    'credit.adjustments',
    'credit.credit_amount',
  )('adjustments change the amount of a credit and not its subtotal', async () => {
    const adjustments = [{ type: 'Restocking Fee', description: null, amount: '-1.50' }]
    const { id } = await credited(world(), { adjustments })
    expect(await done(world().retailer.get(`credits/${id}/`))).toMatchObject({
      subtotal: '7.87',
      adjustments,
      credit_amount: '6.37',
    })
  })

  for (const [name, row, make] of [
    ['credits', 'state.acknowledge.credit', credited],
    ['rmas', 'state.acknowledge.rma', returned],
  ] as const) {
    proves(row)(`the retailer acknowledges ${name}, once`, async () => {
      const { id, acknowledged_at } = await make(world())
      expect(acknowledged_at).toBeNull()
      expect(await done(world().retailer.put(`${name}/${id}/acknowledge/`))).toMatchObject({
        id,
        is_acknowledged: true,
        acknowledged_at: '2026-11-21T02:15:00.000Z',
      })
    })
  }

  proves('choice.rma.is-acknowledged', 'choice.rma.attached')(
    'a return says whether it is acknowledged, and has nothing attached',
    async () => {
      expect(await returned(world())).toMatchObject({ is_acknowledged: false, attachments: [], memos: [] })
    },
  )
}
