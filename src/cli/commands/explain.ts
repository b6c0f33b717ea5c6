/** `dropbridge explain CODE`: what a code means and what to do about it. */
import { REASONS } from '../../app/diagnose/reasons.ts'
import { ALERTS } from '../../domain/alert.ts'
import { DELIVERY_STATES } from '../../domain/delivery.ts'
import { FILE_STATES } from '../../domain/file.ts'
import { OUTCOMES } from '../../domain/record.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import { type BridgeError, EXIT, FAILURES, usageError } from '../../support/errors.ts'
import { unknownNameError } from '../../support/text.ts'
import { defineCommand, JSON_FLAG } from '../command.ts'
import { formatTable } from '../format/text.ts'

const CODE_KINDS = {
  problem: 'a problem with data',
  failure: 'a failure',
  outcome: 'an outcome of a record',
  file: 'a state of an incoming file',
  delivery: 'a state of an outgoing file',
  alert: 'something that a person must hear of',
  reason: 'a reason why a file is not taken, from why-not',
} as const

interface Explanation {
  readonly code: string
  readonly kind: keyof typeof CODE_KINDS
  readonly title: string
  readonly fix?: string
  readonly details?: string
  readonly exit?: number
}

/** Explains one code, or lists them all when none is named. */
export const explainCommand = defineCommand({
  positionals: { code: { type: 'string' } },
  options: { json: JSON_FLAG },
  run(terminal, { code, json }) {
    const all = listExplanations()
    const found = code === undefined ? all : all.find((each) => each.code === code.toLowerCase())
    if (found === undefined) throw unknownCodeError(code ?? '', all)
    if (json) terminal.out(JSON.stringify(found, null, 2))
    else
      for (const line of Array.isArray(found) ? formatList(found) : formatExplanation(found))
        terminal.out(line)
    return EXIT.ok
  },
})

function unknownCodeError(code: string, all: readonly Explanation[]): BridgeError {
  const codes = all.map((each) => each.code)
  if (/^\d+$/.test(code))
    return usageError(
      `there is no code "${code}"`,
      'Exit codes are listed in docs/commands.md; `dropbridge explain` lists all other codes.',
    )
  return unknownNameError(`there is no code "${code}"`, code, codes, '`dropbridge explain` lists all codes.')
}

function formatList(all: readonly Explanation[]): string[] {
  const rows = all.map(({ code, kind, title }) => [code, kind, title])
  return formatTable(['code', 'kind', 'title'], rows, 90)
}

function listExplanations(): Explanation[] {
  const withoutFix = (kind: Explanation['kind'], meanings: Readonly<Record<string, string>>) =>
    Object.entries(meanings).map(([code, title]) => ({ code, kind, title }))
  return [
    ...Object.entries(PROBLEMS).map(([code, text]) => ({ code, kind: 'problem' as const, ...text })),
    ...Object.entries(FAILURES).map(([code, kind]) => ({ code, kind: 'failure' as const, ...kind })),
    ...withoutFix('outcome', OUTCOMES),
    ...withoutFix('file', FILE_STATES),
    ...Object.entries(ALERTS).map(([code, text]) => ({ code, kind: 'alert' as const, ...text })),
    ...withoutFix('delivery', DELIVERY_STATES),
    ...Object.entries(REASONS).map(([code, text]) => ({ code, kind: 'reason' as const, ...text })),
  ]
}

function formatExplanation({ code, kind, title, fix, details, exit }: Explanation): string[] {
  return [
    `${code}: ${CODE_KINDS[kind]}`,
    `  ${title}`,
    ...(fix === undefined ? [] : [`  fix        ${fix}`]),
    ...(details === undefined ? [] : [`  details    ${details}`]),
    ...(exit === undefined ? [] : [`  exit code  ${exit}`]),
  ]
}
