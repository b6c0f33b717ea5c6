/** A reader of outgoing files: a program of somebody else that takes away each whole file it sees. */
import { type Guard, guarded, type Wrap } from './death.ts'
import type { Dice } from './dice.ts'
import type { Outlet } from './outlet.ts'

/** When a reader looks: not at all, when the bridge has just died, or then and at any time while it works. */
export const READER_HABITS = ['none', 'after-deaths', 'at-any-time'] as const

export type ReaderHabit = (typeof READER_HABITS)[number]

export interface Reader {
  /** The bridge has just died or stopped. */
  readonly afterDeath: () => void
  /** Takes files while a bridge of this process works; left out where it does not. */
  readonly wrap?: Wrap
  /** Takes files until other processes have ended. */
  readonly untilEnded: (ended: Promise<unknown>) => Promise<void>
  /** What it did, for people; empty when it took nothing. */
  readonly told: () => string
}

/** How likely it is that the reader looks right after a call of a part. */
const LOOKS = 0.15
/** How long it waits between two looks while other processes work. */
const PAUSE_MS_MAX = 15

export interface ReaderParts {
  readonly outlet: Outlet
  readonly habit: ReaderHabit
  readonly chance: Dice
  readonly pause: (ms: number) => Promise<void>
}

export function createReader({ outlet, habit, chance, pause }: ReaderParts): Reader {
  const isBusy = habit === 'at-any-time'
  const lookAfter: Guard = async (_name, act) => {
    const answer = await act()
    if (chance.next() < LOOKS) outlet.takeAll()
    return answer
  }
  return {
    afterDeath: () => {
      if (habit !== 'none') outlet.takeAll()
    },
    ...(isBusy ? { wrap: guarded(lookAfter) } : {}),
    async untilEnded(ended) {
      let isOver = false
      const over = ended.then(() => {
        isOver = true
      })
      while (isBusy && !isOver) {
        await Promise.race([over, pause(chance.between(0, PAUSE_MS_MAX))])
        outlet.takeAll()
      }
      await over
    },
    told: () => {
      const taken = outlet.taken()
      return taken === 0 ? '' : `, while a reader took ${taken} ${taken === 1 ? 'file' : 'files'} away`
    },
  }
}
