/** Before records may be sent as fast as they go, the answers of a few may have to be known. */
import type { RecordResult } from '../domain/record.ts'

/** Holds sending back, depending on the answers so far. */
export interface Restraint {
  /** How many more records may be begun while so many are under way; none although none is: nothing more is sent. */
  room(underWay: number): number
  look(result: RecordResult): void
}

/** Counts what is under way, and lets as many begin as the restraint and `atOnce` allow. */
export function openGate(restraint: Restraint | undefined, atOnce: number) {
  let underWay = 0
  let wake: (() => void) | undefined
  const room = () => Math.min(atOnce, restraint?.room(underWay) ?? atOnce)
  return {
    began(count: number): void {
      underWay += count
    },
    /** A record that was begun has ended; with its result, when it was sent. */
    ended(result?: RecordResult): void {
      underWay--
      if (result !== undefined) restraint?.look(result)
      wake?.()
    },
    /** Whether nothing more may be sent, whatever is still answered. */
    isShut: () => restraint?.room(0) === 0,
    /** Resolves with how many may be begun, once that is known; with 0 when the gate is shut. */
    async opened(): Promise<number> {
      while (room() === 0 && underWay > 0) await new Promise<void>((resolve) => (wake = resolve))
      return room()
    },
  }
}
