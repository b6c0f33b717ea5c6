/** Trying credentials at the real service. */
import { expect, test } from 'vitest'
import { checkOnline } from '../../src/bridge/check-online.ts'
import { aWorld } from '../fixtures/world.ts'

test('credentials that may act for the parties of all routes are right', async () => {
  const { configuration, clock } = await aWorld()

  expect(await checkOnline(configuration, { clock, random: Math.random, version: 'test' })).toEqual([])
})

test('a route for a party of somebody else, and a secret that is wrong, are told by name and without the secret', async () => {
  const { configuration, clock } = await aWorld()
  const [first, ...others] = configuration.routes
  const credentials = { clientId: 'nobody', clientSecret: 'a-secret-nobody-may-see' }
  const routes = [
    { ...first!, name: 'foreign', party: { kind: 'retailer', id: 4711 } as const },
    ...others.map((route) => ({ ...route, credentials })),
  ]

  const failures = await checkOnline(
    { ...configuration, routes },
    { clock, random: Math.random, version: 'test' },
  )

  expect(failures).toHaveLength(2)
  expect(failures[0]).toMatch(/^route foreign: \S+ may act for retailer 1000, and not for retailer 4711$/)
  expect(failures[1]).toMatch(/^nobody at http:\/\/127\.0\.0\.1:\d+: /)
  expect(failures.join()).not.toContain('a-secret-nobody-may-see')
})

test('an API that is not there is told, and the check ends', async () => {
  const { configuration, clock } = await aWorld()
  const api = { ...configuration.api, baseUrl: 'http://127.0.0.1:9' }

  const failures = await checkOnline(
    { ...configuration, api },
    { clock, random: Math.random, version: 'test' },
  )

  expect(failures).not.toEqual([])
  expect(failures[0]).toContain('127.0.0.1:9')
})
