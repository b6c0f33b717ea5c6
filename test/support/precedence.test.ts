import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { giveWay, LONG_FILE_BYTES } from '../../src/pipeline/inbound/file-pass.ts'
import { createPrecedence } from '../../src/support/async.ts'

const FOREVER_MS = 1e6

/** Work that ends when the test says so. */
function openWork() {
  let end: () => void = () => undefined
  const ended = new Promise<string>((resolve) => (end = () => resolve('done')))
  return { run: () => ended, end: () => end() }
}

test('long work waits while short work runs, and goes on when all of it is done', async () => {
  const precedence = createPrecedence({ waitMs: FOREVER_MS, shortMs: FOREVER_MS })
  const [one, other] = [openWork(), openWork()]
  const steps: string[] = []
  const short = [precedence.runShort(one.run), precedence.runShort(other.run)]
  const long = precedence.giveWay().then(() => steps.push('long'))

  one.end()
  await short[0]
  await sleep(20)
  steps.push('the other ends')
  other.end()

  expect(await Promise.all(short)).toEqual(['done', 'done'])
  await long
  expect(steps).toEqual(['the other ends', 'long'])
})

test('long work goes on where no short work runs, and after short work that failed', async () => {
  const precedence = createPrecedence({ waitMs: FOREVER_MS, shortMs: FOREVER_MS })
  await precedence.giveWay()
  await expect(precedence.runShort(() => Promise.reject(new Error('disk')))).rejects.toThrow('disk')
  await precedence.giveWay()
})

test('long work goes on after its longest wait, and does not wait for work that is no longer short', async () => {
  const work = openWork()
  const impatient = createPrecedence({ waitMs: 1, shortMs: FOREVER_MS })
  const short = impatient.runShort(work.run)
  await impatient.giveWay()
  const strict = createPrecedence({ waitMs: FOREVER_MS, shortMs: 0 })
  const other = strict.runShort(work.run)
  await strict.giveWay()
  work.end()
  expect(await Promise.all([short, other])).toEqual(['done', 'done'])
})

test('only a long file gives way, so that no short one waits for itself', async () => {
  const precedence = createPrecedence({ waitMs: FOREVER_MS, shortMs: FOREVER_MS })
  const work = openWork()
  const short = precedence.runShort(work.run)
  await giveWay({ precedence }, { size: LONG_FILE_BYTES - 1 })
  await giveWay({}, { size: LONG_FILE_BYTES })
  let hasGone = false
  const long = giveWay({ precedence }, { size: LONG_FILE_BYTES }).then(() => (hasGone = true))
  await sleep(20)
  expect(hasGone).toBe(false)
  work.end()
  await Promise.all([short, long])
})
