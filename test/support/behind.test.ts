import { expect, test } from 'vitest'
import { withBackgroundTasks } from '../../src/support/async.ts'

/** Pieces of work that end when the test says so. */
function pieces() {
  const ends = new Map<string, (error?: Error) => void>()
  let most = 0
  let running = 0
  const work = (name: string) => async () => {
    most = Math.max(most, ++running)
    try {
      await new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)))
      })
    } finally {
      running--
    }
  }
  return {
    work,
    end: (name: string, error?: Error) => ends.get(name)?.(error),
    most: () => most,
    left: () => running,
  }
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

test('no more pieces than allowed are under way, and the end waits for all', async () => {
  const { work, end, most, left } = pieces()
  let isOver = false
  const all = withBackgroundTasks(2, async (behind) => {
    for (const name of ['a', 'b', 'c']) await behind.add(work(name))
    return 'ahead'
  }).finally(() => (isOver = true))
  await soon()
  expect(left()).toBe(2)
  end('a')
  await soon()
  expect(left()).toBe(2)
  end('b')
  await soon()
  expect(isOver).toBe(false)
  end('c')
  expect(await all).toBe('ahead')
  expect(most()).toBe(2)
})

test('an error of a piece is thrown when no piece is in flight any more', async () => {
  const { work, end, left } = pieces()
  const all = withBackgroundTasks(2, async (behind) => {
    await behind.add(work('a'))
    await behind.add(work('b'))
    await behind.add(work('never'))
  })
  const thrown = all.catch((error: unknown) => error)
  await soon()
  end('a', new Error('the disk is full'))
  await soon()
  expect(left()).toBe(1)
  end('b')
  expect(await thrown).toEqual(new Error('the disk is full'))
  expect(left()).toBe(0)
})

test('an error of the foreground comes after the background pieces are done', async () => {
  const { work, end, left } = pieces()
  const all = withBackgroundTasks(2, async (behind) => {
    await behind.add(work('a'))
    throw new Error('stopped')
  })
  const thrown = all.catch((error: unknown) => ({ error, left: left() }))
  await soon()
  expect(left()).toBe(1)
  end('a')
  expect(await thrown).toEqual({ error: new Error('stopped'), left: 0 })
})
