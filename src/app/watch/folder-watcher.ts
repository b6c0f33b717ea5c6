/** Reports that something happened in a folder. The operating system may miss events or refuse to watch. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { hasSystemCode } from '../../support/errors.ts'

interface FolderWatcherOptions {
  readonly path: string
  readonly onChange: () => void
  /** Called when watching starts: changes between the last scan and this moment were not reported. */
  readonly onStarted: () => void
  /** The system does not report changes of this folder; called once for each reason. */
  readonly onUnavailable: (why: string) => void
}

export function createFolderWatcher({ path, onChange, onStarted, onUnavailable }: FolderWatcherOptions) {
  let active: { readonly watcher: FSWatcher; readonly folder: string } | undefined
  let lastReason: string | undefined
  const close = async () => {
    const { watcher } = active ?? {}
    active = undefined
    await watcher?.close()
  }
  const fail = (error: unknown) => {
    const why = describeWatchError(error)
    void close()
    if (why !== lastReason) onUnavailable(why)
    lastReason = why
  }
  return {
    close,
    isActive: () => active !== undefined,
    /**
     * Starts watching, and starts anew when the path is another folder now: a share that was mounted again looks the same and
     * reports nothing. Call it right after a scan has read the folder.
     */
    async ensureStarted(): Promise<void> {
      try {
        // The system soon reuses the inode number of a removed folder.
        const { dev, ino, birthtimeMs } = await stat(path)
        const folder = `${dev}:${ino}:${birthtimeMs}`
        if (active?.folder === folder) return
        await close()
        active = { watcher: startWatching(path, onChange, fail).on('ready', onStarted), folder }
      } catch (error) {
        fail(error)
      }
    },
  }
}

/** Ignores the files: watching each of them costs memory and time, and any event of the folder triggers a scan. */
function startWatching(path: string, onEvent: () => void, fail: (error: unknown) => void): FSWatcher {
  const ignored = (each: string) => resolve(each) !== path
  const watcher = watch(path, { depth: 0, ignoreInitial: true, ignored })
  return watcher.on('raw', onEvent).on('all', onEvent).on('error', fail)
}

function describeWatchError(error: unknown): string {
  if (hasSystemCode(error, 'ENOSPC'))
    return 'the limit of watched folders is reached; raise fs.inotify.max_user_watches'
  if (hasSystemCode(error, 'EMFILE', 'ENFILE'))
    return 'too many files are open; raise fs.inotify.max_user_instances and the limit of open files'
  return error instanceof Error ? error.message : String(error)
}
