/** `dropbridge run`: one pass over the routes, for people and for schedulers. */
import type { RouteResult, RunResult } from '../../bridge/outcome.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import type { ReportedRecord, StateCounts } from '../../domain/record.ts'
import type { HeldRecord } from '../../pipelines/outbound/compose.ts'
import type { DeliveryResult } from '../../pipelines/outbound/outbound.ts'
import type { ReportedFile } from '../../pipelines/inbound/report.ts'
import type { Summary } from '../../pipelines/inbound/summary.ts'
import { type ExitCode, FAILURES } from '../../support/errors.ts'
import { readConfiguration, withBridge } from '../context.ts'
import { problemInWords } from '../problem-in-words.ts'
import { progressBar } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

export interface RunOptions {
  readonly config: string
  readonly routes: readonly string[]
  readonly json: boolean
}

export async function run(terminal: Terminal, { config, routes, json }: RunOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, config)
  const bar = progressBar(terminal)
  const notify = (event: BridgeEvent) => {
    bar.observe(event)
    if (event.kind === 'columns-differ') {
      bar.clear()
      terminal.say(`${event.route}: ${event.file} ${columnsInWords(event)}`)
    }
    if (event.kind === 'file-left-alone') {
      bar.clear()
      terminal.say(`${event.route}: ${event.file} is left alone: ${event.why}`)
    }
  }
  const result = await withBridge(configuration, notify, (bridge) => bridge.run(routes, terminal.signal))
  bar.clear()
  if (json) terminal.out(JSON.stringify(asData(result), null, 2))
  else for (const line of runInWords(result)) terminal.say(line)
  return result.exit
}

/** What happened, a line or a few for each route. */
export function runInWords(result: RunResult): string[] {
  const stranded = result.stranded.map(
    (route) =>
      `${route}: this route is not in the configuration any more, and it has unfinished work: give it back its name, or see dropbridge status`,
  )
  return [...result.routes.flatMap(routeInWords), ...stranded]
}

function routeInWords(result: RouteResult): string[] {
  switch (result.kind) {
    case 'failed': {
      const { failure } = result
      const details = failure.details.map((detail) => `    ${detail}`)
      return [
        `${result.route}: ${failure.message}`,
        ...details,
        `    what to do: ${FAILURES[failure.code].cure}`,
      ]
    }
    case 'inbound': {
      const { reported, open } = result.pass
      if (reported.length + open.length === 0) return [`${result.route}: nothing to do`]
      const waiting = open.map(
        (file) =>
          `${result.route}: ${file.name} is not finished: some answers are not known yet. Run again later`,
      )
      return [...reported.flatMap(reportInWords), ...waiting]
    }
    case 'outbound': {
      const { deliveries, held, heldRecords } = result.pass
      const lines = deliveries.flatMap((delivery) => deliveryInWords(result.route, delivery))
      if (held > 0)
        lines.push(
          `${result.route}: ${held} records could not be written to a file and wait for a correction`,
          ...heldRecords.flatMap(troubleInWords),
        )
      return lines.length > 0 ? lines : [`${result.route}: nothing to do`]
    }
  }
}

/** What happened, and where the sender reads more when there is more to read. */
function reportInWords({ summary, paths }: ReportedFile): string[] {
  const [results, ...others] = paths
  const rejects = others.find((path) => path.endsWith('.rejects.csv'))
  const read = [
    `    results: ${results}`,
    ...(rejects === undefined ? [] : [`    to correct and drop in again: ${rejects}`]),
  ]
  const isPlain = (summary.records.total ?? 0) === (summary.records.accepted ?? 0)
  return [...summaryInWords(summary), ...(isPlain && summary.outcome === 'processed' ? [] : read)]
}

function summaryInWords(summary: Summary): string[] {
  const { route, file, outcome, duplicateOf } = summary
  if (outcome === 'duplicate' && duplicateOf) {
    const first = `${duplicateOf.file}, received ${duplicateOf.receivedAt}`
    return [`${route}: ${file} has the same bytes as ${first}; nothing was sent`]
  }
  if (outcome === 'unusable') {
    return [
      `${route}: ${file} cannot be used`,
      ...summary.problems.map((each) => `    ${problemInWords(each)}`),
    ]
  }
  return [`${route}: ${file}: ${countsInWords(summary.records)}`]
}

function deliveryInWords(route: string, { delivery, path, records, troubled }: DeliveryResult): string[] {
  return [
    `${route}: ${path}: ${delivery.records} records, ${countsInWords(records, 'acknowledged')}`,
    ...troubled.flatMap(troubleInWords),
  ]
}

function troubleInWords({ apiId, state, problems }: ReportedRecord | HeldRecord): string[] {
  return problems.map((each) => `    ${apiId ?? ''} ${state}: ${problemInWords(each)}`)
}

/** What a misspelled column looks like: one the mapping names is not there, and others are there unused. */
export function columnsInWords({
  absent,
  unused,
}: {
  absent: readonly string[]
  unused: readonly string[]
}): string {
  const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
  const others = unused.length === 0 ? '' : `; not used: ${listed(unused)}`
  return `has no column ${listed(absent)}, which the mapping names${others}`
}

/** `12 accepted, 3 rejected`, without the zeros. */
export function countsInWords(counts: StateCounts & { total?: number }, accepted = 'accepted'): string {
  const parts = Object.entries(counts)
    .filter(([state, count]) => state !== 'total' && count > 0)
    .map(([state, count]) => `${count} ${state === 'accepted' ? accepted : state}`)
  return parts.length > 0 ? parts.join(', ') : 'no records'
}

/** The result without what only the program needs. */
function asData({ exit, routes, stranded }: RunResult): unknown {
  return {
    exit,
    stranded,
    routes: routes.map((result) => {
      switch (result.kind) {
        case 'failed':
          return {
            route: result.route,
            failure: {
              code: result.failure.code,
              message: result.failure.message,
              details: result.failure.details,
            },
          }
        case 'inbound':
          return {
            route: result.route,
            files: result.pass.summaries,
            open: result.pass.open.map((file) => file.name),
          }
        case 'outbound':
          return {
            route: result.route,
            deliveries: result.pass.deliveries,
            held: result.pass.held,
            heldRecords: result.pass.heldRecords,
          }
      }
    }),
  }
}
