/** `dropbridge discard`: gives up what is held; it is told as refused, with who decided so and why. */
import type { ExitCode } from '../../support/errors.ts'
import { type DecisionOptions, decideAndTell } from '../decision.ts'
import type { Terminal } from '../terminal.ts'

export function discard(terminal: Terminal, options: DecisionOptions): Promise<ExitCode> {
  return decideAndTell(terminal, 'discard', options)
}
