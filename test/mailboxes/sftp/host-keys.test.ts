/** Host keys at the real servers: the bridge sends nothing to a server that it does not trust. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SftpServer } from '../../../src/mailboxes/sftp/options.ts'
import { hasCode } from '../../../src/support/errors.ts'
import type { RealServer } from '../../fixtures/real-server.ts'
import { describeWithServers } from '../../fixtures/real-servers.ts'
import { namesSeenBy } from '../../fixtures/ssh-connection.ts'

const run = promisify(execFile)

describeWithServers('the host key of', ({ start }) => {
  let real: RealServer
  let trusting: (trust: SftpServer['trust']) => SftpServer

  beforeAll(async () => {
    real = await start({ hostKeys: ['ed25519', 'rsa'] })
    await writeFile(join(real.folder, 'orders.csv'), 'PO\n1\n')
    trusting = (trust) => ({ ...real.server, trust })
  })
  afterAll(() => real.remove())

  const failureOf = async (server: SftpServer) => {
    const failure: unknown = await namesSeenBy(server).catch((error: unknown) => error)
    assert(hasCode(failure, 'host-key-unknown', 'host-key-changed'), `no refusal: ${inspect(failure)}`)
    return failure
  }

  const lineOf = async (kind: 'ed25519' | 'rsa') => {
    await real.writeKnownHosts([kind])
    return readFile(real.knownHostsFile, 'utf8')
  }

  test('that known hosts name is trusted, also when its host is hashed', async () => {
    await real.writeKnownHosts()
    expect(await namesSeenBy(real.server)).toEqual(['orders.csv'])
    await run('ssh-keygen', ['-H', '-f', real.knownHostsFile])
    expect(await readFile(real.knownHostsFile, 'utf8')).toMatch(/^\|1\|/)
    expect(await namesSeenBy(real.server)).toEqual(['orders.csv'])
  })

  test('that is known is asked for, when the server has better ones that are not known', async () => {
    await real.writeKnownHosts(['rsa'])
    expect(await namesSeenBy(real.server)).toEqual(['orders.csv'])
  })

  test('is reported with the command to trust one when nothing is known, and the shown one is not trusted', async () => {
    await writeFile(
      real.knownHostsFile,
      `[127.0.0.1]:1 ${(await lineOf('ed25519')).split(' ').slice(1).join(' ')}`,
    )
    const failure = await failureOf(real.server)
    expect(failure.code).toBe('host-key-unknown')
    const fingerprint = await real.fingerprint('ed25519')
    expect(failure.message).toContain(`ED25519 ${fingerprint}`)
    expect(failure.fix).toContain('dropbridge trust-host partner --fingerprint …')
    expect(failure.fix).not.toContain(fingerprint)
  })

  test('is not known where there is no known hosts file', async () => {
    const trust = { knownHostsFile: join(real.folder, '..', 'nowhere', 'known_hosts') }
    expect((await failureOf(trusting(trust))).code).toBe('host-key-unknown')
  })

  test('is refused when it is revoked, though it is trusted too', async () => {
    const line = await lineOf('ed25519')
    await appendFile(real.knownHostsFile, `@revoked ${line}`)
    const failure = await failureOf(real.server)
    expect(failure.code).toBe('host-key-changed')
    expect(failure.message).toContain('revoked')
    expect(failure.message).toContain('line 2')
  })

  test('is not trusted by an authority, and the message says so', async () => {
    const line = await lineOf('ed25519')
    await writeFile(real.knownHostsFile, `@cert-authority ${line}`)
    const failure = await failureOf(real.server)
    expect(failure.code).toBe('host-key-unknown')
    expect(failure.message).toContain('Line 1 trusts an authority')
  })

  test('that is pinned by its fingerprint is trusted, of whatever kind it is', async () => {
    expect(await namesSeenBy(trusting({ pinned: [await real.fingerprint('ed25519')] }))).toEqual([
      'orders.csv',
    ])
    expect(await namesSeenBy(trusting({ pinned: [await real.fingerprint('rsa')] }))).toEqual(['orders.csv'])
  })

  test('that is pinned as a whole is trusted', async () => {
    const [, type, key] = (await lineOf('rsa')).split(' ')
    expect(await namesSeenBy(trusting({ pinned: [`${type} ${key} of the partner`] }))).toEqual(['orders.csv'])
  })

  test('that differs from the pinned one is refused with both fingerprints, whatever known hosts say', async () => {
    await real.writeKnownHosts()
    const other = `SHA256:${'A'.repeat(43)}`
    const failure = await failureOf(trusting({ ...real.server.trust, pinned: [other] }))
    expect(failure.code).toBe('host-key-changed')
    expect(failure.message).toContain(other)
    expect(failure.message).toContain(await real.fingerprint('ed25519'))
  })

  test('that was changed is refused with the old and the new fingerprint of the same kind', async () => {
    await real.writeKnownHosts()
    const old = { ed25519: await real.fingerprint('ed25519'), rsa: await real.fingerprint('rsa') }
    await real.changeHostKeys()
    await real.kill()
    await real.start()
    const failure = await failureOf(real.server)
    expect(failure.code).toBe('host-key-changed')
    expect(failure.exit).toBe(77)
    expect(failure.message).toContain(`Trusted: ED25519 ${old.ed25519}`)
    expect(failure.message).toContain(`Shown now: ED25519 ${await real.fingerprint('ed25519')}`)
    expect(failure.message).not.toContain(old.rsa)
  })
})
