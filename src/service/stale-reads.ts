/** Serves reads from an earlier state of the database, like a replica that lags behind. */
import type { ServiceContext } from './context.ts'
import type { QueuedHandler } from './http/handler.ts'
import { openCopy, type Store } from './store/store.ts'

/** A copy is as large as the database, and there is one for each commit. */
const MAX_COPIES = 50

type Handlers = Readonly<Partial<Record<string, QueuedHandler>>>

interface DatabaseCopy {
  readonly bytes: Uint8Array
  /** When the first commit happened that the copy lacks. */
  readonly replacedAt: number
  open?: { readonly store: Store; readonly handlers: Handlers }
}

/** `handlersOf` makes the handlers over a copy. */
export function createStaleReads(
  { store, clock, switches }: Pick<ServiceContext, 'store' | 'clock' | 'switches'>,
  handlersOf: (store: Store) => Handlers,
) {
  /** Oldest first. */
  let copies: DatabaseCopy[] = []

  function forget(isOver: (copy: DatabaseCopy, index: number) => boolean): void {
    const over = new Set(copies.filter(isOver))
    copies = copies.filter((copy) => !over.has(copy))
    for (const { open } of over) open?.store.close()
  }

  function oldest(): DatabaseCopy | undefined {
    const since = clock.now() - switches.readLagMs
    forget(({ replacedAt }) => switches.staleRead === 0 || replacedAt <= since)
    return copies[0]
  }

  return {
    /** Call it right before each commit. */
    beforeWrites: (): void => {
      if (switches.staleRead === 0 && copies.length === 0) return
      oldest()
      if (switches.staleRead === 0) return
      copies.push({ bytes: store.copy(), replacedAt: clock.now() })
      forget((_, index) => index < copies.length - MAX_COPIES)
    },
    hasStaleData: (): boolean => oldest() !== undefined,
    /** The handlers over the data of `readLagMs` ago; undefined when these are unchanged since. */
    handlers: (): Handlers | undefined => {
      const copy = oldest()
      if (copy === undefined) return undefined
      if (copy.open === undefined) {
        const opened = openCopy(copy.bytes)
        copy.open = { store: opened, handlers: handlersOf(opened) }
      }
      return copy.open.handlers
    },
    close: (): void => forget(() => true),
  }
}
