/** What an exit code says of a run. */
import { EXIT, type ExitCode } from '../support/errors.ts'

const WORDS: Readonly<Record<ExitCode, string>> = {
  [EXIT.ok]: 'all is well',
  [EXIT.rejects]: 'finished; something was refused, is held, missing or overdue: see above, and the results',
  [EXIT.usage]: 'the command line is wrong',
  [EXIT.unusableFile]: 'a file could not be used as a whole',
  [EXIT.unavailable]: 'the API or a mailbox could not be reached; the work is kept',
  [EXIT.bug]: 'something unexpected happened; please report it',
  [EXIT.cannotWrite]: 'something could not be written: disk or rights',
  [EXIT.tryLater]: 'not all could be finished yet; the next run goes on',
  [EXIT.refusedCredentials]: 'credentials or a host key were refused',
  [EXIT.badConfiguration]: 'the configuration or a mapping is wrong',
  [EXIT.interrupted]: 'stopped by a signal; the next run goes on',
  [EXIT.terminated]: 'stopped by a signal; the next run goes on',
}

export function exitInWords(exit: ExitCode): string {
  return WORDS[exit]
}
