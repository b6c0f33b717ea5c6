import { deliverInto, type Notes } from '../../fixtures/deliver-into.ts'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import { instantClock } from '../../fixtures/instant-clock.ts'
import { reachable, sftpUnderTest, type SftpUnderTest } from '../../fixtures/sftp-mailbox.ts'
import {
  type Mischief,
  type SftpRequest,
  type SftpRequestKind,
  sftpServer,
  type TestSftpServer,
} from '../../fixtures/sftp-server.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

const CLAIM = { id: 'k1', folder: 'inbox', name: 'orders.csv' }

let server: TestSftpServer
let place: SftpUnderTest
let mailbox: Mailbox

beforeEach(async () => {
  server = await sftpServer()
  place = await sftpUnderTest(reachable(server), { clock: instantClock() })
  mailbox = place.mailbox
})
afterEach(async () => {
  server.misbehave = () => undefined
  await place.close()
  await server.close()
})

/** The trouble comes at the first request of the kind about such a path, and never again. */
function once(
  kind: SftpRequestKind,
  mischief: Mischief,
  about: RegExp = /^/,
): { readonly struck: () => boolean } {
  let isStruck = false
  server.misbehave = (request) => {
    if (isStruck || request.kind !== kind || !about.test(request.path ?? '')) return undefined
    isStruck = true
    return mischief
  }
  return { struck: () => isStruck }
}

async function localFile(contents: string | Buffer): Promise<string> {
  const path = join(await tempFolder(), 'spooled')
  await writeFile(path, contents)
  return path
}

async function contentsOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

const visible = async (folder: string) =>
  (await readdir(join(place.root, folder))).filter((name) => name !== '.claimed')

describe.each(['before', 'after', 'silence'] as const)(
  'a server whose connection breaks (%s the work)',
  (how) => {
    beforeEach(() => {
      if (how === 'silence') mailbox = place.with({ timeoutMs: 150 })
    })

    const LISTING: SftpRequestKind[] = ['realpath', 'stat', 'lstat', 'opendir', 'readdir', 'close']

    test.each(LISTING)('at %s while it lists shows the folder all the same', async (kind) => {
      await place.put('inbox/orders.csv', 'a,b\n')
      const trouble = once(kind, how)
      expect((await mailbox.list('inbox')).map(({ name }) => name)).toEqual(['orders.csv'])
      expect(trouble.struck()).toBe(true)
    })

    test('at the making of a folder ends with the folder', async () => {
      const trouble = once('mkdir', how)
      expect(await mailbox.list('inbox/new')).toEqual([])
      expect(trouble.struck()).toBe(true)
      expect(await visible('inbox')).toEqual(['new'])
    })

    test.each(['lstat', 'rename'] as const)('at %s while it claims takes the file once', async (kind) => {
      await place.put('inbox/orders.csv', 'a,b\n')
      const trouble = once(kind, how, kind === 'lstat' ? /\.claimed\/k1/ : /^/)
      expect(await mailbox.claim(CLAIM)).toBe('claimed')
      expect(trouble.struck()).toBe(true)
      expect(await visible('inbox')).toEqual([])
      expect((await contentsOf(mailbox.read(CLAIM))).toString()).toBe('a,b\n')
    })

    test.each(['open', 'read', 'close', 'lstat'] as const)(
      'at %s while it is read from gives every byte once',
      async (kind) => {
        const contents = randomBytes(3_000_000)
        await place.put('inbox/orders.csv', contents.toString('latin1'))
        const written = await readFile(join(place.root, 'inbox/orders.csv'))
        await mailbox.claim(CLAIM)
        const trouble = once(kind, how)
        expect(hashOf(await contentsOf(mailbox.read(CLAIM)))).toBe(hashOf(written))
        expect(trouble.struck()).toBe(true)
      },
    )

    test('at the rename of what is archived leaves it in the archive once', async () => {
      await place.put('inbox/orders.csv', 'a,b\n')
      await mailbox.claim(CLAIM)
      const trouble = once('rename', how)
      expect(await mailbox.archive(CLAIM, 'archive')).toBe('archive/orders~k1.csv')
      expect(trouble.struck()).toBe(true)
      expect(await visible('archive')).toEqual(['orders~k1.csv'])
      expect(await mailbox.listClaims('inbox')).toEqual([])
    })

    test('at the rename of a released claim leaves it in its folder once', async () => {
      await place.put('inbox/orders.csv', 'a,b\n')
      await mailbox.claim(CLAIM)
      const trouble = once('rename', how)
      expect(await mailbox.releaseClaim(CLAIM)).toBe('returned')
      expect(trouble.struck()).toBe(true)
      expect(await visible('inbox')).toEqual(['orders.csv'])
    })

    const DELIVERING = [
      ['lstat', /\/out\/orders\.csv$/],
      ['open', /dropbridge\.tmp$/],
      ['write', /^/],
      ['close', /^/],
      ['rename', /^/],
    ] as const

    test.each(DELIVERING)(
      'at %s of %s while it is delivered to has the file once and whole',
      async (kind, about) => {
        const contents = randomBytes(1_500_000)
        const source = await localFile(contents)
        await mkdir(join(place.root, 'out'))
        const trouble = once(kind, how, about)
        expect(await deliverInto(mailbox, source, 'out', 'orders.csv')).toBe('delivered')
        expect(trouble.struck()).toBe(true)
        expect(hashOf(await readFile(join(place.root, 'out/orders.csv')))).toBe(hashOf(contents))
        expect(await visible('out')).toEqual(['orders.csv'])
        expect(server.requests.filter(({ kind: each }) => each === 'rename').length).toBeLessThanOrEqual(2)
      },
    )
  },
)

describe('a consumer that takes the file before the bridge is back', () => {
  const takes = async () => {
    await rename(join(place.root, 'out/orders.csv'), join(place.root, 'taken.csv'))
  }

  test('gets it once when the answer to the rename was lost', async () => {
    await mkdir(join(place.root, 'out'))
    const source = await localFile('a,b\n')
    let taken: Promise<void> | undefined
    server.misbehave = ({ kind }) => {
      if (taken === undefined && server.requests.at(-2)?.kind === 'rename') taken = takes()
      return kind === 'rename' && taken === undefined ? 'after' : undefined
    }
    expect(await deliverInto(mailbox, source, 'out', 'orders.csv')).toBe('delivered')
    await taken
    expect(await readdir(join(place.root, 'out'))).toEqual([])
  })

  test('gets it once when the server was away until the next run', async () => {
    await mkdir(join(place.root, 'out'))
    const source = await localFile('a,b\n')
    let isAway = false
    server.misbehave = ({ kind }) => {
      if (isAway) return 'before'
      isAway = kind === 'rename'
      return isAway ? 'after' : undefined
    }
    const notes: Notes = {}
    await expect(deliverInto(mailbox, source, 'out', 'orders.csv', notes)).rejects.toMatchObject({
      code: 'mailbox-unreachable',
    })
    server.misbehave = () => undefined
    await takes()
    expect(await deliverInto(place.again(), source, 'out', 'orders.csv', notes)).toBe('delivered')
    expect(await readdir(join(place.root, 'out'))).toEqual([])
  })

  test('gets it once when another file has its name by then', async () => {
    await mkdir(join(place.root, 'out'))
    const source = await localFile('ours')
    let isAway = false
    server.misbehave = ({ kind }) => {
      if (isAway) return 'before'
      isAway = kind === 'rename'
      return isAway ? 'after' : undefined
    }
    const notes: Notes = {}
    await expect(deliverInto(mailbox, source, 'out', 'orders.csv', notes)).rejects.toMatchObject({
      code: 'mailbox-unreachable',
    })
    server.misbehave = () => undefined
    await takes()
    await place.put('out/orders.csv', 'theirs')
    expect(await deliverInto(place.again(), source, 'out', 'orders.csv', notes)).toBe('delivered')
    expect(await place.get('out/orders.csv')).toBe('theirs')
    expect(await visible('out')).toEqual(['orders.csv'])
  })

  test('gets it when the rename was never done', async () => {
    await mkdir(join(place.root, 'out'))
    const source = await localFile('a,b\n')
    let isAway = false
    server.misbehave = ({ kind }) => {
      isAway ||= kind === 'rename'
      return isAway ? 'before' : undefined
    }
    const notes: Notes = {}
    await expect(deliverInto(mailbox, source, 'out', 'orders.csv', notes)).rejects.toMatchObject({
      code: 'mailbox-unreachable',
    })
    server.misbehave = () => undefined
    expect(await deliverInto(place.again(), source, 'out', 'orders.csv', notes)).toBe('delivered')
    expect(await readdir(join(place.root, 'out'))).toEqual(['orders.csv'])
  })
})

describe('a server that was frozen and carries out a rename long after', () => {
  beforeEach(() => {
    mailbox = place.with({ timeoutMs: 150 })
  })

  test('takes no later file of the name for the one that was claimed', async () => {
    await place.put('inbox/orders.csv', 'first')
    once('rename', 'late')
    expect(await mailbox.claim(CLAIM)).toBe('claimed')
    await place.put('inbox/orders.csv', 'second')
    server.wake()
    expect((await contentsOf(mailbox.read(CLAIM))).toString()).toBe('first')
    expect(await place.get('inbox/orders.csv')).toBe('second')
  })

  test('gives a consumer nothing twice', async () => {
    await mkdir(join(place.root, 'out'))
    once('rename', 'late')
    expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'orders.csv')).toBe('delivered')
    await unlink(join(place.root, 'out/orders.csv'))
    server.wake()
    expect(await readdir(join(place.root, 'out'))).toEqual([])
  })

  test('gives no second name to a released or archived file', async () => {
    await place.put('inbox/orders.csv', 'first')
    await mailbox.claim(CLAIM)
    once('rename', 'late')
    expect(await mailbox.archive(CLAIM, 'archive')).toBe('archive/orders~k1.csv')
    server.wake()
    expect(await visible('archive')).toEqual(['orders~k1.csv'])
    expect(await visible('inbox')).toEqual([])
  })
})

describe('a server that', () => {
  test('cuts every connection off after a while gives and takes a large file in pieces', async () => {
    const contents = randomBytes(4_000_000)
    await mkdir(join(place.root, 'inbox'))
    await writeFile(join(place.root, 'inbox/orders.csv'), contents)
    let bytes = 0
    server.misbehave = (request: SftpRequest) => {
      bytes += request.bytes ?? 0
      if (bytes < 700_000) return undefined
      bytes = 0
      return 'before'
    }
    await mailbox.claim(CLAIM)
    expect(hashOf(await contentsOf(mailbox.read(CLAIM)))).toBe(hashOf(contents))
    expect(await deliverInto(mailbox, await localFile(contents), 'out', 'back.csv')).toBe('delivered')
    expect(hashOf(await readFile(join(place.root, 'out/back.csv')))).toBe(hashOf(contents))
    expect(server.connections()).toBeGreaterThan(8)
  })

  test('is slow is waited for as long as bytes arrive', async () => {
    await place.put('inbox/orders.csv', 'x'.repeat(2_000_000))
    mailbox = place.with({ timeoutMs: 250 })
    await mailbox.claim(CLAIM)
    server.delayMs = () => 4
    expect((await contentsOf(mailbox.read(CLAIM))).length).toBe(2_000_000)
    expect(server.connections()).toBe(1)
  })

  test('never answers is given up, and asked again once per timeout until it does', async () => {
    server.misbehave = () => 'silence'
    mailbox = place.with({ timeoutMs: 100 })
    const away = {
      code: 'mailbox-unreachable',
      message: expect.stringContaining('did not answer within 0.1 seconds'),
    }
    await expect(mailbox.list('inbox')).rejects.toMatchObject(away)
    expect(server.connections()).toBe(4)
    await expect(mailbox.list('inbox')).rejects.toMatchObject(away)
    expect(server.connections()).toBe(5)
    server.misbehave = () => undefined
    expect(await mailbox.list('inbox')).toEqual([])
  })

  test('never answers is asked once by a call that waits for the answer', async () => {
    server.misbehave = () => 'silence'
    mailbox = place.with({ timeoutMs: 100, isImpatient: true })
    await expect(mailbox.list('inbox')).rejects.toMatchObject({ code: 'mailbox-unreachable' })
    expect(server.connections()).toBe(1)
    server.misbehave = () => undefined
    expect(await mailbox.list('inbox')).toEqual([])
    server.misbehave = () => 'silence'
    await expect(mailbox.list('inbox')).rejects.toMatchObject({ code: 'mailbox-unreachable' })
    expect(server.connections()).toBe(2)
  })

  test('is gone is reported as such', async () => {
    await server.close()
    await expect(mailbox.list('inbox')).rejects.toMatchObject({
      code: 'mailbox-unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('refuses every rename keeps its files, and nothing half-done', async () => {
    await place.put('inbox/orders.csv', 'a,b\n')
    server.misbehave = ({ kind }) => (kind === 'rename' ? 'no rights' : undefined)
    const refused = { code: 'cannot-write', message: expect.stringContaining('permission denied') }
    await expect(mailbox.claim(CLAIM)).rejects.toMatchObject(refused)
    await expect(deliverInto(mailbox, await localFile('x'), 'out', 'a.csv')).rejects.toMatchObject(refused)
    expect(await visible('inbox')).toEqual(['orders.csv'])
    expect(await visible('out')).toEqual([])
  })

  test('says that it has less than it was sent gets no file', async () => {
    server.sizeOf = (path, size) => (path.includes('/out/') ? size - 1 : size)
    await expect(deliverInto(mailbox, await localFile('a,b\n'), 'out', 'a.csv')).rejects.toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining('sent 4 bytes and says that it has 3 bytes'),
    })
    expect(await visible('out')).toEqual([])
  })

  test('spoils what it was sent is found out by reading back', async () => {
    const careful = place.with({ verify: 'hash' })
    server.spoil = (bytes) => void (bytes[0] = 0x21)
    await expect(deliverInto(careful, await localFile('a,b\n'), 'out', 'a.csv')).rejects.toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining('not what was sent'),
    })
    expect(await visible('out')).toEqual([])
  })

  test.each([-3, 3])('lies about the size of a file by %i bytes does not pass for whole', async (by) => {
    await place.put('inbox/orders.csv', 'a,b\n1,2\n')
    await mailbox.claim(CLAIM)
    server.sizeOf = (path, size) => (path.includes('k1-') ? size + by : size)
    await expect(contentsOf(mailbox.read(CLAIM))).rejects.toMatchObject({ code: 'mailbox-unreachable' })
  })

  test('lets a program write on in a claimed file has it read again later', async () => {
    await place.put('inbox/orders.csv', 'a,b\n')
    await mailbox.claim(CLAIM)
    const claimed = join(place.root, 'inbox/.claimed/k1-orders.csv')
    server.misbehave = ({ kind }) => {
      if (kind === 'close') server.sizeOf = (_, size) => size + 4
      return undefined
    }
    await expect(contentsOf(mailbox.read(CLAIM))).rejects.toMatchObject({
      message: expect.stringContaining('changed while it was read'),
    })
    server.sizeOf = (_, size) => size
    server.misbehave = () => undefined
    await writeFile(claimed, 'a,b\n1,2\n')
    expect((await contentsOf(mailbox.read(CLAIM))).toString()).toBe('a,b\n1,2\n')
  })

  test('refuses the login is asked once, and not again for minutes', async () => {
    const wrongLogin = place.with({ login: { password: 'wrong' } })
    const refused = { code: 'credentials-refused', message: expect.not.stringContaining('wrong') }
    await expect(wrongLogin.list('inbox')).rejects.toMatchObject(refused)
    await expect(wrongLogin.list('inbox')).rejects.toMatchObject(refused)
    expect(server.connections()).toBe(1)
  })
})

describe('a listing', () => {
  test('of thousands of files asks nothing for each of them', async () => {
    await mkdir(join(place.root, 'inbox'))
    for (let n = 0; n < 2000; n++) await writeFile(join(place.root, 'inbox', `${n}.csv`), 'x')
    expect(await mailbox.list('inbox')).toHaveLength(2000)
    expect(server.requests.filter(({ kind }) => kind === 'lstat').length).toBeLessThan(5)
  })

  test('shows no name that leads out of the folder or cannot be sent back', async () => {
    await place.put('inbox/orders.csv', 'x')
    server.moreNames = [
      '../../etc/passwd',
      '/etc/passwd',
      'a/b.csv',
      'a\\b.csv',
      'a\nb.csv',
      '\u{fffd}.csv',
      '',
    ]
    expect((await mailbox.list('inbox')).map(({ name }) => name)).toEqual(['orders.csv'])
  })

  test('shows no links, and follows none out of the mailbox', async () => {
    await place.put('inbox/orders.csv', 'x')
    await writeFile(join(server.folder, 'secret.csv'), 'secret')
    await symlink(join(server.folder, 'secret.csv'), join(place.root, 'inbox/link.csv'))
    await mkdir(join(server.folder, 'outside'))
    await symlink(join(server.folder, 'outside'), join(place.root, 'out'))
    expect((await mailbox.list('inbox')).map(({ name }) => name)).toEqual(['orders.csv'])
    expect(await mailbox.claim({ ...CLAIM, name: 'link.csv' })).toBe('gone')
    const refused = {
      code: 'configuration-invalid',
      message: expect.stringContaining('leads out of the mailbox'),
    }
    await expect(deliverInto(mailbox, await localFile('x'), 'out', 'a.csv')).rejects.toMatchObject(refused)
    await expect(mailbox.list('out')).rejects.toMatchObject(refused)
  })

  test('of a mailbox that is not there is a failure, and makes nothing', async () => {
    const nowhere = place.with({ root: '/not/there' })
    await expect(nowhere.list('.')).rejects.toMatchObject({ code: 'mailbox-unreachable' })
    expect(await readdir(server.folder)).not.toContain('not')
  })
})

describe('what a crash left half-written', () => {
  test('is removed a day later, except noted working files and those of other bridges', async () => {
    const [noted, others, young] = ['ours.2', 'theirs.3', 'ours.4'].map((id) => `.a.csv.${id}.dropbridge.tmp`)
    for (const name of ['.a.csv.ours.1.dropbridge.tmp', noted, others, young]) {
      await place.put(`out/${name}`, 'a,')
      const at = name === young ? new Date(Date.UTC(2026, 10, 21, 2, 0)) : 1_700_000_000
      await utimes(join(place.root, 'out', name ?? ''), at, at)
    }
    const working = { owner: 'ours', noted: () => Promise.resolve([noted ?? '']) }
    expect(await deliverInto(place.with({ working }), await localFile('x'), 'out', 'x.csv')).toBe('delivered')
    expect((await readdir(join(place.root, 'out'))).toSorted()).toEqual([noted, young, others, 'x.csv'])
  })
})

test('a folder that was removed meanwhile is made again', async () => {
  await deliverInto(mailbox, await localFile('x'), 'out', 'a.csv')
  await rm(join(place.root, 'out'), { recursive: true })
  expect(await deliverInto(mailbox, await localFile('y'), 'out', 'b.csv')).toBe('delivered')
  expect(await visible('out')).toEqual(['b.csv'])
})

test('a file taken by its consumer is delivered again under its name and is not mistaken for the old one', async () => {
  await deliverInto(mailbox, await localFile('x'), 'out', 'a.csv')
  await unlink(join(place.root, 'out/a.csv'))
  expect(await deliverInto(mailbox, await localFile('y'), 'out', 'a.csv')).toBe('delivered')
  expect(await place.get('out/a.csv')).toBe('y')
})

test('several connections work at once where they are allowed', async () => {
  const wide = place.with({ connections: 3 })
  await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map(async (name) => deliverInto(wide, await localFile(name), 'out', name)),
  )
  expect((await visible('out')).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(server.connections()).toBeGreaterThan(1)
  expect(server.connections()).toBeLessThanOrEqual(3)
})

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
