/** Whatever is written and whenever the inbox is scanned: no file counts as unchanged for longer than it was. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFileTracker } from '../../src/pipeline/inbound/file-tracker.ts'

const NAMES = ['a.csv', 'b.csv']

/** Time passes, a file is written to or removed, or a scan runs, which takes a while. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 0, max: 5000 }) }),
  fc.record({
    kind: fc.constant('write'),
    name: fc.constantFrom(...NAMES),
    bytes: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constant('remove'), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('look'), ms: fc.integer({ min: 0, max: 300 }) }),
)

test('no file counts as unchanged for longer than it was', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tracker = createFileTracker()
      const files = new Map<string, { size: number; modifiedAt: number; changedAt: number }>()
      const early: string[] = []
      let now = 0
      for (const each of steps) {
        if (each.kind === 'pass') now += each.ms
        else if (each.kind === 'remove') files.delete(each.name)
        else if (each.kind === 'write') {
          const size = (files.get(each.name)?.size ?? 0) + each.bytes
          // A time of its own, different from any before and from the bridge's clock.
          files.set(each.name, { size, modifiedAt: now * 7 + size, changedAt: now })
        } else {
          const scan = { began: now, ended: now + each.ms }
          now = scan.ended
          const listed = [...files].map(([name, { size, modifiedAt }]) => ({
            folder: 'inbox',
            name,
            size,
            modifiedAt,
          }))
          tracker.update(listed, scan)
          for (const name of NAMES) {
            const { changedAt = Infinity } = files.get(name) ?? {}
            // A missing file has no state.
            if ((tracker.get(name)?.unchangedMs ?? -Infinity) > now - changedAt) early.push(name)
          }
        }
      }
      expect(early).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('a file that does not change counts as unchanged from the first scan on', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 20 }), (pauses) => {
      const tracker = createFileTracker()
      const file = { folder: 'inbox', name: 'a.csv', size: 1, modifiedAt: 9_999_999 }
      let now = 0
      for (const ms of pauses) tracker.update([file], { began: (now += ms), ended: now })
      expect(tracker.get('a.csv')).toEqual({
        unchangedMs: now - (pauses[0] ?? 0),
        thereMs: now - (pauses[0] ?? 0),
        hasChanged: false,
      })
    }),
  )
})
