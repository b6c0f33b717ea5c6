/** Whether the holder of a lease can still be at work: when in doubt, it can. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isHolderAlive, thisHolder } from '../../src/bridge/holder.ts'

const [PLACE = ''] = thisHolder('x').split('/')

test('this process is alive, is named with its machine, and two bridges in it are told apart', () => {
  expect(thisHolder('a')).toBe(`${PLACE}/${process.pid}/a`)
  expect(PLACE.startsWith(hostname())).toBe(true)
  expect(thisHolder('a')).not.toBe(thisHolder('b'))
  expect(isHolderAlive(thisHolder('a'))).toBe(true)
})

test('a process of this place is believed alive while it runs, and gone once it has exited', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await once(child, 'spawn')
  const holder = `${PLACE}/${child.pid}/x`
  const whileRunning = isHolderAlive(holder)

  child.stdin?.end()
  await once(child, 'exit')

  expect(whileRunning).toBe(true)
  expect(isHolderAlive(holder)).toBe(false)
})

test.each([
  'another-machine/1/x',
  'another-machine/999999999/x',
  `${PLACE}+another-container/999999999/x`,
  PLACE,
  `${PLACE}/`,
  `${PLACE}/-1/x`,
  '',
])('the holder "%s" cannot be asked, so its lease has to run out', (holder) => {
  expect(isHolderAlive(holder)).toBe(true)
})
