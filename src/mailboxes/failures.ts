/** Turns what the file system says into the failures a mailbox may end with. */
import { BridgeError } from '../support/errors.ts'

/** Does the work; what the file system refuses becomes `cannot-write`, or `mailbox-unreachable` where it is away. */
export async function writing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure('cannot-write', what, error)
  }
}

/** Does the work; what the file system refuses becomes `mailbox-unreachable`. */
export async function reaching<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure('mailbox-unreachable', what, error)
  }
}

/** How a share or a disk says that it is not there any more. */
const AWAY = ['ENOTCONN', 'ESTALE', 'EIO', 'ENXIO', 'ENODEV', 'EHOSTDOWN', 'EHOSTUNREACH', 'ETIMEDOUT']

function toFailure(code: 'cannot-write' | 'mailbox-unreachable', what: string, error: unknown): unknown {
  if (error instanceof BridgeError || !(error instanceof Error) || !('code' in error)) return error
  const away = AWAY.includes(String(error.code))
  return new BridgeError(away ? 'mailbox-unreachable' : code, `${what}: ${error.message}`, { cause: error })
}

/** A folder from which files were claimed, made anew, would look like one from which somebody has taken them away. */
export function refuseToMake(path: string): Promise<never> {
  const gone = `The folder ${path} is gone, in which files lay before.`
  return Promise.reject(new BridgeError('mailbox-unreachable', gone))
}
