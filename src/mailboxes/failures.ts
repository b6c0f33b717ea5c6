/** Turns what the file system says into the failures a mailbox may end with. */
import { BridgeError, type FailureCode } from '../support/errors.ts'

/** Does the work; what the file system refuses becomes `cannot-write`, or `mailbox-unreachable` where it is away. */
export const mapWriteErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('cannot-write', what, work)

/** Does the work; what the file system refuses becomes `mailbox-unreachable`. */
export const mapAccessErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('mailbox-unreachable', what, work)

/** How a share or a disk says that it is not there any more. */
const UNREACHABLE_CODES = /^(?:ENOTCONN|ESTALE|EIO|ENXIO|ENODEV|EHOSTDOWN|EHOSTUNREACH|ETIMEDOUT)$/

async function mapErrors<T>(code: FailureCode, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error) || !('code' in error)) throw error
    const isAway = UNREACHABLE_CODES.test(String(error.code))
    const actual = isAway ? 'mailbox-unreachable' : code
    throw new BridgeError(actual, `${what}: ${error.message}`, { cause: error })
  }
}

/** A folder from which files were claimed, made anew, would look like one from which somebody has taken them away. */
export function refuseToCreate(path: string): Promise<never> {
  const gone = `The folder ${path} is gone, in which files lay before.`
  return Promise.reject(new BridgeError('mailbox-unreachable', gone))
}
