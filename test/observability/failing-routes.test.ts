/** Which routes count as tried: by what the bridge tells of its passes. */
import { expect, test } from 'vitest'
import { trackFailures } from '../../src/observability/health.ts'

const failed = {
  kind: 'route-failed',
  route: 'orders',
  code: 'api-unreachable',
  message: 'nobody answers',
} as const

test('a route fails until a pass over it went well', () => {
  const { observe, tried } = trackFailures()
  observe(failed)
  expect(tried()).toEqual({
    routes: ['orders'],
    failures: [{ route: 'orders', code: 'api-unreachable', message: 'nobody answers' }],
  })
  observe({ kind: 'pass-ended', route: 'orders', ms: 1 })
  expect(tried()).toEqual({ routes: ['orders'], failures: [] })
})

test('a route of which nothing was due was not tried, and one that another bridge has neither', () => {
  const { observe, tried } = trackFailures()
  observe({ kind: 'pass-ended', route: 'report', ms: 0, idle: true })
  observe({ kind: 'pass-ended', route: 'stock', ms: 0, failure: 'lease-held' })
  observe({ ...failed, code: 'lease-held' })
  expect(tried()).toEqual({ routes: [], failures: [] })
})
