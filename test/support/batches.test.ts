/** Many small writes and reads as few large ones: nothing lost, nothing out of order, every failure reported. */
import { expect, test } from 'vitest'
import { createBatchReader, createBatchWriter } from '../../src/support/async.ts'

const NEVER_BY_TIME = 60_000

/** A writer whose calls the test ends one by one. */
function slowWriter(limits: { atMost: number; afterMs: number }) {
  const batches: number[][] = []
  const pending: { resolve: () => void; reject: (reason: unknown) => void }[] = []
  let atOnce = 0
  let mostAtOnce = 0
  const writer = createBatchWriter<number>(limits, async (items) => {
    batches.push([...items])
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    try {
      await new Promise<void>((resolve, reject) => pending.push({ resolve, reject }))
    } finally {
      atOnce--
    }
  })
  const tick = () => new Promise((resolve) => setImmediate(resolve))
  return { writer, batches, pending, tick, mostAtOnce: () => mostAtOnce }
}

test('items are written in the order they came, one call at a time', async () => {
  const { writer, batches, pending, tick, mostAtOnce } = slowWriter({ atMost: 3, afterMs: NEVER_BY_TIME })

  const added = Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => writer.add(item)))
  const flushed = writer.flush()
  for (let call = 0; call < 3; call++) {
    await tick()
    pending[call]?.resolve()
  }
  await Promise.all([added, flushed])

  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  expect(mostAtOnce()).toBe(1)
})

test('an item is done only when its own batch has been written', async () => {
  const { writer, pending, tick } = slowWriter({ atMost: 2, afterMs: NEVER_BY_TIME })
  const done: number[] = []
  const add = (item: number) => writer.add(item).then(() => done.push(item))

  const all = [1, 2, 3, 4].map(add)
  await tick()
  const beforeAny = [...done]
  pending[0]?.resolve()
  await tick()
  const afterFirst = [...done]
  pending[1]?.resolve()
  await Promise.all(all)

  expect([beforeAny, afterFirst, done]).toEqual([[], [1, 2], [1, 2, 3, 4]])
})

test('an error of the writer reaches every item of its batch, and no other', async () => {
  const { writer, pending, tick } = slowWriter({ atMost: 2, afterMs: NEVER_BY_TIME })

  const all = Promise.allSettled([1, 2, 3, 4].map((item) => writer.add(item)))
  await tick()
  pending[0]?.reject(new Error('disk full'))
  await tick()
  pending[1]?.resolve()

  expect((await all).map((each) => (each.status === 'rejected' ? String(each.reason) : 'written'))).toEqual([
    'Error: disk full',
    'Error: disk full',
    'written',
    'written',
  ])
})

test('a failure that is thrown before anything is awaited reaches its items too', async () => {
  const writer = createBatchWriter<number>({ atMost: 1, afterMs: NEVER_BY_TIME }, () => {
    throw new Error('closed')
  })

  await expect(writer.add(1)).rejects.toThrow('closed')
})

test('flush writes what waits, and waits for writes in progress', async () => {
  const { writer, batches, pending, tick } = slowWriter({ atMost: 10, afterMs: NEVER_BY_TIME })
  let flushed = false

  void writer.add(1)
  const flushing = writer.flush().then(() => (flushed = true))
  await tick()
  const flushedEarly = flushed
  pending[0]?.resolve()
  await flushing

  expect(flushedEarly).toBe(false)
  expect(batches).toEqual([[1]])
})

test('flush does nothing when nothing waits', async () => {
  const { writer, batches } = slowWriter({ atMost: 10, afterMs: NEVER_BY_TIME })

  await writer.flush()

  expect(batches).toEqual([])
})

test('a few items are written after a while although no more come', async () => {
  const written: number[] = []
  const writer = createBatchWriter<number>(
    { atMost: 100, afterMs: 1 },
    async (items) => void written.push(...items),
  )

  await Promise.all([writer.add(1), writer.add(2)])

  expect(written).toEqual([1, 2])
})

test('waiting items are written with a larger write, in order, and once', async () => {
  const { writer, batches, pending, tick } = slowWriter({ atMost: 2, afterMs: NEVER_BY_TIME })
  const before = [writer.add(1), writer.add(2)]
  const taken = writer.add(3)
  const seen: (readonly number[])[] = []
  const larger = writer.flushWithin(async (items) => {
    seen.push(items)
    return 'done'
  })
  await tick()
  const seenEarly = [...seen]
  pending[0]?.resolve()

  expect(await larger).toBe('done')
  await Promise.all([...before, taken, writer.flush()])
  expect([seenEarly, seen, batches]).toEqual([[], [[3]], [[1, 2]]])
})

test('an error of the larger write reaches its caller and every item written with it, and the next are written', async () => {
  const written: number[] = []
  const writer = createBatchWriter<number>({ atMost: 9, afterMs: NEVER_BY_TIME }, async (items) => {
    written.push(...items)
  })
  const item = writer.add(1)
  const larger = writer.flushWithin(() => Promise.reject(new Error('no room')))

  await expect(larger).rejects.toThrow('no room')
  await expect(item).rejects.toThrow('no room')
  await Promise.all([writer.add(2), writer.flush()])
  expect(written).toEqual([2])
})

test('a larger write is done although nothing waits', async () => {
  const { writer, batches } = slowWriter({ atMost: 2, afterMs: NEVER_BY_TIME })
  expect(await writer.flushWithin(async (items) => items.length)).toBe(0)
  expect(batches).toEqual([])
})

/** A reader whose reads the test ends one by one; it answers each number with its double. */
function slowReader() {
  const reads: number[][] = []
  const pending: { resolve: () => void; reject: (reason: unknown) => void }[] = []
  const ask = createBatchReader<number, number>(async (asked) => {
    reads.push([...asked])
    await new Promise<void>((resolve, reject) => pending.push({ resolve, reject }))
    return asked.map((number) => number * 2)
  })
  const ticks = async () => {
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { ask, reads, pending, ticks }
}

test('questions of the same moment share one read, and later ones the next', async () => {
  const { ask, reads, pending, ticks } = slowReader()

  const first = Promise.all([ask(1), ask(2)])
  await ticks()
  const second = Promise.all([ask(3), ask(4), ask(5)])
  await ticks()
  expect(reads).toEqual([[1, 2]])
  pending[0]?.resolve()
  expect(await first).toEqual([2, 4])
  await ticks()
  pending[1]?.resolve()

  expect(await second).toEqual([6, 8, 10])
  expect(reads).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('a read that fails fails for its callers, and the next one works', async () => {
  const { ask, pending, ticks } = slowReader()

  const first = Promise.allSettled([ask(1), ask(2)])
  await ticks()
  const second = ask(3)
  pending[0]?.reject(new Error('it is away'))
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await ticks()
  pending[1]?.resolve()

  expect(await second).toBe(6)
})
