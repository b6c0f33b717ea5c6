/** The mailboxes of the configuration: their settings and folders. */
import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { omitUndefined } from '../support/object-paths.ts'
import { durationText, Text, toMs } from './time-values.ts'

const DirectorySettings = z.strictObject({
  type: z.literal('directory'),
  path: Text.describe('A folder on this machine, or on a share mounted here.'),
  mounted: z
    .boolean()
    .default(false)
    .describe(
      'The folder is where a share is mounted: while nothing is, the mailbox is away and not empty, and nothing is left in the folder below.',
    ),
})

// Mailboxes on an SFTP server: the settings under `type: sftp`.

/** Refuses MD5 fingerprints, for which a second key can be made. */
const HostKey = z
  .string()
  .refine(
    (text) => FINGERPRINT.test(text) || PUBLIC_KEY.test(text),
    'must be a fingerprint as `ssh-keygen -lf` prints it (SHA256:…), or a public key (ssh-ed25519 AAAA…)',
  )

const Proxy = z
  .string()
  .refine(
    isProxy,
    'must be an address such as socks5://host:1080 or http://host:3128, with name:password@ before the host where the proxy wants them',
  )

const SftpSettings = z
  .strictObject({
    type: z.literal('sftp'),
    host: Text.refine(
      isHost,
      'must be a name or an address alone, such as sftp.partner.example; its port is `port`',
    ).describe('The name or address of the server.'),
    port: z.int().min(1).max(65_535).default(22).describe('The port of the server.'),
    username: Text.describe('Who logs in.'),
    password: Text.optional().describe(
      'The password; from ${NAME} or ${file:PATH}. It also answers a server that asks for it.',
    ),
    privateKeyFile: Text.optional().describe(
      'A private key in the form of OpenSSH or PEM; only its owner may read it.',
    ),
    passphrase: Text.optional().describe('Opens the private key; from ${NAME} or ${file:PATH}.'),
    agent: Text.optional().describe(
      'The socket of an agent that holds the key, mostly ${SSH_AUTH_SOCK}; on Windows its pipe, or pageant.',
    ),
    knownHostsFile: Text.default('./known_hosts').describe(
      'Which host keys are trusted, in the form of OpenSSH; `dropbridge trust-host` adds to it.',
    ),
    hostKey: z
      .union([HostKey, z.array(HostKey).min(1)])
      .optional()
      .describe(
        'The fingerprint (SHA256:…) of the only host key that is trusted, or several; known hosts do not count then.',
      ),
    proxy: Proxy.optional().describe(
      'A proxy on the way: socks5://host:1080 or http://host:3128, with name:password@ before the host where it wants them.',
    ),
    path: Text.default('.').describe('The folder on the server: absolute, or from where a login starts.'),
    timeout: durationText('must be a time of at least 1s, such as 30s', 1000)
      .default('30s')
      .describe('How long one call may be without an answer.'),
    connections: z.int().min(1).max(4).default(1).describe('How many connections may be open at once.'),
    verify: z
      .enum(['size', 'hash'])
      .default('size')
      .describe(
        'How an upload is checked before it gets its name: by its size, or by reading it back (hash).',
      ),
    claim: z
      .enum(['rename', 'leave'])
      .default('rename')
      .describe(
        'How a file is taken: renamed out of its folder, or left where it is (leave) on a server without the right to move it. What is left is known again by its name, size and time.',
      ),
    deliver: z
      .enum(['rename', 'direct'])
      .default('rename')
      .describe(
        'How a file is left: under a working name and then renamed, or straight under its name (direct) on a server without the right to rename. A reader may then see half of it.',
      ),
  })
  .superRefine(({ password, privateKeyFile, passphrase, agent }, context) => {
    if (password === undefined && privateKeyFile === undefined && agent === undefined) {
      const message = 'needs a way to log in: password, privateKeyFile or agent.'
      context.addIssue({ code: 'custom', path: [], message })
    }
    if (passphrase !== undefined && privateKeyFile === undefined) {
      const message = 'opens a private key: privateKeyFile is missing.'
      context.addIssue({ code: 'custom', path: ['passphrase'], message })
    }
  })

export const MailboxSettings = z.discriminatedUnion('type', [DirectorySettings, SftpSettings])

export type MailboxConfiguration =
  SftpConfiguration | { readonly type: 'directory'; readonly path: string; readonly mounted?: boolean }

/** Paths on this machine are relative to `folder`. */
export function toMailbox(mailbox: z.output<typeof MailboxSettings>, folder: string): MailboxConfiguration {
  if (mailbox.type === 'sftp') return toSftp(mailbox, folder)
  const { type, path, mounted } = mailbox
  return { type, path: resolve(folder, path), ...(mounted && { mounted }) }
}

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/

const PUBLIC_KEY =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) AAAA[A-Za-z0-9+/]+={0,2}(?: .*)?$/

export type SftpConfiguration = ReturnType<typeof toSftp>

function toSftp(file: z.output<typeof SftpSettings>, folder: string) {
  const { password, privateKeyFile: key, passphrase, agent, knownHostsFile, hostKey, ...rest } = file
  const { path: root, timeout, proxy, ...server } = rest
  return {
    ...server,
    root,
    timeoutMs: toMs(timeout),
    login: omitUndefined({ password, privateKeyFile: key && resolve(folder, key), passphrase, agent }),
    // With pinned keys, only these count.
    trust: {
      knownHostsFile: resolve(folder, knownHostsFile),
      ...omitUndefined({ pinned: hostKey === undefined ? undefined : [hostKey].flat() }),
    },
    ...omitUndefined({ proxy }),
  }
}

function isHost(text: string): boolean {
  return !/[\s/@,*?!|#[\]]|:\/\//.test(text) && (!text.includes(':') || isIPv6(text.replace(/%\w+$/, '')))
}

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const isBare = ['', '/'].includes(pathname) && search + hash === ''
  return ['socks5:', 'socks5h:', 'http:'].includes(protocol) && hostname !== '' && isBare
}

/** Returns the same text for the same folder, and the path of a local one. Relative paths are relative to `base`. */
export function resolvePlace(
  mailboxes: Readonly<Record<string, unknown>>,
  { mailbox, folder }: { readonly mailbox: string; readonly folder: string },
  base = '',
): string {
  const settings = mailboxes[mailbox]
  const isOnDisk = typeof settings === 'object' && settings !== null && 'path' in settings
  if (!isOnDisk || typeof settings.path !== 'string') return JSON.stringify([mailbox, folder])
  return resolve(base, settings.path, folder)
}
