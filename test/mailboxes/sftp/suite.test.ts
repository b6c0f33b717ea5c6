import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import type { RealServer } from '../../fixtures/real-server.ts'
import { describeWithServers } from '../../fixtures/real-servers.ts'
import { reachable, sftpUnderTest, type SftpUnderTest } from '../../fixtures/sftp-mailbox.ts'
import { sftpServer, type TestSftpServer } from '../../fixtures/sftp-server.ts'
import { describeMailbox } from '../../suites/mailbox.suite.ts'

describe('an SFTP server without extensions', () => {
  let server: TestSftpServer
  beforeAll(async () => {
    server = await sftpServer()
  })
  afterAll(() => server.close())
  describeMailbox('its folder', () => sftpUnderTest(reachable(server)))

  describe('whose rename replaces a file that has the name', () => {
    beforeAll(() => void (server.renameReplaces = true))
    afterAll(() => void (server.renameReplaces = false))
    describeMailbox('its folder', async () => ({
      ...(await sftpUnderTest(reachable(server), { verify: 'hash' })),
      exclusive: false,
    }))
  })
})

describeWithServers('the SFTP server of', ({ name, start }) => {
  let server: RealServer
  let place: SftpUnderTest
  let second: Mailbox
  beforeAll(async () => {
    server = await start()
    place = await sftpUnderTest(server)
    second = place.again()
  })
  afterAll(async () => {
    await place.close()
    await server.remove()
  })
  // Real servers take their time over a login, so the tests share two connections.
  describeMailbox('its folder', async () => ({
    ...place,
    // ProFTPD checks whether the name is free and renames then, which is two steps.
    exclusive: name !== 'ProFTPD',
    again: () => second,
    close: () => emptied(place.root),
  }))
})

async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}
