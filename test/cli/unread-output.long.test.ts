/** A program whose output is not read, or cannot be written, works all the same. */
import { openSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

async function anOffice(settings = '') {
  const world = await aWorld({ routes: ['orders'] })
  const env = { ...process.env, ...(await writeConfigurationFile(world)) }
  await appendFile(join(world.folder, 'dropbridge.yaml'), settings)
  await world.drop(
    'inbox/orders',
    'a.csv',
    ordersFile(sampleOrders({ seed: 1, orders: 5, damageEvery: 2 })).text,
  )
  return { world, env }
}

test('a run whose stderr is closed by its reader does its work and exits as it should', async () => {
  const { world, env } = await anOffice()
  const args = [MAIN, 'run', '--log-format', 'json']
  const child = spawn(process.execPath, args, {
    cwd: world.folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.destroy()
  const exit = await new Promise((resolve) => child.on('close', resolve))

  expect(exit).toBe(2)
  expect(await world.list('results')).toContain('a.csv.results.csv')
})

test.skipIf(process.platform !== 'linux')(
  'a run whose stderr or log file is on a full disk does its work',
  async () => {
    const { world, env } = await anOffice('log: { file: /dev/full }\n')
    const args = [MAIN, 'run', '--log-format', 'json']
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, args, {
      cwd: world.folder,
      env,
      stdio: ['ignore', 'ignore', full],
    })
    const exit = await new Promise((resolve) => child.on('close', resolve))

    expect(exit).toBe(2)
    expect(await world.list('results')).toContain('a.csv.results.csv')
  },
)

test.skipIf(process.platform === 'win32')(
  'a watch that is asked to stop does not wait for the receiver of its notifications',
  async () => {
    const { world, env } = await anOffice(
      `log: { file: bridge.log }\nnotifications: { ops: { type: command, run: [sleep, "60"], timeout: 1m } }\n`,
    )
    const child = spawn(process.execPath, [MAIN, 'watch'], { cwd: world.folder, env, stdio: 'ignore' })
    const log = () => readFile(join(world.folder, 'bridge.log'), 'utf8').catch(() => '')
    await expect.poll(log, { timeout: 15_000 }).toContain('file.closed')
    await new Promise((resolve) => setTimeout(resolve, 500))
    child.kill('SIGTERM')
    const exit = await new Promise((resolve) => child.on('close', resolve))

    expect(exit).toBe(143)
    // If the grace of a stop had ended it, it would not have printed its last line.
    expect(await log()).toContain('watch.stopped')
  },
)
