import { lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { deliverInto } from '../fixtures/deliver-into.ts'
import { makeArchivedName, makeClaimedName, isSafeName, makeWorkingName } from '../../src/mailboxes/names.ts'

let base: string
let root: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'dropbridge-paths-'))
  root = join(base, 'one', 'two', 'root')
  await mkdir(join(root, 'inbox'), { recursive: true })
  await mkdir(join(base, 'one', 'outside'))
  for (const sentinel of ['a.csv', 'one/a.csv', 'one/two/a.csv', 'one/outside/a.csv']) {
    await writeFile(join(base, sentinel), `sentinel ${sentinel}`)
  }
  await symlink('../../outside', join(root, 'link'))
  await symlink('../../../outside/a.csv', join(root, 'inbox', 'link.csv'))
  await writeFile(join(base, 'spooled'), 'delivered bytes')
})
afterAll(() => rm(base, { recursive: true, force: true }))

const piece = () =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('..', '.', '', 'inbox', 'link', 'link.csv', 'a.csv', 'outside', '.claimed'),
    },
    { weight: 1, arbitrary: fc.constantFrom('/', '\\', '\0', 'C:', '~', 'one', '%2e%2e', '..\\..', '．．') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  )
const crooked = () =>
  fc
    .tuple(
      fc.constantFrom('', '/', '../', 'here:'),
      fc.array(piece(), { maxLength: 5 }),
      fc.constantFrom('/', '\\'),
    )
    .map(([start, pieces, separator]) => {
      const joined = pieces.join(separator)
      return start === 'here:' ? join(base, 'one', 'outside', joined) : start + joined
    })

const path = () =>
  fc.oneof(fc.constantFrom('.', 'inbox', 'link', 'link/deeper', 'a.csv', 'link.csv'), crooked())

test('whatever the folder and the name, nothing outside the mailbox is read or changed', async () => {
  const before = await everythingOutside(base)
  const mailbox = createDirectoryMailbox({ root })
  const ids = { next: 0 }
  await fc.assert(
    fc.asyncProperty(path(), path(), async (folder, name) => {
      const claim = { id: `id-${(ids.next += 1)}`, folder, name }
      const calls = [
        deliverInto(mailbox, join(base, 'spooled'), folder, name),
        mailbox.list(folder),
        mailbox.claim(claim).then(() => everyByte(mailbox.read(claim))),
        mailbox.archive(claim, folder),
      ]
      const settled = await Promise.allSettled(calls)
      const refusals = settled.flatMap((call) =>
        call.status === 'rejected' ? [String(call.reason.code)] : [],
      )
      const known = ['configuration-invalid', 'mailbox-unreachable', 'cannot-write']
      expect(refusals.filter((code) => !known.includes(code))).toEqual([])
      expect(JSON.stringify(settled)).not.toContain('sentinel')
      expect(await everythingOutside(base)).toEqual(before)
    }),
    { numRuns: 250 },
  )
})

test('the names the bridge gives are safe, not too long, and keep different ids apart', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }),
      fc.uuid(),
      fc.uuid(),
      (name, id, other) => {
        fc.pre(isSafeName(name) && id !== other)
        const working = (given: string, called: string) => makeWorkingName('0123456789abcdef', given, called)
        for (const named of [makeClaimedName, makeArchivedName, working]) {
          expect(isSafeName(named(id, name))).toBe(true)
          expect(Buffer.byteLength(named(id, name))).toBeLessThanOrEqual(255)
          expect(named(id, name)).not.toBe(named(other, name))
        }
      },
    ),
  )
})

/** Every path below `folder` except those of the mailbox, with its contents. */
async function everythingOutside(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of await readdir(folder)) {
    const full = join(folder, name)
    if (full === root) continue
    const isFolder = (await lstat(full)).isDirectory()
    found[full] = isFolder ? 'folder' : await readFile(full, 'utf8')
    if (isFolder) Object.assign(found, await everythingOutside(full))
  }
  return found
}

async function everyByte(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString('utf8')
}
