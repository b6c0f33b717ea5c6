/** Whether a name may be used. */
import { lstat } from 'node:fs/promises'
import { hasSystemCode } from './errors.ts'

/** Whether nothing at all stands at the path. */
export async function isFree(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return true
    throw error
  }
}
