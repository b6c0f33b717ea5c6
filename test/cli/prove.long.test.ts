/** `dropbridge prove` notices what is taken out of the bridge: what cannot fail proves nothing. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Wrap } from '../../src/cli/prove/death.ts'
import type { RecordResult } from '../../src/domain/record.ts'
import { proving, READY } from '../fixtures/proving.ts'

function wrongsOf({ routes }: Awaited<ReturnType<typeof proving>>) {
  return routes.map(({ route, wrongs, unproven }) => ({ route, ...wrongs, unproven }))
}

/** What was begun before a crash is sent again without being looked up, as if its attempt had not been noted. */
function attemptsForgotten(): Wrap {
  return {
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          if (name !== 'settleRecords') return Reflect.get(target, name) as unknown
          const again = (results: readonly RecordResult[]) =>
            results.map(({ id }): RecordResult => ({ id, state: 'planned', problems: [] }))
          const settle: typeof target.settleRecords = (lease, results) =>
            target.settleRecords(lease, again(results))
          return settle
        },
      }),
  }
}

/** Says that files are delivered and puts them in place only once their records are acknowledged. */
function acknowledgedFirst(): Wrap {
  let late: (() => Promise<unknown>)[] = []
  return {
    mailbox: (mailbox) => ({
      ...mailbox,
      deliver: (path, folder, name) => {
        late.push(() => mailbox.deliver(path, folder, name))
        return Promise.resolve('delivered')
      },
    }),
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          if (name !== 'deliveryAcknowledged') return Reflect.get(target, name) as unknown
          const done: typeof target.deliveryAcknowledged = async (lease, id) => {
            for (const deliver of late.splice(0)) await deliver()
            late = []
            return target.deliveryAcknowledged(lease, id)
          }
          return done
        },
      }),
  }
}

test('a bridge that forgets its attempts is found to double records', async () => {
  for (const route of ['orders-in', 'shipments-in', 'invoices-in']) {
    const proof = await proving({
      routes: [route],
      only: ['deaths'],
      sabotage: { wrap: attemptsForgotten() },
    })

    expect(wrongsOf(proof)).toEqual([expect.objectContaining({ route, early: 0, unproven: undefined })])
    expect(proof.routes[0]?.wrongs.doubled, route).toBeGreaterThan(0)
    expect(proof.routes[0]?.failures[0]?.step, route).toMatch(/^died right (before|after) /)
  }
})

/** Notes every look-up that found something under an id of its own. */
function idsMixedUp(): Wrap {
  return {
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          if (name !== 'settleRecords') return Reflect.get(target, name) as unknown
          const settle: typeof target.settleRecords = (lease, results) =>
            target.settleRecords(
              lease,
              results.map((each) => (each.apiId === undefined ? each : { ...each, apiId: '999999' })),
            )
          return settle
        },
      }),
  }
}

test('a bridge that tells the id of another record is found to have lost the right one', async () => {
  const proof = await proving({ routes: ['orders-in'], only: ['deaths'], sabotage: { wrap: idsMixedUp() } })

  expect(proof.routes[0]?.wrongs.lost).toBeGreaterThan(0)
  expect(proof.routes[0]?.failures[0]?.findings[0]?.what).toBe(
    'the results say accepted as 999999, and no effect had that id',
  )
})

test('a bridge that acknowledges before it delivers is found to acknowledge early', async () => {
  for (const route of ['orders-out', 'shipments-out', 'invoices-out']) {
    const proof = await proving({
      routes: [route],
      only: ['deaths'],
      sabotage: { wrap: acknowledgedFirst() },
    })

    expect(proof.routes[0]?.wrongs.early, route).toBeGreaterThan(0)
    expect(proof.routes[0]?.failures[0]?.findings[0]?.what).toBe(
      'it was acknowledged before it stood in a whole file',
    )
  }
})

test('a bridge that writes on after another one has taken over is found to double records', async () => {
  const module = fileURLToPath(new URL('../fixtures/no-fence.mjs', import.meta.url))

  const proof = await proving({ routes: ['shipments-in'], only: ['stopped'], kills: 8, sabotage: { module } })

  expect(proof.routes[0]?.wrongs.doubled).toBeGreaterThan(0)
  expect(proof.routes[0]?.failures[0]?.step).toMatch(/^stopped at request \d+ for longer than its lease$/)
})

test('the bridge as it is loses and doubles nothing, however its processes are killed and stopped', async () => {
  const proof = await proving({ only: ['stopped', 'at-effect', 'at-random'], kills: 20 })

  // What went wrong is told with its step and its record, since no other run may show it.
  expect(proof.routes.flatMap(({ failures }) => failures)).toEqual([])
  const wrongs = { lost: 0, doubled: 0, early: 0, twice: 0, unproven: undefined }
  expect(wrongsOf(proof)).toEqual(READY.map((route) => ({ route, ...wrongs })))
})
