/** A mailbox on an SFTP server: the settings under `type: sftp`. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { checkedMs, DURATION_PATTERN, durationMs } from './duration.ts'

const Text = z.string().min(1)

const TIMEOUT_MIN_MS = 1000

const Timeout = z
  .string()
  .refine((text) => (durationMs(text) ?? 0) >= TIMEOUT_MIN_MS, 'must be a time of at least 1s, such as 30s')
  .meta({ pattern: DURATION_PATTERN })

const Proxy = z
  .string()
  .refine(
    isProxy,
    'must be an address such as socks5://host:1080 or http://host:3128, with name:password@ before the host where the proxy wants them',
  )

/** Of an MD5 fingerprint somebody may make a second key; it is not taken. */
const HostKey = z
  .string()
  .refine(
    (text) => FINGERPRINT.test(text) || PUBLIC_KEY.test(text),
    'must be a fingerprint as `ssh-keygen -lf` prints it (SHA256:…), or a public key (ssh-ed25519 AAAA…)',
  )

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/
const PUBLIC_KEY =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) AAAA[A-Za-z0-9+/]+={0,2}(?: .*)?$/

export const SftpFile = z
  .strictObject({
    type: z.literal('sftp'),
    host: Text.refine(isHost, 'must be a name or an address alone, such as sftp.partner.example').describe(
      'The name or address of the server.',
    ),
    port: z.int().min(1).max(65_535).default(22).describe('The port of the server.'),
    username: Text.describe('Who logs in.'),
    password: Text.optional().describe(
      'The password; from ${NAME} or ${file:PATH}. It also answers a server that asks for it.',
    ),
    privateKeyFile: Text.optional().describe(
      'A private key in the form of OpenSSH or PEM; for nobody else to read.',
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
    timeout: Timeout.default('30s').describe('How long one call may be without an answer.'),
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
        'How a file is taken: renamed out of its folder, or left where it is (leave) on a server that lets nobody move it. What is left is known again by its name, size and time.',
      ),
    deliver: z
      .enum(['rename', 'direct'])
      .default('rename')
      .describe(
        'How a file is left: under a working name and then renamed, or straight under its name (direct) on a server that lets nobody rename. Whoever reads it then may see half of it.',
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

export interface SftpConfiguration {
  readonly type: 'sftp'
  readonly host: string
  readonly port: number
  readonly username: string
  readonly login: {
    readonly password?: string
    readonly privateKeyFile?: string
    readonly passphrase?: string
    readonly agent?: string
  }
  /** Where there are pinned keys, they alone count. */
  readonly trust: { readonly knownHostsFile: string; readonly pinned?: readonly string[] }
  readonly proxy?: string
  readonly timeoutMs: number
  /** The folder on the server. */
  readonly root: string
  readonly connections: number
  readonly verify: 'size' | 'hash'
  readonly claim: 'rename' | 'leave'
  readonly deliver: 'rename' | 'direct'
}

/** Paths on this machine are relative to `folder`. */
export function toSftp(file: z.output<typeof SftpFile>, folder: string): SftpConfiguration {
  const { type, host, port, username, knownHostsFile, hostKey, proxy, path } = file
  const { connections, verify, claim, deliver } = file
  const timeoutMs = checkedMs(file.timeout)
  return {
    type,
    host,
    port,
    username,
    login: toLogin(file, folder),
    trust: {
      knownHostsFile: resolve(folder, knownHostsFile),
      ...(hostKey === undefined ? {} : { pinned: [hostKey].flat() }),
    },
    ...(proxy === undefined ? {} : { proxy }),
    timeoutMs,
    root: path,
    connections,
    verify,
    claim,
    deliver,
  }
}

function toLogin(
  { password, privateKeyFile, passphrase, agent }: z.output<typeof SftpFile>,
  folder: string,
): SftpConfiguration['login'] {
  return {
    ...(password === undefined ? {} : { password }),
    ...(privateKeyFile === undefined ? {} : { privateKeyFile: resolve(folder, privateKeyFile) }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(agent === undefined ? {} : { agent }),
  }
}

function isHost(text: string): boolean {
  return !/[\s/@,*?!|#[\]]|:\/\//.test(text) && (!text.includes(':') || /^[0-9a-f:.]+(?:%\w+)?$/i.test(text))
}

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const isBare = ['', '/'].includes(pathname) && search + hash === ''
  return ['socks5:', 'socks5h:', 'http:'].includes(protocol) && hostname !== '' && isBare
}
