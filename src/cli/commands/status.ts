/** `dropbridge status`: shows alerts, finished and waiting work, and files that no route takes. */
import { assertRoutesExist } from '../../config/routes.ts'
import type { Alert } from '../../domain/alert.ts'
import type { NotificationEntry } from '../../domain/notification.ts'
import { type BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { formatJournalFailure, formatStatus } from '../format/status.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG } from '../command.ts'
import { readConfigurationToShow, withBridge } from '../context.ts'

export const statusCommand = defineCommand({
  positionals: { route: { type: 'string' } },
  options: { config: CONFIG_FLAG, json: JSON_FLAG, all: flag('Show all alerts, however many there are') },
  async run(terminal, { config, route, json, all }) {
    const configuration = await readConfigurationToShow(terminal, config)
    if (route !== undefined) assertRoutesExist(configuration.routes, [route])
    const channels = (configuration.notifications ?? []).map(({ name }) => name)
    const { found, notifications, failure } = await withBridge(
      terminal,
      configuration,
      async ({ snapshot, journal, findJournalFailure }) => ({
        found: await snapshot(route),
        notifications: await journal.listLatestNotifications(channels),
        failure: await findJournalFailure(),
      }),
      { isImpatient: true, isReading: true },
    )
    const journalFailure = failure && { code: failure.code, message: failure.message, fix: failure.fix }
    const lines = json
      ? [JSON.stringify({ ...found, notifications, journalFailure }, null, 2)]
      : [
          ...formatJournalFailure(failure),
          ...formatStatus(found, all),
          ...formatUnsentNotifications(notifications),
        ]
    for (const line of lines) terminal.out(line)
    return chooseExit(found.alerts, failure)
  },
})

/** What is most urgent for a scheduler or a monitor: a full disk, a journal that a run refuses, a person who is needed. */
function chooseExit(alerts: readonly Alert[], journalFailure: BridgeError | undefined): ExitCode {
  if (alerts.some(({ code }) => code === 'disk-full')) return EXIT.cannotWrite
  if (journalFailure !== undefined) return journalFailure.exit
  return alerts.length > 0 ? EXIT.rejects : EXIT.ok
}

/** A person who relies on notifications must see somewhere else that they fail. */
function formatUnsentNotifications(notifications: readonly NotificationEntry[]): string[] {
  const failed = notifications.filter(({ state }) => state === 'failed')
  return failed.flatMap(({ channel, problem = '' }) => [
    '',
    `The notification ${channel} cannot be sent: ${problem}. Correct notifications.${channel}, then dropbridge notifications test ${channel}.`,
  ])
}
