/** A supplier's bad day: after each of twelve accidents `status` alone says what happened, what to do, and ends with the right code. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { caller } from '../fixtures/day.ts'
import { runUnheard } from '../fixtures/office.ts'
import { runProgram, type Running, startProgram } from '../fixtures/program.ts'
import { type SmallDisk, smallDisk } from '../fixtures/small-disk.ts'
import { type CommandResult, runCommand } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const MAPPINGS = new URL('../../mappings/', import.meta.url).pathname
const HOUR_MS = 3_600_000
const WHO = ['--by', 'Ada', '--why', 'the bad day']

const CONFIGURATION = `
api:
  baseUrl: "\${API}"
  clientId: "\${ID}"
  clientSecret: "\${SECRET}"
  lateAnswer: 300ms
mailboxes:
  erp: { type: directory, path: ./exchange }
routes:
  new-orders:
    brand: 2000
    operation: export-orders
    mapping: ${MAPPINGS}orders-export.yaml
    acknowledge: picked-up
    overdue: { within: 4h }
    to: { mailbox: erp, folder: outbox, name: "orders-{seq}.csv" }
  parcels:
    brand: 2000
    operation: create-shipment
    mapping: parcels.yaml
    from: { mailbox: erp, folder: inbox/parcels, match: "*.csv", stableFor: 100ms }
    results: { mailbox: erp }
`

const MAPPING = `extends: ${MAPPINGS}supplier-shipments.yaml\n`

const HEADER = 'PO Number,Ship Date,Carrier,Service,Tracking Number,SKU,UPC,Qty'

const parcel = (po: string, tracking: string, units = 1) =>
  `${po},11/21/2026 4:15,FedEx,FedEx Ground,${tracking},NL-0001,086000100018,${units}`

const fileOf = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`

interface BadDay {
  readonly world: World
  readonly disk: SmallDisk
  /** A command, with other values in the environment where an accident changes them. */
  readonly dropbridge: (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<CommandResult>
  readonly env: NodeJS.ProcessEnv
  readonly order: (number: string) => Promise<void>
  readonly dropParcels: (name: string, text: string | Uint8Array) => Promise<void>
}

/** A supplier with its own configuration; the retailer calls the service directly. */
async function aBadDay(): Promise<BadDay> {
  const world = await aWorld({ routes: [] })
  const disk = await smallDisk(join(world.folder, 'state'))
  const { clientId, clientSecret } = world.credentials.brand
  const env = { API: world.service.baseUrl, ID: clientId, SECRET: clientSecret }
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(path, CONFIGURATION)
  await writeFile(join(world.folder, 'parcels.yaml'), MAPPING)
  Object.assign(world.configuration, await loadConfiguration(path, env))
  const ask = caller(world)
  return {
    world,
    disk,
    env,
    dropbridge: (args, other = {}) =>
      runCommand({ folder: world.folder, clock: world.clock, env: { ...env, ...other } }, args),
    order: async (number) => {
      await ask('retailer', 'POST', '/v1/retailers/1000/orders/', {
        purchase_order_number: number,
        ordered_at: '2026-11-21T11:30:00Z',
        ship_to: {
          name1: 'Ada Park',
          street1: '12 Mill Road',
          city: 'Albany',
          province: 'NY',
          postal_code: '12207',
          country: 'US',
        },
        shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
        order_lines: [
          { variant: { identifier: 'NL-0001' }, quantity: 20, net_price: '7.87', price: '16.73' },
        ],
      })
    },
    dropParcels: (name, text) => world.drop('inbox/parcels', name, text),
  }
}

interface Report {
  readonly exit: number
  /** What happened. */
  readonly what: RegExp
  /** What to do. */
  readonly fix: string
}

/** `status` needs no other command, no API and less than a minute. */
async function expectStatus(
  { dropbridge }: BadDay,
  accident: string,
  { exit, what, fix }: Report,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const began = performance.now()
  const status = await dropbridge(['status'], env)
  const seconds = (performance.now() - began) / 1000
  const shown = `${status.out}\n${status.err}`
  expect.soft({ accident, exit: status.exit, shown }).toEqual({
    accident,
    exit,
    shown: expect.stringMatching(what),
  })
  expect.soft(shown, accident).toContain(fix)
  expect.soft(seconds, accident).toBeLessThan(60)
}

async function expectWell({ dropbridge }: BadDay, accident: string): Promise<void> {
  const { exit, out } = await dropbridge(['status'])
  expect
    .soft({ accident, exit, out })
    .toEqual({ accident, exit: 0, out: expect.not.stringContaining('needs a person') })
}

test('after each of twelve accidents, status says what happened and what to do, and is well again once it is done', async () => {
  const day = await aBadDay()

  await theWatchIsKilled(day)
  await theMappingIsChanged(day)
  await aFileHasAWrongName(day)
  await aFileIsNoTable(day)
  await rowsAreWrong(day)
  await theApiIsAway(day)
  await theSecretIsChanged(day)
  await anAnswerIsLost(day)
  await aClaimIsDeleted(day)
  await theResultsAreRemoved(day)
  await theReaderIsGone(day)
  await theDiskIsFull(day)

  expect((await day.dropbridge(['audit', 'verify'])).exit).toBe(0)
})

/** A watch as a process of its own, once status shows it. */
async function startWatch({ world, env, dropbridge }: BadDay): Promise<Running> {
  const watch = startProgram(world.folder, ['watch'], env)
  const shown = new RegExp(`^watch over .*process ${String(watch.process.pid)} `, 'm')
  await expect.poll(async () => (await dropbridge(['status'])).out, { timeout: 30_000 }).toMatch(shown)
  return watch
}

async function theWatchIsKilled(day: BadDay): Promise<void> {
  await day.dropbridge(['run'])
  const first = await startWatch(day)
  first.process.kill('SIGKILL')
  await first.finished

  await expectStatus(day, 'a killed watch', {
    exit: 2,
    what: /it was not asked to end \(watcher-lost/,
    fix: 'start `dropbridge watch` again',
  })
  const second = await startWatch(day)
  second.process.kill('SIGTERM')
  await second.finished
  await expectWell(day, 'a killed watch')
}

async function aFileHasAWrongName(day: BadDay): Promise<void> {
  const { world, order, dropParcels, dropbridge } = day
  await order('HV-1')
  await dropParcels('morning.txt', fileOf(parcel('HV-1', '794600000001')))

  await expectStatus(day, 'a wrong name', {
    exit: 2,
    what: /no route takes \S+morning\.txt: it does not match "\*\.csv" of route parcels \(file-unmatched/,
    fix: 'Rename it',
  })
  const inbox = join(world.folder, 'exchange/inbox/parcels')
  await rename(join(inbox, 'morning.txt'), join(inbox, 'morning.csv'))
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(0)
  await expectWell(day, 'a wrong name')
}

async function aFileIsNoTable(day: BadDay): Promise<void> {
  const { dropParcels, dropbridge } = day
  await dropParcels('noon.csv', Buffer.from('504b0304140000000800', 'hex'))
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(65)

  await expectStatus(day, 'a wrong file', {
    exit: 2,
    what: /noon\.csv.*\(file-unusable/,
    fix: 'Save it as CSV',
  })
  await dropParcels('noon.csv', fileOf(parcel('HV-1', '794600000002')))
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(0)
  await expectWell(day, 'a wrong file')
}

async function rowsAreWrong(day: BadDay): Promise<void> {
  const { dropParcels, dropbridge } = day
  await dropParcels('typo.csv', fileOf(parcel('HV-l', '794600000003')))
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(2)

  await expectStatus(day, 'wrong rows', {
    exit: 2,
    what: /typo\.csv: 1 record is rejected and not corrected \(order-unknown\) \(records-rejected/,
    fix: 'typo.csv.rejects.csv and drop it in under its name',
  })
  expect((await dropbridge(['dismiss', 'typo.csv', ...WHO])).exit).toBe(0)
  await expectWell(day, 'wrong rows')
}

async function theApiIsAway(day: BadDay): Promise<void> {
  const { dropParcels, dropbridge } = day
  const away = { API: 'http://127.0.0.1:9' }
  await dropParcels('away.csv', fileOf(parcel('HV-1', '794600000004')))
  expect((await dropbridge(['run'], away)).exit).toBe(69)

  await expectStatus(
    day,
    'an API that is away',
    { exit: 2, what: /\(route-failing/, fix: 'dropbridge run' },
    away,
  )
  expect((await dropbridge(['run'])).exit).toBe(0)
  await expectWell(day, 'an API that is away')
}

async function theSecretIsChanged(day: BadDay): Promise<void> {
  const { dropParcels, dropbridge } = day
  const wrong = { SECRET: 'of yesterday' }
  await dropParcels('secret.csv', fileOf(parcel('HV-1', '794600000005')))
  expect((await dropbridge(['run'], wrong)).exit).toBe(77)

  await expectStatus(
    day,
    'a changed secret',
    {
      exit: 2,
      what: /gave no access token: HTTP 401 \(route-failing/,
      fix: 'Check clientId and clientSecret',
    },
    wrong,
  )
  expect((await dropbridge(['run'])).exit).toBe(0)
  await expectWell(day, 'a changed secret')
}

async function anAnswerIsLost(day: BadDay): Promise<void> {
  const { world, dropParcels, dropbridge } = day
  await dropParcels('lost.csv', fileOf(parcel('HV-1', '794600000006')))
  await runUnheard(world, 'parcels', { arrives: true })

  await expectStatus(day, 'a lost answer', {
    exit: 2,
    what: /held for a person[^]*lost\.csv[^]*outcome-unprovable/,
    fix: 'dropbridge resolve KEY --accepted ID',
  })
  expect((await dropbridge(['release', 'lost.csv', ...WHO])).exit).toBe(0)
  await expectWell(day, 'a lost answer')
}

async function theMappingIsChanged(day: BadDay): Promise<void> {
  const { world, env } = day
  const watch = await startWatch(day)
  const path = join(world.folder, 'parcels.yaml')
  await writeFile(path, `${MAPPING}body: { ship_from_phone: { const: '775 555 0100' } }\n`)

  await expectStatus(day, 'a changed mapping', {
    exit: 2,
    what: /parcels\.yaml changed, and the watch of process \d+ .* still works with what was there before.*\(configuration-changed/,
    fix: '`dropbridge check`, then `dropbridge reload`',
  })
  expect((await runProgram(world.folder, ['reload'], env)).exit).toBe(0)
  await expectWell(day, 'a changed mapping')
  watch.process.kill('SIGTERM')
  await watch.finished
}

async function aClaimIsDeleted(day: BadDay): Promise<void> {
  const { world, dropParcels, dropbridge } = day
  await dropParcels('claim.csv', fileOf(parcel('HV-1', '794600000009')))
  const away = (mailbox: Mailbox): Mailbox => ({
    ...mailbox,
    archive: () => Promise.reject(new BridgeError('mailbox-unreachable', 'away')),
  })
  const bridge = await world.open({ mailbox: away })
  await bridge.run(['parcels'], new AbortController().signal)
  await bridge.close()
  const claimed = join(world.folder, 'exchange/inbox/parcels/.claimed')
  for (const name of await readdir(claimed)) await rm(join(claimed, name))
  expect((await dropbridge(['run'])).exit).toBe(0)

  await expectStatus(day, 'a deleted claim', {
    exit: 2,
    what: /claim\.csv was removed from \.claimed before it was archived \(source-removed/,
    fix: 'dropbridge dismiss',
  })
  expect((await dropbridge(['dismiss', 'claim.csv', ...WHO])).exit).toBe(0)
  await expectWell(day, 'a deleted claim')
}

async function theResultsAreRemoved(day: BadDay): Promise<void> {
  const { world, dropParcels, dropbridge } = day
  await rm(join(world.folder, 'exchange/results'), { recursive: true })
  await dropParcels('unread.csv', fileOf(parcel('HV-1', '794600000010')))
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(69)

  await expectStatus(day, 'removed results', {
    exit: 2,
    what: /The results folder of route parcels is gone.*\(mailbox-away/,
    fix: 'make results in the folder of its mailbox again',
  })
  await world.drop('results', 'made by a person', '')
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(0)
  await expectWell(day, 'removed results')
}

async function theReaderIsGone(day: BadDay): Promise<void> {
  const { world, order, dropbridge } = day
  await order('HV-2')
  await dropbridge(['run', 'new-orders'])
  world.clock.skip(5 * HOUR_MS)

  await expectStatus(day, 'a reader that is gone', {
    exit: 2,
    what: /orders-\d+\.csv.*\(pick-up-overdue/,
    fix: 'Ask why the file is not picked up',
  })
  const outbox = join(world.folder, 'exchange/outbox')
  for (const name of await world.list('outbox')) await rm(join(outbox, name))
  expect((await dropbridge(['run', 'new-orders'])).exit).toBe(0)
  await expectWell(day, 'a reader that is gone')
}

async function theDiskIsFull(day: BadDay): Promise<void> {
  const { disk, dropParcels, dropbridge } = day
  await dropParcels('full.csv', fileOf(parcel('HV-1', '794600000011')))
  await disk.fill()
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(74)

  await expectStatus(day, 'a full disk', {
    exit: 74,
    what: /disk.* full/,
    fix: 'Make room',
  })
  await disk.empty()
  expect((await dropbridge(['run', 'parcels'])).exit).toBe(0)
  await expectWell(day, 'a full disk')
}
