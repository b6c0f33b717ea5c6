/** A directory mailbox that is a mount point: real mounts, which come and go. */
import { deliverInto } from '../fixtures/deliver-into.ts'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkFolders } from '../../src/app/check.ts'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { isTemporaryName } from '../../src/mailboxes/names.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function share() {
  const folder = await tempFolder()
  const root = join(folder, 'share')
  const spooled = join(folder, 'spooled')
  await writeFile(spooled, 'a,b\n')
  return { root, spooled, disk: await smallDisk(root) }
}

const AWAY = { code: 'mailbox-unreachable' }
const CLAIM = { id: 'claim-1', folder: '.', name: 'orders.csv' }

test('while nothing is mounted no call uses the folder below as the mailbox', async () => {
  const { root, spooled, disk } = await share()
  const mailbox = createDirectoryMailbox({ root, mounted: true })
  expect(await deliverInto(mailbox, spooled, '.', 'orders.csv')).toBe('delivered')
  expect((await mailbox.list('.')).map(({ name }) => name)).toEqual(['orders.csv'])
  await disk.unmount()
  await writeFile(join(root, 'orders.csv'), 'below')

  const calls = [
    () => mailbox.list('.'),
    () => mailbox.claim(CLAIM),
    () => mailbox.listClaims('.'),
    () => mailbox.archive(CLAIM, 'archive'),
    () => deliverInto(mailbox, spooled, '.', 'b.csv'),
    () => mailbox.listNames('.'),
    () => mailbox.createMarkerFolder('.', '.mark'),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject(AWAY)
  expect(await readdir(root)).toEqual(['orders.csv'])
})

test('a check advises to declare that a mailbox is mounted, and reports when nothing is', async () => {
  const { root, disk } = await share()
  const check = (mounted: boolean) =>
    checkFolders({ mailboxes: { exchange: { type: 'directory', path: root, mounted } } })

  expect(await check(false)).toEqual({
    failures: [],
    warnings: [
      expect.stringMatching(
        /^mailbox exchange: .*\/share is where something is mounted; with "mounted: true"/,
      ),
    ],
  })
  expect(await check(true)).toEqual({ failures: [], warnings: [] })
  await disk.unmount()
  expect(await check(false)).toEqual({ failures: [], warnings: [] })
  expect(await check(true)).toEqual({
    failures: [`mailbox exchange: nothing is mounted at ${root}: mount it`],
    warnings: [],
  })
})

test('a file that is delivered while the share goes away does not count as delivered', async () => {
  const { root, spooled, disk } = await share()
  const newId = () => {
    void disk.unmount()
    return 'working'
  }
  const mailbox = createDirectoryMailbox({ root, mounted: true, newId })

  await expect(deliverInto(mailbox, spooled, '.', 'orders.csv')).rejects.toMatchObject(AWAY)
  // Its copy may be hidden in the folder below, and never gets its name there.
  expect((await readdir(root)).filter((name) => !isTemporaryName(name))).toEqual([])
})
