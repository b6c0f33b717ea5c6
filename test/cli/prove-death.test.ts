/** Simulated deaths of a bridge in this process: what has happened by then, and what happens no more. */
import { expect, test } from 'vitest'
import { Crash, crashAt, isEffect, type Moment } from '../../src/prove/crash-point.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'

interface Part {
  readonly write: (ask?: () => Promise<unknown>) => Promise<unknown>
  readonly ask: () => Promise<unknown>
  readonly fail: () => Promise<unknown>
}

function wrapped(plan: ReturnType<typeof crashAt>, part: Partial<Part>): Part {
  return plan.wrap.mailbox?.(part as unknown as Mailbox) as unknown as Part
}

/** A part that records what is done to it, and that calls back in the middle of writing. */
function dying(effect: number, moment: Moment, only?: string) {
  const done: string[] = []
  const plan = crashAt(effect, moment, only)
  const part = wrapped(plan, {
    write: async (ask) => {
      done.push('copied')
      await ask?.()
      done.push('named')
    },
    ask: () => Promise.resolve(void done.push('asked')),
    fail: () => Promise.reject(new Error('the disk is full')),
  })
  return { plan, done, part, write: () => part.write(() => part.ask()) }
}

test('a death right after an effect comes when the whole effect has happened, with the calls it made meanwhile', async () => {
  const { plan, done, write } = dying(1, 'after', 'mailbox.write')

  await expect(write()).rejects.toThrow(Crash)

  expect(done).toEqual(['copied', 'asked', 'named'])
  expect(plan.diedAt()).toBe('after mailbox.write')
})

test('a death right before an effect leaves no trace of it', async () => {
  const { plan, done, write } = dying(1, 'before', 'mailbox.write')

  await expect(write()).rejects.toThrow(Crash)

  expect(done).toEqual([])
  expect(plan.diedAt()).toBe('before mailbox.write')
})

test.each([
  ['before', ['copied']],
  ['after', ['copied', 'asked']],
] as const)(
  'a death right %s an effect within another one ends the outer one there',
  async (moment, left) => {
    const { plan, done, write } = dying(2, moment)

    await expect(write()).rejects.toThrow(Crash)

    expect(done).toEqual(left)
    expect(plan.diedAt()).toBe(`${moment} mailbox.ask`)
  },
)

test('no call reaches a part after the death', async () => {
  const { plan, done, part, write } = dying(1, 'after', 'mailbox.write')
  await expect(write()).rejects.toThrow(Crash)
  const until = done.length

  await expect(part.ask()).rejects.toThrow(Crash)
  await expect(part.fail()).rejects.toThrow(Crash)

  expect(done).toHaveLength(until)
  expect(plan.count()).toBe(1)
})

test('effects beside the last one still happen while it is in flight, and the answers to later ones are lost', async () => {
  const plan = crashAt(1, 'after', 'mailbox.write')
  let endWrite: () => void = () => undefined
  let endAsk: () => void = () => undefined
  let failed = 0
  const part = wrapped(plan, {
    write: () => new Promise<void>((resolve) => (endWrite = resolve)),
    ask: () => new Promise<void>((resolve) => (endAsk = resolve)),
    fail: () => Promise.resolve(failed++),
  })

  const writing = part.write()
  const asking = part.ask()
  await part.fail()
  endWrite()
  await expect(writing).rejects.toThrow(Crash)
  endAsk()

  expect(failed).toBe(1)
  await expect(asking).rejects.toThrow(Crash)
})

test('a failure is an answer too: the death comes right after it', async () => {
  const { plan, part } = dying(1, 'after')

  await expect(part.fail()).rejects.toThrow(Crash)

  expect(plan.diedAt()).toBe('after mailbox.fail')
})

test('only a call whose name begins with a reading verb is no effect', () => {
  const reads = ['journal.getFile', 'journal.listOpenReceipts', 'journal.hasMark', 'api.get', 'api.document']
  const effects = ['journal.finishAttempts', 'journal.markListRead', 'mailbox.claim', 'spool.put', 'api.send']

  expect(reads.filter(isEffect)).toEqual([])
  expect(effects.filter(isEffect)).toEqual(effects)
})
