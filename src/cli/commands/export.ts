/** `dropbridge export ROUTE`: the records of a list as a file, now and once; nothing is acknowledged or remembered. */
import { type Exported, exportOnce, outboundRouteNamed } from '../../bridge/export.ts'
import { readSelect } from '../../config/read-select.ts'
import type { Select } from '../../config/select.ts'
import type { OutboundRoute } from '../../config/routes.ts'
import { filtersOf } from '../../contract/lists.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { writeNewFile } from '../../support/new-file.ts'
import { pathFrom, readConfiguration } from '../context.ts'
import { missingInWords, unwrittenInWords } from '../outbound-in-words.ts'
import { progressBar } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { VERSION } from '../version.ts'

export interface ExportOptions {
  readonly config: string
  readonly route: string
  readonly status: readonly string[]
  readonly since: string | undefined
  readonly until: string | undefined
  readonly po: readonly string[]
  readonly id: readonly string[]
  /** A path, or `-` for stdout. */
  readonly out: string
  readonly json: boolean
}

/** How many names that are not there are told. */
const MISSING_MAX = 100

/** Not called `export`, which is a word of the language. */
export async function exportRecords(terminal: Terminal, options: ExportOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(terminal, options.config)
  const route = outboundRouteNamed(configuration, options.route)
  const select = selectFrom(terminal, route, options)
  const path = options.out === '-' ? undefined : pathFrom(terminal, options.out)
  const bar = progressBar(terminal)
  const once = {
    clock: terminal.clock,
    random: Math.random,
    version: VERSION,
    notify: bar.observe,
    signal: terminal.signal,
    asJson: options.json,
    ...(select === undefined ? {} : { select }),
  }
  try {
    const exported = await exportOnce(configuration, route, once, (bytes) =>
      path === undefined ? writeOut(terminal, bytes) : writeNewFile(path, bytes),
    )
    bar.clear()
    return tell(terminal, exported, { route: route.name, path })
  } finally {
    bar.clear()
  }
}

async function writeOut(terminal: Terminal, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of bytes) await terminal.outBytes(chunk)
}

function tell(
  terminal: Terminal,
  { tally, missing }: Exported,
  { route, path }: { readonly route: string; readonly path: string | undefined },
): ExitCode {
  const where = path === undefined ? '' : `${path}: `
  terminal.say(`${route}: ${where}${tally.records} records; nothing was acknowledged`)
  const { unwritten: count, firstUnwritten: first } = tally
  const lines = [
    ...(count === 0 ? [] : unwrittenInWords(route, { count, first })),
    ...(missing.length === 0
      ? []
      : [missingInWords(route, { count: missing.length, first: missing.slice(0, MISSING_MAX) })]),
  ]
  for (const line of lines) terminal.say(line)
  return lines.length === 0 ? EXIT.ok : EXIT.rejects
}

/** What the options ask for; undefined when they ask for nothing, and the route's own records are meant. */
function selectFrom(terminal: Terminal, route: OutboundRoute, options: ExportOptions): Select | undefined {
  const { status, since, until, po, id } = options
  const time = since === undefined && until === undefined ? undefined : timeFilterOf(route)
  const raw = {
    ...(status.length === 0 ? {} : { status }),
    ...(po.length === 0 ? {} : { purchase_order_number: po }),
    ...(id.length === 0 ? {} : { ids: id }),
    ...(time === undefined
      ? {}
      : {
          [time]: { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) },
        }),
  }
  if (Object.keys(raw).length === 0) return undefined
  const read = readSelect(route.operation, raw, terminal.folder)
  if ('select' in read) return read.select
  throw new BridgeError('usage-wrong', `${route.name} cannot be asked for this`, {
    details: read.mistakes.map(({ path, message }) => `${optionOf(path)}: ${message}`),
  })
}

/** The time that --since and --until are about: the first one the list can be asked for. */
function timeFilterOf({ name, operation }: OutboundRoute): string {
  const [first] = Object.entries(filtersOf(operation)).find(([, { kind }]) => kind === 'time') ?? []
  if (first !== undefined) return first
  throw new BridgeError('usage-wrong', `${name} cannot be asked for a time: ${operation} has none`)
}

const OPTION_OF: Readonly<Record<string, string>> = {
  status: 'status',
  purchase_order_number: 'po',
  ids: 'id',
}

function optionOf(path: readonly PropertyKey[]): string {
  const [field, part] = path.map(String)
  return `--${OPTION_OF[field ?? ''] ?? part ?? 'since'}`
}
