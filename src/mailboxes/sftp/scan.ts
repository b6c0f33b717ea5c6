/** Which host keys a server has, found out without logging in, as ssh-keyscan does it. */
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { BridgeError } from '../../support/errors.ts'
import { type HostKey, hostKeyOf, KEY_FAMILIES } from './host-key.ts'
import { isNoCommonKey } from './host-keys.ts'
import type { SftpServer } from './options.ts'
import { openSocket } from './socket.ts'
import { ssh2 } from './ssh2.ts'

export type Reachable = Pick<SftpServer, 'host' | 'port' | 'proxy' | 'timeoutMs'>

/** One connection for each kind of key. The server has proven that the keys are its own. */
export async function hostKeysShownBy(server: Reachable, signal: AbortSignal): Promise<HostKey[]> {
  const keys: HostKey[] = []
  for (const algorithms of KINDS) {
    const key = await keyShown(server, algorithms, signal)
    if (key !== undefined) keys.push(key)
  }
  return keys
}

const CURVES = KEY_FAMILIES.filter(({ name }) => name.startsWith('ECDSA'))
const KINDS: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ...KEY_FAMILIES.filter((family) => !CURVES.includes(family)).map(({ algorithms }) => algorithms),
  CURVES.flatMap(({ algorithms }) => algorithms),
]

/** Undefined when the server has none of this kind. */
async function keyShown(
  server: Reachable,
  algorithms: readonly ServerHostKeyAlgorithm[],
  signal: AbortSignal,
): Promise<HostKey | undefined> {
  const sock = await openSocket(server, server.proxy, signal)
  const client = new ssh2.Client()
  let shown: HostKey | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject)
      sock.on('close', () => reject(new Error('the server closed the connection')))
      // The keys are exchanged, so the server has signed with its key; what would come next is the user's name.
      client.on('handshake', () => {
        sock.destroy()
        resolve()
      })
      client.connect({
        sock,
        username: '',
        authHandler: () => false,
        readyTimeout: server.timeoutMs,
        algorithms: { serverHostKey: [...algorithms] },
        hostVerifier: (blob: Buffer) => {
          shown = hostKeyOf(blob)
          return shown !== undefined
        },
      })
    })
    return shown
  } catch (error) {
    if (isNoCommonKey(error)) return undefined
    const why = error instanceof Error ? error.message : 'the connection failed'
    const message = `The SFTP server ${server.host}:${server.port} cannot be asked for its host keys: ${why}.`
    throw new BridgeError('mailbox-unreachable', message, { cause: error })
  } finally {
    sock.destroy()
  }
}
