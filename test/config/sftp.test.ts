/** The settings of a mailbox on an SFTP server, and the messages about errors in them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const FINGERPRINT = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

async function load(settings: string, env: NodeJS.ProcessEnv = {}) {
  const folder = await tempFolder()
  const path = join(folder, 'dropbridge.yaml')
  const lines = [
    'api: { baseUrl: "http://127.0.0.1:1", clientId: a, clientSecret: b }',
    `mailboxes: { partner: { type: sftp, ${settings} } }`,
    'routes: {}',
    '',
  ]
  await writeFile(path, lines.join('\n'))
  const { mailboxes, source } = await loadConfiguration(path, env)
  return { folder, mailbox: mailboxes['partner'], source }
}

async function errorsOf(settings: string): Promise<string> {
  try {
    await load(settings)
  } catch (error) {
    if (error instanceof BridgeError) return error.details.join('\n')
  }
  throw new Error('the settings were taken')
}

test('the defaults are safe: known hosts beside the configuration, and no server trusted by itself', async () => {
  const { folder, mailbox } = await load('host: sftp.partner.example, username: acme, password: geheim')
  expect(mailbox).toMatchObject({
    type: 'sftp',
    host: 'sftp.partner.example',
    port: 22,
    username: 'acme',
    login: { password: 'geheim' },
    trust: { knownHostsFile: join(folder, 'known_hosts') },
    timeoutMs: 30_000,
    root: '.',
    connections: 1,
    verify: 'size',
    claim: 'rename',
    deliver: 'rename',
  })
})

test('every setting can be given, secrets from the environment', async () => {
  const settings = [
    'host: "fe80::1"',
    'port: 2222',
    'username: acme',
    'privateKeyFile: keys/acme',
    'passphrase: "${PASSPHRASE}"',
    'agent: "${SSH_AUTH_SOCK}"',
    'knownHostsFile: keys/known_hosts',
    `hostKey: ["${FINGERPRINT}", "${PUBLIC_KEY} partner"]`,
    'proxy: "socks5://acme:${PROXY_PASSWORD}@proxy.example:1080"',
    'path: /out',
    'timeout: 5s',
    'connections: 4',
    'verify: hash',
    'claim: leave',
    'deliver: direct',
  ]
  const env = { PASSPHRASE: 'sesam', SSH_AUTH_SOCK: '/run/agent', PROXY_PASSWORD: 'geheim' }
  const { folder, mailbox } = await load(settings.join(', '), env)
  expect(mailbox).toMatchObject({
    host: 'fe80::1',
    port: 2222,
    login: { privateKeyFile: join(folder, 'keys/acme'), passphrase: 'sesam', agent: '/run/agent' },
    trust: {
      knownHostsFile: join(folder, 'keys/known_hosts'),
      pinned: [FINGERPRINT, `${PUBLIC_KEY} partner`],
    },
    proxy: 'socks5://acme:geheim@proxy.example:1080',
    timeoutMs: 5000,
    root: '/out',
    connections: 4,
    verify: 'hash',
    claim: 'leave',
    deliver: 'direct',
  })
})

const server = 'host: sftp.partner.example, username: acme, password: geheim'

test.each([
  { what: 'no way to log in', settings: 'host: a.example, username: acme', says: 'needs a way to log in' },
  {
    what: 'a passphrase without its key',
    settings: `${server}, passphrase: geheim`,
    says: 'privateKeyFile is missing',
  },
  {
    what: 'an address in the place of a host',
    settings: 'host: "sftp://a.example", username: acme, password: geheim',
    says: 'must be a name or an address alone',
  },
  { what: 'a port in the host', settings: 'host: "a.example:22", username: a, password: b', says: 'alone' },
  {
    what: 'a port behind an address',
    settings: 'host: "127.0.0.1:22", username: a, password: b',
    says: 'its port is `port`',
  },
  {
    what: 'an MD5 fingerprint',
    settings: `${server}, hostKey: "16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48"`,
    says: 'must be a fingerprint as `ssh-keygen -lf` prints it',
  },
  { what: 'trust in anybody', settings: `${server}, hostKey: any`, says: 'must be a fingerprint' },
  { what: 'a switch for that', settings: `${server}, strictHostKeyChecking: false`, says: 'unknown key' },
  {
    what: 'a proxy of another kind',
    settings: `${server}, proxy: "https://p.example"`,
    says: 'socks5://host',
  },
  { what: 'a proxy that is no address', settings: `${server}, proxy: p.example`, says: 'socks5://host' },
  { what: 'no time at all', settings: `${server}, timeout: 10ms`, says: 'at least 1s' },
  { what: 'too many connections', settings: `${server}, connections: 5`, says: 'must be at most 4' },
])('$what is an error that is reported without its value', async ({ settings, says }) => {
  const errors = await errorsOf(settings)
  expect(errors).toContain(says)
  expect(errors).not.toContain('geheim')
})

test.each([
  'socks5://acme:sesam@geheim@proxy.example:1080',
  'http:acme:geheim@proxy.example:3128',
  'socks5://${PROXY_LOGIN}@proxy.example:1080',
])('the copy of the configuration does not hold the password of a proxy: %s', async (proxy) => {
  const { source } = await load(`${server.replace('geheim', 'x')}, proxy: "${proxy}"`, {
    PROXY_LOGIN: 'acme:geheim',
  })
  const copy = JSON.stringify(source?.withoutSecrets)
  expect(copy).toContain('proxy.example')
  expect(copy).not.toContain('geheim')
})
