/** Everything that keeps a file from being picked up or sent, with what to do about it. */
import { EXIT, type ExitCode } from '../../support/errors.ts'

interface ReasonKind {
  readonly cure: string
  readonly exit: ExitCode
}

export const REASONS = {
  'no-such-file': { cure: 'Check the name, or drop the file into the inbox.', exit: EXIT.rejects },
  'not-in-inbox': {
    cure: 'If it is meant for a route, move it into the inbox folder of that route, whole at once.',
    exit: EXIT.rejects,
  },
  'is-inbox': { cure: 'Name a file in it, such as dropbridge why-not FILE.', exit: EXIT.rejects },
  'name-differs': { cure: 'Rename the file, or change `match` of the route.', exit: EXIT.rejects },
  'passed-over': { cure: 'Put a plain file with a plain name there.', exit: EXIT.rejects },
  'still-changing': {
    cure: 'Wait until whoever writes it is done; the next run takes it then.',
    exit: EXIT.tryLater,
  },
  'companion-missing': {
    cure: 'Ask whoever sends the file for its marker or manifest; or change `ready` of the route.',
    exit: EXIT.tryLater,
  },
  'not-its-turn': {
    cure: 'Ask for the file that is missing. If it will never come, set `start` under `sequence` to the number to go on with.',
    exit: EXIT.tryLater,
  },
  'no-rights': {
    cure: 'Give the user that the bridge runs as the right to read the file, and to move it out of its folder.',
    exit: EXIT.cannotWrite,
  },
  'mailbox-away': {
    cure: 'Check that the folder exists, is mounted and may be read.',
    exit: EXIT.unavailable,
  },
  'journal-away': {
    cure: 'Check the path in `journal`, the rights and the free space. Never delete the journal.',
    exit: EXIT.cannotWrite,
  },
  'mappings-wrong': {
    cure: 'Correct the mappings: no run begins before. dropbridge check lists every mistake.',
    exit: EXIT.badConfiguration,
  },
  'route-gone': {
    cure: 'Give the route its name back in the configuration, so that its file can go on.',
    exit: EXIT.badConfiguration,
  },
  'being-done': {
    cure: 'Let the bridge run again; dropbridge trace shows how far the file is.',
    exit: EXIT.tryLater,
  },
  done: { cure: 'Nothing, if that is right: dropbridge trace shows what came of it.', exit: EXIT.rejects },
  'same-bytes': {
    cure: 'Nothing, if it is the same file. To send refused rows again, correct and drop the rejects file.',
    exit: EXIT.rejects,
  },
  'claimed-elsewhere': {
    cure: 'Find out which other bridge, with a journal of its own, takes files from this folder.',
    exit: EXIT.rejects,
  },
  'lease-held': {
    cure: 'Wait for the other bridge: it takes the file, or the next run does when it is done.',
    exit: EXIT.tryLater,
  },
  'not-usable': {
    cure: 'Correct what is named and drop the file again; dropbridge translate shows all of it.',
    exit: EXIT.unusableFile,
  },
} as const satisfies Record<string, ReasonKind>

export type ReasonCode = keyof typeof REASONS

export interface Reason {
  readonly code: ReasonCode
  readonly message: string
  readonly cure: string
}

export function reason(code: ReasonCode, message: string, cure: string = REASONS[code].cure): Reason {
  return { code, message, cure }
}

export interface RouteVerdict {
  /** Left out where no route is meant. */
  readonly route?: string
  readonly path: string
  readonly reasons: readonly Reason[]
  /** What is worth knowing and keeps nothing. */
  readonly notes: readonly string[]
}

/** When a route takes it, the others do not matter; else what a person must do counts before what time does. */
export function exitOf(verdicts: readonly RouteVerdict[]): ExitCode {
  if (verdicts.some(({ reasons }) => reasons.length === 0)) return EXIT.ok
  const codes: ExitCode[] = verdicts.flatMap(({ reasons }) => reasons.map(({ code }) => REASONS[code].exit))
  return BY_URGENCY.find((exit) => codes.includes(exit)) ?? EXIT.rejects
}

const BY_URGENCY: readonly ExitCode[] = [
  EXIT.badConfiguration,
  EXIT.cannotWrite,
  EXIT.unavailable,
  EXIT.unusableFile,
  EXIT.rejects,
  EXIT.tryLater,
]
