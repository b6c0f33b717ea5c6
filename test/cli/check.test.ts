/** `check --online`: its exit code for each kind of failure. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld } from '../fixtures/world.ts'

test.each([
  ['nothing', /$^/, '', 0],
  ['a secret that is refused', /clientSecret: "[^"]*"/, 'clientSecret: wrong', 77],
  ['the id of somebody else', /retailer: \d+/, 'retailer: 4711', 78],
])('%s', async (_what, right, wrong, exit) => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(right, wrong))

  const result = await run('check', '--online')

  expect(result.exit).toBe(exit)
  expect(result.err).toContain(exit === 0 ? 'are right' : 'The configuration has errors.')
})

test.each([
  ['300ms', 'warning: api.lateAnswer is 0.3s'],
  ['149s', 'Set it to 150s or more'],
  ['150s', ''],
])('a lateAnswer of %s beside a timeout of 30 s: "%s"', async (lateAnswer, warning) => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('lateAnswer: 300ms', `lateAnswer: ${lateAnswer}`))

  const result = await run('check')

  expect(result.exit).toBe(0)
  expect(result.err).toContain(warning)
  expect(result.err.includes('api.lateAnswer')).toBe(warning !== '')
})
