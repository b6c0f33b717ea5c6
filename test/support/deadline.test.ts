/** Work with a deadline. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { startDeadline } from '../../src/support/async.ts'

const LONG_MS = 60_000

test('when the time is over its signal fires, also while memory is cleaned up', async () => {
  setFlagsFromString('--expose-gc')
  const cleanUp = runInNewContext('gc') as () => void
  const cleaning = setInterval(cleanUp, 10)
  onTestFinished(() => clearInterval(cleaning))
  const isOver = await new Promise<boolean>((resolve) => {
    const deadline = startDeadline(100, new AbortController().signal)
    deadline.signal.addEventListener('abort', () => resolve(deadline.isOver()))
  })

  expect(isOver).toBe(true)
})

test('a stop fires it at once, and the time is not over then', () => {
  const stop = new AbortController()
  const running = startDeadline(LONG_MS, stop.signal)
  stop.abort()
  const late = startDeadline(LONG_MS, stop.signal)
  onTestFinished(() => {
    running.clear()
    late.clear()
  })

  expect([running.signal.aborted, running.isOver()]).toEqual([true, false])
  expect([late.signal.aborted, late.isOver()]).toEqual([true, false])
})

test('when the work is done, neither time nor stop fires it', async () => {
  const stop = new AbortController()
  const deadline = startDeadline(10, stop.signal)
  deadline.clear()

  await new Promise((resolve) => setTimeout(resolve, 30))
  stop.abort()

  expect(deadline.signal.aborted).toBe(false)
})
