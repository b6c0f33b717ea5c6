import { deliverInto, type Notes } from '../../fixtures/deliver-into.ts'
import { unlinkSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import { instantClock } from '../../fixtures/instant-clock.ts'
import { reachable, sftpUnderTest, type SftpUnderTest } from '../../fixtures/sftp-mailbox.ts'
import { sftpServer, type SftpRequestKind, type TestSftpServer } from '../../fixtures/sftp-server.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

const CLAIM = { id: 'k1', folder: 'inbox', name: 'orders.csv' }

let server: TestSftpServer
let place: SftpUnderTest

beforeEach(async () => {
  server = await sftpServer()
  place = await sftpUnderTest(reachable(server), { clock: instantClock() })
})
afterEach(async () => {
  await place.close()
  await server.close()
})

function forbid(...kinds: SftpRequestKind[]): void {
  server.misbehave = ({ kind }) => (kinds.includes(kind) ? 'no rights' : undefined)
}

async function localFile(contents: string): Promise<string> {
  const path = join(await tempFolder(), 'spooled')
  await writeFile(path, contents)
  return path
}

async function contentsOf(mailbox: Mailbox): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of mailbox.read(CLAIM)) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

describe('without the right to list', () => {
  test('the file of the one name that is wanted is found', async () => {
    await place.put('inbox/orders.csv', 'a,b\n', 1_700_000_000_000)
    forbid('opendir')
    expect(await place.mailbox.list('inbox', ['orders.csv'])).toEqual([
      { folder: 'inbox', name: 'orders.csv', size: 4, modifiedAt: 1_700_000_000_000 },
    ])
    expect(await place.mailbox.list('inbox', ['others.csv'])).toEqual([])
    await place.put('inbox/orders.csv.done', '')
    const both = await place.mailbox.list('inbox', ['orders.csv', 'orders.csv.done'])
    expect(both.map(({ name }) => name)).toEqual(['orders.csv', 'orders.csv.done'])
  })

  test('a pattern finds nothing, and the message says what to write', async () => {
    forbid('opendir')
    await expect(place.mailbox.list('inbox')).rejects.toMatchObject({
      code: 'mailbox-unreachable',
      message: expect.stringContaining('write the whole name of the file as `match`'),
    })
  })

  test('a file is taken, delivered and archived all the same', async () => {
    const { mailbox } = place
    await place.put('inbox/orders.csv', 'a,b\n')
    forbid('opendir')
    expect(await mailbox.claim(CLAIM)).toBe('claimed')
    expect(await mailbox.listClaims('inbox')).toEqual([])
    expect(await contentsOf(mailbox)).toBe('a,b\n')
    expect(await mailbox.archive(CLAIM, 'archive')).toBe('archive/orders~k1.csv')
    expect(await deliverInto(mailbox, await localFile('x'), 'out', 'x.csv')).toBe('delivered')
  })
})

describe('without the right to rename', () => {
  test('the failures name the settings that help', async () => {
    await place.put('inbox/orders.csv', 'a,b\n')
    forbid('rename')
    await expect(place.mailbox.claim(CLAIM)).rejects.toThrow('`claim: leave`')
    await expect(deliverInto(place.mailbox, await localFile('x'), 'out', 'x.csv')).rejects.toThrow(
      '`deliver: direct`',
    )
  })

  test('a file that is claimed in place is read where it is, and stays there', async () => {
    const mailbox = place.with({ claim: 'leave' })
    await place.put('inbox/orders.csv', 'a,b\n')
    forbid('rename', 'mkdir', 'remove', 'write')
    expect(mailbox.claimsInPlace).toBe(true)
    expect(await mailbox.claim({ ...CLAIM, name: 'missing.csv' })).toBe('gone')
    expect(await mailbox.claim(CLAIM)).toBe('claimed')
    expect(await contentsOf(mailbox)).toBe('a,b\n')
    expect(await mailbox.listClaims('inbox')).toEqual([])
    expect(await mailbox.releaseClaim(CLAIM)).toBe('returned')
    expect(await mailbox.archive(CLAIM, 'archive')).toBe('inbox/orders.csv')
    expect(await readdir(place.root, { recursive: true })).toEqual(['inbox', 'inbox/orders.csv'])
  })

  test('a file is written straight under its name, never over another one', async () => {
    const mailbox = place.with({ deliver: 'direct' })
    await mkdir(join(place.root, 'out'))
    forbid('rename', 'remove')
    expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'x.csv')).toBe('delivered')
    expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'x.csv')).toBe('delivered')
    expect(await deliverInto(mailbox, await localFile('a,b\n1,2\n'), 'out', 'x.csv')).toBe('occupied')
    expect(await place.get('out/x.csv')).toBe('a,b\n')
    expect(await place.names('out')).toEqual(['x.csv'])
  })

  describe('a file that a crash left half-written', () => {
    const earlier = (reached?: 'begun' | 'complete'): Notes => {
      const evidence = { by: 'direct', ...(reached === undefined ? {} : { reached }) }
      return { naming: { name: 'x.csv', working: '', evidence } }
    }
    const leave = async (notes: Notes) =>
      deliverInto(place.with({ deliver: 'direct' }), await localFile('a,b\n1,2\n'), 'out', 'x.csv', notes)

    test('is finished where it was begun', async () => {
      await place.put('out/x.csv', 'a,b\n')
      expect(await leave(earlier('begun'))).toBe('delivered')
      expect(await place.get('out/x.csv')).toBe('a,b\n1,2\n')
    })

    test('is written when only its empty file was made', async () => {
      await place.put('out/x.csv', '')
      expect(await leave(earlier())).toBe('delivered')
      expect(await place.get('out/x.csv')).toBe('a,b\n1,2\n')
    })

    test.each([undefined, 'ours'])(
      'is another one when it was not noted as begun (noted: %s)',
      async (noted) => {
        await place.put('out/x.csv', 'a,b\n')
        expect(await leave(noted === undefined ? {} : earlier())).toBe('occupied')
        expect(await place.get('out/x.csv')).toBe('a,b\n')
      },
    )

    test('and was taken away by its reader is not delivered again, and reported', async () => {
      await mkdir(join(place.root, 'out'))
      expect(await leave(earlier('begun'))).toEqual({
        unclear: expect.stringMatching(/before it was complete/),
      })
      expect(await place.names('out')).toEqual([])
    })

    test('after all of it was written is delivered, also where its reader has it', async () => {
      await mkdir(join(place.root, 'out'))
      expect(await leave(earlier('complete'))).toBe('delivered')
      expect(await place.names('out')).toEqual([])
    })

    test('is noted at each step before a reader could take it', async () => {
      await mkdir(join(place.root, 'out'))
      const mailbox = place.with({ deliver: 'direct' })
      const staged = await mailbox.stage(await localFile('a,b\n'), 'out', { name: 'x.csv' })
      const seen: unknown[] = [[staged.evidence['reached'], await place.get('out/x.csv')]]
      await mailbox.giveName(staged, 'x.csv', {
        note: async ({ reached }) => void seen.push([reached, await place.get('out/x.csv')]),
      })
      expect(seen).toEqual([
        [undefined, undefined],
        ['begun', ''],
        ['complete', 'a,b\n'],
      ])
    })
  })

  test.each(['before', 'after'] as const)(
    'a write continues where it was when the connection is lost %s it',
    async (how) => {
      const mailbox = place.with({ deliver: 'direct' })
      const contents = '0123456789abcdef'.repeat(20_000)
      let writes = 0
      server.misbehave = ({ kind }) => (kind === 'write' && (writes += 1) % 4 === 0 ? how : undefined)
      expect(await deliverInto(mailbox, await localFile(contents), 'out', 'x.csv')).toBe('delivered')
      expect((await readFile(join(place.root, 'out/x.csv'), 'utf8')) === contents).toBe(true)
      expect(server.connections()).toBeGreaterThan(2)
    },
  )

  test.each([undefined, 'before', 'after'] as const)(
    'a reader that takes the whole file at once gets it once (connection: %s)',
    async (how) => {
      const mailbox = place.with({ deliver: 'direct' })
      const taken: string[] = []
      server.misbehave = ({ kind }) => {
        if (kind !== 'close' || taken.length > 0) return undefined
        taken.push('x.csv')
        unlinkSync(join(place.root, 'out/x.csv'))
        return how
      }
      await mkdir(join(place.root, 'out'))
      expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'x.csv')).toBe('delivered')
      expect(taken).toEqual(['x.csv'])
      expect(await place.names('out')).toEqual([])
    },
  )

  test('a reader that takes the file while it is read back gets it once', async () => {
    const mailbox = place.with({ deliver: 'direct', verify: 'hash' })
    let isTaken = false
    server.misbehave = ({ kind, path }) => {
      if (kind !== 'lstat' || isTaken || !server.requests.some((each) => each.kind === 'fstat'))
        return undefined
      const lstats = server.requests.filter((each) => each.kind === 'lstat' && each.path === path).length
      isTaken = lstats >= 3
      if (isTaken) unlinkSync(join(place.root, 'out/x.csv'))
      return undefined
    }
    await mkdir(join(place.root, 'out'))
    expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'x.csv')).toBe('delivered')
    expect(isTaken).toBe(true)
    expect(await place.names('out')).toEqual([])
  })

  test('a name that another program takes meanwhile keeps its contents', async () => {
    const mailbox = place.with({ deliver: 'direct' })
    await mkdir(join(place.root, 'out'))
    const staged = await mailbox.stage(await localFile('ours'), 'out', { name: 'x.csv' })
    await writeFile(join(place.root, 'out/x.csv'), 'theirs')
    expect(await mailbox.giveName(staged, 'x.csv')).toBe('occupied')
    expect(await place.get('out/x.csv')).toBe('theirs')
  })
})

test('a server that refuses the stat of a name has not said that it is free', async () => {
  await place.put('out/x.csv', 'a')
  await place.mailbox.listNames('out')
  server.misbehave = ({ kind, path }) =>
    kind === 'lstat' && path?.endsWith('.csv') === true ? 'no rights' : undefined
  await expect(place.mailbox.hasEntry('out', 'gone.csv')).rejects.toMatchObject({
    code: 'mailbox-unreachable',
    message: expect.stringContaining('gone.csv cannot be inspected'),
  })
})

test('without the right to delete, a file is delivered and nothing else stays', async () => {
  forbid('remove')
  expect(await deliverInto(place.mailbox, await localFile('x'), 'out', 'x.csv')).toBe('delivered')
  expect(await place.names('out')).toEqual(['x.csv'])
})

test('without the right to make folders, the missing folder is named', async () => {
  forbid('mkdir')
  await expect(place.mailbox.list('inbox')).rejects.toMatchObject({
    code: 'cannot-write',
    message: expect.stringContaining('/inbox cannot be made'),
  })
})
