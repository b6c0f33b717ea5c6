/** `dropbridge resolve`: a person says what came of a record whose answer was lost, or of a held delivery. */
import { type ResolveRequest, type ResolveResult } from '../../app/resolve.ts'
import { DECISIONS, type ResolutionAction } from '../../domain/decision.ts'
import type { DeliveryResolution } from '../../domain/delivery.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import { EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import { getOutboundOutcome } from '../../pipeline/outbound/outbound.ts'
import {
  CONFIG_FLAG,
  DECISION_FLAGS,
  defineCommand,
  flag,
  JSON_FLAG,
  type OptionValues,
  REQUIRED_TEXT,
  text,
} from '../command.ts'
import { readConfiguration, withProgress } from '../context.ts'
import { formatOutbound } from '../format/outbound.ts'
import { formatCounts } from '../format/text.ts'
import type { Terminal } from '../terminal.ts'
import { formatFileOutcome, decisionToJson, assertNotEmpty } from './release.ts'

const WHAT = { what: REQUIRED_TEXT } as const

const OPTIONS = {
  config: CONFIG_FLAG,
  json: JSON_FLAG,
  accepted: text('The API has it, under this id'),
  absent: flag('The API does not have it: send it again'),
  discard: flag('Give it up: it is reported as refused'),
  delivered: flag('Of a held delivery: it was delivered'),
  again: flag('Of a held delivery: deliver it'),
  ...DECISION_FLAGS,
} as const

type ResolveOptions = OptionValues<typeof WHAT> & OptionValues<typeof OPTIONS>

export const resolveCommand = defineCommand({
  argument: 'KEY',
  positionals: WHAT,
  options: OPTIONS,
  async run(terminal, options) {
    const answer = readDeliveryAnswer(options)
    if (answer !== undefined) return resolveDelivery(terminal, options, answer)
    const request = readRequest(options)
    const configuration = await readConfiguration(terminal, options.config)
    const { signal } = terminal
    const result = await withProgress(terminal, configuration, ({ resolve }) => resolve(request, signal))
    const exit = resolutionExit(result)
    if (options.json) terminal.out(JSON.stringify(resolutionToJson(result, exit), null, 2))
    else for (const line of formatResolution(request, result)) terminal.say(line)
    return exit
  },
})

function readDeliveryAnswer(options: ResolveOptions): DeliveryResolution | undefined {
  const { delivered, again, accepted, absent, discard } = options
  if (!delivered && !again) return undefined
  if ((delivered && again) || accepted !== undefined || absent || discard) {
    throw usageError(
      'of a held delivery only --delivered or --again can be said',
      'Write --delivered if it arrived, or --again to deliver it once more.',
    )
  }
  return delivered ? 'resolve-delivered' : 'resolve-again'
}

async function resolveDelivery(
  terminal: Terminal,
  { config, what, by, why, json }: ResolveOptions,
  action: DeliveryResolution,
): Promise<ExitCode> {
  assertNotEmpty({ by, why })
  const request = { action, what, by: by.trim(), why: why.trim() }
  const configuration = await readConfiguration(terminal, config)
  const { delivery, result, exit } = await withProgress(terminal, configuration, (bridge) =>
    bridge.resolveDelivery(request, terminal.signal),
  )
  if (json) terminal.out(JSON.stringify({ exit, delivery, result: result ?? null }, null, 2))
  else if (result === undefined) terminal.say(`${delivery.route}: ${delivery.name} is not held any more`)
  else {
    const outcome = action === 'resolve-delivered' ? 'resolved as delivered' : 'released to be delivered'
    terminal.say(`${delivery.route}: ${delivery.name}: ${outcome}`)
    const pass = getOutboundOutcome(delivery.route, [result])
    for (const line of formatOutbound(delivery.route, pass)) terminal.say(line)
  }
  return exit
}

function readRequest({ what, accepted, absent, discard, by, why }: ResolveOptions): ResolveRequest {
  const actions: ResolutionAction[] = []
  if (accepted !== undefined) actions.push('resolve-accepted')
  if (absent) actions.push('resolve-absent')
  if (discard) actions.push('resolve-discard')
  const [action, another] = actions
  if (another !== undefined) {
    const given = actions.map((each) => each.replace('resolve', '-')).join(' and ')
    throw usageError(`${given} contradict each other`, 'Leave all but one of them out.')
  }
  if (accepted?.trim() === '')
    throw usageError('--accepted has no value; it takes the id that the API gave', 'Write `--accepted ID`.')
  assertNotEmpty({ by, why })
  const common = { action, what, by: by.trim(), why: why.trim() }
  return accepted === undefined ? common : { ...common, apiId: accepted.trim() }
}

function resolutionExit(result: ResolveResult): ExitCode {
  if (result.kind === 'resolved') return result.exit
  if (result.kind === 'too-early') return EXIT.tryLater
  // The API contradicts the person, or the record is resolved already.
  return EXIT.rejects
}

function formatResolution({ apiId = '' }: ResolveRequest, result: ResolveResult): string[] {
  if (result.kind === 'known') return result.records.map(formatKnownRecord)
  const { record } = result
  const name = `${record.route}: ${record.keyValues.join(', ') || record.naturalKey}`
  if (result.kind === 'too-early') {
    const how = `Resolve it in ${Math.ceil(result.waitMs / 1000)} seconds, or let a run look it up`
    return [
      `${name}: its answer may still come. ${how}; an id that the API gave it can be noted now: --accepted ID`,
    ]
  }
  if (result.kind === 'refused') return [`${name} is not resolved: ${result.why}`]
  const { decision, records, wasSeen } = result
  const done = `${ACTION_TEXTS[decision?.action ?? ''] ?? ''}${formatVerification(apiId, wasSeen)}`
  return [`${name}: ${done}: ${formatCounts(records)}`, ...formatFileOutcome(result)]
}

const ACTION_TEXTS: Readonly<Record<string, string>> = {
  'resolve-accepted': 'resolved as accepted',
  'resolve-absent': 'resolved as not at the API, and sent again',
  'resolve-discard': 'given up',
}

function formatVerification(apiId: string, wasSeen: boolean | undefined): string {
  if (wasSeen === undefined) return ''
  return wasSeen
    ? `; the API shows it as ${apiId}`
    : `; the API has no way to show whether it is ${apiId}, so it is believed`
}

function formatKnownRecord(record: TracedRecord): string {
  const { route, keyValues, naturalKey = '', operation, state, apiId } = record
  const key = keyValues.filter((value) => value !== '').join(', ') || naturalKey
  const id = apiId === undefined ? '' : ` as ${apiId}`
  const what =
    record.state === 'uncertain' ||
    (record.state === 'held' && record.problems[0]?.code === 'outcome-unprovable')
      ? `to resolve it, give its whole key: ${quoteForShell(`${route}/${key}`)}`
      : formatDecisions(record, `${route}/${key}`)
  return `${route}: ${key}: ${operation} is ${state}${id}; ${what}`
}

/** A record that was not sent has no lost answer, but may wait for another decision. */
function formatDecisions({ state, problems }: TracedRecord, key: string): string {
  const isDecided = ({ codes }: { codes: readonly string[] }) => codes.includes(problems[0]?.code ?? '')
  const possible = Object.entries(DECISIONS).flatMap(([action, each]) => (isDecided(each) ? [action] : []))
  const isOpen = (state === 'held' || state === 'deferred') && possible.length > 0
  if (!isOpen) return 'there is nothing to resolve'
  return `no answer was lost; decide with dropbridge ${possible.join(' or ')} ${quoteForShell(key)} --by NAME --why TEXT`
}

function resolutionToJson(result: ResolveResult, exit: ExitCode): unknown {
  if (result.kind !== 'resolved') return { exit, ...result }
  const { kind, record, wasSeen = null } = result
  return { kind, record, wasSeen, ...(decisionToJson(result) as object) }
}
