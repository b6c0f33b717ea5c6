/** Configuration and mappings that change under a running watch: the alert, the reload, and what is noted of versions. */
import { execFileSync } from 'node:child_process'
import { cp, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { commandsOf } from '../fixtures/office.ts'
import { type Running, startProgram } from '../fixtures/program.ts'
import { runCommand } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** Each poll is a whole command in this process, which takes time from the watch that it waits for. */
const POLLING = { timeout: 20_000, interval: 250 }

const ORDERS = sampleOrders({ seed: 9, orders: 6, damageEvery: 0 })
const fileOf = (from: number) => ordersFile(ORDERS.slice(from, from + 2)).text
const configurationOf = ({ folder }: World) => join(folder, 'dropbridge.yaml')

/** A world whose mapping is a file of its own, so that a test can change it, and a watch over it in a process of its own. */
async function aWatchedWorld() {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const env = await writeConfigurationFile(world)
  const mapping = await ownMapping(world)
  const watch = startProgram(world.folder, ['watch'], env)
  onTestFinished(async () => {
    watch.process.kill('SIGTERM')
    await watch.finished
  })
  await expect.poll(async () => (await run('status')).out, POLLING).toContain('watch over orders:')
  // The watch works in real time, so that a reload waits in real time.
  const reload = () => runCommand({ folder: world.folder, env }, ['reload'])
  return { world, run, reload, env, watch, mapping }
}

/** Copies the mappings beside the configuration; returns the path of the one of the route. */
async function ownMapping(world: World): Promise<string> {
  const from = world.configuration.routes[0]?.mappingPath ?? ''
  const folder = join(world.folder, 'mappings')
  await cp(dirname(from), folder, { recursive: true })
  await edit(world, (text) => text.replace(from, `mappings/${basename(from)}`))
  const mapping = join(folder, basename(from))
  // The files of its examples stay where they are.
  await writeFile(mapping, (await readFile(mapping, 'utf8')).replace(/^examples:\n(?:[ -].*\n|\n)*/m, ''))
  return mapping
}

async function edit(world: World, change: (text: string) => string): Promise<void> {
  const path = configurationOf(world)
  await writeFile(path, change(await readFile(path, 'utf8')))
}

const withSecondRoute = (text: string) =>
  text +
  text
    .slice(text.indexOf('  orders:'))
    .replace('  orders:', '  more-orders:')
    .replace('folder: inbox/orders,', 'folder: inbox/more,')

async function stop({ process, finished }: Running) {
  process.kill('SIGTERM')
  return finished
}

test('a changed mapping is an alert until dropbridge reload, and trace shows which version sent a record', async () => {
  const { world, run, reload, watch, mapping } = await aWatchedWorld()
  await world.drop('inbox/orders', 'first.csv', fileOf(0))
  await expect.poll(() => world.service.counts().orders, { timeout: 20_000 }).toBe(2)
  expect((await run('status')).out).not.toContain('configuration-changed')
  await writeFile(mapping, `${await readFile(mapping, 'utf8')}\n# changed\n`)

  expect((await run('status')).out).toMatch(
    new RegExp(
      `mappings/\\S+\\.yaml changed, and the watch of process ${watch.process.pid} .*\\(configuration-changed`,
    ),
  )
  const reloaded = await reload()
  expect({ exit: reloaded.exit, err: reloaded.err }).toEqual({
    exit: 0,
    err: expect.stringMatching(new RegExp(`^process ${watch.process.pid} on .*: reloaded$`)),
  })
  await expect.poll(async () => (await run('status')).out, POLLING).not.toContain('configuration-changed')
  await world.drop('inbox/orders', 'second.csv', fileOf(2))
  await expect.poll(() => world.service.counts().orders, { timeout: 20_000 }).toBe(4)

  const versionOf = async (po: string) => {
    const trace = async () => (await run('trace', po)).out
    await expect.poll(trace, POLLING).toContain('accepted at')
    const out = await trace()
    const [, id = '', mappingHash] =
      /^version (\w{12}) since \S+: dropbridge\.yaml \w{8}, mappings\/[\w-]+\.yaml (\w{8}),/m.exec(out) ?? []
    expect(out).toMatch(new RegExp(`sent .* accepted at \\S+, by version ${id}`))
    return mappingHash
  }
  const before = await versionOf(ORDERS[0]?.po ?? '')
  const after = await versionOf(ORDERS[2]?.po ?? '')
  expect(before).toBeDefined()
  expect(after).toBeDefined()
  expect(after).not.toBe(before)
  expect((await stop(watch)).stderr.match(/watch\.reloaded/g)).toHaveLength(1)
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('SIGHUP makes a watch take over new routes, and it goes on under its place in the journal', async () => {
  const { world, run, watch } = await aWatchedWorld()
  await edit(world, withSecondRoute)

  watch.process.kill('SIGHUP')

  await expect
    .poll(async () => (await run('status')).out, POLLING)
    .toMatch(new RegExp(`^watch over orders, more-orders: process ${watch.process.pid} `, 'm'))
  await world.drop('inbox/more', 'orders.csv', fileOf(0))
  await expect.poll(() => world.service.counts().orders, { timeout: 20_000 }).toBe(2)
  const { exit, stderr } = await stop(watch)
  expect(exit).toBe(143)
  expect(stderr).toContain('new routes: more-orders')
  expect((await run('status')).out).not.toMatch(/watch over|watcher-lost/)
})

test('SIGHUP while a watch still reads its configuration is a reload, and not the end', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const env = await writeConfigurationFile(world)
  const path = configurationOf(world)
  const text = await readFile(path, 'utf8')
  await rm(path)
  // The watch opens the pipe and waits for the text.
  execFileSync('mkfifo', [path])
  const watch = startProgram(world.folder, ['watch'], env)
  const pipe = await open(path, 'w')
  watch.process.kill('SIGHUP')
  await rename(path, `${path}.pipe`)
  await writeFile(path, withSecondRoute(text))
  await pipe.writeFile(text)
  await pipe.close()

  await expect
    .poll(async () => (await run('status')).out, POLLING)
    .toMatch(new RegExp(`^watch over orders, more-orders: process ${watch.process.pid} `, 'm'))
  expect((await stop(watch)).stderr).toContain('new routes: more-orders')
})

test('a reload whose check fails is an alert, and the watch continues with what it had', async () => {
  const { world, run, reload, watch } = await aWatchedWorld()
  await edit(world, (text) => `${text}nonsense: true\n`)

  const refused = await reload()
  watch.process.kill('SIGHUP')

  expect(refused.exit).toBe(78)
  expect(refused.err).toContain('nonsense')
  await expect
    .poll(async () => (await run('status')).out, POLLING)
    .toMatch(/nonsense.*\(configuration-broken, since/)
  await world.drop('inbox/orders', 'first.csv', fileOf(0))
  await expect.poll(() => world.service.counts().orders, { timeout: 20_000 }).toBe(2)
  expect((await stop(watch)).stderr).toContain('watch.reload-failed')
})

test('another state or journal needs a restart, and the watch says why it did not reload', async () => {
  const { world, run, reload, watch } = await aWatchedWorld()
  await edit(world, (text) => `${text}state: ./elsewhere\n`)

  const asked = await reload()

  expect(asked.exit).toBe(78)
  expect(asked.err).toMatch(/continues with what it had: A watch cannot change its journal or state/)
  expect((await run('status')).out).toMatch(
    /dropbridge\.yaml changed, .*; the reload failed: A watch cannot change .*\(configuration-changed/,
  )
  await edit(world, (text) => text.replace('state: ./elsewhere', 'journal: sqlite:./other.db'))
  expect(await reload()).toMatchObject({
    exit: 78,
    err: expect.stringMatching(/journal was .*restart-needed/s),
  })
  await stop(watch)
})

test('each of two watches reloads, and status shows none that works with an older mapping', async () => {
  const { world, run, reload, env, watch, mapping } = await aWatchedWorld()
  const second = startProgram(world.folder, ['watch'], env)
  await expect
    .poll(async () => (await run('status')).out, POLLING)
    .toContain(`process ${second.process.pid} `)
  await writeFile(mapping, `${await readFile(mapping, 'utf8')}\n# changed\n`)

  const { exit, err } = await reload()

  expect(exit).toBe(0)
  for (const { pid } of [watch.process, second.process])
    expect(err).toMatch(new RegExp(`^process ${pid} on .*: reloaded$`, 'm'))
  expect((await run('status')).out).not.toContain('configuration-changed')
  await stop(second)
})

test('a watch that was killed while it reloads is missed, and the next one works with the new mapping', async () => {
  const { world, run, env, watch, mapping } = await aWatchedWorld()
  await writeFile(mapping, `${await readFile(mapping, 'utf8')}\n# changed\n`)
  watch.process.kill('SIGHUP')
  watch.process.kill('SIGKILL')
  await watch.finished

  expect((await run('status')).out).toContain('(watcher-lost, since')
  const next = startProgram(world.folder, ['watch'], env)
  await expect
    .poll(async () => (await run('status')).out, POLLING)
    .toContain(`watch over orders: process ${next.process.pid} `)
  expect((await run('status')).out).not.toMatch(/watcher-lost|configuration-changed/)
  await stop(next)
})

test('without a watch a reload says that none is running', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  expect(await run('reload')).toMatchObject({ exit: 69, err: expect.stringContaining('no-watch') })
})

test('a configuration with errors does not blind status, trace and why-not, which use the last one without its secrets', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const secret = world.configuration.routes[0]?.credentials.clientSecret ?? ''
  await edit(world, (text) => text.replaceAll('${CLIENT_SECRET_RETAILER}', secret))
  await world.drop('inbox/orders', 'first.csv', fileOf(0))
  await run('run')
  await edit(world, (text) => `${text}\nnonsense: true\n`)
  await world.drop('inbox/orders', 'second.txt', fileOf(2))

  const kept = await readFile(join(world.folder, 'state/configuration.json'), 'utf8')
  expect(kept).toContain('orders')
  expect(kept).not.toContain(secret)
  const status = await run('status')
  expect(status.exit).toBe(2)
  expect(status.out).toMatch(/nonsense.*\(configuration-broken, since/)
  expect(status.out).toContain('second.txt')
  expect(status.err).toMatch(/has an error in it\. This is from the last one that was at work, of 20/)
  expect((await run('trace', 'first.csv')).out).toContain('first.csv: closed')
  expect((await run('why-not', 'second.txt')).out).toContain('name-differs')
  expect((await run('run')).exit).toBe(78)
  await rm(configurationOf(world))
  expect((await run('status')).out).toContain('configuration-broken')
})

test('a mapping with errors does not blind status, and is an alert', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const mapping = await ownMapping(world)
  await writeFile(mapping, `${await readFile(mapping, 'utf8')}\nnonsense: 1\n`)
  await world.drop('inbox/orders', 'first.csv', fileOf(0))

  const status = await run('status')

  expect(status.exit).toBe(2)
  expect(status.out).toMatch(/nonsense.*\(configuration-broken, since/)
  expect((await run('why-not', 'first.csv')).out).toContain('mapping-invalid')
})
