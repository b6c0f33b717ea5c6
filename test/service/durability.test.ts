import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/support/clock.ts'
import { BRAND_ORDERS, callerOf, openMarket, orderBody, ORDERS, placeOrder } from './market.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('racing', () => {
  it('to place one purchase order number has exactly one winner', async () => {
    const { service, retailer } = await openMarket()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => retailer.post(ORDERS, orderBody('PO-1'))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19)
    expect(service.counts().orders).toBe(1)
  })

  it('of good and bad orders lets the bad ones spoil nothing', async () => {
    const { service, retailer } = await openMarket()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        retailer.post(ORDERS, orderBody(`PO-${index}`, index % 2 === 0 ? {} : { order_lines: [] })),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 201 : 400)),
    )
    expect(service.counts().orders).toBe(20)
  })
})

describe('a restart', () => {
  it('keeps orders, clients and tokens, and seeds nothing again', async () => {
    const data = temporaryFolder()
    const before = await openMarket({ data })
    const id = await placeOrder(before, 'PO-1')
    const { body: order } = await before.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    await before.service.close()

    const after = await openMarket({ data })
    expect(after.service.parties).toEqual([
      { kind: 'retailer', id: 1000, name: 'Harbor & Vine', clientId: 'harbor' },
      { kind: 'brand', id: 2000, name: 'Northlight Goods', clientId: 'northlight' },
      { kind: 'brand', id: 2001, name: 'Copperfield Supply', clientId: 'copperfield' },
    ])
    expect((await after.brand.get(`${BRAND_ORDERS}${id}/`)).body).toEqual(order)
    const withOldToken = callerOf(after.service.baseUrl, before.retailer.token)
    expect((await withOldToken.post(ORDERS, orderBody('PO-1'))).status).toBe(400)
    expect(await placeOrder(after, 'PO-2')).toBe(id + 1)
  })

  it('finds no secret and no token in the database', async () => {
    const data = temporaryFolder()
    const { service, retailer } = await openMarket({ data })
    await service.close()
    const bytes = readFileSync(join(data, 'service.db'), 'latin1')
    expect(bytes).toContain('harbor')
    expect(bytes).not.toContain('harbor-secret')
    expect(bytes).not.toContain(retailer.token)
  })
})

describe('a created order', () => {
  it('is committed when its answer arrives', async () => {
    const data = temporaryFolder()
    const market = await openMarket({ data })
    const id = await placeOrder(market, 'PO-1')
    // the state that a sudden stop of the machine would leave
    const found = temporaryFolder()
    cpSync(data, found, { recursive: true })
    const other = openDatabase(join(found, 'service.db'))
    expect(other.prepare('select id, status from orders').all()).toEqual([{ id, status: 'open' }])
    other.close()
  })
})

describe('closing the service', () => {
  it('waits for the answers that are on their way', async () => {
    const market = await openMarket({ switches: { latencyMs: 100 } })
    const answer = market.retailer.post(ORDERS, orderBody('PO-1'))
    await vi.waitUntil(() => market.service.counts().orders === 1)
    await market.service.close()
    expect((await answer).body.purchase_order_number).toBe('PO-1')
  })
})

describe('a database that cannot be used', () => {
  const open = (data: string) => createService({ data, clock: systemClock })

  it('because another service has it is left to that one', async () => {
    const data = temporaryFolder()
    const { service, retailer } = await openMarket({ data })
    await expect(open(data)).rejects.toMatchObject({ code: 'service-data-in-use' })
    expect((await retailer.get(ORDERS)).status).toBe(200)
    await service.close()
    await (await open(data)).close()
  })

  it('is named', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'service.db'), 'this is not a database, it is a letter to my aunt')
    await expect(open(folder)).rejects.toMatchObject({
      code: 'service-data-unusable',
      message: `The service's database ${join(folder, 'service.db')} cannot be opened.`,
    })
  })

  it('of a newer program is not touched', async () => {
    const folder = temporaryFolder()
    const database = openDatabase(join(folder, 'service.db'))
    database.pragma('user_version = 99')
    database.close()
    await expect(open(folder)).rejects.toThrow('has version 99; this program knows 2')
  })
})
