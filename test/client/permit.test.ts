import { expect, test } from 'vitest'
import type { LeaseCheck } from '../../src/domain/api.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { json } from '../fixtures/misbehaving-server.ts'
import { failureOf, setUp } from './setup.ts'

const order = { endpoint: 'createOrder', params: { retailer_id: 1000 }, body: '{}' }

/** A lease check that gives these answers one after the other. */
function aPermit(holdsAnswers: readonly boolean[], renew: () => void = () => undefined) {
  let asked = 0
  let renewals = 0
  const permit: LeaseCheck = {
    isValid: () => holdsAnswers[asked++] ?? true,
    renew: async () => {
      renewals++
      renew()
    },
  }
  return { permit, renewals: () => renewals }
}

test('a permit that holds costs nothing', async () => {
  const { server, client } = await setUp()
  server.next(json(201, { id: 5 }))
  const { permit, renewals } = aPermit([])
  expect(await client.send(order, permit)).toMatchObject({ status: 201 })
  expect(renewals()).toBe(0)
})

test('a permit that was lost while the call waited for its next try is renewed before the request leaves again', async () => {
  const { server, client } = await setUp()
  server.next(json(429, {}), json(201, { id: 5 }))
  const { permit, renewals } = aPermit([true, true, false])
  expect(await client.send(order, permit)).toMatchObject({ status: 201 })
  expect(server.received).toHaveLength(2)
  expect(renewals()).toBe(1)
})

test('a permit that another bridge has taken ends the call, and nothing more is sent', async () => {
  const { server, client } = await setUp()
  server.next(json(429, {}), json(201, { id: 5 }))
  const { permit } = aPermit([true, true, false], () => {
    throw new BridgeError('lease-lost', 'taken over')
  })
  expect(await failureOf(client.send(order, permit))).toEqual({ code: 'lease-lost', message: 'taken over' })
  expect(server.received).toHaveLength(1)
})

test('a permit that is lost in the last moment keeps the request from leaving, and the next try asks for it again', async () => {
  const { server, client } = await setUp()
  server.next(json(201, { id: 5 }))
  const { permit, renewals } = aPermit([true, false, false])
  expect(await client.send(order, permit)).toMatchObject({ status: 201 })
  expect(server.received).toHaveLength(1)
  expect(renewals()).toBe(1)
})

test('a request that was kept from leaving every time was not applied', async () => {
  const { server, client } = await setUp({ retry: { attempts: 1 } })
  const { permit } = aPermit([true, false])
  expect(await client.send(order, permit)).toEqual({
    certainty: 'not-applied',
    detail: 'the request was not sent: the right to send was lost before a byte of it left',
  })
  expect(server.received).toEqual([])
})
