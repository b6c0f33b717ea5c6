/** Every reason why a file is not taken or not sent, with its fix and exit code. */
import { EXIT, type ExitCode } from '../../support/errors.ts'

const { badConfiguration, cannotWrite, rejects, tryLater, unavailable, unusableFile } = EXIT

function reason(exit: ExitCode, fix: string) {
  return { fix, exit }
}

export const REASONS = {
  'no-such-file': reason(rejects, 'Check the name, or drop the file into the inbox.'),
  'not-in-inbox': reason(
    rejects,
    'If it is meant for a route, move it into the inbox folder of that route, whole at once.',
  ),
  'is-inbox': reason(rejects, 'Name a file in it, such as dropbridge why-not FILE.'),
  'name-differs': reason(rejects, 'Rename the file, or change `match` of the route.'),
  'entry-ignored': reason(rejects, 'Put a plain file with a plain name there.'),
  'still-changing': reason(tryLater, 'Wait until its writer is done; the next run takes it then.'),
  'sidecar-missing': reason(
    tryLater,
    'Ask the sender for the marker or manifest, or change `ready` of the route.',
  ),
  'out-of-sequence': reason(
    tryLater,
    'Ask for the file that is missing. If it will never come, set `start` under `sequence` to the number to go on with.',
  ),
  'no-rights': reason(
    cannotWrite,
    'Give the user that the bridge runs as the right to read the file, and to move it out of its folder.',
  ),
  'mailbox-away': reason(unavailable, 'Check that the folder exists, is mounted and may be read.'),
  'journal-away': reason(
    cannotWrite,
    'Check the path in `journal`, the rights and the free space. Never delete the journal.',
  ),
  'mappings-invalid': reason(badConfiguration, 'Correct the mappings; dropbridge check lists every error.'),
  'route-not-configured': reason(
    badConfiguration,
    'Give the route its name back in the configuration, so that its file can go on.',
  ),
  'in-progress': reason(tryLater, 'Let the bridge run again; dropbridge trace shows how far the file is.'),
  done: reason(rejects, 'Nothing, if that is right: dropbridge trace shows what came of it.'),
  'duplicate-file': reason(
    rejects,
    'Nothing, if it is the same file. To send refused rows again, correct and drop the rejects file.',
  ),
  'claimed-elsewhere': reason(
    rejects,
    'Find out which other bridge, with a journal of its own, takes files from this folder.',
  ),
  'lease-held': reason(
    tryLater,
    'Wait for the other bridge: it takes the file, or the next run does when it is done.',
  ),
  'unusable-file': reason(
    unusableFile,
    'Correct what is named and drop the file again; dropbridge translate shows all of it.',
  ),
}

type ReasonCode = keyof typeof REASONS

export interface Reason {
  readonly code: ReasonCode
  readonly message: string
  readonly fix: string
}

export function createReason(code: ReasonCode, message: string, fix: string = REASONS[code].fix): Reason {
  return { code, message, fix }
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
  const codes = verdicts.flatMap(({ reasons }) => reasons.map(({ code }) => REASONS[code].exit))
  return BY_URGENCY.find((exit) => codes.includes(exit)) ?? EXIT.rejects
}

const BY_URGENCY = [badConfiguration, cannotWrite, unavailable, unusableFile, rejects, tryLater]
