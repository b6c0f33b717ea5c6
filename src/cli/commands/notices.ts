/** `dropbridge notices`: what became of the latest notices, and a trial of one. */
import type { NoticeConfiguration } from '../../config/notices.ts'
import type { Message, NoticeEntry } from '../../domain/notice.ts'
import { openNotifier } from '../../notices/notifiers.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { didYouMean } from '../../support/nearest.ts'
import { newId, readConfiguration, readConfigurationToLook, withBridge } from '../context.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { VERSION } from '../version.ts'

export interface NoticesOptions {
  readonly config: string
  readonly json: boolean
}

export async function notices(terminal: Terminal, { config, json }: NoticesOptions): Promise<ExitCode> {
  const configuration = await readConfigurationToLook(terminal, config)
  const configured = configuration.notices ?? []
  const silent = () => undefined
  const latest = await withBridge(terminal, { configuration, notify: silent }, ({ journal }) =>
    journal.latestNotices(configured.map(({ name }) => name)),
  )
  if (json) {
    terminal.out(JSON.stringify(latest, null, 2))
    return EXIT.ok
  }
  if (configured.length === 0) terminal.say('the configuration has no notices')
  else for (const line of inWords(configured, latest)) terminal.out(line)
  return EXIT.ok
}

function inWords(configured: readonly NoticeConfiguration[], latest: readonly NoticeEntry[]): string[] {
  const rows = configured.map(({ name, type, on }) => {
    const entry = latest.find(({ channel }) => channel === name)
    const state = entry === undefined ? 'nothing to tell so far' : stateInWords(entry)
    return [name, type, on, entry === undefined ? '' : isoTime(entry.beganAt), state]
  })
  return table(['notice', 'by', 'on', 'latest', 'what became of it'], rows, 200)
}

function stateInWords({ state, tries, problem }: NoticeEntry): string {
  if (state === 'sent') return tries === 1 ? 'sent' : `sent at try ${tries}`
  if (state === 'begun') return 'being sent, or interrupted: it comes again'
  return `not sent so far (${tries === 1 ? '1 try' : `${tries} tries`}): ${problem ?? ''}`
}

export interface NoticeTestOptions {
  readonly config: string
  readonly name: string
}

/** Sends a trial that tells of nothing. The journal is not asked. */
export async function noticesTest(
  terminal: Terminal,
  { config, name }: NoticeTestOptions,
): Promise<ExitCode> {
  const { notices: configured = [] } = await readConfiguration(terminal, config)
  const notice = configured.find((each) => each.name === name)
  if (notice === undefined) {
    const names = configured.map((each) => each.name)
    const known = names.length === 0 ? 'the configuration has no notices' : `there are ${names.join(', ')}`
    throw new BridgeError('usage-wrong', `there is no notice "${name}"; ${known}.${didYouMean(name, names)}`)
  }
  const trial = trialMessage(terminal.clock.now())
  try {
    await openNotifier(notice, { clock: terminal.clock, version: VERSION }).send(trial, terminal.signal)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BridgeError('notice-not-sent', `the notice ${name} could not be sent: ${why}`, { cause: error })
  }
  terminal.say(`the notice ${name} took the trial ${trial.id}; see whether it came to where it should`)
  return EXIT.ok
}

function trialMessage(now: number): Message {
  const id = newId()
  const at = isoTime(now)
  const text = `This is a trial of the notices of dropbridge.\n\nNothing happened, and nobody needs to do anything.\n\nNotice ${id}, ${at}\n`
  return { id, subject: 'a trial', text, data: { id, at, trial: true } }
}
