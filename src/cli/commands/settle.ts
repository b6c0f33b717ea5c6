/** `dropbridge settle`: a person says what came of a record whose answer was lost, or of a held delivery. */
import type { SettleRequest, SettleResult } from '../../bridge/settle.ts'
import type { SettlementAction } from '../../domain/held.ts'
import type { DeliveryAnswer } from '../../domain/journal.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfiguration, withBridge } from '../context.ts'
import { countsInWords } from '../counts-in-words.ts'
import { afterwards, asData, assertSaid } from '../decision.ts'
import { outboundInWords } from '../outbound-in-words.ts'
import { outboundSoFar } from '../../pipelines/outbound/outbound.ts'
import { progressBar } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

export interface SettleOptions {
  readonly config: string
  readonly what: string
  readonly accepted: string | undefined
  readonly absent: boolean
  readonly discard: boolean
  readonly delivered: boolean
  readonly again: boolean
  readonly by: string
  readonly why: string
  readonly json: boolean
}

export async function settle(terminal: Terminal, options: SettleOptions): Promise<ExitCode> {
  const answer = deliveryAnswerOf(options)
  if (answer !== undefined) return settleDelivery(terminal, options, answer)
  const request = requestOf(options)
  const configuration = await readConfiguration(terminal, options.config)
  const bar = progressBar(terminal)
  const result = await withBridge(terminal, { configuration, notify: bar.observe }, (bridge) =>
    bridge.settle(request, terminal.signal),
  )
  bar.clear()
  const exit = exitOf(result)
  if (options.json) terminal.out(JSON.stringify(dataOf(result, exit), null, 2))
  else for (const line of inWords(request, result)) terminal.say(line)
  return exit
}

function deliveryAnswerOf(options: SettleOptions): DeliveryAnswer | undefined {
  const { delivered, again, accepted, absent, discard } = options
  if (!delivered && !again) return undefined
  if ((delivered && again) || accepted !== undefined || absent || discard) {
    throw new BridgeError('usage-wrong', 'of a held delivery say --delivered or --again, and nothing else')
  }
  return delivered ? 'settle-delivered' : 'settle-again'
}

async function settleDelivery(
  terminal: Terminal,
  { config, what, by, why, json }: SettleOptions,
  action: DeliveryAnswer,
): Promise<ExitCode> {
  assertSaid({ by, why })
  const request = { action, what, by: by.trim(), why: why.trim() }
  const configuration = await readConfiguration(terminal, config)
  const bar = progressBar(terminal)
  const { delivery, result, exit } = await withBridge(
    terminal,
    { configuration, notify: bar.observe },
    (bridge) => bridge.settleDelivery(request, terminal.signal),
  )
  bar.clear()
  if (json) terminal.out(JSON.stringify({ exit, delivery, result: result ?? null }, null, 2))
  else if (result === undefined) terminal.say(`${delivery.route}: ${delivery.name} is not held any more`)
  else {
    const said = action === 'settle-delivered' ? 'settled as delivered' : 'released to be delivered'
    terminal.say(`${delivery.route}: ${delivery.name}: ${said}`)
    const pass = outboundSoFar(delivery.route, [result])
    for (const line of outboundInWords(delivery.route, pass)) terminal.say(line)
  }
  return exit
}

function requestOf({ what, accepted, absent, discard, by, why }: SettleOptions): SettleRequest {
  assertSaid({ by, why, ...(accepted === undefined ? {} : { accepted }) })
  const actions: SettlementAction[] = [
    ...(accepted === undefined ? [] : ['settle-accepted' as const]),
    ...(absent ? ['settle-absent' as const] : []),
    ...(discard ? ['settle-discard' as const] : []),
  ]
  const [action] = actions
  if (action === undefined || actions.length > 1) {
    const message =
      'say what came of it with one of --accepted ID, --absent and --discard; of a delivery, --delivered or --again'
    throw new BridgeError('usage-wrong', message)
  }
  const common = { action, what, by: by.trim(), why: why.trim() }
  return accepted === undefined ? common : { ...common, apiId: accepted.trim() }
}

function exitOf(result: SettleResult): ExitCode {
  if (result.kind === 'settled') return result.exit
  if (result.kind === 'too-early') return EXIT.tryLater
  // It cannot be so, or is settled already: what was asked for is not there.
  return EXIT.rejects
}

function inWords({ apiId = '' }: SettleRequest, result: SettleResult): string[] {
  if (result.kind === 'known') return result.records.map(knownInWords)
  const { record } = result
  const name = `${record.route}: ${record.keyValues.join(', ') || record.naturalKey}`
  if (result.kind === 'too-early') {
    const seconds = Math.ceil(result.waitMs / 1000)
    return [
      `${name}: its answer may still come. Settle it in ${seconds} seconds, or let a run look it up; an id that the API gave it can be noted now: --accepted ID`,
    ]
  }
  if (result.kind === 'refused') return [`${name} is not settled: ${result.why}`]
  const { decision, records, wasSeen } = result
  return [
    `${name}: ${SAID[decision?.action ?? ''] ?? ''}${how(apiId, wasSeen)}: ${countsInWords(records)}`,
    ...afterwards(result),
  ]
}

const SAID: Readonly<Record<string, string>> = {
  'settle-accepted': 'settled as accepted',
  'settle-absent': 'settled as not at the API, and sent again',
  'settle-discard': 'given up',
}

function how(apiId: string, wasSeen: boolean | undefined): string {
  if (wasSeen === undefined) return ''
  return wasSeen
    ? `; the API shows it as ${apiId}`
    : `; the API has no way to show whether it is ${apiId}, so it is believed`
}

function knownInWords(record: TracedRecord): string {
  const { route, keyValues, naturalKey = '', operation, state, apiId } = record
  const key = keyValues.filter((value) => value !== '').join(', ') || naturalKey
  const id = apiId === undefined ? '' : ` as ${apiId}`
  const what = isOpen(record)
    ? `to settle it, give its whole key: "${route}/${key}"`
    : 'there is nothing to settle'
  return `${route}: ${key}: ${operation} is ${state}${id}; ${what}`
}

/** It was found by a part of its key. */
function isOpen({ state, problems }: TracedRecord): boolean {
  return state === 'uncertain' || (state === 'held' && problems[0]?.code === 'outcome-unprovable')
}

function dataOf(result: SettleResult, exit: ExitCode): unknown {
  if (result.kind !== 'settled') return { exit, ...result }
  const { kind, record, wasSeen = null } = result
  return { kind, record, wasSeen, ...(asData(result) as object) }
}
