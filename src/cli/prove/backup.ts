/** A backup of the state folder: copied while a bridge works, put back after its death. */
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Guard, guarded, isEffect, type Wrap } from './death.ts'
import type { World } from './world.ts'

export interface Backup {
  readonly wrap: Wrap
  /** Gives the name of the effect after which the copy was made; undefined when there is no copy, and nothing is put back. */
  readonly putBack: () => string | undefined
}

/** The copy is made right after the n-th effect, at one instant: it holds what a bridge killed then would leave. */
export function backUpAt(effect: number, { configuration, folder }: World): Backup {
  const copy = join(folder, 'backup')
  let count = 0
  let copiedAfter: string | undefined
  const guard: Guard = async (name, act) => {
    const isLast = isEffect(name) && ++count === effect
    const answer = await act()
    if (!isLast) return answer
    rmSync(copy, { recursive: true, force: true })
    cpSync(configuration.stateFolder, copy, { recursive: true })
    copiedAfter = name
    return answer
  }
  return {
    wrap: guarded(guard),
    putBack: () => {
      if (copiedAfter === undefined) return undefined
      rmSync(configuration.stateFolder, { recursive: true })
      renameSync(copy, configuration.stateFolder)
      return copiedAfter
    },
  }
}
