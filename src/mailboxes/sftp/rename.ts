/**
 * Giving a file on the server another name, or taking it away. The plain rename of the protocol comes first, because most servers refuse it when
 * the name is taken, and so nothing is overwritten even when two do it at once. `posix-rename@openssh.com` replaces whatever
 * has the name: it is the way out for servers that cannot do the plain one, and only after a look at the name.
 */
import type { Calls } from './calls.ts'
import { isRefusal, STATUS } from './refusals.ts'

/** `taken` when something else has the name; `gone` when there is nothing to be named. Throws what the server says besides. */
export async function renameOnServer(
  calls: Calls,
  from: string,
  to: string,
): Promise<'named' | 'taken' | 'gone'> {
  try {
    await calls.rename(from, to)
    return 'named'
  } catch (error) {
    if (!isRefusal(error)) throw error
    const [here, there] = await Promise.all([calls.look(from), calls.look(to)])
    if (there !== undefined) return 'taken'
    if (here === undefined) return 'gone'
    if (await wasReplaced(calls, from, to)) return 'named'
    throw error
  }
}

async function wasReplaced(calls: Calls, from: string, to: string): Promise<boolean> {
  try {
    await calls.posixRename(from, to)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    return false
  }
}

export async function removeIfThere(calls: Calls, path: string): Promise<void> {
  try {
    await calls.unlink(path)
  } catch (error) {
    if (!isRefusal(error, STATUS.noSuchFile)) throw error
  }
}

/** For working files: one that cannot be removed does no harm, and is swept away a day later. */
export async function removeIfAllowed(calls: Calls, path: string): Promise<void> {
  try {
    await calls.unlink(path)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}
