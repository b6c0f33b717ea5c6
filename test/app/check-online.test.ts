/** Checks credentials at the real service. */
import { expect, test } from 'vitest'
import { checkOnline } from '../../src/app/check.ts'
import { aWorld } from '../fixtures/world.ts'

test('credentials that may act for the parties of all routes are right', async () => {
  const { configuration, clock } = await aWorld()

  expect(await checkOnline(configuration, { clock, random: Math.random, version: 'test' })).toEqual({
    errors: [],
    refused: [],
    unanswered: [],
  })
})

test("a route for another account's party and a wrong secret are reported by name, and the secret is not shown", async () => {
  const { configuration, clock } = await aWorld()
  const [first, ...others] = configuration.routes
  const credentials = { clientId: 'nobody', clientSecret: 'a-secret-nobody-may-see' }
  const routes = [
    { ...first!, name: 'foreign', party: { kind: 'retailer', id: 4711 } as const },
    ...others.map((route) => ({ ...route, credentials })),
  ]

  const { errors, refused, unanswered } = await checkOnline(
    { ...configuration, routes },
    { clock, random: Math.random, version: 'test' },
  )

  expect(unanswered).toEqual([])
  expect(errors).toEqual([
    {
      message: expect.stringMatching(
        /^route foreign: \S+ may not act for retailer 4711, only for retailer 1000$/,
      ) as string,
      fix: 'Correct retailer of the route, or the clientId and clientSecret that it uses.',
    },
  ])
  expect(refused).toEqual([
    {
      message: expect.stringMatching(/^routes? [a-z, -]+: nobody at http:\/\/127\.0\.0\.1:\d+: /) as string,
      fix: 'Check clientId and clientSecret under `api`, or under the `api` of the route if it has its own.',
    },
  ])
  expect(JSON.stringify([errors, refused])).not.toContain('a-secret-nobody-may-see')
})

test('an API that is away proves nothing about the configuration: the routes that were not checked are named', async () => {
  const { configuration, clock } = await aWorld({ routes: ['orders', 'shopify'] })
  const api = { ...configuration.api, baseUrl: 'http://127.0.0.1:9' }

  const { errors, unanswered } = await checkOnline(
    { ...configuration, api },
    { clock, random: Math.random, version: 'test' },
  )

  expect(errors).toEqual([])
  expect(unanswered).toHaveLength(1)
  expect(unanswered[0]?.message).toMatch(/^routes orders, shopify: http:\/\/127\.0\.0\.1:9: /)
})
