/** The data of some time ago, as a replica shows them that gets every change late. */
import type { Clock } from '../support/clock.ts'
import type { Switches } from './http/switches.ts'
import { openCopy, type Store } from './store/store.ts'

/** A copy is as large as the database, and there is one for each commit. */
const COPIES_MAX = 50

interface Copy<Handlers> {
  readonly bytes: Uint8Array
  /** When the commit came that it does not have. */
  readonly until: number
  open?: { readonly store: Store; readonly handlers: Handlers }
}

export interface LaggingData<Handlers> {
  /** To be called right before each commit. */
  readonly beforeWrites: () => void
  /** The handlers over the data of `readLagMs` ago; undefined when nothing was changed since. */
  readonly handlers: () => Handlers | undefined
  readonly isLagging: () => boolean
  readonly close: () => void
}

export interface LaggingParts<Handlers> {
  readonly store: Store
  readonly clock: Clock
  readonly switches: Pick<Switches, 'staleRead' | 'readLagMs'>
  readonly handlersOf: (store: Store) => Handlers
}

export function createLaggingData<Handlers>(parts: LaggingParts<Handlers>): LaggingData<Handlers> {
  const { store, clock, switches, handlersOf } = parts
  /** Oldest first. */
  let copies: Copy<Handlers>[] = []

  function forget(isOver: (copy: Copy<Handlers>, index: number) => boolean): void {
    const over = new Set(copies.filter(isOver))
    copies = copies.filter((copy) => !over.has(copy))
    for (const { open } of over) open?.store.close()
  }

  function oldest(): Copy<Handlers> | undefined {
    const since = clock.now() - switches.readLagMs
    forget(({ until }) => switches.staleRead === 0 || until <= since)
    return copies[0]
  }

  return {
    beforeWrites: () => {
      if (switches.staleRead === 0 && copies.length === 0) return
      oldest()
      if (switches.staleRead === 0) return
      copies.push({ bytes: store.copy(), until: clock.now() })
      forget((_, index) => index < copies.length - COPIES_MAX)
    },
    isLagging: () => oldest() !== undefined,
    handlers: () => {
      const copy = oldest()
      if (copy === undefined) return undefined
      if (copy.open === undefined) {
        const opened = openCopy(copy.bytes)
        copy.open = { store: opened, handlers: handlersOf(opened) }
      }
      return copy.open.handlers
    },
    close: () => forget(() => true),
  }
}
