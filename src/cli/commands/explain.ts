/** `dropbridge explain CODE`: what a code means and what to do about it. */
import { CONCERNS } from '../../domain/attention.ts'
import { DELIVERY_STATES, FILE_STATES } from '../../domain/journal.ts'
import { OUTCOMES } from '../../domain/record.ts'
import { PROBLEMS } from '../../domain/problem-kinds.ts'
import { BridgeError, EXIT, type ExitCode, FAILURES } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'

const KINDS = {
  problem: 'a problem with data',
  failure: 'a failure',
  outcome: 'an outcome of a record',
  file: 'a state of an incoming file',
  delivery: 'a state of an outgoing file',
  finding: 'something that a person must hear of',
} as const

interface Explanation {
  readonly code: string
  readonly kind: keyof typeof KINDS
  readonly cause: string
  readonly cure?: string
  readonly exit?: number
}

/** Explains one code, or lists them all when none is named. */
export function explain(terminal: Terminal, code: string | undefined, json: boolean): ExitCode {
  const all = explanations()
  if (code === undefined) {
    if (json) terminal.out(JSON.stringify(all, null, 2))
    else
      for (const line of table(
        ['code', 'kind', 'meaning'],
        all.map((each) => [each.code, each.kind, each.cause]),
        90,
      ))
        terminal.out(line)
    return EXIT.ok
  }
  const found = all.find((each) => each.code === code.toLowerCase())
  if (!found) {
    const hint = didYouMean(
      code,
      all.map((each) => each.code),
    )
    const exits = /^\d+$/.test(code) ? ' Exit codes are told by the README and by docs/operating.md.' : ''
    throw new BridgeError('usage-wrong', `there is no code "${code}".${hint}${exits}`)
  }
  if (json) terminal.out(JSON.stringify(found, null, 2))
  else for (const line of inWords(found)) terminal.out(line)
  return EXIT.ok
}

function explanations(): Explanation[] {
  return [
    ...Object.entries(PROBLEMS).map(([code, { cause, cure }]) => ({
      code,
      kind: 'problem' as const,
      cause,
      cure,
    })),
    ...Object.entries(FAILURES).map(([code, kind]) => ({ code, kind: 'failure' as const, ...kind })),
    ...Object.entries(OUTCOMES).map(([code, cause]) => ({ code, kind: 'outcome' as const, cause })),
    ...Object.entries(FILE_STATES).map(([code, cause]) => ({ code, kind: 'file' as const, cause })),
    ...Object.entries(CONCERNS).map(([code, { meaning, cure }]) => ({
      code,
      kind: 'finding' as const,
      cause: meaning,
      cure,
    })),
    ...Object.entries(DELIVERY_STATES).map(([code, cause]) => ({ code, kind: 'delivery' as const, cause })),
  ]
}

function inWords({ code, kind, cause, cure, exit }: Explanation): string[] {
  return [
    `${code}: ${KINDS[kind]}`,
    `  what happened  ${cause}`,
    ...(cure === undefined ? [] : [`  what to do     ${cure}`]),
    ...(exit === undefined ? [] : [`  exit code      ${exit}`]),
  ]
}
