/** `status` shows whether a watch is running, and a killed one raises an alert. */
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { startProgram } from '../fixtures/program.ts'
import { aWorld } from '../fixtures/world.ts'

test('a watch that was killed is reported until another one watches', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const env = await writeConfigurationFile(world)
  const status = async () => (await run('status')).out
  const seen = async (pattern: RegExp) => {
    await expect.poll(status, { timeout: 20_000 }).toMatch(pattern)
  }

  const first = startProgram(world.folder, ['watch'], env)
  await seen(/^watch over orders: process \d+ on .*, since .*, seen \d+ s ago$/m)
  first.process.kill('SIGKILL')
  await first.finished
  const missing = await status()
  const second = startProgram(world.folder, ['watch'], env)
  await seen(new RegExp(`^watch over orders: process ${second.process.pid} `, 'm'))
  const replaced = await status()
  second.process.kill('SIGTERM')
  await second.finished

  expect(missing).toMatch(
    new RegExp(
      `the watch over orders .* \\(process ${first.process.pid} on .* it was not asked to end \\(watcher-lost`,
    ),
  )
  expect(missing).not.toMatch(/^watch over/m)
  expect(replaced).not.toContain('watcher-lost')
  expect(await status()).not.toMatch(/watch over|watcher-lost/)
})
