/** However adds and flushes are mixed, every item is written once, in order, in batches within their bound. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatchWriter } from '../../src/support/async.ts'

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant('add' as const) },
  { weight: 1, arbitrary: fc.constant('flush' as const) },
  { weight: 1, arbitrary: fc.constant('pause' as const) },
)

test('every item is written once and in order, or its failure is reported', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
      async (steps, atMost, fails) => {
        const written: number[] = []
        const lost: number[] = []
        const sizes: number[] = []
        const writer = createBatchWriter<number>({ atMost, afterMs: 60_000 }, async (items) => {
          sizes.push(items.length)
          await Promise.resolve()
          if (fails[sizes.length % fails.length] === true) {
            lost.push(...items)
            throw new Error('not written')
          }
          written.push(...items)
        })
        const additions: Promise<string>[] = []
        for (const each of steps) {
          if (each === 'add') {
            additions.push(
              writer.add(additions.length).then(
                () => 'written',
                () => 'lost',
              ),
            )
          } else if (each === 'flush') await writer.flush()
          else await Promise.resolve()
        }
        await writer.flush()

        const outcomes = await Promise.all(additions)
        expect(written).toEqual(outcomes.flatMap((outcome, item) => (outcome === 'written' ? [item] : [])))
        expect(lost).toEqual(outcomes.flatMap((outcome, item) => (outcome === 'lost' ? [item] : [])))
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(atMost)
      },
    ),
    { numRuns: 100 },
  )
})
