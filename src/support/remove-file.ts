/** Taking files away that may be gone already. */
import { unlink } from 'node:fs/promises'
import { hasSystemCode } from './errors.ts'

/** One call to the system, where `rm` of Node looks first. Folders are not removed. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (!hasSystemCode(error, 'ENOENT')) throw error
  }
}
