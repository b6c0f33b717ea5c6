/** What a proof tries with each route. */

interface Kind {
  /** A bridge of this process goes through all its effects. */
  readonly inSweeps: boolean
  /** Real processes are killed or stopped. */
  readonly inStorms: boolean
  readonly isTried: boolean
}

export const KINDS = {
  /** The bridge dies right before and right after each effect. */
  deaths: { inSweeps: true, inStorms: false, isTried: true },
  /** The same, and a reader takes the files away that were delivered by then; so it does in half of all other rounds. */
  readers: { inSweeps: true, inStorms: false, isTried: true },
  /** Two routes with files of the same names leave their results in one folder. */
  twins: { inSweeps: true, inStorms: true, isTried: true },
  /**
   * A backup of the state folder is put back and declared. Tried where it is named alone, because what came after the backup
   * a person must put back, and until then it counts as lost.
   */
  restored: { inSweeps: true, inStorms: false, isTried: false },
  /** Real processes kill themselves right at an effect. */
  'at-effect': { inSweeps: false, inStorms: true, isTried: true },
  /** One is stopped for longer than its lease. */
  stopped: { inSweeps: false, inStorms: true, isTried: true },
  /** They are killed from outside. */
  'at-random': { inSweeps: false, inStorms: true, isTried: true },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

export type SweepKind = {
  [Name in KindName]: (typeof KINDS)[Name]['inSweeps'] extends true ? Name : never
}[KindName]

export type StormKind = {
  [Name in KindName]: (typeof KINDS)[Name]['inStorms'] extends true ? Name : never
}[KindName]

const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]

export function triedKinds(): KindName[] {
  return KIND_NAMES.filter((name) => KINDS[name].isTried)
}

export function isStormKind(name: KindName): name is StormKind {
  return KINDS[name].inStorms
}
