/** Reports that something happened in a folder. The operating system may miss events or refuse to watch. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { hasSystemCode } from '../../support/errors.ts'

interface FolderWatcherOptions {
  readonly path: string
  readonly onChange: () => void
  /** Called when it hangs: what came between the last look and this moment has rung no bell. */
  readonly onStarted: () => void
  /** The system does not tell of this folder; said once for each reason. */
  readonly onUnavailable: (why: string) => void
}

export function createFolderWatcher({ path, onChange, onStarted, onUnavailable }: FolderWatcherOptions) {
  let hung: { readonly watcher: FSWatcher; readonly folder: string } | undefined
  let lastTrouble: string | undefined
  const close = async () => {
    const { watcher } = hung ?? {}
    hung = undefined
    await watcher?.close()
  }
  const fail = (error: unknown) => {
    const why = describeWatchError(error)
    void close()
    if (why !== lastTrouble) onUnavailable(why)
    lastTrouble = why
  }
  return {
    close,
    /** Whether it can ring. */
    isActive: () => hung !== undefined,
    /**
     * Hangs the bell where it is not, or where the folder is another one than it was hung at: a share that was mounted again
     * looks the same and tells nothing. To be called when the folder was just seen.
     */
    async ensureStarted(): Promise<void> {
      try {
        // The number of a folder that was removed is soon given to another one.
        const { dev, ino, birthtimeMs } = await stat(path)
        const folder = `${dev}:${ino}:${birthtimeMs}`
        if (hung?.folder === folder) return
        await close()
        hung = { watcher: startWatching(path, onChange, fail).on('ready', onStarted), folder }
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
function startWatching(path: string, ring: () => void, fail: (error: unknown) => void): FSWatcher {
  const ignored = (each: string) => resolve(each) !== path
  const watcher = watch(path, { depth: 0, ignoreInitial: true, ignored })
  return watcher.on('raw', ring).on('all', ring).on('error', fail)
}

function describeWatchError(error: unknown): string {
  if (hasSystemCode(error, 'ENOSPC'))
    return 'the limit of watched folders is reached; raise fs.inotify.max_user_watches'
  if (hasSystemCode(error, 'EMFILE', 'ENFILE'))
    return 'too many files are open; raise fs.inotify.max_user_instances and the limit of open files'
  return error instanceof Error ? error.message : String(error)
}
