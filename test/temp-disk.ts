/** Where the tests have their files. */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

/** More than the tests need at once. */
const ROOM_BYTES = 2 * 1024 ** 3

/** A disk in memory, where there is one with room: much of a test is waiting for flushes. TMPDIR names another place. */
export function tempDisk(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ROOM_BYTES && mayRunPrograms(MEMORY) ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Some tests load a library that they built. */
function mayRunPrograms(disk: string): boolean {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === disk)
  return mount !== undefined && !mount.includes('noexec')
}
