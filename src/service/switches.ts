/** The switches of the service: choices the spec leaves open, and faults of real services. Each may change at any time. */
import { didYouMean } from '../support/text.ts'
import { DAY_MS, HOUR_MS } from '../support/clock.ts'
import { isKeyOf } from '../support/object-paths.ts'

/** One of a few values; the first is the default. */
interface Choice<Value extends string | number | boolean> {
  readonly kind: 'choice'
  readonly values: readonly Value[]
  readonly default: Value
  readonly doc: string
}

interface Amount {
  readonly kind: 'amount'
  readonly min: number
  readonly max: number
  readonly default: number
  readonly doc: string
}

/** When a fault strikes: before the work, after it, or where older data are read. */
type FaultMoment = 'before' | 'after' | 'reading'

/** How likely it is, 0 to 1, that the fault strikes a request. */
interface Fault<When extends FaultMoment> {
  readonly kind: 'fault'
  readonly strikes: When
  readonly min: 0
  readonly max: 1
  readonly default: 0
  readonly doc: string
}

export type SwitchRow = Choice<string | number | boolean> | Amount | Fault<FaultMoment>

/** Every switch. The faults are tried in this order, and at most one of them strikes a request. */
export const SWITCHES = {
  envelope: choice(
    ['object', 'array', 'data', 'link'],
    'A list comes as an object with `count`, `next`, `previous` and `results`; as a bare array; as an object with `data`, `links` and `meta`; or as a bare array with the links in a `Link` header.',
  ),
  createAnswer: choice([201, 200], 'The status of the answer to a create.'),
  actAnswer: choice([200, 204], 'Acknowledge, close and reopen answer the whole resource, or nothing.'),
  ids: choice(['number', 'text'], 'Ids in answers are numbers, or the same digits as text.'),
  upc: choice(['text', 'number'], 'UPCs in answers are text, or numbers without their leading zeros.'),
  enumCase: choice(
    ['as-is', 'lower', 'upper'],
    'The case of statuses, levels, types, owners and creators: as in the spec, all lower, or all upper.',
  ),
  trailingSlash: choice(
    ['strict', 'redirect'],
    'A path that lacks its last slash is not found, or is redirected (301) to the one that has it.',
  ),
  unknownParameters: choice(
    ['refuse', 'ignore'],
    'A query parameter that a call does not know is refused (400), or it is ignored.',
  ),
  paging: choice(
    ['anchored', 'page'],
    'Later pages hold what followed the page before, whatever has changed since, or are cut anew by their number.',
  ),
  labelFormat: choice(['pdf', 'png', 'zpl'], 'The format of shipping labels.'),
  labelMade: choice(
    ['create', 'fetch'],
    'A label and its tracking number are made with the shipment, or when the label is fetched for the first time.',
  ),
  shipmentCloses: choice(
    ['tracking', 'pick-up'],
    'A shipment is closed once it has a tracking number, or once the carrier has picked it up.',
  ),
  fulfilledOrderCloses: choice(
    [true, false],
    'An order closes by itself once all of it is shipped or canceled, or waits to be closed.',
  ),
  clockSkewMs: amount(
    [-3650 * DAY_MS, 3650 * DAY_MS],
    "The service's clock is ahead of the real one by this much; negative when it is behind.",
  ),
  rateLimitPerMinute: amount(
    [0, 1_000_000],
    'A client may make as many requests a minute; more are answered with 429. 0 is no limit.',
  ),
  retryAfter: choice(['seconds', 'date'], 'A 429 says in seconds when to come back, or as a date.'),
  tokenLastsRequests: amount(
    [0, 1_000_000_000],
    'A token ends after as many requests, although its time is not over. 0 is no such end.',
  ),
  latencyMs: amount([0, HOUR_MS], 'Every answer is held back for so long after the work is done.'),
  latencyJitterMs: amount(
    [0, HOUR_MS],
    'Every answer is held back for a random time up to this in addition.',
  ),
  readLagMs: amount(
    [0, DAY_MS],
    'A read that `staleRead` strikes shows the data of so long ago, but of no more than the last 50 commits.',
    10_000,
  ),
  faultsStrike: choice(
    ['writes', 'all'],
    'Faults strike creates and changes only, or reads as well; `staleRead` strikes reads in both cases.',
  ),
  faultLimit: amount([0, Number.MAX_SAFE_INTEGER], 'As many faults strike in all.', Number.MAX_SAFE_INTEGER),
  faultSeed: amount(
    [0, 4_294_967_295],
    'Decides which requests are struck; the same seed strikes the same. Another seed starts anew.',
    1,
  ),
  resetBefore: fault('before', 'The connection breaks, and nothing was done.'),
  hang: fault('before', 'No answer ever comes, the connection stays open, and nothing was done.'),
  error500Before: fault('before', 'The answer is 500, and nothing was done.'),
  html502Before: fault('before', 'A gateway answers 502 with a page of HTML, and nothing was done.'),
  tooMany429: fault(
    'before',
    'The answer is 429 with a Retry-After of 0 or 1 seconds, and nothing was done.',
  ),
  expiredToken: fault('before', 'The answer is 401 as for an expired token, once; nothing was done.'),
  loseAnswer: fault('after', 'It is done, and the connection breaks instead of an answer.'),
  hangAfter: fault('after', 'It is done, no answer ever comes, and the connection stays open.'),
  error500After: fault('after', 'It is done, and the answer is 500.'),
  html502: fault('after', 'It is done, and a gateway answers 502 with a page of HTML.'),
  redirectAfter: fault(
    'after',
    'A call that changes something is done, and the answer leads to a login page (302).',
  ),
  wait503After: fault(
    'after',
    'It is done, and a gateway answers 503 in JSON, with a Retry-After of 1 second.',
  ),
  truncatedJson: fault('after', 'It is done, and the answer is cut off in the middle.'),
  staleRead: fault(
    'reading',
    'A list or a single resource of a party comes from a replica that lags behind by `readLagMs`. What was changed before this was turned on is shown as it is.',
  ),
} as const satisfies Record<string, SwitchRow>

export type SwitchName = keyof typeof SWITCHES

type ValueOf<Row> = Row extends Choice<infer Value> ? Value : number

/** The positions of the switches. Read at every request, so that a change takes effect at once. */
export type Switches = { -readonly [Name in SwitchName]: ValueOf<(typeof SWITCHES)[Name]> }

export type FaultName = {
  [Name in SwitchName]: (typeof SWITCHES)[Name] extends { kind: 'fault' } ? Name : never
}[SwitchName]

export const SWITCH_NAMES = Object.keys(SWITCHES) as readonly SwitchName[]

export const FAULT_NAMES = SWITCH_NAMES.filter((name): name is FaultName => SWITCHES[name].kind === 'fault')

/** Creates all switches: the given positions, and defaults for the rest. */
export function createSwitches(given: Partial<Switches> = {}): Switches {
  const usual = Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].default])) as Switches
  return { ...usual, ...given }
}

/** By the name of the switch; errors of the whole object are under `non_field_errors`. */
type SwitchErrors = Readonly<Record<string, readonly string[]>>

/** The most errors in one answer. */
const MAX_ERRORS = 100

/** Reads the switches in an object, or returns all its errors. Numbers and flags may be text, as on command lines. */
export function readSwitches(
  input: unknown,
): { readonly switches: Partial<Switches> } | { readonly errors: SwitchErrors } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { errors: { non_field_errors: ['Invalid data. Expected an object of switches and values.'] } }
  }
  const read = Object.entries(input).map(([name, value]) => ({ name, ...readSwitch(name, value) }))
  const wrong = read.flatMap((one) => (one.error === undefined ? [] : [[one.name, [one.error]] as const]))
  if (wrong.length > 0) return { errors: Object.fromEntries(wrong.slice(0, MAX_ERRORS)) }
  return { switches: Object.fromEntries(read.map(({ name, value }) => [name, value])) as Partial<Switches> }
}

/** Describes the values of a switch: ``one of `201`, `200` `` or `a number from 0 to 1`. */
export function describeAllowedValues(row: SwitchRow): string {
  if (row.kind === 'choice') return `one of ${row.values.map((value) => `\`${value}\``).join(', ')}`
  return `a ${row.kind === 'amount' ? 'whole ' : ''}number from ${row.min} to ${row.max}`
}

function readSwitch(name: string, given: unknown) {
  if (!isKeyOf(SWITCHES, name)) {
    const which = didYouMean(name, SWITCH_NAMES) || ` Known: ${SWITCH_NAMES.join(', ')}.`
    return { error: `There is no such switch.${which}` }
  }
  const row: SwitchRow = SWITCHES[name]
  const value = row.kind === 'choice' ? readChoice(row.values, given) : readNumber(row, given)
  return value === undefined
    ? { error: `${formatGiven(given)} is not ${describeAllowedValues(row)}.` }
    : { value }
}

function readChoice(values: readonly (string | number | boolean)[], given: unknown) {
  return values.find((value) => value === given || String(value) === given)
}

function readNumber({ kind, min, max }: Amount | Fault<FaultMoment>, given: unknown) {
  const isText = typeof given === 'string' && /^-?\d{1,16}(\.\d{1,16})?$/.test(given)
  const value = isText ? Number(given) : given
  if (typeof value !== 'number' || !(value >= min && value <= max)) return undefined
  return kind === 'amount' && !Number.isInteger(value) ? undefined : value
}

/** Long values are not repeated whole. */
function formatGiven(given: unknown): string {
  if (typeof given === 'object' && given !== null) return Array.isArray(given) ? 'A list' : 'An object'
  const text = JSON.stringify(given) ?? 'Nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

function choice<const Values extends readonly [string | number | boolean, ...(string | number | boolean)[]]>(
  values: Values,
  doc: string,
): Choice<Values[number]> {
  return { kind: 'choice', values, default: values[0], doc }
}

function amount([min, max]: readonly [number, number], doc: string, usual = 0): Amount {
  return { kind: 'amount', min, max, default: usual, doc }
}

function fault<const When extends FaultMoment>(strikes: When, doc: string): Fault<When> {
  return { kind: 'fault', strikes, min: 0, max: 1, default: 0, doc }
}
