/** `dropbridge trust-host`: a server is trusted only because a person says so. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import type { RealServer } from '../fixtures/real-server.ts'
import { describeWithServers } from '../fixtures/real-servers.ts'
import { namesSeenBy } from '../fixtures/ssh-connection.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal, runCommand } from '../fixtures/terminal.ts'

const OTHER = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl`
const OTHER_FINGERPRINT = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'

describeWithServers(
  'trusting the server',
  ({ start }) => {
    let real: RealServer
    let ed25519: string
    let rsa: string
    let folder: string
    let place: string

    beforeAll(async () => {
      real = await start({ hostKeys: ['ed25519', 'rsa'] })
      ed25519 = await real.fingerprint('ed25519')
      rsa = await real.fingerprint('rsa')
      place = `[127.0.0.1]:${real.server.port}`
    })
    afterAll(() => real.remove())
    beforeEach(async () => {
      folder = await tempFolder()
      await configure()
    })

    const configure = (more = '') =>
      writeFile(
        join(folder, 'dropbridge.yaml'),
        [
          'api: { baseUrl: http://127.0.0.1:1, clientId: a, clientSecret: b }',
          'mailboxes:',
          '  exchange: { type: directory, path: ./exchange }',
          `  partner: { type: sftp, host: 127.0.0.1, port: ${real.server.port}, username: acme, password: geheim ${more} }`,
          'routes: {}',
          '',
        ].join('\n'),
      )

    const known = () => readFile(join(folder, 'known_hosts'), 'utf8').catch(() => '')
    const know = (text: string) => writeFile(join(folder, 'known_hosts'), text)
    const canLogIn = () =>
      namesSeenBy({ ...real.server, trust: { knownHostsFile: join(folder, 'known_hosts') } }).then(
        () => true,
        () => false,
      )

    const trustHost = (args: string[], answer?: string) => {
      const asked = answer === undefined ? {} : { ask: () => Promise.resolve(answer) }
      return runCommand({ folder, ...asked }, ['trust-host', ...args])
    }

    test('by the fingerprint that was given trusts that key alone', async () => {
      expect(await canLogIn()).toBe(false)
      const result = await trustHost(['partner', '--fingerprint', rsa])
      expect(result.exit).toBe(0)
      expect(result.out).toBe(`${place} shows ED25519 ${ed25519}\n${place} shows RSA ${rsa}`)
      expect(result.err).toBe(`${place} is trusted from now on, in ${join(folder, 'known_hosts')}`)
      expect(await known()).toMatch(/^\[127\.0\.0\.1\]:\d+ ssh-rsa AAAA[^\n]+\n$/)
      expect((await stat(join(folder, 'known_hosts'))).mode & 0o777).toBe(0o600)
      expect(await canLogIn()).toBe(true)
    })

    test('by another fingerprint is refused', async () => {
      const result = await trustHost(['partner', '--fingerprint', OTHER_FINGERPRINT])
      expect(result.exit).toBe(77)
      expect(result.err).toContain(`shows ED25519 ${ed25519} and RSA ${rsa}, and not "${OTHER_FINGERPRINT}"`)
      expect(await known()).toBe('')
    })

    test("needs a person's word", async () => {
      const result = await trustHost(['partner'])
      expect(result.exit).toBe(77)
      expect(result.err).toContain('then: `dropbridge trust-host partner --fingerprint …`.')
      expect((await trustHost(['partner'], 'no')).exit).toBe(77)
      expect(await known()).toBe('')
    })

    test('is asked for on a terminal: yes, or the fingerprint itself', async () => {
      expect((await trustHost(['partner'], ed25519)).exit).toBe(0)
      expect((await known()).split('\n')).toHaveLength(2)
      await know('')
      expect((await trustHost(['partner'], 'yes')).exit).toBe(0)
      expect((await known()).split('\n')).toHaveLength(3)
      expect(await canLogIn()).toBe(true)
    })

    test('again changes nothing', async () => {
      await trustHost(['partner', '--yes'])
      const before = await known()
      const again = await trustHost(['partner', '--yes'])
      expect(again.exit).toBe(0)
      expect(again.err).toBe(`${place} is trusted already, in ${join(folder, 'known_hosts')}`)
      expect(await known()).toBe(before)
    })

    test('keeps the other lines of the file, and adds the line end that is missing', async () => {
      await know(`# ours\nother.example ${OTHER}`)
      await trustHost(['partner', '--fingerprint', ed25519])
      expect(await known()).toMatch(
        /^# ours\nother\.example ssh-ed25519 \S+\n\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+\n$/,
      )
    })

    test('with another key than before needs --replace, and both fingerprints are shown', async () => {
      await know(`other.example,${place} ${OTHER}\n${place} ${OTHER} ours\n`)
      const refused = await trustHost(['partner', '--yes'])
      expect(refused.exit).toBe(77)
      expect(refused.err).toContain(`Trusted: ED25519 ${OTHER_FINGERPRINT}`)
      expect(refused.err).toContain(`Shown now: ED25519 ${ed25519}`)
      const unasked = await trustHost(['partner', '--replace'])
      expect(unasked.err).toContain('There is no terminal to ask')
      for (const { err } of [refused, unasked])
        expect(err).toContain('then: `dropbridge trust-host partner --replace --fingerprint …`.')
      const replaced = await trustHost(['partner', '--fingerprint', ed25519, '--replace'])
      expect(replaced.exit).toBe(0)
      expect(replaced.out).toContain(`${place} is trusted with ED25519 ${OTHER_FINGERPRINT}`)
      expect(await known()).toMatch(
        /^other\.example ssh-ed25519 \S+\n\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+\n$/,
      )
      expect(await canLogIn()).toBe(true)
    })

    test('in the place of a pattern is left to a person', async () => {
      await know(`\\[127.0.0.*\\]:* ${OTHER}\n[127.0.0.*]:* ${OTHER}\n`)
      const result = await trustHost(['partner', '--yes', '--replace'])
      expect(result.exit).toBe(78)
      expect(result.err).toContain('line 2 trusts')
    })

    test('with a key that is revoked is refused, whatever the options', async () => {
      await trustHost(['partner', '--fingerprint', ed25519])
      await know(`@revoked ${await known()}`)
      const result = await trustHost(['partner', '--yes', '--replace'])
      expect(result.exit).toBe(77)
      expect(result.err).toContain('is revoked in')
    })

    test('of a key that the configuration pins changes nothing', async () => {
      await configure(`, hostKey: "${rsa}"`)
      const right = await trustHost(['partner', '--yes'])
      expect(right.exit).toBe(0)
      expect(right.err).toBe(`${place} is trusted already, by hostKey of the mailbox`)
      await configure(`, hostKey: "${OTHER_FINGERPRINT}"`)
      const wrong = await trustHost(['partner', '--yes', '--replace'])
      expect(wrong.exit).toBe(77)
      expect(wrong.err).toContain('Correct hostKey of the mailbox partner')
      expect(await known()).toBe('')
    })

    test('prints what it sees for programs, and asks no question', async () => {
      const seen = await trustHost(['partner', '--json'], 'yes')
      expect(seen.exit).toBe(77)
      expect(JSON.parse(seen.out)).toMatchObject({ host: place, state: 'unknown', trusted: [], added: [] })
      expect(seen.err).toContain('`dropbridge trust-host partner --fingerprint …`')
      const result = await trustHost(['partner', '--json', '--fingerprint', ed25519], 'no')
      expect(JSON.parse(result.out)).toMatchObject({
        mailbox: 'partner',
        host: place,
        state: 'unknown',
        shown: [
          { type: 'ssh-ed25519', fingerprint: ed25519 },
          { type: 'ssh-rsa', fingerprint: rsa },
        ],
        trusted: [],
        added: [ed25519],
      })
      expect((await trustHost(['partner', '--json'], 'yes')).exit).toBe(0)
    })
  },
  ['OpenSSH'],
)

test('a port where no server answers is named with what to check', async () => {
  const folder = await tempFolder()
  const lines = [
    'api: { baseUrl: http://127.0.0.1:1, clientId: a, clientSecret: b }',
    'mailboxes: { partner: { type: sftp, host: 127.0.0.1, port: 1, username: x, password: y } }',
    'routes: {}',
  ]
  await writeFile(join(folder, 'dropbridge.yaml'), lines.join('\n'))
  const { terminal, err } = listeningTerminal({ folder })
  expect(await runCommandLine(terminal, ['trust-host', 'partner'])).toBe(69)
  expect(err.join('\n')).toContain(
    'fix: Check host 127.0.0.1 and port 1 in its mailbox, whether the server runs, and the firewall.',
  )
})

test('a mailbox that is a folder, or that is not there, has no host key', async () => {
  const folder = await tempFolder()
  const lines = [
    'api: { baseUrl: http://127.0.0.1:1, clientId: a, clientSecret: b }',
    'mailboxes: { exchange: { type: directory, path: ./exchange } }',
    'routes: {}',
  ]
  await writeFile(join(folder, 'dropbridge.yaml'), lines.join('\n'))
  const { terminal, err } = listeningTerminal({ folder })
  expect(await runCommandLine(terminal, ['trust-host', 'exchange'])).toBe(64)
  expect(await runCommandLine(terminal, ['trust-host', 'exchang'])).toBe(64)
  expect(err.join('\n')).toContain('The mailbox exchange is a folder of this machine')
  expect(err.join('\n')).toContain('There is no mailbox "exchang". Did you mean "exchange"?')
})
