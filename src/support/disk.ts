/** How much room is on the disk of a folder. */
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasSystemCode } from './errors.ts'

export interface DiskSpace {
  /** The same for all folders of one disk. */
  readonly device: number
  readonly freeBytes: number
  readonly sizeBytes: number
  readonly isFull: boolean
}

/** With less than this the journal cannot store a batch of records; of a disk that is hardly larger, a tenth. */
const FULL_BYTES = 256 * 1024

/** Undefined where the folder is not there, may not be read, or its file system does not say how large it is. */
export async function readDiskSpace(folder: string): Promise<DiskSpace | undefined> {
  try {
    const { dev: device } = await stat(folder)
    const { bsize, blocks, bavail, files, ffree } = await statfs(folder)
    if (blocks === 0) return undefined
    const freeBytes = bavail * bsize
    // A file system without a limit of its files says that it has 0.
    const isFull = freeBytes < Math.min(FULL_BYTES, (blocks * bsize) / 10) || (files > 0 && ffree === 0)
    return { device, freeBytes, sizeBytes: blocks * bsize, isFull }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Whether a folder takes no more bytes: a quota may be used up on a disk with room. Writes a file and removes it. */
export async function isOutOfRoom(folder: string): Promise<boolean> {
  const probe = join(folder, '.room-probe')
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES))
    return false
  } catch (error) {
    return hasSystemCode(error, 'ENOSPC', 'EDQUOT')
  } finally {
    await rm(probe, { force: true }).catch(() => undefined)
  }
}

const PROBE_BYTES = 64 * 1024

/** `1.5 GB`, `820 MB`, `64 kB`, `0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes > 0 && bytes < 1e5) return `${Math.max(1, Math.round(bytes / 1e3))} kB`
  const [unit, size] = bytes >= 1e9 ? ['GB', bytes / 1e9] : ['MB', bytes / 1e6]
  return `${size >= 100 ? Math.round(size) : Math.round(size * 10) / 10} ${unit}`
}
