/** `dropbridge release`, `dropbridge discard` and `dropbridge dismiss`: a person decides about held and rejected records. */
import type { DecisionResult, DeliveryDecision } from '../../app/decide.ts'
import type { DismissResult } from '../../app/dismiss.ts'
import type { DecisionAction } from '../../domain/decision.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import { CONFIG_FLAG, DECISION_FLAGS, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfiguration, readConfigurationWithoutApi, withBridge, withProgress } from '../context.ts'
import { formatHeld, formatReport, formatWaitingFile } from '../format/inbound.ts'
import { formatCounts } from '../format/text.ts'

export const releaseCommand = defineDecision('release')

export const discardCommand = defineDecision('discard')

function defineDecision(action: DecisionAction) {
  return defineCommand({
    argument: 'FILE, or ROUTE/KEY of one record,',
    positionals: { what: REQUIRED_TEXT },
    options: { config: CONFIG_FLAG, ...DECISION_FLAGS, json: JSON_FLAG },
    async run(terminal, { config, what, by, why, json }) {
      assertNotEmpty({ by, why })
      const configuration = await readConfiguration(terminal, config)
      const result = await withProgress(terminal, configuration, (bridge) =>
        bridge.decide({ action, what, by: by.trim(), why: why.trim() }, terminal.signal),
      )
      if ('delivery' in result) {
        if (json) terminal.out(JSON.stringify(result, null, 2))
        else terminal.say(formatDeliveryDecision(result))
        return result.exit
      }
      if (json) terminal.out(JSON.stringify(decisionToJson(result), null, 2))
      else for (const line of formatDecision(action, result)) terminal.say(line)
      return result.exit
    },
  })
}

/** The journal keeps who decides and why, so neither may be empty. */
export function assertNotEmpty(options: Readonly<Record<string, string>>): void {
  for (const [option, text] of Object.entries(options)) {
    if (text.trim() === '')
      throw usageError(
        `--${option} is empty; it is stored with the decision`,
        'Write who decides as `--by NAME`, and the reason as `--why TEXT`.',
      )
  }
}

const DECIDED_TEXTS = { release: 'released', discard: 'discarded' } as const

function formatDecision(action: DecisionAction, result: DecisionResult) {
  const { file, decision, records, pass, held, unanswered = 0, refused } = result
  const name = `${file.route}: ${file.name}`
  const decided =
    decision === undefined
      ? `${name}: nothing of it is held, so nothing was ${DECIDED_TEXTS[action]}`
      : `${name}: ${decision.records} ${DECIDED_TEXTS[action]}: ${formatCounts(records)}`
  const open =
    unanswered === 0
      ? []
      : [
          `    ${unanswered === 1 ? 'the answer of 1 record is' : `the answers of ${unanswered} records are`} not known yet: dropbridge run ${file.route} looks; or say what the API has: dropbridge resolve ROUTE/KEY --by NAME --why TEXT`,
        ]
  const corrections = refused === undefined ? [] : [formatRefused(file, refused)]
  const isDone = decision === undefined && held.length + open.length + corrections.length === 0
  const done = isDone ? [`    What came of its records: dropbridge trace ${quoteForShell(file.name)}`] : []
  return [decided, ...open, ...corrections, ...done, ...formatFileOutcome({ file, pass, held })]
}

function formatRefused(
  { name }: DecisionResult['file'],
  { records, rejects = 'the rejects file' }: NonNullable<DecisionResult['refused']>,
): string {
  const are = records === 1 ? '1 record is' : `${records} records are`
  return `    ${are} refused and not corrected: correct ${rejects} and drop it into the inbox; or dropbridge dismiss ${quoteForShell(name)} --by NAME --why TEXT`
}

function formatDeliveryDecision({ delivery: { name, route }, decision: { records } }: DeliveryDecision) {
  const what = records === 1 ? '1 record' : `${records} records`
  return `${route}: ${name}: ${what} released; the next run of ${route} sends them in a new interchange`
}

export function formatFileOutcome({ file, pass, held }: Pick<DecisionResult, 'file' | 'pass' | 'held'>) {
  const waiting = pass.open.map(
    () => `${file.route}: ${file.name} is not finished: some answers are not known yet. Run again later`,
  )
  return [
    ...pass.reported.flatMap(formatReport),
    ...waiting,
    ...pass.waiting.map(formatWaitingFile),
    // A report has listed them already.
    ...(pass.reported.length > 0 ? [] : held.map((each) => `    ${formatHeld(each)}`)),
  ]
}

export function decisionToJson(result: DecisionResult): unknown {
  const { file, decision, records, pass, held, unanswered = 0, refused, exit } = result
  return {
    exit,
    file: { id: file.id, name: file.name, route: file.route },
    decision: decision ?? null,
    records,
    summaries: pass.summaries,
    open: pass.open.map(({ name }) => name),
    held,
    unanswered,
    refused: refused ?? null,
  }
}

// Dismissing: a person wants no correction of what was rejected.

export const dismissCommand = defineCommand({
  argument: 'FILE, or ROUTE/KEY of one record,',
  positionals: { what: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG, ...DECISION_FLAGS, json: JSON_FLAG },
  async run(terminal, { config, what, by, why, json }) {
    assertNotEmpty({ by, why })
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const request = { what, by: by.trim(), why: why.trim() }
    const result = await withBridge(terminal, configuration, (bridge) => bridge.dismiss(request))
    const { id, name, route } = result.file
    if (json) terminal.out(JSON.stringify({ file: { id, name, route }, decision: result.decision }, null, 2))
    else terminal.say(formatDismissal(result))
    return EXIT.ok
  },
})

function formatDismissal({ file: { route, name }, decision: { records } }: DismissResult): string {
  if (records === 0) return `${route}: ${name} is dismissed`
  return `${route}: ${name}: ${records === 1 ? '1 record is' : `${records} records are`} dismissed`
}
