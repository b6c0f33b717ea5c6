/** `dropbridge status`: what needs somebody, what is done, what waits, and what nobody will ever read. */
import type { Bridge } from '../../bridge/bridge.ts'
import type { NoticeEntry } from '../../domain/notice.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { whyOlder } from '../../bridge/age-guard.ts'
import { olderInWords } from '../older-in-words.ts'
import { readConfigurationToLook, withBridge } from '../context.ts'
import { statusInWords } from '../status-in-words.ts'
import type { Terminal } from '../terminal.ts'

export interface StatusOptions {
  readonly config: string
  readonly json: boolean
}

export async function status(terminal: Terminal, { config, json }: StatusOptions): Promise<ExitCode> {
  const configuration = await readConfigurationToLook(terminal, config)
  const silent = () => undefined
  const channels = (configuration.notices ?? []).map(({ name }) => name)
  const look = async ({ snapshot, journal }: Bridge) => ({
    found: await snapshot(),
    notices: await journal.latestNotices(channels),
    older: await whyOlder(configuration, journal),
  })
  const { found, notices, older } = await withBridge(terminal, { configuration, notify: silent }, look, {
    isImpatient: true,
  })
  if (json) terminal.out(JSON.stringify({ ...found, notices, journalOlder: older }, null, 2))
  else
    for (const line of [...olderInWords(older), ...statusInWords(found), ...unsentInWords(notices)])
      terminal.out(line)
  return EXIT.ok
}

/** Who relies on being told must hear somewhere else that nobody can be. */
function unsentInWords(notices: readonly NoticeEntry[]): string[] {
  const failed = notices.filter(({ state }) => state === 'failed')
  return failed.flatMap(({ channel, problem = '' }) => [
    '',
    `The notice ${channel} cannot be sent: ${problem}. Correct notices.${channel}, then dropbridge notices test ${channel}.`,
  ])
}
