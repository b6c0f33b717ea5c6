/** Which routes count as tried, by the events of the bridge about its passes. */
import { expect, test } from 'vitest'
import { trackFailures } from '../../src/observability/health.ts'

const failed = {
  kind: 'route-failed',
  route: 'orders',
  code: 'api-unreachable',
  message: 'nobody answers',
  fix: 'Run again.',
} as const

test('a route counts as failing until a pass over it went well', () => {
  const { observe, tried } = trackFailures()
  observe(failed)
  expect(tried()).toEqual({
    routes: ['orders'],
    failures: [{ route: 'orders', code: 'api-unreachable', message: 'nobody answers', fix: 'Run again.' }],
  })
  observe({ kind: 'pass-ended', route: 'orders', ms: 1 })
  expect(tried()).toEqual({ routes: ['orders'], failures: [] })
})

test('a route without due work was not tried, nor was one that another bridge works on', () => {
  const { observe, tried } = trackFailures()
  observe({ kind: 'pass-ended', route: 'report', ms: 0, idle: true })
  observe({ kind: 'pass-ended', route: 'stock', ms: 0, failure: 'lease-held' })
  observe({ ...failed, code: 'lease-held' })
  expect(tried()).toEqual({ routes: [], failures: [] })
})
