/** File modes: who else on the machine can read what the bridge keeps, whatever the umask. */
import { chmod, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectFile } from '../../src/mailboxes/directory/inspect.ts'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { openSpool } from '../../src/support/spool.ts'
import { commandsOf } from '../fixtures/office.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const { text } = ordersFile(sampleOrders({ seed: 5, orders: 3, damageEvery: 3 }))

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

function withUmask(mask: number): void {
  const before = process.umask(mask)
  onTestFinished(() => void process.umask(before))
}

/** The paths below a folder. */
async function pathsIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).map((name) => join(folder, name))
}

describe.skipIf(process.platform === 'win32')('with a umask that opens everything', () => {
  test('journal, state and archive are for the bridge alone, and results and deliveries for their readers', async () => {
    withUmask(0)
    const world = await aWorld({ routes: ['orders', 'orders-out'] })
    await world.drop('inbox/orders', 'orders.csv', text)
    const exchange = join(world.folder, 'exchange')
    const bridge = await world.open()
    await bridge.run([], new AbortController().signal)

    const state = join(world.folder, 'state')
    const modes = await Promise.all(
      ['', '-wal', '-shm'].map((suffix) => modeOf(join(state, `journal.db${suffix}`))),
    )
    await bridge.close()

    expect(modes).toEqual(['600', '600', '600'])
    expect(await modeOf(state)).toBe('700')
    expect(await modeOf(join(state, 'spool'))).toBe('700')
    const archived = await pathsIn(join(exchange, 'archive'))
    const files = archived.filter((path) => path.endsWith('.csv'))
    expect(files).toHaveLength(1)
    expect(await Promise.all(files.map(modeOf))).toEqual(['600'])
    const folders = archived.filter((path) => !path.endsWith('.csv'))
    expect(new Set(await Promise.all(folders.map(modeOf)))).toEqual(new Set(['700']))
    for (const folder of ['results', 'outbox']) {
      expect(await modeOf(join(exchange, folder))).toBe('777')
      for (const path of (await pathsIn(join(exchange, folder))).filter((each) => /\.(csv|json)$/.test(each)))
        expect(await modeOf(path)).toBe('666')
    }
  })

  test('a spooled blob is for the bridge alone', async () => {
    withUmask(0)
    const folder = join(await tempFolder(), 'state', 'spool', 'orders')
    const spool = await openSpool(folder)

    await spool.put('one', [Buffer.from('x')])

    expect(await modeOf(spool.path('one'))).toBe('600')
    expect(await modeOf(folder)).toBe('700')
    expect(await modeOf(join(folder, '..', '..'))).toBe('700')
  })

  test('init makes a private state folder', async () => {
    withUmask(0)
    const folder = await tempFolder()

    await runCommand({ folder }, ['init'])

    expect(await modeOf(join(folder, 'state'))).toBe('700')
  })

  test('a file of which the sender keeps a second name is archived with the mode it has', async () => {
    withUmask(0)
    const root = await tempFolder()
    await writeFile(join(root, 'kept.csv'), 'x')
    await mkdir(join(root, 'inbox'), 0o755)
    await link(join(root, 'kept.csv'), join(root, 'inbox', 'a.csv'))
    const mailbox = createDirectoryMailbox({ root })
    const claim = { id: 'c1', folder: 'inbox', name: 'a.csv' }
    await mailbox.claim(claim)

    await mailbox.archive(claim, 'archive')

    expect(await modeOf(join(root, 'kept.csv'))).toBe('666')
  })
})

describe.skipIf(process.platform === 'win32')('a file with a second name, a hard link', () => {
  async function anInbox(mode: number) {
    const root = await tempFolder()
    const inbox = join(root, 'inbox')
    await mkdir(inbox)
    await chmod(inbox, mode)
    await writeFile(join(root, 'kept.csv'), 'x')
    await link(join(root, 'kept.csv'), join(inbox, 'a.csv'))
    await writeFile(join(inbox, 'b.csv'), 'y')
    return { root, inbox, mailbox: createDirectoryMailbox({ root }) }
  }

  test.each([0o777, 0o775, 0o1777])(
    'is neither listed nor claimed where others can write the folder (%o), and shown as such',
    async (mode) => {
      const { root, mailbox } = await anInbox(mode)
      const claim = { id: 'c1', folder: 'inbox', name: 'a.csv' }

      const names = (await mailbox.list('inbox')).map(({ name }) => name)

      expect(names).toEqual(['b.csv'])
      expect(await mailbox.claim(claim)).toBe('gone')
      expect(await readFile(join(root, 'inbox', 'a.csv'), 'utf8')).toBe('x')
      expect(await mailbox.listIgnored('inbox')).toContainEqual(
        expect.objectContaining({ name: 'a.csv', kind: 'linked' }),
      )
      expect(await inspectFile(root, 'inbox', 'a.csv')).toEqual({
        what: 'entry-ignored',
        why: 'it has a second name (a hard link), and others can write the folder',
      })
    },
  )

  test('is taken once the second name is gone, and where only the owner can write the folder', async () => {
    const open = await anInbox(0o777)
    const closed = await anInbox(0o755)

    await rm(join(open.root, 'kept.csv'))

    for (const { mailbox } of [open, closed]) {
      expect((await mailbox.list('inbox')).map(({ name }) => name)).toEqual(['a.csv', 'b.csv'])
      expect(await mailbox.claim({ id: 'c1', folder: 'inbox', name: 'a.csv' })).toBe('claimed')
    }
  })

  test('raises an alert that says what it is', async () => {
    const world = await aWorld({ routes: ['orders'] })
    const run = await commandsOf(world)
    const inbox = join(world.folder, 'exchange', 'inbox', 'orders')
    await world.drop('inbox/orders', 'orders.csv', text)
    await link(join(inbox, 'orders.csv'), join(world.folder, 'kept.csv'))
    await chmod(inbox, 0o777)

    const ran = await run('run')
    const why = await run('why-not', 'orders.csv')

    expect(ran.err + (await run('status')).out).toContain(
      'inbox/orders/orders.csv is a file with a second name (a hard link); only plain files are taken',
    )
    expect(why.out).toContain('it has a second name (a hard link), and others can write the folder')
    expect(await readdir(inbox)).toContain('orders.csv')
  })
})

describe.skipIf(process.platform === 'win32')('check', () => {
  test('warns of a journal, state and archive that others can read, and is silent below a closed folder', async () => {
    const world = await aWorld({ routes: ['orders'] })
    const run = await commandsOf(world)
    await world.drop('inbox/orders', 'orders.csv', text)
    await run('run')
    await chmod(world.folder, 0o755)
    const state = join(world.folder, 'state')
    const archive = join(world.folder, 'exchange', 'archive', 'orders')

    const closed = await run('check')
    for (const path of [state, archive]) await chmod(path, 0o755)
    await chmod(join(world.folder, 'exchange', 'archive'), 0o755)
    await chmod(join(state, 'journal.db'), 0o644)
    const open = await run('check')
    await chmod(world.folder, 0o700)
    const below = await run('check')

    expect(closed.err).not.toContain('Other users')
    expect(open.exit).toBe(0)
    expect(open.err).toContain(
      `warning: Other users of this machine can read or change ${state}/journal.db. Close it: chmod 600 ${state}/journal.db`,
    )
    expect(open.err).toContain(`Close it: chmod 700 ${state}\n`)
    expect(open.err).toContain(`Close it: chmod 700 ${archive}\n`)
    expect(below.err).not.toContain('Other users')
  })

  test('warns of a secret in a configuration file that others can read', async () => {
    const world = await aWorld({ routes: ['orders'] })
    const run = await commandsOf(world)
    const file = join(world.folder, 'dropbridge.yaml')
    const yaml = await readFile(file, 'utf8')
    await chmod(world.folder, 0o755)
    await chmod(file, 0o644)

    const variables = await run('check')
    await writeFile(file, yaml.replace('${CLIENT_SECRET_RETAILER}', 'hunter2'))
    const literal = await run('check')
    await chmod(file, 0o600)
    const closed = await run('check')

    const warning = 'clientSecret is a secret in a file that others can read'
    expect(variables.err).not.toContain(warning)
    expect(literal.err).toContain(`dropbridge.yaml:4:17 ${warning}`)
    expect(literal.err).not.toContain('hunter2')
    expect(closed.err).not.toContain(warning)
  })

  test('warns of a file with a secret that others can read', async () => {
    const world = await aWorld({ routes: ['orders'] })
    const run = await commandsOf(world)
    const file = join(world.folder, 'dropbridge.yaml')
    const secret = join(world.folder, 'secret.txt')
    const yaml = await readFile(file, 'utf8')
    await chmod(world.folder, 0o755)
    await writeFile(file, yaml.replace('${CLIENT_SECRET_RETAILER}', '${file:secret.txt}'))
    await writeFile(secret, 'hunter2\n')
    await chmod(secret, 0o644)

    const open = await run('check')
    await chmod(secret, 0o600)
    const closed = await run('check')

    expect(open.err).toContain(
      `warning: Other users of this machine can read or change ${secret}. Close it: chmod 600 ${secret}`,
    )
    expect(closed.err).not.toContain(secret)
  })
})
