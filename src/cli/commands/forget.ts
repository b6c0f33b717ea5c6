/** `dropbridge forget`: removes the contents of work that was finished long ago. */
import { keepMs } from '../../config/duration.ts'
import { isAbsolute, momentMs } from '../../config/moment.ts'
import type { Configuration } from '../../config/configuration.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfigurationToLook, withBridge } from '../context.ts'
import { countsOf } from '../forgotten-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface ForgetOptions {
  readonly config: string
  readonly json: boolean
  readonly olderThan: string | undefined
  readonly before: string | undefined
  readonly dryRun: boolean
}

export async function forget(terminal: Terminal, options: ForgetOptions): Promise<ExitCode> {
  const { config, json, dryRun } = options
  const configuration = await readConfigurationToLook(terminal, config)
  const before = timeOf(options, configuration, terminal.clock.now())
  const silent = () => undefined
  const forgotten = await withBridge(terminal, { configuration, notify: silent }, ({ journal }) =>
    journal.forget({ before, dryRun, signal: terminal.signal }),
  )
  if (json) terminal.out(JSON.stringify({ before: isoTime(before), dryRun, ...forgotten }, null, 2))
  else {
    const what = dryRun ? 'would be forgotten' : 'forgotten'
    terminal.say(`${what}, of before ${isoTime(before)}: ${countsOf(forgotten)}`)
  }
  if (terminal.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal; the rest is left')
  if (dryRun || forgotten.isGone) return EXIT.ok
  terminal.say(
    'Another program reads the journal, and keeps what was removed in its log: run it again when that has ended.',
  )
  return EXIT.tryLater
}

/** What the command line says, or else the configuration. */
function timeOf(
  { olderThan, before }: ForgetOptions,
  { keepContentsMs }: Configuration,
  now: number,
): number {
  if (olderThan !== undefined && before !== undefined) {
    throw new BridgeError('usage-wrong', 'say --older-than or --before, not both')
  }
  if (before !== undefined) return dateOf(before, now)
  const ms = olderThan === undefined ? keepContentsMs : keepMs(olderThan)
  if (ms !== undefined) return now - ms
  throw new BridgeError(
    'usage-wrong',
    olderThan === undefined
      ? 'say --older-than or --before: the configuration has no keep.contents'
      : `--older-than "${olderThan}" is no number of days or weeks, such as 90d or 52w`,
  )
}

function dateOf(text: string, now: number): number {
  const time = isAbsolute(text) ? momentMs(text, { now, zone: 'UTC' }) : undefined
  if (time !== undefined && time <= now) return time
  const why = time === undefined ? 'is no date such as 2026-01-01' : 'is not over yet'
  throw new BridgeError('usage-wrong', `--before "${text}" ${why}`)
}
