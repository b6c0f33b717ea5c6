/** `dropbridge export ROUTE`: writes the records of a list to a file, once; acknowledges nothing. */
import { exportOnce, type ExportResult, getOutboundRoute } from '../../app/export.ts'
import { parseSelect } from '../../config/outbound-checks.ts'
import type { OutboundRoute } from '../../config/routes.ts'
import type { SelectRule } from '../../config/select.ts'
import { filtersOf } from '../../contract/operations.ts'
import { EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import { writeNewFile } from '../../support/files.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { VERSION } from '../../support/process.ts'
import {
  CONFIG_FLAG,
  defineCommand,
  JSON_FLAG,
  type OptionValues,
  REPEATABLE,
  REQUIRED_TEXT,
  text,
} from '../command.ts'
import { readConfiguration, resolvePath } from '../context.ts'
import { formatCount } from '../format/text.ts'
import { formatWarned, formatMissingNames, formatUnwritten } from '../format/outbound.ts'
import { createProgressBar, type Terminal } from '../terminal.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  status: { ...REPEATABLE, describe: 'Orders of this status; may be repeated' },
  since: text('From this time on: 24h or 7d back from now, yesterday, 2026-11-01, 2026-11-01T08:00Z'),
  until: text('Up to this time and without it'),
  po: { ...REPEATABLE, describe: 'The records of this purchase order; may be repeated' },
  id: { ...REPEATABLE, describe: 'The record with this id at the API; may be repeated' },
  out: { type: 'string', default: '-', describe: 'The file to write, never over another one; - is stdout' },
  json: { ...JSON_FLAG, describe: 'The records as the API shows them, one on each line' },
} as const

export const exportCommand = defineCommand({
  argument: 'ROUTE',
  positionals: { route: REQUIRED_TEXT },
  options: OPTIONS,
  async run(terminal, options) {
    const configuration = await readConfiguration(terminal, options.config)
    const route = getOutboundRoute(configuration, options.route)
    const select = readSelection(terminal, route, options)
    const path = options.out === '-' ? undefined : resolvePath(terminal, options.out)
    const bar = await createProgressBar(terminal)
    const { clock, signal } = terminal
    const given = { clock, signal, random: Math.random, version: VERSION, notify: bar.observe }
    const once = { ...given, asJson: options.json, ...(select && { select }) }
    try {
      const exported = await exportOnce(configuration, route, once, (bytes) =>
        path === undefined ? writeToTerminal(terminal, bytes) : writeNewFile(path, bytes),
      )
      bar.clear()
      return reportExport(terminal, exported, route.name, path)
    } finally {
      bar.clear()
    }
  },
})

async function writeToTerminal(terminal: Terminal, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of bytes) await terminal.outBytes(chunk)
}

function reportExport(
  terminal: Terminal,
  { tally, missing }: ExportResult,
  route: string,
  path: string | undefined,
): ExitCode {
  const where = path === undefined ? '' : `${path}: `
  terminal.say(`${route}: ${where}${formatCount(tally.records, 'record')}; nothing was acknowledged`)
  for (const line of formatWarned(tally)) terminal.say(line)
  const { unwritten, firstUnwritten } = tally
  const lines = unwritten === 0 ? [] : formatUnwritten(route, unwritten, firstUnwritten)
  if (missing.length > 0) lines.push(formatMissingNames(route, missing.length, missing))
  for (const line of lines) terminal.say(line)
  return lines.length === 0 ? EXIT.ok : EXIT.rejects
}

/** The selection that the options make; undefined without any, when the route's own records are meant. */
function readSelection(
  terminal: Terminal,
  route: OutboundRoute,
  { status, since, until, po, id }: OptionValues<typeof OPTIONS>,
): SelectRule | undefined {
  const time = since === undefined && until === undefined ? undefined : findTimeFilter(route)
  const raw = {
    ...(status.length > 0 && { status }),
    ...(po.length > 0 && { purchase_order_number: po }),
    ...(id.length > 0 && { ids: id }),
    ...(time !== undefined && { [time]: omitUndefined({ since, until }) }),
  }
  if (Object.keys(raw).length === 0) return undefined
  const read = parseSelect(route.operation, raw, terminal.folder)
  if ('select' in read) return read.select
  const filters = filtersOf(route.operation)
  const details = read.errors.map(({ path, message }) => {
    const [field = ''] = path.map(String)
    const isStatus = field === 'status'
    const what =
      isStatus && !(field in filters)
        ? `${route.operation} has no status; the route takes ${listOptions(filters)}. Leave it out.`
        : message.replace(', or a list of them', '; give --status once for each')
    return `${findOption(path)}: ${what}`
  })
  throw usageError(
    `${route.name} cannot be asked for this`,
    'Correct each option that is listed, or leave it out.',
    // Several values of one option may be wrong in the same way.
    [...new Set(details)],
  )
}

/** The time that --since and --until filter by: the first one that the list supports. */
function findTimeFilter({ name, operation }: OutboundRoute): string {
  const [first] = Object.entries(filtersOf(operation)).find(([, { kind }]) => kind === 'time') ?? []
  if (first !== undefined) return first
  throw usageError(
    `${name} cannot be asked for a time: ${operation} has none`,
    'Leave --since and --until out.',
  )
}

const FIELD_OPTIONS: Record<string, string> = { status: 'status', purchase_order_number: 'po', ids: 'id' }

/** `--since, --until, --id` */
function listOptions(filters: ReturnType<typeof filtersOf>): string {
  const times = Object.values(filters).some(({ kind }) => kind === 'time') ? ['since', 'until'] : []
  return [...times, 'id'].map((name) => `--${name}`).join(', ')
}

function findOption(path: readonly PropertyKey[]): string {
  const [field, part] = path.map(String)
  return `--${FIELD_OPTIONS[field ?? ''] ?? part ?? 'since'}`
}
