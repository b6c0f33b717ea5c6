/** `dropbridge activity`: files, records, units and money of days, by route and party. */
import { sumActivity, toDays } from '../../app/activity.ts'
import { withExistingJournal } from '../../app/journal-access.ts'
import { selectRoutes } from '../../config/routes.ts'
import { getLocalDate, addDays } from '../../schedule/zone-time.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, type OptionValues, text } from '../command.ts'
import { readConfigurationToShow } from '../context.ts'
import { formatActivity, formatActivityCsv } from '../format/orders.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  on: text('One day: 2026-11-01, today or yesterday; today when left out'),
  from: text('From this day on'),
  to: text('Up to this day and with it; today when left out'),
  route: text('Only this route'),
  party: text('Only this retailer or brand: retailer/1000, or its id'),
  format: { choices: ['table', 'csv', 'json'], default: 'table', describe: 'The form of the output' },
  json: JSON_FLAG,
} as const

export const activityCommand = defineCommand({
  options: OPTIONS,
  async run(terminal, options) {
    const configuration = await readConfigurationToShow(terminal, options.config)
    const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = configuration
    const days = readDays(options, getLocalDate(zone, terminal.clock.now()))
    const range = toDays(days.from, days.to, zone)
    if (range === undefined || days.from > days.to)
      throw usageError(
        `${days.from} to ${days.to} are no days, or the later one is first`,
        'Write the earlier day first: `--from 2026-11-01 --to 2026-11-30`.',
      )
    const { route, party } = options
    if (route !== undefined) selectRoutes(configuration, [route])
    const request = { ...range, ...omitUndefined({ route, party }) }
    const rows =
      (await withExistingJournal(configuration, terminal.clock, (journal) =>
        sumActivity(journal, configuration, request),
      )) ?? []
    const format = options.json ? 'json' : options.format
    const title = days.from === days.to ? `on ${days.from}` : `from ${days.from} to ${days.to}`
    if (format === 'json') terminal.out(JSON.stringify({ ...days, zone, rows }, null, 2))
    else if (format === 'csv') for (const line of formatActivityCsv(rows)) terminal.out(line)
    else for (const line of formatActivity(rows, title)) terminal.out(line)
    return EXIT.ok
  },
})

function readDays({ on, from, to }: OptionValues<typeof OPTIONS>, today: string) {
  if (on !== undefined && (from !== undefined || to !== undefined))
    throw usageError('--on and --from exclude each other', 'Write `--on DAY`, or `--from DAY --to DAY`.')
  if (to !== undefined && from === undefined)
    throw usageError('--to needs --from', 'Write `--from DAY --to DAY`.')
  const read = (day: string) =>
    day === 'today' ? today : day === 'yesterday' ? addDays(today, -1) : checkDay(day)
  const first = read(on ?? from ?? today)
  return { from: first, to: from === undefined ? first : read(to ?? today) }
}

function checkDay(day: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(day)) return day
  throw usageError(`"${day}" is no day`, 'Write it as 2026-11-01, today or yesterday.')
}
