/** Logs in to an SFTP server with a key, an agent, a password, or a password that the server asks for. */
import { createPrivateKey } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware, ParsedKey } from 'ssh2'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { SftpLogin, SftpServer } from './options.ts'
import { ssh2 } from './ssh2.ts'

/** Reads the key and asks the agent. Throws `credentials-unusable` for errors that show before connecting. */
export async function prepareLogin(server: Pick<SftpServer, 'mailbox' | 'username' | 'login'>) {
  const { mailbox, username, login } = server
  const ways = [...(await keyMethods(username, login)), ...passwordMethods(username, login)]
  const progress: LoginProgress = { tried: [], accepted: undefined }
  return {
    /** For `connect` of ssh2. */
    options: { username, authHandler: createAuthHandler(username, ways, progress) },
    /** Creates the error for a server that refused all ways. */
    refused: (address: string) => loginRefusedError(address, { mailbox, username }, progress),
  }
}

/** Whether an error of ssh2 means that the server refused the credentials. */
export function isRefusedLogin(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    ('level' in error && error.level === 'client-authentication') ||
    /All configured authentication methods failed|Too many authentication failures/.test(error.message)
  )
}

interface LoginMethod {
  /** As the server calls it. */
  readonly method: AuthenticationType
  readonly label: string
  readonly use: AnyAuthMethod
}

interface LoginProgress {
  tried: string[]
  /** The methods that the server accepts, by its own answer. */
  accepted: readonly string[] | undefined
}

async function keyMethods(username: string, { privateKeyFile, passphrase, agent }: SftpLogin) {
  const ways: LoginMethod[] = []
  if (privateKeyFile !== undefined) {
    const key = await readPrivateKey(privateKeyFile, passphrase)
    const label = `the key ${privateKeyFile}`
    ways.push({ method: 'publickey', label, use: { type: 'publickey', username, key } })
  }
  if (agent !== undefined) {
    const count = await countAgentKeys(agent)
    const label = `the ${count === 1 ? 'key' : `${count} keys`} of the agent`
    ways.push({ method: 'publickey', label, use: { type: 'agent', username, agent } })
  }
  return ways
}

const AGENT_ANSWERS_WITHIN_MS = 10_000

/** Asks the agent beforehand: a missing agent would end the connection with an error that does not name it. */
async function countAgentKeys(agent: string): Promise<number> {
  const count = await new Promise<number | Error>((resolve) => {
    const timer = setTimeout(() => resolve(new Error('it does not answer')), AGENT_ANSWERS_WITHIN_MS)
    ssh2.createAgent(agent).getIdentities((error, keys) => {
      clearTimeout(timer)
      resolve(error ?? keys?.length ?? 0)
    })
  })
  if (count instanceof Error) {
    throw unusableKeyError(`The agent at ${agent} cannot be asked: ${count.message}.`)
  }
  if (count > 0) return count
  throw unusableKeyError(`The agent at ${agent} holds no key. Add one with \`ssh-add FILE\`.`)
}

function passwordMethods(username: string, { password }: SftpLogin): LoginMethod[] {
  if (password === undefined) return []
  const [method, prompt] = ['keyboard-interactive' as const, answerPrompts(password)]
  return [
    { method: 'password', label: 'the password', use: { type: 'password', username, password } },
    { method, label: 'the password as an answer', use: { type: method, username, prompt } },
  ]
}

/** Answers only the first hidden prompt with the password; a second one asks for something else. */
function answerPrompts(password: string): Extract<AnyAuthMethod, { type: 'keyboard-interactive' }>['prompt'] {
  let isAnswered = false
  return (...[, , , prompts, finish]) => {
    const answers = prompts.map(() => '')
    const hidden = prompts.findIndex(({ echo }) => echo !== true)
    if (!isAnswered && hidden >= 0) answers[hidden] = password
    isAnswered ||= hidden >= 0
    finish(answers)
  }
}

/** Tries each way once, and only where the server accepts it. The first request only asks which ways it accepts. */
function createAuthHandler(username: string, ways: readonly LoginMethod[], progress: LoginProgress) {
  const left = [...ways]
  // The library asks before the first attempt too, with null; its types do not say so.
  const next = (taken: readonly string[] | null): AnyAuthMethod | false => {
    if (taken === null) return { type: 'none', username }
    if (taken.length > 0) progress.accepted = taken
    const index = left.findIndex(({ method }) => taken.includes(method))
    const [way] = index < 0 ? [] : left.splice(index, 1)
    if (way === undefined) return false
    progress.tried.push(way.label)
    return way.use
  }
  return ((taken: readonly string[] | null) => next(taken)) as AuthHandlerMiddleware
}

function loginRefusedError(
  address: string,
  { mailbox, username }: Pick<SftpServer, 'mailbox' | 'username'>,
  { tried, accepted }: LoginProgress,
): BridgeError {
  const what = tried.length === 0 ? 'nothing that it takes is configured' : `tried: ${tried.join(', ')}`
  const takes = accepted === undefined ? '' : `; the server takes ${accepted.join(', ')}`
  const message = `${address} refused the login of ${JSON.stringify(username)} (${what}${takes}).`
  const fix = `Check username, privateKeyFile, agent and password of the mailbox ${mailbox}. The work is kept.`
  return new BridgeError('credentials-refused', message, { fix })
}

// Reads a private key from its file, or says what is wrong with the file and how to fix it.

export async function readPrivateKey(path: string, passphrase: string | undefined): Promise<ParsedKey> {
  const text = await readKeyFile(path)
  const [parsed] = [ssh2.utils.parseKey(toSupportedForm(text, passphrase), passphrase)].flat()
  if (parsed instanceof Error) throw createUnreadableKeyError(path, text, parsed.message, passphrase)
  if (parsed?.isPrivateKey() !== true) throw publicKeyError(path)
  return parsed
}

const KEY_BYTES_MAX = 65_536

/** As OpenSSH writes it in one line, as RFC 4716 does, or as PEM. */
const PUBLIC_KEY = /^(?:(?:ssh|ecdsa|sk)-\S+ AAAA|-{4,5} ?BEGIN (?:\w+ )?PUBLIC KEY)/

function publicKeyError(path: string): BridgeError {
  return unusableKeyError(`${path} holds a public key. Name the private one in privateKeyFile.`)
}

async function readKeyFile(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size, mode, uid } = await file.stat()
      const text = size > KEY_BYTES_MAX ? undefined : normalizeKeyText(await file.readFile('utf8'))
      // First: anyone may read a public key, so its mode says nothing.
      if (text !== undefined && PUBLIC_KEY.test(text)) throw publicKeyError(path)
      // As in OpenSSH: the mode of another user's file, such as a mounted secret, is not checked.
      if (process.platform !== 'win32' && uid === process.geteuid?.() && (mode & 0o077) !== 0) {
        const open = `The private key ${path} can be read by others (mode ${(mode & 0o777).toString(8)})`
        throw unusableKeyError(`${open}.`, `Close it: chmod 600 ${path}`)
      }
      if (text === undefined) throw unusableKeyError(`${path} is too large to be a private key.`)
      return text
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof BridgeError) throw error
    const why = hasSystemCode(error, 'ENOENT') ? 'is not there' : 'cannot be read'
    const fix = /[/\\]~[/\\]/.test(path)
      ? '`~` does not stand for the home folder here: write the whole path in `privateKeyFile`.'
      : undefined
    throw new BridgeError('credentials-unusable', `The private key ${path} ${why}.`, { cause: error, fix })
  }
}

/** Windows editors leave a mark before it and other line ends. */
function normalizeKeyText(text: string): string {
  const plain = text.replace(/^\u{feff}/u, '').replaceAll('\r\n', '\n')
  return `${plain.trim()}\n`
}

/** PKCS #8, as `openssl genpkey` writes it, in the older form of the same key; everything else as it is. */
function toSupportedForm(text: string, passphrase: string | undefined): string {
  if (!/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(text)) return text
  try {
    const key = createPrivateKey({ key: text, ...omitUndefined({ passphrase }) })
    if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString()
    if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString()
  } catch {
    // the next reader reports the error
  }
  return text
}

/** The library reports it only by message; these texts were tried out with keys of every form. */
function isEncrypted(text: string, reason: string): boolean {
  return (
    /-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED/.test(text) || /passphrase|integrity check/i.test(reason)
  )
}

function createUnreadableKeyError(
  path: string,
  text: string,
  reason: string,
  passphrase?: string,
): BridgeError {
  if (text.startsWith('PuTTY-User-Key-File-3')) {
    return unusableKeyError(
      `${path} is a key of PuTTY in its newest form, which is not understood.`,
      `Write it anew: puttygen ${path} -O private-openssh -o ${path}.openssh`,
    )
  }
  if (!isEncrypted(text, reason)) {
    return unusableKeyError(
      `${path} holds no private key in a form that is understood.`,
      `Write it anew as OpenSSH does: ssh-keygen -p -f ${path}`,
    )
  }
  if (passphrase !== undefined)
    return unusableKeyError(
      `The private key ${path} does not open with the passphrase.`,
      'Correct `passphrase` of the mailbox, or name another key in `privateKeyFile`.',
    )
  return unusableKeyError(
    `The private key ${path} is encrypted.`,
    'Give its passphrase: `passphrase: ${SFTP_PASSPHRASE}` in the mailbox, and set that variable.',
  )
}

function unusableKeyError(message: string, fix?: string): BridgeError {
  return new BridgeError('credentials-unusable', message, { fix })
}
