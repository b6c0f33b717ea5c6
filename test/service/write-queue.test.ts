import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { answerWith, refuseState } from '../../src/service/http/answers.ts'
import { build, openStore } from '../../src/service/store/store.ts'
import { createWriteQueue } from '../../src/service/store/write-queue.ts'

function openQueue() {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  return {
    queue: createWriteQueue(store),
    insert: (name: string) => store.insert('accounts', { name, is_admin: 0 }),
    names: () => store.all(build.selectFrom('accounts').select('name').orderBy('id')).map(({ name }) => name),
    store,
  }
}

it('a write that throws or is refused takes back what it wrote, and only that', async () => {
  const { queue, insert, names } = openQueue()
  const results = await Promise.allSettled([
    queue.run(() => answerWith(insert('first'))),
    queue.run(() => {
      insert('broken')
      throw new Error('half way')
    }),
    queue.run(() => {
      insert('refused')
      return refuseState('no')
    }),
    queue.run(() => answerWith(insert('last'))),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(names()).toEqual(['first', 'last'])
})

it('when the commit fails no caller gets a success, and the next write works', async () => {
  const { queue, insert, names, store } = openQueue()
  const failing = store.command('pragma defer_foreign_keys = on')
  const results = await Promise.allSettled([
    queue.run(() => answerWith(insert('innocent'))),
    queue.run(() => {
      failing()
      store.insert('parties', { kind: 'brand', id: 1, account_id: 999, name: 'of no account', code: 'X' })
      return answerWith('written')
    }),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(names()).toEqual([])
  await queue.run(() => answerWith(insert('later')))
  expect(names()).toEqual(['later'])
})

it('a full database is reported as such, and takes back the whole batch', async () => {
  const { queue, insert, names, store } = openQueue()
  const [pages] = store.all(sql<{ page_count: number }>`pragma page_count`)
  store.all(sql.raw(`pragma max_page_count = ${pages!.page_count + 2}`))
  const results = await Promise.allSettled([
    queue.run(() => answerWith(insert('first'))),
    queue.run(() => answerWith(insert('x'.repeat(100_000)))),
    queue.run(() => answerWith(insert('last'))),
  ])
  for (const result of results)
    expect(result).toMatchObject({ reason: { message: 'database or disk is full' } })
  expect(names()).toEqual([])
  await queue.run(() => answerWith(insert('later')))
  expect(names()).toEqual(['later'])
})

it('every caller gets an error when the database cannot even be read any more', async () => {
  const store = openStore(':memory:')
  const queue = createWriteQueue(store, () => {
    throw new Error('it cannot be read')
  })
  store.close()
  await expect(queue.run(() => answerWith('never'))).rejects.toThrow('not open')
})

it('is idle when all waiting writes are done, and at once when none waits', async () => {
  const { queue, insert, names } = openQueue()
  await queue.idle()
  const numbers = Array.from({ length: 450 }, (_, index) => String(index))
  for (const name of numbers) void queue.run(() => answerWith(insert(name)))
  await queue.idle()
  expect(names()).toEqual(numbers)
})

it('more writes than one commit takes are all done, in their order', async () => {
  const { queue, insert, names } = openQueue()
  const numbers = Array.from({ length: 450 }, (_, index) => String(index))
  await Promise.all(numbers.map((name) => queue.run(() => answerWith(insert(name)))))
  expect(names()).toEqual(numbers)
})
