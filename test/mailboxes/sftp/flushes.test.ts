/** The flushes that a real server is asked for, as its own log lists them. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeWithServers } from '../../fixtures/real-servers.ts'
import { deliverInto } from '../../fixtures/deliver-into.ts'
import { sftpUnderTest } from '../../fixtures/sftp-mailbox.ts'
import { startSshd } from '../../fixtures/sshd.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

describeWithServers(
  'flushes at',
  () => {
    test('a delivered file is flushed before its rename and once more after it, on the same handle', async () => {
      const { requests, place, spooled } = await setUp()

      expect(await deliverInto(place.mailbox, spooled, 'out', 'x.csv')).toBe('delivered')

      // The log names a handle by the name that the file had when it was opened.
      const working = expect.stringMatching(/^out\/\.x\.csv\.ours\./)
      expect(await requests(/^(fsync|rename)/)).toEqual([
        ['fsync', working],
        ['rename', working, 'out/x.csv'],
        ['fsync', working],
      ])
    })
  },
  ['OpenSSH'],
)

async function setUp() {
  const home = await tempFolder()
  const log = join(home, 'sftp.log')
  const server = await startSshd({ log })
  onTestFinished(() => server.remove())
  const place = await sftpUnderTest(server)
  onTestFinished(() => place.close())
  const spooled = join(home, 'spooled')
  await writeFile(spooled, 'a,b\n')
  return { place, spooled, requests: (kind: RegExp) => requestsIn(log, kind, place.root) }
}

/** The kind of each request and its paths within the mailbox. */
async function requestsIn(log: string, kind: RegExp, root: string): Promise<string[][]> {
  const lines = (await readFile(log, 'utf8')).split(/\r?\n/)
  return lines
    .filter((line) => kind.test(line))
    .map((line) => [
      line.split(' ', 1).join(),
      ...Array.from(line.matchAll(/"([^"]*)"/g), ([, path]) => within(root, String(path))),
    ])
}
function within(root: string, path: string): string {
  return path.slice(path.indexOf(`${root}/`) + root.length + 1)
}
