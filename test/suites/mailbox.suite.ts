/** The promises of every mailbox, whatever it is made of. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Mailbox, type StagedFile, toNaming } from '../../src/domain/mailbox.ts'
import { deliverInto } from '../fixtures/deliver-into.ts'

/** A mailbox, and the place behind it as other programs see it. Paths are relative, with forward slashes. */
export interface MailboxUnderTest {
  readonly mailbox: Mailbox
  /** The mailbox of the same bridge after a restart, or of a second bridge that shares its journal. */
  again(): Mailbox
  /** The mailbox of a bridge with a journal of its own on the same place. */
  foreign(): Mailbox
  /** Reads a file without deleting it, as some readers do. */
  take(path: string): Promise<void>
  put(path: string, contents: string, modifiedAt?: number): Promise<void>
  /** Whether the place can take a name only if it is free; some file systems cannot, and two at once may collide. */
  readonly exclusive: boolean
  /** Takes a file away, as another program would. */
  remove(path: string): Promise<void>
  /** Undefined when there is no such file. */
  get(path: string): Promise<string | undefined>
  /** The names in a folder, hidden ones too. */
  names(folder: string): Promise<string[]>
  close(): Promise<void>
}

const ID = 'c0ffee00-0000-4000-8000-000000000001'
const OTHER_ID = 'c0ffee00-0000-4000-8000-000000000002'
const CLAIM = { id: ID, folder: 'inbox', name: 'orders.csv' }
const ESCAPES = [
  '../outside',
  'a/../../outside',
  '/etc',
  'a//b',
  'a\\..\\..\\b',
  'C:/b',
  'a\0b',
  '..',
  'a/.',
  'inbox/',
]

export function describeMailbox(title: string, make: () => Promise<MailboxUnderTest>): void {
  describe(`${title} as a mailbox`, () => {
    let place: MailboxUnderTest
    let mailbox: Mailbox
    let local: string

    beforeEach(async () => {
      place = await make()
      mailbox = place.mailbox
      local = await mkdtemp(join(tmpdir(), 'dropbridge-local-'))
    })
    afterEach(async () => {
      await place.close()
      await rm(local, { recursive: true, force: true })
    })

    const namesListed = async (folder: string) => (await mailbox.list(folder)).map(({ name }) => name)

    const localFile = async (contents: string) => {
      const path = join(local, 'spooled')
      await writeFile(path, contents, { mode: 0o600 })
      return path
    }

    describe('list', () => {
      test('shows a file with its size and time', async () => {
        await place.put('inbox/orders.csv', 'PO\r\n1\r\n', 1_700_000_000_000)
        expect(await mailbox.list('inbox')).toEqual([
          { folder: 'inbox', name: 'orders.csv', size: 7, modifiedAt: 1_700_000_000_000 },
        ])
      })

      test('shows the oldest file first, and files of one age by name', async () => {
        await place.put('inbox/b.csv', 'x', 1_700_000_000_000)
        await place.put('inbox/a.csv', 'x', 1_700_000_000_000)
        await place.put('inbox/newest.csv', 'x', 1_700_000_009_000)
        await place.put('inbox/z-oldest.csv', 'x', 1_600_000_000_000)
        expect(await namesListed('inbox')).toEqual(['z-oldest.csv', 'a.csv', 'b.csv', 'newest.csv'])
      })

      test('leaves out files that a program is still writing under a working name', async () => {
        const working = [
          '.hidden.csv',
          '~$orders.csv',
          'a.tmp',
          'b.csv.part',
          'c.PARTIAL',
          'd.filepart',
          'e.writing',
        ]
        for (const name of [...working, 'f.crdownload']) await place.put(`inbox/${name}`, 'x')
        await place.put('inbox/whole.csv', 'x')
        expect(await namesListed('inbox')).toEqual(['whole.csv'])
      })

      test('leaves out folders and what is in them', async () => {
        await place.put('inbox/2026/old.csv', 'x')
        expect(await mailbox.list('inbox')).toEqual([])
      })

      test('lists a missing folder as empty, and finds files put into it later', async () => {
        expect(await mailbox.list('new/inbox')).toEqual([])
        await place.put('new/inbox/a.csv', 'x')
        expect(await namesListed('new/inbox')).toEqual(['a.csv'])
      })

      test('shows the files of the mailbox itself when the folder is a dot', async () => {
        await place.put('a.csv', 'x')
        expect(await namesListed('.')).toEqual(['a.csv'])
      })

      test('shows a name with spaces and letters of any language as it is', async () => {
        await place.put('inbox/Aufträge März – 訂單 (2).csv', 'x')
        expect(await namesListed('inbox')).toEqual(['Aufträge März – 訂單 (2).csv'])
      })
    })

    describe('readTail', () => {
      test('reads the last bytes of a file that is not claimed, and nothing of a missing one', async () => {
        await place.put('inbox/orders.csv', 'PO\n12')
        const [file] = await mailbox.list('inbox')
        if (file === undefined) throw new Error('the file is not listed')
        const read = async (bytes: number) =>
          Buffer.from((await mailbox.readTail(file, bytes)) ?? []).toString()
        expect([await read(2), await read(100)]).toEqual(['12', 'PO\n12'])
        expect(await mailbox.readTail({ ...file, name: 'other.csv' }, 2)).toBeUndefined()
        expect(await namesListed('inbox')).toEqual(['orders.csv'])
      })
    })

    describe('getClaimSize', () => {
      test('reports the present size of a claimed file, and nothing for a missing one', async () => {
        await place.put('inbox/orders.csv', 'PO\n1\n')
        expect(await mailbox.getClaimSize(CLAIM)).toBeUndefined()
        await mailbox.claim(CLAIM)
        expect(await mailbox.getClaimSize(CLAIM)).toBe(5)
      })
    })

    describe('getArchivedSizes', () => {
      test('reports the present sizes of archived files, and nothing for missing ones', async () => {
        await place.put('inbox/orders.csv', 'PO\n1\n')
        await mailbox.claim(CLAIM)
        const path = await mailbox.archive(CLAIM, 'archive/2026')
        const gone = ['archive/2026/none.csv', 'archive/none/orders.csv', 'none.csv']
        expect(await mailbox.getArchivedSizes([path, ...gone])).toEqual(new Map([[path, 5]]))
        await place.put(path, 'PO\n1\n2\n')
        expect(await mailbox.getArchivedSizes([path])).toEqual(new Map([[path, 7]]))
        expect(await mailbox.hasFolder('archive/none')).toBe(false)
      })

      test('reports them for many files of one folder, too', async () => {
        const paths = Array.from({ length: 20 }, (_, number) => `archive/${number}.csv`)
        for (const [number, path] of paths.entries()) await place.put(path, 'x'.repeat(number))
        await place.put('archive/other.csv', 'x')
        expect(await mailbox.getArchivedSizes([...paths, 'archive/none.csv'])).toEqual(
          new Map(paths.map((path, number) => [path, number])),
        )
      })

      test.each(['../secret.csv', 'archive/..', '/etc/hostname', ''])('refuses the path %j', async (path) => {
        await expect(mailbox.getArchivedSizes([path])).rejects.toMatchObject({
          code: 'configuration-invalid',
        })
      })
    })

    describe('claim', () => {
      test('takes the file away from the folder and keeps its bytes', async () => {
        await place.put('inbox/orders.csv', 'PO,Qty\n1,2\n')
        expect(await mailbox.claim(CLAIM)).toBe('claimed')
        expect(await mailbox.list('inbox')).toEqual([])
        expect(await place.get('inbox/orders.csv')).toBeUndefined()
        expect(await contentsOf(mailbox.read(CLAIM))).toBe('PO,Qty\n1,2\n')
      })

      test('reports the same when it is repeated after a crash', async () => {
        await place.put('inbox/orders.csv', 'x')
        await mailbox.claim(CLAIM)
        expect(await place.again().claim(CLAIM)).toBe('claimed')
      })

      test('is one claim for two that carry it out at once, of which one was thought to be gone', async () => {
        for (let round = 0; round < 20; round++) {
          const claim = { ...CLAIM, id: `${ID.slice(0, -2)}${String(round).padStart(2, '0')}` }
          await place.put('inbox/orders.csv', `${round}`)
          const answers = await Promise.all([mailbox.claim(claim), place.again().claim(claim)])
          expect(answers).toEqual(['claimed', 'claimed'])
          expect(await contentsOf(mailbox.read(claim))).toBe(`${round}`)
        }
      })

      test('does not touch a new file that came under the name of a claimed one', async () => {
        await place.put('inbox/orders.csv', 'first')
        await mailbox.claim(CLAIM)
        await place.put('inbox/orders.csv', 'second')
        expect(await mailbox.claim(CLAIM)).toBe('claimed')
        expect(await contentsOf(mailbox.read(CLAIM))).toBe('first')
        expect(await place.get('inbox/orders.csv')).toBe('second')
      })

      test('reports gone when there is no such file', async () => {
        await mailbox.list('inbox')
        expect(await mailbox.claim(CLAIM)).toBe('gone')
      })

      test('gives the file to exactly one of two bridges', async () => {
        await place.put('inbox/orders.csv', 'x')
        const [first, second] = await Promise.all([
          mailbox.claim(CLAIM),
          place.again().claim({ ...CLAIM, id: OTHER_ID }),
        ])
        expect([first, second].toSorted()).toEqual(['claimed', 'gone'])
        const winner = first === 'claimed' ? CLAIM : { ...CLAIM, id: OTHER_ID }
        expect(await contentsOf(mailbox.read(winner))).toBe('x')
      })

      test('takes a file whose name is as long as names can be', async () => {
        const name = `${'ä'.repeat(125)}.csv`
        await place.put(`inbox/${name}`, 'long')
        const claim = { id: ID, folder: 'inbox', name }
        expect(await mailbox.claim(claim)).toBe('claimed')
        expect(await contentsOf(mailbox.read(claim))).toBe('long')
        const archived = await mailbox.archive(claim, 'archive')
        expect(archived).toMatch(new RegExp(`^archive/ä+~[\\da-f]{12}~${ID}\\.csv$`))
        expect(await place.get(archived)).toBe('long')
      })

      test('distinguishes two files of one id whose long names begin alike', async () => {
        const names = ['.csv', '.csv.manifest', '-done.csv'].map((end) => `${'x'.repeat(241)}${end}`)
        const archived = new Set<string>()
        for (const name of names) await place.put(`inbox/${name}`, name)
        for (const name of names)
          expect(await mailbox.claim({ id: ID, folder: 'inbox', name })).toBe('claimed')
        for (const name of names) {
          const claim = { id: ID, folder: 'inbox', name }
          expect(await contentsOf(mailbox.read(claim))).toBe(name)
          archived.add(await mailbox.archive(claim, 'archive'))
        }
        expect(archived.size).toBe(3)
      })
    })

    describe('read', () => {
      test('gives a large file whole', async () => {
        const contents = '0123456789abcdef'.repeat(100_000)
        await place.put('inbox/orders.csv', contents)
        await mailbox.claim(CLAIM)
        expect((await contentsOf(mailbox.read(CLAIM))) === contents).toBe(true)
      })

      test('can be stopped half way and started again', async () => {
        await place.put('inbox/orders.csv', 'x'.repeat(2_000_000))
        await mailbox.claim(CLAIM)
        let first = 0
        for await (const chunk of mailbox.read(CLAIM)) {
          first = chunk.length
          break
        }
        expect(first).toBeGreaterThan(0)
        expect((await contentsOf(mailbox.read(CLAIM))).length).toBe(2_000_000)
      })

      test('reports that the mailbox has lost the file when it is not there', async () => {
        await expect(contentsOf(mailbox.read(CLAIM))).rejects.toMatchObject({ code: 'mailbox-unreachable' })
      })
    })

    describe('archive', () => {
      test('moves the claimed file and returns its new place', async () => {
        await place.put('inbox/orders.csv', 'x')
        await mailbox.claim(CLAIM)
        const archived = await mailbox.archive(CLAIM, 'archive/orders-in/2026')
        expect(archived).toBe(`archive/orders-in/2026/orders~${ID}.csv`)
        expect(await place.get(archived)).toBe('x')
        await expect(contentsOf(mailbox.read(CLAIM))).rejects.toMatchObject({ code: 'mailbox-unreachable' })
      })

      test('gives the bytes of an archived file by its path, as often as they are read', async () => {
        await place.put('inbox/orders.csv', 'PO\n1\n')
        await mailbox.claim(CLAIM)
        const archivedAs = await mailbox.archive(CLAIM, 'archive/2026')
        const read = async (path: string) => {
          const chunks: Uint8Array[] = []
          for await (const chunk of mailbox.read({ archivedAs: path })) chunks.push(chunk)
          return Buffer.concat(chunks).toString()
        }
        expect(await read(archivedAs)).toBe('PO\n1\n')
        expect(await read(archivedAs)).toBe('PO\n1\n')
        await expect(read('archive/2026/none.csv')).rejects.toMatchObject({ code: 'mailbox-unreachable' })
        await expect(read('../secret.csv')).rejects.toMatchObject({ code: 'configuration-invalid' })
      })

      test('keeps every file when many of one name are archived', async () => {
        for (const id of [ID, OTHER_ID]) {
          await place.put('inbox/orders.csv', id)
          await mailbox.claim({ ...CLAIM, id })
          await mailbox.archive({ ...CLAIM, id }, 'archive')
        }
        expect(await place.get(`archive/orders~${ID}.csv`)).toBe(ID)
        expect(await place.get(`archive/orders~${OTHER_ID}.csv`)).toBe(OTHER_ID)
      })

      test('gives the same answer when it is repeated after a crash', async () => {
        await place.put('inbox/orders.csv', 'x')
        await mailbox.claim(CLAIM)
        const archived = await mailbox.archive(CLAIM, 'archive')
        expect(await place.again().archive(CLAIM, 'archive')).toBe(archived)
        expect(await place.names('archive')).toEqual([`orders~${ID}.csv`])
      })

      test('by two at once, of which one was thought to be gone, archives the file once', async () => {
        for (let round = 0; round < 20; round++) {
          const claim = { ...CLAIM, id: `${ID.slice(0, -2)}${String(round).padStart(2, '0')}` }
          await place.put('inbox/orders.csv', `${round}`)
          await mailbox.claim(claim)
          const [one, other] = await Promise.all([
            mailbox.archive(claim, 'archive'),
            place.again().archive(claim, 'archive'),
          ])
          expect(other).toBe(one)
          expect(await place.get(one)).toBe(`${round}`)
        }
      })

      test('finishes when a crash left the file both claimed and archived', async () => {
        await place.put('inbox/orders.csv', 'x')
        await mailbox.claim(CLAIM)
        await place.put(`archive/orders~${ID}.csv`, 'x')
        expect(await mailbox.archive(CLAIM, 'archive')).toBe(`archive/orders~${ID}.csv`)
        expect(await mailbox.claim(CLAIM)).toBe('gone')
      })

      test('does not overwrite a file with other bytes', async () => {
        await place.put('inbox/orders.csv', 'ours')
        await mailbox.claim(CLAIM)
        await place.put(`archive/orders~${ID}.csv`, 'not ours')
        await expect(mailbox.archive(CLAIM, 'archive')).rejects.toMatchObject({ code: 'cannot-write' })
        expect(await place.get(`archive/orders~${ID}.csv`)).toBe('not ours')
        expect(await contentsOf(mailbox.read(CLAIM))).toBe('ours')
      })

      test('reports that the claimed file is missing when it is nowhere', async () => {
        await mailbox.list('inbox')
        await expect(mailbox.archive(CLAIM, 'archive')).rejects.toMatchObject({
          code: 'mailbox-unreachable',
          message: expect.stringContaining('is missing'),
        })
      })

      test('keeps a name without an extension readable', async () => {
        await place.put('inbox/ORDERS', 'x')
        await mailbox.claim({ ...CLAIM, name: 'ORDERS' })
        expect(await mailbox.archive({ ...CLAIM, name: 'ORDERS' }, '.')).toBe(`ORDERS~${ID}`)
      })
    })

    describe('folders that are missing', () => {
      const gone = new Error('files lay there before')
      const beforeCreate = () => Promise.reject(gone)

      test('are made by a listing, unless that is refused', async () => {
        await expect(mailbox.list('inbox', undefined, beforeCreate)).rejects.toThrow(gone.message)
        expect(await mailbox.hasFolder('inbox')).toBe(false)
        expect(await mailbox.list('inbox')).toEqual([])
        expect(await mailbox.hasFolder('inbox')).toBe(true)
        expect(await mailbox.list('inbox', undefined, beforeCreate)).toEqual([])
      })

      test('are made for a delivery, unless that is refused', async () => {
        const spooled = await localFile('a')
        const how = { name: 'a.csv' }
        await expect(mailbox.stage(spooled, 'out/today', { ...how, beforeCreate })).rejects.toThrow(
          gone.message,
        )
        expect([await mailbox.hasFolder('out'), await mailbox.listNames('.')]).toEqual([false, new Set()])
        await mailbox.removeStaged(await mailbox.stage(spooled, 'out/today', how))
        await mailbox.removeStaged(await mailbox.stage(spooled, 'out/today', { ...how, beforeCreate }))
        expect(await place.names('out/today')).toEqual([])
      })

      test('are never made by a query for them, or for a file that was in them', async () => {
        expect(await mailbox.hasFolder('inbox')).toBe(false)
        expect(await mailbox.listClaims('inbox')).toEqual([])
        expect(await mailbox.listNames('inbox')).toBeUndefined()
        const calls = [
          () => mailbox.claim(CLAIM),
          () => mailbox.getClaimSize(CLAIM),
          () => mailbox.releaseClaim(CLAIM),
          () => mailbox.archive(CLAIM, 'archive'),
          () => contentsOf(mailbox.read(CLAIM)),
        ]
        for (const call of calls)
          await expect(call()).rejects.toMatchObject({
            code: 'mailbox-unreachable',
            message: expect.stringMatching(/inbox is gone/),
          })
        expect(await mailbox.listNames('.')).toEqual(new Set())
      })
    })

    describe('claims and unclaim', () => {
      test('by two at once release the file once', async () => {
        for (let round = 0; round < 20; round++) {
          const claim = { ...CLAIM, id: `${ID.slice(0, -2)}${String(round).padStart(2, '0')}` }
          const name = `orders-${round}.csv`
          await place.put(`inbox/${name}`, `${round}`)
          await mailbox.claim({ ...claim, name })
          const answers = await Promise.all([
            mailbox.releaseClaim({ ...claim, name }),
            place.again().releaseClaim({ ...claim, name }),
          ])
          expect(answers).toEqual(['returned', 'returned'])
          expect(await place.get(`inbox/${name}`)).toBe(`${round}`)
          expect(await mailbox.listClaims('inbox')).toEqual([])
        }
      })

      const claim = { ...CLAIM, id: 'k3v9' }

      test('list the claimed files, and release one with its bytes', async () => {
        await place.put('inbox/orders.csv', 'a,b\n')
        await mailbox.claim(claim)
        expect(await mailbox.listClaims('inbox')).toEqual(['k3v9'])
        expect(await mailbox.releaseClaim(claim)).toBe('returned')
        expect(await place.get('inbox/orders.csv')).toBe('a,b\n')
        expect(await mailbox.listClaims('inbox')).toEqual([])
        expect(await mailbox.releaseClaim(claim)).toBe('returned')
      })

      test('never release a file over another one of its name', async () => {
        await place.put('inbox/orders.csv', 'first')
        await mailbox.claim(claim)
        await place.put('inbox/orders.csv', 'second')
        expect(await mailbox.releaseClaim(claim)).toBe('occupied')
        expect(await place.get('inbox/orders.csv')).toBe('second')
        expect(await contentsOf(mailbox.read(claim))).toBe('first')
      })

      test('find nothing where nothing was ever claimed, and make no folder for it', async () => {
        await place.put('inbox/orders.csv', 'a,b\n')
        expect(await mailbox.listClaims('inbox')).toEqual([])
        expect(await place.names('inbox')).toEqual(['orders.csv'])
      })
    })

    describe('a naming that a crash interrupted', () => {
      const stage = async () => mailbox.stage(await localFile('a,b\n'), 'out', { name: 'orders-1.csv' })
      const inspect = (staged: StagedFile) =>
        place.again().inspectNaming('out', toNaming(staged, 'orders-1.csv'))

      test('before the name was given is reported as not named, and continues however often it is interrupted', async () => {
        const first = await stage()
        const earlier = toNaming(first, 'orders-1.csv')
        for (let crash = 0; crash < 2; crash++) expect(await inspect(first)).toBe('not-named')
        const again = await place.again().stage(first.source, 'out', { name: 'orders-1.csv', earlier })
        expect(await inspect(first)).toBe('not-named')
        expect(await place.again().giveName(again, 'orders-1.csv')).toBe('delivered')
        await place.again().removeStaged(again)
        expect(await place.names('out')).toEqual(['orders-1.csv'])
      })

      test('leaves nothing to name for a bridge that was stopped meanwhile, though the reader has the file', async () => {
        const staged = await stage()
        const earlier = toNaming(staged, 'orders-1.csv')
        const leaseLost = () => Promise.reject(new Error('lease lost'))
        const wakesUp = () =>
          mailbox.giveName(staged, 'orders-1.csv', { note: leaseLost }).catch(() => 'refused')
        expect(await inspect(staged)).toBe('not-named')
        const again = await place.again().stage(staged.source, 'out', { name: 'orders-1.csv', earlier })
        expect(await place.again().giveName(again, 'orders-1.csv')).toBe('delivered')
        await place.remove('out/orders-1.csv')
        expect(['refused', 'lost']).toContain(await wakesUp())
        expect(await place.get('out/orders-1.csv')).toBeUndefined()
        await place.again().removeStaged(again)
        expect(await wakesUp()).toBe('lost')
        expect(await place.get('out/orders-1.csv')).toBeUndefined()
      })

      test('after the name was given is reported as named, and is the same when it is asked again', async () => {
        const staged = await stage()
        expect(await mailbox.giveName(staged, 'orders-1.csv')).toBe('delivered')
        expect(await inspect(staged)).toBe('named')
        expect(await inspect(staged)).toBe('named')
        await mailbox.removeStaged(staged)
        expect(await place.names('out')).toEqual(['orders-1.csv'])
      })

      test.each(['removed', 'moved away'])(
        'is reported as named when its reader has %s the file',
        async (how) => {
          const staged = await stage()
          await mailbox.giveName(staged, 'orders-1.csv')
          await (how === 'removed' ? place.remove('out/orders-1.csv') : place.take('out/orders-1.csv'))
          expect(await inspect(staged)).toBe('named')
          await place.again().removeStaged(staged)
          expect(await place.names('out')).toEqual([])
        },
      )

      test('is reported as named when another file has its name by then', async () => {
        const staged = await stage()
        await mailbox.giveName(staged, 'orders-1.csv')
        await place.remove('out/orders-1.csv')
        await place.put('out/orders-1.csv', 'theirs')
        expect(await inspect(staged)).toBe('named')
      })

      test('reports nothing about a folder that is away', async () => {
        const staged = await stage()
        await mailbox.giveName(staged, 'orders-1.csv')
        await place.take('out')
        await expect(inspect(staged)).rejects.toMatchObject({ code: 'mailbox-unreachable' })
      })

      test('does not touch a file that a bridge with another journal has staged for the same name', async () => {
        const other = join(local, 'other')
        await writeFile(other, 'theirs')
        const foreign = await place.foreign().stage(other, 'out', { name: 'orders-1.csv' })
        expect(await inspect(await stage())).toBe('not-named')
        await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'orders-2.csv')
        expect(await place.foreign().giveName(foreign, 'orders-1.csv')).toBe('delivered')
        expect(await place.get('out/orders-1.csv')).toBe('theirs')
      })

      test('is not misled by another name that was taken', async () => {
        await place.put('out/orders-1.csv', 'theirs')
        const staged = await stage()
        expect(await mailbox.giveName(staged, 'orders-1.csv')).toBe('occupied')
        expect(await mailbox.giveName(staged, 'orders-1~2.csv')).toBe('delivered')
        expect(await place.again().inspectNaming('out', toNaming(staged, 'orders-1~2.csv'))).toBe('named')
        expect(await place.get('out/orders-1.csv')).toBe('theirs')
      })
    })

    describe('deliver', () => {
      test('delivers the file into a folder that it makes', async () => {
        expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out/today', 'orders-1.csv')).toBe(
          'delivered',
        )
        expect(await place.get('out/today/orders-1.csv')).toBe('a,b\n')
        expect(await place.names('out/today')).toEqual(['orders-1.csv'])
      })

      test('counts the same bytes that are there already as delivered', async () => {
        await place.put('out/orders-1.csv', 'a,b\n')
        expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'orders-1.csv')).toBe('delivered')
        expect(await place.names('out')).toEqual(['orders-1.csv'])
      })

      test.each(['c,d\n', 'longer than ours\n', ''])('never overwrites other bytes: %j', async (existing) => {
        await place.put('out/orders-1.csv', existing)
        expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'orders-1.csv')).toBe('occupied')
        expect(await place.get('out/orders-1.csv')).toBe(existing)
        expect(await place.names('out')).toEqual(['orders-1.csv'])
      })

      test('does not mistake a folder of that name for a file', async () => {
        await place.put('out/orders-1.csv/inside', 'x')
        expect(await deliverInto(mailbox, await localFile('a,b\n'), 'out', 'orders-1.csv')).toBe('occupied')
        expect(await place.get('out/orders-1.csv/inside')).toBe('x')
      })

      test('leaves exactly one whole file when two bridges deliver different files under one name', async () => {
        const first = await localFile('first')
        const second = join(local, 'second')
        await writeFile(second, 'second')
        const answers = await Promise.all([
          deliverInto(mailbox, first, 'out', 'orders-1.csv'),
          deliverInto(place.again(), second, 'out', 'orders-1.csv'),
        ])
        // A place that cannot take a name only if it is free may let the later one win, but never mixes the two.
        expect(answers).toContain('delivered')
        expect(['first', 'second']).toContain(await place.get('out/orders-1.csv'))
        if (!place.exclusive) return
        expect(answers.toSorted()).toEqual(['delivered', 'occupied'])
        const winner = answers[0] === 'delivered' ? 'first' : 'second'
        expect(await place.get('out/orders-1.csv')).toBe(winner)
        expect(await place.names('out')).toEqual(['orders-1.csv'])
      })

      test('shows a large file at its name only when it is whole', async () => {
        const size = 8_000_000
        const path = await localFile('x'.repeat(size))
        const sizes = new Set<number>()
        const delivering = { done: false }
        const finished = deliverInto(mailbox, path, 'out', 'large.csv').finally(
          () => (delivering.done = true),
        )
        while (!delivering.done) {
          for (const info of await mailbox.list('out')) sizes.add(info.size)
        }
        await finished
        for (const info of await mailbox.list('out')) sizes.add(info.size)
        expect([...sizes]).toEqual([size])
      })

      test('delivers an empty file', async () => {
        expect(await deliverInto(mailbox, await localFile(''), 'out', 'empty.csv')).toBe('delivered')
        expect(await place.get('out/empty.csv')).toBe('')
      })

      test('reports a file in place of the folder', async () => {
        await place.put('out', 'not a folder')
        await expect(deliverInto(mailbox, await localFile('x'), 'out', 'a.csv')).rejects.toMatchObject({
          code: 'mailbox-unreachable',
        })
        expect(await place.get('out')).toBe('not a folder')
      })
    })

    describe('names and mark', () => {
      test('list all entries of a folder: files, folders, hidden and half-written ones', async () => {
        await place.put('out/orders.csv', 'a')
        await place.put('out/orders.csv.done', '')
        await place.put('out/.half.tmp', '')
        await place.put('out/sub/other.csv', '')

        const names = await mailbox.listNames('out')

        expect([...(names ?? [])].toSorted()).toEqual(['.half.tmp', 'orders.csv', 'orders.csv.done', 'sub'])
      })

      test('distinguish a missing folder from an empty one, and do not make it', async () => {
        await place.put('here/a.csv', '')
        await place.remove('here/a.csv')

        expect(await mailbox.listNames('here')).toEqual(new Set())
        expect(await mailbox.listNames('gone/deeper')).toBeUndefined()
        expect(await place.names('.')).toEqual(['here'])
      })

      test('list the entries that a listing ignores, with their kinds', async () => {
        const modifiedAt = Date.parse('2026-11-21T12:00:00Z')
        await place.put('inbox/orders.csv', 'a')
        await place.put('inbox/orders.csv.part', 'a', modifiedAt)
        await place.put('inbox/.hidden', '')
        await place.put('inbox/sub.csv/other.csv', '')

        expect(await mailbox.listIgnored('inbox')).toEqual([
          { name: '.hidden', kind: 'file', modifiedAt: expect.any(Number) },
          { name: 'orders.csv.part', kind: 'file', modifiedAt },
          { name: 'sub.csv', kind: 'folder', modifiedAt: expect.any(Number) },
        ])
        expect(await mailbox.listIgnored('gone/deeper')).toEqual([])
        expect(await place.names('.')).toEqual(['inbox'])
      })

      test('report whether a name is taken by anything, without a listing and without making the folder', async () => {
        await place.put('out/orders.csv', 'a')
        await place.put('out/.hidden', '')
        await place.put('out/sub/other.csv', '')

        for (const name of ['orders.csv', '.hidden', 'sub']) {
          expect(await mailbox.hasEntry('out', name)).toBe(true)
        }
        expect(await mailbox.hasEntry('out', 'orders-2.csv')).toBe(false)
        expect(await mailbox.hasEntry('gone/deeper', 'orders.csv')).toBe(false)
        await place.remove('out/orders.csv')
        expect(await mailbox.hasEntry('out', 'orders.csv')).toBe(false)
        expect(await place.names('.')).toEqual(['out'])
      })

      test('make a mark once, in a folder that is made, which no listing shows', async () => {
        await mailbox.createMarkerFolder('out', '.dropbridge')
        await mailbox.createMarkerFolder('out', '.dropbridge')

        expect(await mailbox.listNames('out')).toEqual(new Set(['.dropbridge']))
        expect(await mailbox.list('out')).toEqual([])
        expect(await place.again().listNames('out')).toEqual(new Set(['.dropbridge']))
      })

      test.each(ESCAPES)('refuse the folder %j', async (folder) => {
        await expect(mailbox.listNames(folder)).rejects.toMatchObject({ code: 'configuration-invalid' })
        await expect(mailbox.hasEntry(folder, 'a.csv')).rejects.toMatchObject({
          code: 'configuration-invalid',
        })
        await expect(mailbox.listIgnored(folder)).rejects.toMatchObject({ code: 'configuration-invalid' })
        await expect(mailbox.createMarkerFolder(folder, '.dropbridge')).rejects.toMatchObject({
          code: 'configuration-invalid',
        })
      })
    })

    describe('names and folders from outside', () => {
      test.each(ESCAPES)('the folder %j is refused by every call', async (folder) => {
        const refusal = { code: 'configuration-invalid' }
        const claim = { ...CLAIM, folder }
        await place.put('inbox/orders.csv', 'x')
        await mailbox.claim(CLAIM)
        await expect(mailbox.list(folder)).rejects.toMatchObject(refusal)
        await expect(mailbox.claim(claim)).rejects.toMatchObject(refusal)
        await expect(contentsOf(mailbox.read(claim))).rejects.toMatchObject(refusal)
        await expect(mailbox.archive(CLAIM, folder)).rejects.toMatchObject(refusal)
        await expect(deliverInto(mailbox, await localFile('x'), folder, 'a.csv')).rejects.toMatchObject(
          refusal,
        )
        expect(() => mailbox.describe(folder, 'a.csv')).toThrow('cannot be a folder of a mailbox')
        expect(await contentsOf(mailbox.read(CLAIM))).toBe('x')
      })

      test.each(['../a.csv', '..', '.', '', 'a/b.csv', 'a\\b.csv', 'a\nb.csv', 'a\0.csv'])(
        'the name %j is refused by every call',
        async (name) => {
          const refusal = { code: 'configuration-invalid' }
          const claim = { ...CLAIM, name }
          await expect(mailbox.claim(claim)).rejects.toMatchObject(refusal)
          await expect(contentsOf(mailbox.read(claim))).rejects.toMatchObject(refusal)
          await expect(mailbox.archive(claim, 'archive')).rejects.toMatchObject(refusal)
          await expect(mailbox.hasEntry('out', name)).rejects.toMatchObject(refusal)
          await expect(deliverInto(mailbox, await localFile('x'), 'out', name)).rejects.toMatchObject(refusal)
          expect(() => mailbox.describe('out', name)).toThrow('cannot be the name of a file')
        },
      )
    })

    describe('for people', () => {
      test('a file is named with its folder', () => {
        expect(mailbox.describe('out/today', 'orders-1.csv')).toContain('orders-1.csv')
        expect(mailbox.describe('out/today', 'orders-1.csv')).toContain('today')
      })
    })
  })
}

async function contentsOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString('utf8')
}
