/** `dropbridge prune`: removes the contents of work that was finished long ago. */
import { isAbsoluteMoment, parseMoment, parseRetention } from '../../config/time-values.ts'
import type { Configuration } from '../../config/configuration.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, usageError } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG, type OptionValues, text } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'
import { formatPruned } from '../format/run.ts'

const OPTIONS = {
  config: CONFIG_FLAG,
  json: JSON_FLAG,
  'older-than': text('Finished longer ago than this, such as 90d or 52w'),
  before: text('Finished before this date, such as 2026-01-01 (UTC)'),
  'dry-run': flag('Only say how much it would be'),
} as const

export const pruneCommand = defineCommand({
  options: OPTIONS,
  async run(terminal, options) {
    const { config, json, dryRun } = options
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const before = resolveCutoff(options, configuration, terminal.clock.now())
    const pruned = await withBridge(terminal, configuration, ({ journal }) =>
      journal.prune({ before, dryRun, signal: terminal.signal }),
    )
    if (json) terminal.out(JSON.stringify({ before: isoTime(before), dryRun, ...pruned }, null, 2))
    else {
      const what = dryRun ? 'would be pruned' : 'pruned'
      terminal.say(`${what}, of before ${isoTime(before)}: ${formatPruned(pruned)}`)
    }
    if (terminal.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal; the rest is left')
    if (dryRun || pruned.isGone) return EXIT.ok
    terminal.say(
      'Another program reads the journal, and keeps what was removed in its log: run it again when that has ended.',
    )
    return EXIT.tryLater
  },
})

/** The time on the command line, or else the one of the configuration. */
function resolveCutoff(
  { olderThan, before }: OptionValues<typeof OPTIONS>,
  { keepContentsMs }: Configuration,
  now: number,
): number {
  if (olderThan !== undefined && before !== undefined) {
    throw usageError('--older-than and --before exclude each other', 'Leave one of the two out.')
  }
  if (before !== undefined) return parseDate(before, now)
  const ms = olderThan === undefined ? keepContentsMs : parseRetention(olderThan)
  if (ms !== undefined) return now - ms
  throw usageError(
    olderThan === undefined
      ? 'neither --older-than nor keep.contents of the configuration says what to remove'
      : `--older-than "${olderThan}" must be a number of days or weeks, such as 90d or 52w`,
    'Write such as `dropbridge prune --older-than 90d`, or `--before 2026-01-31`.',
  )
}

function parseDate(text: string, now: number): number {
  const time = isAbsoluteMoment(text) ? parseMoment(text, { now, zone: 'UTC' }) : undefined
  if (time !== undefined && time <= now) return time
  const why = time === undefined ? 'must be a date such as 2026-01-01' : 'is not a date in the past'
  throw usageError(
    `--before "${text}" ${why}`,
    'Write a past day as `--before 2026-01-31`, or an age as `--older-than 90d`.',
  )
}
