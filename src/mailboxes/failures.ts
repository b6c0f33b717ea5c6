/** Converts errors of the file system to the failures of a mailbox. */
import { BridgeError, type FailureCode } from '../support/errors.ts'
import { findWriteFix } from '../support/files.ts'

/** Converts errors of the work to `cannot-write`, or to `mailbox-unreachable` where the place is away. */
export const mapWriteErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('cannot-write', what, work)

/** Converts errors of the work to `mailbox-unreachable`. */
export const mapAccessErrors = <T>(what: string, work: () => Promise<T>) =>
  mapErrors('mailbox-unreachable', what, work)

/** The error codes of a share or disk that is away. */
const UNREACHABLE_CODES = /^(?:ENOTCONN|ESTALE|EIO|ENXIO|ENODEV|EHOSTDOWN|EHOSTUNREACH|ETIMEDOUT)$/

async function mapErrors<T>(code: FailureCode, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || !(error instanceof Error) || !('code' in error)) throw error
    const isAway = UNREACHABLE_CODES.test(String(error.code))
    const actual = isAway ? 'mailbox-unreachable' : code
    const fix = actual === 'cannot-write' ? findWriteFix(error) : undefined
    throw new BridgeError(actual, `${what}: ${error.message}`, { cause: error, fix })
  }
}

export const NOT_A_FOLDER_FIX = 'Remove or rename that file, or name another folder in the configuration.'

/** Refuses to recreate a known folder: an empty one would look as if a reader had taken all files. */
export function refuseToCreate(path: string): Promise<never> {
  const gone = `The folder ${path} is gone, in which files lay before.`
  return Promise.reject(new BridgeError('mailbox-unreachable', gone))
}
