/** Every reason why a file is not taken or not sent, with its fix and exit code. */
import type { AlertCode } from '../../domain/alert.ts'
import type { Problem, ProblemCode } from '../../domain/problem.ts'
import { SKIP_REASONS } from '../../pipeline/inbound/inbox.ts'
import { type BridgeError, EXIT, type ExitCode, type FailureCode } from '../../support/errors.ts'

const { badConfiguration, cannotWrite, refusedCredentials, rejects, tryLater, unavailable, unusableFile } =
  EXIT

/** The reasons that only `why-not` has. Others are failures of a run and problems of a file. */
export const REASONS = {
  'no-such-file': reason('No inbox has such a file.', 'Check the name, or drop the file into the inbox.'),
  'not-in-inbox': reason(
    'The file is in no inbox of a route.',
    'If it is meant for a route, move it into the inbox folder of that route, whole at once.',
  ),
  'is-folder': reason(
    'This is a folder and not a file.',
    'Name a file in an inbox: dropbridge why-not FILE.',
  ),
  'is-sidecar': { ...SKIP_REASONS['is-sidecar'], exit: rejects },
  'name-differs': reason('The route takes no such name.', 'Rename the file, or change `match` of the route.'),
  'entry-ignored': reason(
    'No run takes such an entry.',
    'Rename it, or put a plain file with a plain name there.',
  ),
  'still-changing': { ...SKIP_REASONS['still-changing'], exit: tryLater },
  'line-end-missing': { ...SKIP_REASONS['line-end-missing'], exit: tryLater },
  'sidecar-missing': { ...SKIP_REASONS['sidecar-missing'], exit: tryLater },
  'out-of-sequence': { ...SKIP_REASONS['out-of-sequence'], exit: tryLater },
  'no-rights': reason(
    'The bridge may not read or move the file.',
    'Let the user of the bridge read the file, and move it out of its folder.',
    cannotWrite,
  ),
  'in-progress': reason(
    'The file is not finished.',
    'Run again: `dropbridge trace FILE` says how far it is.',
    tryLater,
  ),
  paused: reason(
    'A person paused the route.',
    'Wait until the pause ends, or: `dropbridge resume ROUTE --by NAME --why TEXT`.',
    tryLater,
  ),
  'not-due': reason(
    'The next scheduled run of its route is later.',
    'Wait for it, or: `dropbridge run ROUTE`.',
    tryLater,
  ),
  finished: reason(
    'The file is finished.',
    'If that is wrong: `dropbridge trace FILE` shows what came of it.',
  ),
  'claimed-elsewhere': reason(
    'A bridge with another journal has claimed the file.',
    'Find out which other bridge, with a journal of its own, takes files from this folder.',
  ),
}

function reason(title: string, fix: string, exit: ExitCode = rejects) {
  return { title, fix, exit }
}

type ReasonCode = keyof typeof REASONS

export interface Reason {
  readonly code: ReasonCode | FailureCode | ProblemCode | AlertCode
  readonly message: string
  readonly fix: string
  readonly exit: ExitCode
}

export function createReason(code: ReasonCode, message: string, fix: string = REASONS[code].fix): Reason {
  return { code, message, fix, exit: REASONS[code].exit }
}

const DETAILS_MAX = 3

/** The failure that a run would end with. */
export function toReason({ code, message, details, fix, exit }: BridgeError): Reason {
  const text = message.replace(/[.:]$/, '')
  const places = details.length === 0 ? message : `${text}: ${details.slice(0, DETAILS_MAX).join('; ')}`
  return { code, message: places, fix, exit }
}

/** The first of the problems that a run would refuse the whole file for. */
export function createRefusalReasons([first, ...more]: readonly Problem[]): Reason[] {
  if (first === undefined) return []
  const { code, message, fix } = first
  const what = more.length === 0 ? message : `${message.replace(/\.$/, '')}, and ${more.length} more`
  const refused = `once it is taken, it is refused as a whole: ${what}`
  return [{ code, message: refused, fix, exit: unusableFile }]
}

export interface RouteDiagnosis {
  /** Left out where the diagnosis is about no route. */
  readonly route?: string
  readonly path: string
  readonly reasons: readonly Reason[]
  /** Facts that do not keep the file from being taken. */
  readonly notes: readonly string[]
}

/** Success when one route takes the file. Otherwise reasons that need a person count before those that need time. */
export function chooseExitCode(verdicts: readonly RouteDiagnosis[]): ExitCode {
  if (verdicts.some(({ reasons }) => reasons.length === 0)) return EXIT.ok
  const codes = verdicts.flatMap(({ reasons }) => reasons.map(({ exit }) => exit))
  return BY_URGENCY.find((exit) => codes.includes(exit)) ?? EXIT.rejects
}

const FOR_OPERATORS = [badConfiguration, refusedCredentials, cannotWrite, unavailable]

const BY_URGENCY = [...FOR_OPERATORS, unusableFile, rejects, tryLater]
