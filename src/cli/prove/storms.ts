/** Weather: which faults strike in a round, and in which of its forms the service answers. */
import { FAULT_NAMES, type FaultName, SWITCHES, type Switches } from '../../service/http/switches.ts'
import type { Service } from '../../service/service.ts'
import type { Dice } from './dice.ts'

export interface Storm {
  readonly faults: Partial<Switches>
  /** So many faults strike in one round; then the service is well again, as it is sooner or later. */
  readonly most: number
}

/** Those that come after the work, in place of its answer. */
const LOST: readonly [FaultName, ...FaultName[]] = [
  'loseAnswer',
  'error500After',
  'html502',
  'redirectAfter',
  'wait503After',
  'truncatedJson',
]

/** Those that cost a bridge no real time. */
const QUICK: readonly [FaultName, ...FaultName[]] = [
  'resetBefore',
  'error500Before',
  'html502Before',
  'tooMany429',
  'expiredToken',
  ...LOST,
]

const SLOW: readonly [FaultName, ...FaultName[]] = ['hang', 'hangAfter']

interface Trouble {
  readonly name: FaultName | 'tokenLastsRequests'
  /** How likely a storm is to bring it. */
  readonly likely: number
  readonly at: (chance: Dice) => number
}

/** What else may be wrong with the service during a storm, each for itself. A new kind is a row here. */
const TROUBLES: readonly Trouble[] = [
  // more than are under way at once: a token that others have used up is no fresh one
  { name: 'tokenLastsRequests', likely: 0.3, at: (chance) => chance.between(50, 100) },
  { name: 'staleRead', likely: 0.3, at: () => 0.2 },
]

/** Less than it takes to lose the answers of one record six times: then a bridge may give it up. */
const MOST = 5

/**
 * How far a replica lags behind, as a multiple of `api.lateAnswer`: what was lost may be missing from the first read after it,
 * and not from the second one.
 */
const LAG = 1.5

export const NO_STORM: Storm = { faults: {}, most: 0 }

/** Two or three kinds of fault; one that hangs only where `hangs`, because real time passes then. */
export function stormOf(chance: Dice, hangs: boolean): Storm {
  const faults: Partial<Switches> = { faultSeed: chance.between(1, 1_000_000) }
  faults.faultsStrike = chance.next() < 0.5 ? 'writes' : 'all'
  faults[chance.pick(LOST)] = 0.15
  faults[chance.pick(QUICK)] = 0.1
  if (hangs) faults[chance.pick(SLOW)] = 0.05
  for (const { name, likely, at } of TROUBLES) {
    if (chance.next() < likely) faults[name] = at(chance)
  }
  return { faults, most: MOST }
}

/** A service answers in the same forms for as long as it lives. */
export function formsOf(chance: Dice): Partial<Switches> {
  return {
    envelope: chance.pick(['object', 'array', 'data', 'link']),
    createAnswer: chance.pick([201, 200]),
    actAnswer: chance.pick([200, 204]),
    ids: chance.pick(['number', 'text']),
    enumCase: chance.pick(['as-is', 'lower', 'upper']),
    paging: chance.pick(['anchored', 'page']),
    retryAfter: chance.pick(['seconds', 'date']),
  }
}

export function strike({ switches, faults }: Service, storm: Storm, lateAnswerMs: number): void {
  const { faults: some, most } = storm
  Object.assign(switches, some, {
    readLagMs: Math.round(lateAnswerMs * LAG),
    faultLimit: Object.values(faults).reduce((sum, count) => sum + count, 0) + most,
  })
}

/** No faults; the forms stay. */
export function calm({ switches }: Service): void {
  for (const name of FAULT_NAMES) switches[name] = 0
  for (const { name } of TROUBLES) switches[name] = SWITCHES[name].default
  switches.readLagMs = SWITCHES.readLagMs.default
  switches.latencyMs = 0
}
