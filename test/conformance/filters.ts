/** Every filter of every list, with a record that matches and one that does not. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { crowd } from './crowd.ts'
import { type Scene, type Stage, STAGES } from './scenes.ts'
import {
  attributesBody,
  cancelBody,
  done,
  idsOn,
  inWorld,
  openWorld,
  ordered,
  sharedWorld,
  type World,
} from './world.ts'

export function filters(ledger: Ledger): void {
  for (const stage of STAGES)
    describe(`of ${stage.list}`, () => {
      ofList(ledger, stage)
    })
  describe('of crowded lists', () => {
    pages(ledger)
  })
  describe('of orders', () => {
    ofOrders(ledger)
  })
  describe('of items', () => {
    ofItems(ledger)
  })
}

function ofList({ proves }: Ledger, { list, by, path, times, flags, prepare }: Stage): void {
  let world: World
  let scene: Scene
  beforeAll(async () => {
    world = await openWorld()
    scene = await prepare(world)
  })
  afterAll(() => world.close())

  /** The one of the two records that a query finds. */
  const found = async (query: string) => {
    const ids = await idsOn(world[by], `${path}?${query}`)
    return [...(ids.includes(scene.early) ? ['early'] : []), ...(ids.includes(scene.late) ? ['late'] : [])]
  }
  const expectRefused = async (name: string, value: string) => {
    const { status, body } = await world[by].get(`${path}?${name}=${value}`)
    expect([status, Object.keys(body)]).toEqual([400, [name]])
  }

  for (const [field, [early, late]] of Object.entries(times)) {
    for (const [operator, sides] of Object.entries(SIDES)) {
      const filter = `${field}_${operator}`
      proves(`filter.${list}.${filter}`, 'choice.filters.wrong-value')(
        `${filter} finds the ${list} on its side of the time, to the second`,
        async () => {
          const asked = [early - 1000, early, late, late + 1000]
          const answers = await Promise.all(asked.map((ms) => found(`${filter}=${ms / 1000}`)))
          expect(answers).toEqual(sides)
          await expectRefused(filter, 'yesterday')
        },
      )
    }
  }

  for (const flag of flags) {
    proves(`filter.${list}.${flag}`, 'choice.filters.wrong-value')(
      `${flag} divides the ${list}, written as number or word`,
      async () => {
        expect([await found(`${flag}=1`), await found(`${flag}=true`)]).toEqual([['early'], ['early']])
        expect([await found(`${flag}=0`), await found(`${flag}=false`)]).toEqual([['late'], ['late']])
        await expectRefused(flag, 'maybe')
      },
    )
  }
}

function pages({ proves }: Ledger): void {
  const { world } = sharedWorld()
  beforeAll(() => crowd(world()))

  for (const { list, by, path } of new Map(STAGES.map((one) => [one.list, one])).values()) {
    proves(`filter.${list}.limit`)(`limit divides the ${list} into pages of at most 250`, async () => {
      const ask = (limit: string) => world()[by].get(`${path}?limit=${limit}`)
      const { count, next, results } = await done(ask('1'))
      expect([results.length, count > 250, typeof next]).toEqual([1, true, 'string'])
      for (const limit of ['250', '251', '100000']) {
        expect((await done(ask(limit))).results).toHaveLength(250)
      }
      expect(new Set(await idsOn(world()[by], path)).size).toBe(count)
      const refused = await ask('0')
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['limit']])
    })
  }
}

/** The records that are found just before the early time, at it, at the late time and just after. */
const SIDES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  lt: [[], [], ['early'], ['early', 'late']],
  lte: [[], ['early'], ['early', 'late'], ['early', 'late']],
  gt: [['early', 'late'], ['late'], [], []],
  gte: [['early', 'late'], ['early', 'late'], ['late'], []],
}

const HALF = { shipment_lines: [{ variant: { brand_identifier: 'NL-0001' }, quantity: 2 }] }

const WHOLE = {
  cancel_lines: [
    { variant: { id: 9001 }, quantity: 2 },
    { variant: { id: 9002 }, quantity: 1 },
  ],
}

const idsOf = ({ results }: { results: { id: number }[] }) => results.map(({ id }) => id)

function ofOrders({ proves }: Ledger): void {
  proves('filter.retailer-orders.purchase_order_number')(
    'a purchase order number finds the one order that has it',
    async () => {
      await inWorld(async (world) => {
        await ordered(world)
        const { id, purchase_order_number } = await ordered(world)
        const { retailer } = world
        expect(
          idsOf(await done(retailer.get(`orders/?purchase_order_number=${purchase_order_number}`))),
        ).toEqual([id])
        expect(idsOf(await done(retailer.get('orders/?purchase_order_number=PO')))).toEqual([])
      })
    },
  )

  proves(
    'filter.retailer-orders.status',
    'filter.brand-orders.status',
    'choice.filters.wrong-value',
  )('each status finds its orders, and repeated ones find either', async () => {
    await inWorld(async (world) => {
      const { brand, retailer } = world
      const open = (await ordered(world)).id
      const closed = (await ordered(world)).id
      await done(brand.put(`orders/${closed}/close/`))
      const partial = (await ordered(world)).id
      const canceled = (await ordered(world)).id
      await done(brand.post('shipments/', shipmentBody(partial, HALF)))
      await done(retailer.post('cancels/', cancelBody(canceled, WHOLE)))
      for (const party of [retailer, brand]) {
        const found = async (query: string) => idsOf(await done(party.get(`orders/?${query}`)))
        expect(await found('status=open')).toEqual([open])
        expect(await found('status=closed')).toEqual([closed])
        expect(await found('status=partial')).toEqual([partial])
        expect(await found('status=canceled')).toEqual([canceled])
        expect(await found('status=open&status=partial')).toEqual([open, partial])
        const { status, body } = await party.get('orders/?status=gone')
        expect([status, Object.keys(body)]).toEqual([400, ['status']])
      }
    })
  })
}

function ofItems({ proves }: Ledger): void {
  const { world } = sharedWorld()
  const SEARCHABLE = ['color', 'size', 'category', 'material', 'finish', 'collection']

  for (const code of SEARCHABLE) {
    proves(
      `rule.filters.attribute-${code}`,
      'filter.brand-variants.attribute',
      'rule.filters.attribute-form',
    )(`items are searched by ${code}, for one value or either of two`, async () => {
      const { brand } = world()
      const described = async (value: string) =>
        (
          await done(
            brand.post('variants/', attributesBody({ identifier: `${code} ${value}`, [code]: value })),
          )
        ).id
      const oak = await described('Smoked Oak')
      const ash = await described('Ash')
      await described('Elm')
      const found = async (search: string) =>
        idsOf(await done(brand.get(`variants/?attribute=${encodeURIComponent(search)}`)))
      expect(await found(`${code}[Smoked Oak]`)).toEqual([oak])
      expect(await found(`${code}[Smoked Oak||Ash]`)).toEqual([oak, ash])
      expect(await found(`${code}[Teak]`)).toEqual([])
    })
  }

  proves('rule.filters.attribute-several')('codes joined with :: must all match', async () => {
    await inWorld(async (world) => {
      const described = async (identifier: string, color: string, material: string) =>
        (await done(world.brand.post('variants/', attributesBody({ identifier, color, material })))).id
      const wanted = await described('SKU-1', 'Umber', 'Felt')
      await described('SKU-2', 'Umber', 'Cork')
      const search = encodeURIComponent('color[Umber]::material[Felt]')
      expect(idsOf(await done(world.brand.get(`variants/?attribute=${search}`)))).toEqual([wanted])
    })
  })

  proves('filter.brand-variants.short', 'choice.variant.short')(
    'short shows a limited set of attributes and leaves no item out',
    async () => {
      await inWorld(async (world) => {
        const values = {
          identifier: 'SKU-1',
          name: 'Throw',
          manufacturer: 'Northlight',
          size: 'L',
        }
        const { id } = await done(world.brand.post('variants/', attributesBody(values)))
        const shown = async (short: number) => {
          const { count, results } = await done(world.brand.get(`variants/?limit=250&short=${short}`))
          const { attributes } = results.find((variant: { id: number }) => variant.id === id)
          return { count, codes: Object.keys(attributes) }
        }
        const [short, all] = [await shown(1), await shown(0)]
        expect(short.count).toBe(all.count)
        expect(all.codes).toEqual(expect.arrayContaining(Object.keys(values)))
        expect(short.codes).toEqual(['identifier', 'name', 'size'])
      })
    },
  )
}
