/** Lists what a proof tries with each route, and which defects it counts. */

/** What bridges in this process go through, each time at all their effects. */
export type SweepTrial =
  /** The bridge dies right before and right after each effect. */
  | 'deaths'
  /** The same, and a reader takes the files away that were delivered by then; so it does in half of all other rounds. */
  | 'readers'
  /** Two routes with files of the same names leave their results in one folder. */
  | 'twins'
  /**
   * A backup of the state folder is put back and declared. Tried where it is named alone, because what came after the backup
   * a person must put back, and until then it counts as lost.
   */
  | 'restored'

/** What real processes go through: as twins, killed by themselves at an effect, stopped for longer than a lease, killed from outside. */
export const PROCESS_TRIALS = ['twins', 'at-effect', 'stopped', 'at-random'] as const

export type ProcessTrial = (typeof PROCESS_TRIALS)[number]

export type TrialName = SweepTrial | ProcessTrial

export const DEFAULT_TRIALS: readonly TrialName[] = ['deaths', 'readers', ...PROCESS_TRIALS]

export const DEFECTS = {
  lost: 'a record that had no effect, or whose outcome was reported wrong, or that is in no file; a report that never came',
  doubled: 'a record that took effect more than once, or was sent again after it had taken effect',
  early: 'a record that was acknowledged before it stood in a whole file at its place',
  twice:
    'a record that stands in more than one delivered file, or more than once in one; a report that came again',
} as const

export type DefectKind = keyof typeof DEFECTS

export interface Defect {
  readonly wrong: DefectKind
  /** The record, in its own words: its key. */
  readonly record: string
  readonly what: string
}

/** What one round came to. */
export interface RoundCount {
  readonly records: number
  readonly findings: readonly Defect[]
  /** Records that the API gives no means to be sure of, and that wait for a person and say so. */
  readonly left: number
}

export function createDefect(wrong: DefectKind, record: string, what: string): Defect {
  return { wrong, record, what }
}
