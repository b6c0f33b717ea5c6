/** The worlds that one route goes through: a new one now and then, and after each in which something went wrong. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dice } from './dice.ts'
import { formsOf } from './storms.ts'
import { type Ground, openWorld, type World } from './world.ts'

export interface Worlds {
  /** The one that is open, or a new one after some rounds. */
  readonly next: () => Promise<World>
  readonly folder: () => string
  /** Something went wrong in this one: its folder stays, and the next round has a new one. */
  readonly leaveBehind: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface WorldsOptions {
  readonly folder: string
  readonly seed: number
  readonly route: string
  /** What the worlds are for; stands in their folders' names. */
  readonly word: string
  readonly swift: boolean
  /** Each round has a world of its own. */
  readonly onlyOnce: boolean
}

/** A world gets slower with what is in it. */
const ROUNDS_IN_WORLD = 25

export function openWorlds(ground: Ground, options: WorldsOptions): Worlds {
  const { seed, route, word, swift, onlyOnce } = options
  let open: World | undefined
  let rounds = 0
  let made = 0
  const folder = () => join(options.folder, route, `${word}-${made}`)
  const leave = async (keeps: boolean) => {
    const before = open
    open = undefined
    await before?.close()
    if (before !== undefined && !keeps) await rm(folder(), { recursive: true, force: true })
  }
  return {
    folder,
    leaveBehind: () => leave(true),
    close: () => leave(false),
    async next() {
      if (rounds >= (onlyOnce ? 1 : ROUNDS_IN_WORLD)) await leave(false)
      if (open !== undefined) {
        rounds++
        return open
      }
      rounds = 1
      made++
      const forms = made % 2 === 0 ? formsOf(dice(seed, route, word, made)) : {}
      open = await openWorld(ground, { folder: folder(), swift, forms })
      return open
    },
  }
}
