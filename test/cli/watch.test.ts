/** `dropbridge watch` as a process of its own: its output, and how it ends. */
import { expect, test } from 'vitest'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { type Running, startProgram } from '../fixtures/program.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

async function startWatch(
  world: World,
  ...args: string[]
): Promise<Running & { readonly output: () => string }> {
  const env = await writeConfigurationFile(world)
  const running = startProgram(world.folder, ['watch', ...args], env)
  let output = ''
  running.process.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { ...running, output: () => output }
}

async function waitForOutput(output: () => string, text: string): Promise<void> {
  while (!output().includes(text)) await new Promise((resolve) => setTimeout(resolve, 20))
}

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'a watch takes what comes until %s, and ends with %i',
  async (signal, exit) => {
    const world = await aWorld({ routes: ['orders'] })
    const watch = await startWatch(world)
    await waitForOutput(watch.output, 'watch')
    await world.drop('inbox/orders', 'a.csv', smallOrders(100, 2))
    while ((await world.orders()).length < 2 || (await world.list('results')).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 50))
    watch.process.kill(signal)
    const { exit: ended, stderr } = await watch.finished
    expect(ended).toBe(exit)
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).toContain('stop.asked')
    expect(stderr).toContain('finishing what is in flight')
    expect(await world.list('inbox/orders')).toEqual([])
  },
  30_000,
)

test('a second watch of the same routes says that there is another', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const first = await startWatch(world)
  await waitForOutput(first.output, 'watch.started')
  const second = await startWatch(world)
  await waitForOutput(second.output, 'watch.started')
  for (const watch of [first, second]) watch.process.kill('SIGTERM')
  await Promise.all([first.finished, second.finished])

  expect(first.output()).not.toContain('another watch')
  expect(second.output()).toContain('another watch has these routes too')
})

test('a route that is not there is an error of the command line', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const { finished } = await startWatch(world, 'ordres')
  const { exit, stderr } = await finished
  expect(exit).toBe(64)
  expect(stderr).toContain('there is no route "ordres". Did you mean "orders"?')
})
