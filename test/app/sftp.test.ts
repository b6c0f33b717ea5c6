import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkMailboxes } from '../../src/app/check.ts'
import { diagnoseFile } from '../../src/app/diagnose/diagnose.ts'
import type { SftpConfiguration } from '../../src/config/mailboxes.ts'
import { type InboxWords, withInbox } from '../fixtures/own-inbox.ts'
import { sftpExchange } from '../fixtures/sftp-exchange.ts'
import type { TestSftpServer } from '../fixtures/sftp-server.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const SAMPLES = sampleOrders({ seed: 5, orders: 6, damageEvery: 0 })
const ORDERS = ordersFile(SAMPLES.slice(0, 4))

async function overSftp(
  settings: Partial<SftpConfiguration> = {},
): Promise<{ world: World; server: TestSftpServer; exchange: string }> {
  const { server, exchange } = await sftpExchange(settings)
  const world = await aWorld({ routes: ['orders', 'orders-out'], exchange })
  return { world, server, exchange: join(world.folder, 'exchange') }
}

test('orders come in and go out over SFTP, once, with their results and their archive', async () => {
  const { world } = await overSftp()
  await world.drop('inbox/orders', 'orders.csv', ORDERS.text)

  expect((await world.run()).exit).toBe(0)
  expect((await world.run()).exit).toBe(0)

  expect(await world.orders()).toHaveLength(4)
  expect(await world.list('inbox/orders')).toEqual([])
  expect((await world.list('results')).filter((name) => name.endsWith('.results.csv'))).toHaveLength(1)
  expect(await world.list('outbox')).toHaveLength(1)
  const [day = ''] = await readdir(join(world.folder, 'exchange/archive/orders'))
  expect(await world.list(`archive/orders/${day}`)).toHaveLength(1)
})

test('a server that is away fails its routes, names itself, and keeps the work for the next run', async () => {
  const { world, server } = await overSftp({ timeoutMs: 200 })
  await world.drop('inbox/orders', 'orders.csv', ORDERS.text)
  server.misbehave = () => 'silence'
  const away = await world.run('orders')
  expect(away).toMatchObject({
    exit: 69,
    routes: [{ kind: 'failed', failure: { code: 'mailbox-unreachable' } }],
  })
  server.misbehave = () => undefined
  expect((await world.run('orders')).exit).toBe(0)
  expect(await world.orders()).toHaveLength(4)
})

test('a file that must not be moved is taken once, and again when its contents change', async () => {
  const { world, server, exchange } = await overSftp({ claim: 'leave' })
  await world.drop('inbox/orders', 'orders.csv', ORDERS.text)
  server.misbehave = ({ kind, path }) =>
    kind === 'rename' && path?.startsWith('/inbox') ? 'no rights' : undefined
  const resultsOf = async () => (await world.list('results')).filter((name) => name.endsWith('.results.csv'))

  for (let pass = 0; pass < 3; pass++) expect((await world.run('orders')).exit).toBe(0)
  expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
  expect(await world.orders()).toHaveLength(4)
  expect(await resultsOf()).toHaveLength(1)

  const later = ordersFile(SAMPLES.slice(4))
  await writeFile(join(exchange, 'inbox/orders/orders.csv'), later.text)
  await utimes(join(exchange, 'inbox/orders/orders.csv'), 1_900_000_000, 1_900_000_000)
  await world.run('orders')
  expect(await world.orders()).toHaveLength(6)
  expect(await resultsOf()).toHaveLength(2)
})

test('why-not lists an inbox on a server, and makes nothing there', async () => {
  const { world, server, exchange } = await overSftp()
  const eyes = { clock: world.clock, signal: new AbortController().signal }
  const ask = (file: string) => diagnoseFile(world.configuration, { file, from: world.folder }, eyes)
  const codes = async (file: string) =>
    (await ask(file)).verdicts.flatMap(({ reasons }) => reasons.map(({ code }) => code))

  expect(await codes('orders.csv')).toEqual(['no-such-file'])
  expect(await readdir(exchange)).toEqual([])
  await world.drop('inbox/orders', 'orders.csv', ORDERS.text)
  await world.drop('inbox/orders', 'orders.txt', ORDERS.text)
  await world.drop('inbox/orders', 'half.csv.part', ORDERS.text)
  await mkdir(join(exchange, 'inbox/orders/folder.csv'))
  expect(await ask('orders.csv')).toMatchObject({
    exit: 0,
    verdicts: [
      { route: 'orders', path: expect.stringMatching(/^sftp:.*inbox\/orders\/orders\.csv$/), reasons: [] },
    ],
  })
  expect(await codes('orders.txt')).toEqual(['name-differs'])
  expect(await codes('half.csv.part')).toEqual(['entry-ignored'])
  expect(await codes('folder.csv')).toEqual(['entry-ignored'])
  server.cut()
  await server.close()
  expect(await codes('orders.csv')).toEqual(['mailbox-unreachable'])
})

/** Asks why-not about files on the server; the inbox has these settings. */
async function whyNotOverSftp(from: InboxWords, settings: Partial<SftpConfiguration> = {}) {
  const { world } = await overSftp(settings)
  const configuration = withInbox(world, from)
  const ask = async (file: string, clock = world.clock) => {
    const controls = { clock, signal: new AbortController().signal }
    const { verdicts } = await diagnoseFile(configuration, { file, from: world.folder }, controls)
    return verdicts.flatMap(({ reasons }) => reasons)
  }
  return { world, ask }
}

test.each(['marker', 'manifest'] as const)(
  'why-not knows of a file on a server that its %s is missing, and whose sidecar another file is',
  async (when) => {
    const { world, ask } = await whyNotOverSftp({ ready: { when, sidecar: '{name}.more' } })
    await world.drop('inbox/orders', 'orders.csv', ORDERS.text)
    expect(await ask('orders.csv')).toMatchObject([
      {
        code: 'sidecar-missing',
        message: expect.stringMatching(new RegExp(`^its ${when} sftp://\\S+/orders.csv.more is missing$`)),
        exit: 75,
      },
    ])
    await world.drop('inbox/orders', 'orders.csv.more', 'rows: 1')
    expect(await ask('orders.csv')).toEqual([])
    expect(await ask('orders.csv.more')).toMatchObject([
      { code: 'is-sidecar', message: `it is the ${when} of orders.csv` },
    ])
  },
)

test('why-not knows which number of a sequence a file on a server waits for', async () => {
  const { world, ask } = await whyNotOverSftp({ sequence: { name: 'orders-{number}.csv', start: 1 } })
  await world.drop('inbox/orders', 'orders-2.csv', ORDERS.text)
  expect(await ask('orders-2.csv')).toMatchObject([
    { code: 'out-of-sequence', message: expect.stringContaining('number 1 of the sequence has not come') },
  ])
  await world.drop('inbox/orders', 'orders-1.csv', ORDERS.text)
  expect(await ask('orders-2.csv')).toEqual([])
})

test('why-not sees that a file on a server is still being written, and when it has gone meanwhile', async () => {
  const { world, ask } = await whyNotOverSftp({})
  await world.drop('inbox/orders', 'orders.csv', 'PO')
  const meanwhile = (work: () => Promise<unknown>) => {
    const sleep = async (ms: number) => {
      await work()
      await world.clock.sleep(ms)
    }
    return { ...world.clock, sleep }
  }
  const growing = meanwhile(() => world.drop('inbox/orders', 'orders.csv', ORDERS.text))
  expect(await ask('orders.csv', growing)).toMatchObject([
    { code: 'still-changing', message: 'it is still being written' },
  ])
  const leaving = meanwhile(() => rm(join(world.folder, 'exchange/inbox/orders/orders.csv')))
  expect(await ask('orders.csv', leaving)).toMatchObject([{ code: 'no-such-file' }])
})

test('why-not says of a file that stays on its server after it was taken that it is finished', async () => {
  const { world, ask } = await whyNotOverSftp({}, { claim: 'leave' })
  await world.drop('inbox/orders', 'orders.csv', ORDERS.text)
  expect(await ask('orders.csv')).toEqual([])
  await world.run('orders')
  expect(await ask('orders.csv')).toMatchObject([
    { code: 'finished', message: expect.stringContaining('was taken by route orders on') },
  ])
})

test('why-not finds a file by the address that status prints, and no file of that name elsewhere', async () => {
  const { world, ask } = await whyNotOverSftp({})
  await world.drop('inbox/orders', 'orders.txt', ORDERS.text)
  const bridge = await world.open()
  const [unmatched] = (await bridge.snapshot()).unmatchedFiles
  await bridge.close()
  const address = unmatched?.path ?? ''
  expect(address).toMatch(/^sftp:\/\//)
  expect(await ask(address)).toMatchObject([{ code: 'name-differs' }])
  expect(await ask(address.replace('orders.txt', 'other.txt'))).toMatchObject([{ code: 'no-such-file' }])
  const elsewhere = address.replace('inbox/orders', 'inbox')
  expect(await ask(elsewhere)).toMatchObject([
    { code: 'not-in-inbox', message: `${elsewhere} is in the inbox of no route on a server` },
  ])
})

test('check --online reports which server cannot be reached, trusted or logged in to', async () => {
  const { world, server } = await overSftp()
  const options = { clock: world.clock, random: Math.random, newId: () => 'id' }
  expect(await checkMailboxes(world.configuration, options)).toEqual({
    errors: [],
    refused: [],
    unanswered: [],
  })
  const mailbox = world.configuration.mailboxes['exchange']
  const asked = (changes: object) =>
    checkMailboxes(
      { ...world.configuration, mailboxes: { exchange: { ...mailbox, ...changes } as never } },
      options,
    )
  const wrongLogin = await asked({ login: { password: 'wrong' } })
  expect(wrongLogin.refused[0]?.message).toMatch(/^mailbox exchange: .*refused the login/)
  expect(wrongLogin.refused[0]?.fix).toContain(
    'Check username, privateKeyFile, agent and password of the mailbox exchange.',
  )
  expect(wrongLogin.refused[0]?.fix).not.toContain('api.clientId')
  const untrusted = await asked({ trust: { knownHostsFile: '/nowhere' } })
  expect(untrusted.refused[0]?.message).toContain(server.fingerprint)
  expect(untrusted.refused[0]?.fix).toContain(
    'trust that one: `dropbridge trust-host exchange --fingerprint …`. Other mailboxes go on.',
  )
  const pinned = await asked({ trust: { pinned: [`SHA256:${'A'.repeat(43)}`] } })
  expect(pinned.refused[0]?.fix).toContain('Only then correct `hostKey` of the mailbox exchange.')
  await server.close()
  const away = (await asked({})).unanswered
  expect(away[0]?.message).toContain('ECONNREFUSED')
  expect(away[0]?.fix).toMatch(
    /^Check host \S+ and port \d+ in mailboxes\.\w+, whether the server runs, and the firewall\.$/,
  )
})
