/** Whether the owner of a lease is still alive; in doubt it counts as alive. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isOwnerAlive, createOwnerId } from '../../src/journal/heartbeat.ts'

const [PLACE = ''] = createOwnerId('x').split('/')

test('this process is alive, is named with its machine, and differs from another bridge in it', () => {
  expect(createOwnerId('a')).toBe(`${PLACE}/${process.pid}/a`)
  expect(PLACE.startsWith(hostname())).toBe(true)
  expect(createOwnerId('a')).not.toBe(createOwnerId('b'))
  expect(isOwnerAlive(createOwnerId('a'))).toBe(true)
})

test('a process of this machine counts as alive while it runs, and as gone once it has exited', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await once(child, 'spawn')
  const owner = `${PLACE}/${child.pid}/x`
  const whileRunning = isOwnerAlive(owner)

  child.stdin?.end()
  await once(child, 'exit')

  expect(whileRunning).toBe(true)
  expect(isOwnerAlive(owner)).toBe(false)
})

test.each([
  'another-machine/1/x',
  'another-machine/999999999/x',
  `${PLACE}+another-container/999999999/x`,
  PLACE,
  `${PLACE}/`,
  `${PLACE}/-1/x`,
  '',
])('the owner "%s" cannot be checked, so its lease has to run out', (owner) => {
  expect(isOwnerAlive(owner)).toBe(true)
})
