/** What a server says no to, a connection that is lost, and the failures that people see of both. */
import { BridgeError } from '../../support/errors.ts'

/** The answers of the protocol that mean something here; SFTP version 3, section 7. */
export const STATUS = { noSuchFile: 2, permissionDenied: 3, failure: 4, notSupported: 8 } as const

/** The server has answered, and the answer is no. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, words: string) {
    super(words)
    this.name = 'Refusal'
    this.status = status
  }
}

/** There was no answer: whether the server did what it was asked for is not known. */
export class ConnectionLost extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause })
    this.name = 'ConnectionLost'
  }
}

export function isRefusal(error: unknown, ...statuses: number[]): error is Refusal {
  return error instanceof Refusal && (statuses.length === 0 || statuses.includes(error.status))
}

const WORDS: Readonly<Record<number, string>> = {
  [STATUS.noSuchFile]: 'no such file or folder',
  [STATUS.permissionDenied]: 'permission denied',
  [STATUS.failure]: 'failure',
  [STATUS.notSupported]: 'it does not know this operation',
}

const SHOWN_MAX = 200

/** The status in our words and what the server adds of its own, fit to be shown. */
export function refusalOf(status: number, message: string): Refusal {
  const ours = WORDS[status] ?? `status ${status}`
  const theirs = message
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX)
  const adds = theirs !== '' && !theirs.toLowerCase().startsWith(ours) && !isPlain(theirs)
  return new Refusal(status, adds ? `${ours} (${theirs})` : ours)
}

/** What servers say to every one of these. */
function isPlain(text: string): boolean {
  return /^(no such file( or directory)?|permission denied|failure|operation unsupported)$/i.test(text)
}

/** Does the work; what the server refuses becomes a failure of this code, with a word on what would help. */
export async function asking<Result>(
  code: 'cannot-write' | 'mailbox-unreachable',
  what: string,
  work: () => Promise<Result>,
  help = '',
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new BridgeError(code, `${what}: the server says ${error.message}.${help && ` ${help}`}`, {
      cause: error,
    })
  }
}
