/** The bell of a folder: it rings when the system says that something happened there, which it may also fail to do. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { hasSystemCode } from '../../support/errors.ts'

export interface Bell {
  /**
   * Hangs the bell where it is not, or where the folder is another one than it was hung at: a share that was mounted again
   * looks the same and tells nothing. To be called when the folder was just seen.
   */
  keep(): Promise<void>
  /** Whether it can ring. */
  isHung(): boolean
  close(): Promise<void>
}

interface BellOptions {
  readonly path: string
  readonly ring: () => void
  /** Called when it hangs: what came between the last look and this moment has rung no bell. */
  readonly hangs: () => void
  /** The system does not tell of this folder; said once for each reason. */
  readonly broken: (why: string) => void
}

export function createBell({ path, ring, hangs, broken }: BellOptions): Bell {
  let hung: { readonly watcher: FSWatcher; readonly folder: string } | undefined
  let lastTrouble: string | undefined
  const close = async () => {
    const { watcher } = hung ?? {}
    hung = undefined
    await watcher?.close()
  }
  const fail = (error: unknown) => {
    const why = inWords(error)
    void close()
    if (why !== lastTrouble) broken(why)
    lastTrouble = why
  }
  return {
    close,
    isHung: () => hung !== undefined,
    async keep() {
      try {
        // The number of a folder that was removed is soon given to another one.
        const { dev, ino, birthtimeMs } = await stat(path)
        const folder = `${dev}:${ino}:${birthtimeMs}`
        if (hung?.folder === folder) return
        await close()
        hung = { watcher: hang(path, ring, fail).on('ready', hangs), folder }
      } catch (error) {
        fail(error)
      }
    },
  }
}

/**
 * Only the folder itself is watched. The library would watch each file in it too, which costs memory and time with every
 * file: all files are passed over, and what counts is that the folder said something.
 */
function hang(path: string, ring: () => void, fail: (error: unknown) => void): FSWatcher {
  const ignored = (each: string) => resolve(each) !== path
  const watcher = watch(path, { depth: 0, ignoreInitial: true, ignored })
  return watcher.on('raw', ring).on('all', ring).on('error', fail)
}

function inWords(error: unknown): string {
  if (hasSystemCode(error, 'ENOSPC'))
    return 'the limit of watched folders is reached; raise fs.inotify.max_user_watches'
  if (hasSystemCode(error, 'EMFILE', 'ENFILE'))
    return 'too many files are open; raise fs.inotify.max_user_instances and the limit of open files'
  return error instanceof Error ? error.message : String(error)
}
