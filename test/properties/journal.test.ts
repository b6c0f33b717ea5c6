/** The journal returns what it was given unchanged, whatever the text; and no key is ever sent twice. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { accepted, planned, planFile, receiveFile, testClock } from '../suites/journal.suite.ts'

const alive = () => true
const text = fc.string({ unit: 'binary', maxLength: 40 })

async function openWithLease() {
  const journal = await openJournal({ path: ':memory:', clock: testClock() })
  return { journal, lease: await journal.acquireLease('orders-in', 'bridge-1', 60_000, alive) }
}

describe('the journal', () => {
  it('gives bodies, keys, lanes and key values back as they were', async () => {
    const record = fc.record({ key: text, body: text, lane: text, value: text })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(record, { selector: ({ key }) => key, maxLength: 8 }),
        async (records) => {
          const { journal, lease } = await openWithLease()
          await planFile(
            journal,
            lease,
            'a',
            records.map(({ key, body, lane, value }, position) =>
              planned(position + 1, key, { body, lane, keyValues: [value] }),
            ),
          )
          const sent = await journal.startAttempts(lease, { file: 'a' }, 10)
          const reported = await journal.listReportedRecords('a', 0, 10)
          await journal.close()
          expect(
            sent.map((it, position) => ({
              key: it.naturalKey,
              body: it.body,
              lane: it.lane,
              value: reported[position]!.keyValues[0],
            })),
          ).toEqual(records)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('sends each key once at most, however the records are spread over batches and files', async () => {
    const record = fc.record({
      key: fc.constantFrom('PO-1', 'PO-2', 'PO-3'),
      body: fc.constantFrom('1', '2'),
    })
    const batches = fc.array(fc.array(record, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(batches, { minLength: 1, maxLength: 3 }), async (files) => {
        const { journal, lease } = await openWithLease()
        const first = new Map<string, string>()
        const expected: string[] = []
        const found: string[] = []
        for (const [file, spread] of files.entries()) {
          await receiveFile(journal, lease, `file-${file}`)
          let number = 0
          for (const batch of spread) {
            const records = batch.map(({ key, body }) =>
              planned(++number, key, { body, bodyHash: hash(body) }),
            )
            await journal.addRecords(lease, `file-${file}`, records)
          }
          const all = spread.flat()
          const before = new Map(first)
          for (const [position, { key, body }] of all.entries()) {
            const bodies = new Set(all.filter((other) => other.key === key).map((other) => other.body))
            const isFirst = all.findIndex((other) => other.key === key) === position
            // A key of an earlier file is compared with that file; a key that is new in this file, within the file.
            if (before.has(key)) expected.push(before.get(key) === body ? 'duplicate' : 'rejected')
            else if (bodies.size > 1) expected.push('rejected')
            else expected.push(isFirst ? 'accepted' : 'duplicate')
            if (!before.has(key) && bodies.size === 1) first.set(key, body)
          }
          await journal.markFilePlanned(lease, `file-${file}`, {
            keyColumns: [],
            headerLines: 1,
            encoding: 'utf-8',
            keyed: [],
          })
          const sending = await journal.startAttempts(lease, { file: `file-${file}` }, 100)
          await journal.finishAttempts(
            lease,
            sending.map(({ id }) => accepted(id, `${id}`)),
          )
          found.push(...(await journal.listReportedRecords(`file-${file}`, 0, 100)).map(({ state }) => state))
        }
        await journal.close()
        expect(found).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })
})

function hash(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
