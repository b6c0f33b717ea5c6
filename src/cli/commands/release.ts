/** `dropbridge release`: sends what was held because its file was stopped. */
import type { ExitCode } from '../../support/errors.ts'
import { type DecisionOptions, decideAndTell } from '../decision.ts'
import type { Terminal } from '../terminal.ts'

export function release(terminal: Terminal, options: DecisionOptions): Promise<ExitCode> {
  return decideAndTell(terminal, 'release', options)
}
