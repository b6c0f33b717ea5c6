/** A private key from its file, or what is wrong with the file and what to do about it. */
import { createPrivateKey } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ParsedKey } from 'ssh2'
import { BridgeError, hasSystemCode } from '../../support/errors.ts'
import { ssh2 } from './ssh2.ts'

export async function readPrivateKey(path: string, passphrase: string | undefined): Promise<ParsedKey> {
  const text = await readKeyFile(path)
  const [parsed] = [ssh2.utils.parseKey(inKnownForm(text, passphrase), passphrase)].flat()
  if (parsed instanceof Error) throw unusable(whyUnreadable(path, { text, said: parsed.message, passphrase }))
  if (parsed?.isPrivateKey() !== true) {
    throw unusable(`${path} holds a public key. Name the private one in privateKeyFile.`)
  }
  return parsed
}

const KEY_BYTES_MAX = 65_536

async function readKeyFile(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { size, mode, uid } = await file.stat()
      // As OpenSSH sees it: a file of somebody else, such as one put there by a container's manager, is their business.
      const isOpen = process.platform !== 'win32' && uid === process.geteuid?.() && (mode & 0o077) !== 0
      if (isOpen) {
        const rights = (mode & 0o777).toString(8)
        throw unusable(
          `The private key ${path} can be read by others (mode ${rights}). Close it: chmod 600 ${path}`,
        )
      }
      if (size > KEY_BYTES_MAX) throw unusable(`${path} is too large to be a private key.`)
      return asWritten(await file.readFile('utf8'))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof BridgeError) throw error
    const why = hasSystemCode(error, 'ENOENT') ? 'is not there' : 'cannot be read'
    throw new BridgeError('credentials-unusable', `The private key ${path} ${why}.`, { cause: error })
  }
}

/** Windows editors leave a mark before it and other line ends. */
function asWritten(text: string): string {
  return `${text
    .replace(/^\u{feff}/u, '')
    .replaceAll('\r\n', '\n')
    .trim()}\n`
}

/** PKCS #8, as `openssl genpkey` writes it, in the older form of the same key; everything else as it is. */
function inKnownForm(text: string, passphrase: string | undefined): string {
  if (!/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(text)) return text
  try {
    const key = createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) })
    if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString()
    if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString()
  } catch {
    // said by whoever reads it next
  }
  return text
}

/** The library says it in words of its own; which of them mean it was tried out with keys of every form. */
function isEncrypted(text: string, said: string): boolean {
  return /-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED/.test(text) || /passphrase|integrity check/i.test(said)
}

interface Unread {
  readonly text: string
  readonly said: string
  readonly passphrase: string | undefined
}

function whyUnreadable(path: string, { text, said, passphrase }: Unread): string {
  if (text.startsWith('PuTTY-User-Key-File-3')) {
    return `${path} is a key of PuTTY in its newest form, which is not understood. Write it anew: puttygen ${path} -O private-openssh -o ${path}.openssh`
  }
  if (!isEncrypted(text, said)) {
    return `${path} holds no private key in a form that is understood. Write it anew as OpenSSH does: ssh-keygen -p -f ${path}`
  }
  if (passphrase !== undefined) return `The private key ${path} does not open with the passphrase.`
  return `The private key ${path} is encrypted. Give its passphrase: passphrase: \${SFTP_PASSPHRASE}`
}

function unusable(message: string): BridgeError {
  return new BridgeError('credentials-unusable', message)
}
