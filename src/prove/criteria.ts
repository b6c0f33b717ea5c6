/** Lists what a proof tries with each route, and which defects it counts. */

/** Trials with bridges in this process, each time at all their effects. */
export type SweepTrial =
  /** The bridge crashes right before and right after each effect. */
  | 'crashes'
  /** The same, while a reader takes delivered files away; it does so in half of all other rounds too. */
  | 'readers'
  /** Two routes with files of the same names write their results to one folder. */
  | 'twins'
  /** A backup is put back and declared. Must be named: a person must restore the work after it, which counts as lost. */
  | 'restored'

/** Trials with real processes: twins, killed by themselves at an effect, stopped for longer than a lease, killed from outside. */
export const PROCESS_TRIALS = ['twins', 'at-effect', 'stopped', 'at-random'] as const

export type ProcessTrial = (typeof PROCESS_TRIALS)[number]

export type TrialName = SweepTrial | ProcessTrial

export const DEFAULT_TRIALS: readonly TrialName[] = ['crashes', 'readers', ...PROCESS_TRIALS]

export const DEFECTS = {
  lost: 'a record that had no effect, or whose outcome was reported wrong, or that is in no file; a report or answer that never came',
  doubled: 'a record that took effect more than once, or was sent again after it had taken effect',
  early: 'a record that was acknowledged before it was in a whole file at its place',
  twice:
    'a record that is in more than one delivered file, or more than once in one; a report or answer that came again',
} as const

export type DefectKind = keyof typeof DEFECTS

export interface Defect {
  readonly wrong: DefectKind
  /** The record as its file names it: its key. */
  readonly record: string
  readonly what: string
}

export interface RoundCount {
  readonly records: number
  readonly findings: readonly Defect[]
  /** Records whose outcome the API cannot show, and that wait for a person and say so. */
  readonly left: number
}

export function createDefect(wrong: DefectKind, record: string, what: string): Defect {
  return { wrong, record, what }
}
