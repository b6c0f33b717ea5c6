/** Ordinals of sets as runs: adds ascending ordinals, and counts them. */
import type { SetSelection } from '../../domain/place.ts'

export type SetRuns = ReturnType<typeof createSetRuns>

export function createSetRuns() {
  const runs: [first: number, last: number][] = []
  const addRun = (first: number, last: number) => {
    const open = runs.at(-1)
    if (open !== undefined && open[1] === first - 1) open[1] = last
    else runs.push([first, last])
  }
  return {
    /** Greater than all that were added before. */
    add: (ordinal: number) => addRun(ordinal, ordinal),
    addAll: (selection: SetSelection) => selection.forEach(([first, last]) => addRun(first, last)),
    count: () => countSets(runs),
    list: (): SetSelection => runs,
  }
}

export function countSets(selection: SetSelection): number {
  return selection.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}
