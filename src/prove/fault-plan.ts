/** Chooses the faults of a round and the answer forms of its service, from repeatable random numbers. */
import type { Service } from '../service/service.ts'
import { FAULT_NAMES, type FaultName, SWITCHES, type Switches } from '../service/switches.ts'

export interface FaultPlan {
  readonly faults: Partial<Switches>
  /** At most this many faults strike in one round; then the service is well again, as it is sooner or later. */
  readonly most: number
}

/** Faults that come after the work, in place of its answer. */
const LOST_ANSWER_FAULTS: readonly [FaultName, ...FaultName[]] = [
  'loseAnswer',
  'error500After',
  'html502',
  'redirectAfter',
  'wait503After',
  'truncatedJson',
]

/** Faults that cost a bridge no real time. */
const QUICK_FAULTS: readonly [FaultName, ...FaultName[]] = [
  'resetBefore',
  'error500Before',
  'html502Before',
  'tooMany429',
  'expiredToken',
  ...LOST_ANSWER_FAULTS,
]

const SLOW_FAULTS: readonly [FaultName, ...FaultName[]] = ['hang', 'hangAfter']

interface SideFault {
  readonly name: FaultName | 'tokenLastsRequests'
  /** How likely it is that a plan has it. */
  readonly probability: number
  readonly at: (chance: Random) => number
}

/** Further faults of the service in a round, each chosen independently. A new kind is a row here. */
const SIDE_FAULTS: readonly SideFault[] = [
  // More than run at the same time: a token that other requests have used up would not be fresh.
  { name: 'tokenLastsRequests', probability: 0.3, at: (chance) => chance.between(50, 100) },
  { name: 'staleRead', probability: 0.3, at: () => 0.2 },
]

/** Too few to lose the answers of one record six times, after which a bridge may give it up. */
const FAULTS_MAX = 5

/** How far a replica lags, in `api.lateAnswer`s: the first read after that time may miss a record, the second not. */
const LAG_FACTOR = 1.5

export const NO_FAULTS: FaultPlan = { faults: {}, most: 0 }

/** Two or three kinds of fault. Only with `hangs` one of them hangs, because real time passes then. */
export function createFaultPlan(chance: Random, hangs: boolean): FaultPlan {
  const faults: Partial<Switches> = { faultSeed: chance.between(1, 1_000_000) }
  faults.faultsStrike = chance.next() < 0.5 ? 'writes' : 'all'
  faults[chance.pick(LOST_ANSWER_FAULTS)] = 0.15
  faults[chance.pick(QUICK_FAULTS)] = 0.1
  if (hangs) faults[chance.pick(SLOW_FAULTS)] = 0.05
  for (const { name, probability, at } of SIDE_FAULTS) {
    if (chance.next() < probability) faults[name] = at(chance)
  }
  return { faults, most: FAULTS_MAX }
}

/** The forms that a service answers in for as long as it lives. */
export function chooseAnswerForms(chance: Random): Partial<Switches> {
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

export function applyFaults({ switches, faults }: Service, faultPlan: FaultPlan, lateAnswerMs: number): void {
  const { faults: some, most } = faultPlan
  Object.assign(switches, some, {
    readLagMs: Math.round(lateAnswerMs * LAG_FACTOR),
    faultLimit: Object.values(faults).reduce((sum, count) => sum + count, 0) + most,
  })
}

/** Removes all faults; the answer forms stay. */
export function clearFaults({ switches }: Service): void {
  for (const name of FAULT_NAMES) switches[name] = 0
  for (const { name } of SIDE_FAULTS) switches[name] = SWITCHES[name].default
  switches.readLagMs = SWITCHES.readLagMs.default
  switches.latencyMs = 0
}

// Random numbers: the same seed words give the same sequence on every machine.

export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** One sequence for each set of words, such as the seed, the route and the number of a round. */
export function createRandom(...words: readonly (string | number)[]): Random {
  let state = hashText(words.join('\0'))
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { next, between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}
