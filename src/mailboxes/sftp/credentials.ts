/** Logging in to an SFTP server: by a key, an agent, a password, or a password that is asked for. */
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware } from 'ssh2'
import { BridgeError } from '../../support/errors.ts'
import type { SftpLogin, SftpServer } from './options.ts'
import { readPrivateKey } from './private-key.ts'
import { ssh2 } from './ssh2.ts'

export interface Login {
  /** For `connect` of ssh2. */
  readonly options: { readonly username: string; readonly authHandler: AuthHandlerMiddleware }
  /** What to say when the server refused all of it. */
  readonly refused: (server: string) => BridgeError
}

/** Reads the key and asks the agent. Throws `credentials-unusable` when it can be told before the server is asked. */
export async function loginOf(server: Pick<SftpServer, 'mailbox' | 'username' | 'login'>): Promise<Login> {
  const { mailbox, username, login } = server
  const ways = [...(await keyWays(username, login)), ...passwordWays(username, login)]
  const progress: Progress = { tried: [], taken: undefined }
  return {
    options: { username, authHandler: inOrder(username, ways, progress) },
    refused: (address) => refusedLogin(address, { mailbox, username }, progress),
  }
}

/** Whether an error of ssh2 says that the server knows the user's credentials not. */
export function isRefusedLogin(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    ('level' in error && error.level === 'client-authentication') ||
    /All configured authentication methods failed|Too many authentication failures/.test(error.message)
  )
}

interface Way {
  /** As the server calls it. */
  readonly method: AuthenticationType
  readonly words: string
  readonly use: AnyAuthMethod
}

interface Progress {
  tried: string[]
  /** What the server said that it takes. */
  taken: readonly string[] | undefined
}

async function keyWays(username: string, { privateKeyFile, passphrase, agent }: SftpLogin): Promise<Way[]> {
  const ways: Way[] = []
  if (privateKeyFile !== undefined) {
    const key = await readPrivateKey(privateKeyFile, passphrase)
    const words = `the key ${privateKeyFile}`
    ways.push({ method: 'publickey', words, use: { type: 'publickey', username, key } })
  }
  if (agent !== undefined) {
    const count = await keysOfAgent(agent)
    const words = `the ${count === 1 ? 'key' : `${count} keys`} of the agent`
    ways.push({ method: 'publickey', words, use: { type: 'agent', username, agent } })
  }
  return ways
}

const AGENT_ANSWERS_WITHIN_MS = 10_000

/** Asked beforehand: an agent that is away would end the connection with words that do not name it. */
async function keysOfAgent(agent: string): Promise<number> {
  const count = await new Promise<number | Error>((resolve) => {
    const timer = setTimeout(() => resolve(new Error('it does not answer')), AGENT_ANSWERS_WITHIN_MS)
    ssh2.createAgent(agent).getIdentities((error, keys) => {
      clearTimeout(timer)
      resolve(error ?? keys?.length ?? 0)
    })
  })
  if (count instanceof Error) {
    throw new BridgeError('credentials-unusable', `The agent at ${agent} cannot be asked: ${count.message}.`)
  }
  if (count > 0) return count
  throw new BridgeError(
    'credentials-unusable',
    `The agent at ${agent} holds no key. Add one with \`ssh-add FILE\`.`,
  )
}

function passwordWays(username: string, { password }: SftpLogin): Way[] {
  if (password === undefined) return []
  return [
    { method: 'password', words: 'the password', use: { type: 'password', username, password } },
    {
      method: 'keyboard-interactive',
      words: 'the password as an answer',
      use: { type: 'keyboard-interactive', username, prompt: answering(password) },
    },
  ]
}

type Prompt = Extract<AnyAuthMethod, { type: 'keyboard-interactive' }>['prompt']

/** Only the first hidden question is for the password; a second one asks for something that we do not have. */
function answering(password: string): Prompt {
  let isAnswered = false
  return (...[, , , prompts, finish]) => {
    finish(
      prompts.map(({ echo }) => {
        if (echo === true || isAnswered) return ''
        isAnswered = true
        return password
      }),
    )
  }
}

/** Each way once, and only where the server takes it. The first question only finds out what it takes. */
function inOrder(username: string, ways: readonly Way[], progress: Progress): AuthHandlerMiddleware {
  const left = [...ways]
  // The library asks before the first attempt too, with null; its types do not say so.
  const next = (taken: readonly string[] | null): AnyAuthMethod | false => {
    if (taken === null) return { type: 'none', username }
    if (taken.length > 0) progress.taken = taken
    const index = left.findIndex(({ method }) => taken.includes(method))
    const [way] = index < 0 ? [] : left.splice(index, 1)
    if (way === undefined) return false
    progress.tried.push(way.words)
    return way.use
  }
  return ((taken: readonly string[] | null) => next(taken)) as AuthHandlerMiddleware
}

function refusedLogin(
  address: string,
  { mailbox, username }: Pick<SftpServer, 'mailbox' | 'username'>,
  { tried, taken }: Progress,
): BridgeError {
  const what = tried.length === 0 ? 'nothing that it takes is configured' : `tried: ${tried.join(', ')}`
  const takes = taken === undefined ? '' : `; the server takes ${taken.join(', ')}`
  return new BridgeError(
    'credentials-refused',
    `${address} refused the login of ${JSON.stringify(username)} (${what}${takes}).`,
    {
      cure: `Check username, privateKeyFile, agent and password of the mailbox ${mailbox}. The work is kept.`,
    },
  )
}
