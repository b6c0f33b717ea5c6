/** What `release` and `discard` share: who decides, what for, and what came of it in words. */
import type { DecisionResult } from '../bridge/decide.ts'
import type { DecisionAction } from '../domain/held.ts'
import { BridgeError, type ExitCode } from '../support/errors.ts'
import { readConfiguration, withBridge } from './context.ts'
import { countsInWords } from './counts-in-words.ts'
import { heldInWords } from './held-in-words.ts'
import { progressBar } from './progress.ts'
import { reportInWords, waitingInWords } from './report-in-words.ts'
import type { Terminal } from './terminal.ts'

export interface DecisionOptions {
  readonly config: string
  /** A file by its name or id, or a record as `ROUTE/KEY`. */
  readonly what: string
  readonly by: string
  readonly why: string
  readonly json: boolean
}

export async function decideAndTell(
  terminal: Terminal,
  action: DecisionAction,
  { config, what, by, why, json }: DecisionOptions,
): Promise<ExitCode> {
  assertSaid({ by, why })
  const configuration = await readConfiguration(terminal, config)
  const bar = progressBar(terminal)
  const result = await withBridge(terminal, { configuration, notify: bar.observe }, (bridge) =>
    bridge.decide({ action, what, by: by.trim(), why: why.trim() }, terminal.signal),
  )
  bar.clear()
  if (json) terminal.out(JSON.stringify(asData(result), null, 2))
  else for (const line of inWords(action, result)) terminal.say(line)
  return result.exit
}

/** Who decides, and why, is kept. */
export function assertSaid(said: Readonly<Record<string, string>>): void {
  for (const [option, text] of Object.entries(said)) {
    if (text.trim() === '')
      throw new BridgeError('usage-wrong', `--${option} is empty; it is kept with the decision`)
  }
}

const DONE = { release: 'released', discard: 'discarded' } as const

function inWords(action: DecisionAction, { file, decision, records, pass, held }: DecisionResult): string[] {
  const name = `${file.route}: ${file.name}`
  const decided =
    decision === undefined
      ? `${name}: nothing that is held could be ${DONE[action]}`
      : `${name}: ${decision.records} ${DONE[action]}: ${countsInWords(records)}`
  return [decided, ...afterwards({ file, pass, held })]
}

/** What came of the file after a decision. */
export function afterwards({ file, pass, held }: Pick<DecisionResult, 'file' | 'pass' | 'held'>): string[] {
  const waiting = pass.open.map(
    () => `${file.route}: ${file.name} is not finished: some answers are not known yet. Run again later`,
  )
  return [
    ...pass.reported.flatMap(reportInWords),
    ...waiting,
    ...pass.waiting.map(waitingInWords),
    // A report has told it already.
    ...(pass.reported.length > 0 ? [] : held.map((each) => `    ${heldInWords(each)}`)),
  ]
}

export function asData({ file, decision, records, pass, held, exit }: DecisionResult): unknown {
  return {
    exit,
    file: { id: file.id, name: file.name, route: file.route },
    decision: decision ?? null,
    records,
    summaries: pass.summaries,
    open: pass.open.map(({ name }) => name),
    held,
  }
}
