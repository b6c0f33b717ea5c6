/** `dropbridge status`: shows alerts, finished and waiting work, and files that no route takes. */
import type { NotificationEntry } from '../../domain/notification.ts'
import { EXIT } from '../../support/errors.ts'
import { explainOlderJournal } from '../../app/journal-access.ts'
import { formatOlderJournal, formatStatus } from '../format/status.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'

export const statusCommand = defineCommand({
  usage: 'status',
  describe: 'Show what is done, what waits, and files that no route takes',
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, json }) {
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const channels = (configuration.notifications ?? []).map(({ name }) => name)
    const { found, notifications, older } = await withBridge(
      terminal,
      configuration,
      async ({ snapshot, journal }) => ({
        found: await snapshot(),
        notifications: await journal.listLatestNotifications(channels),
        older: await explainOlderJournal(configuration, journal),
      }),
      { isImpatient: true },
    )
    const lines = json
      ? [JSON.stringify({ ...found, notifications, journalOlder: older }, null, 2)]
      : [...formatOlderJournal(older), ...formatStatus(found), ...formatUnsentNotifications(notifications)]
    for (const line of lines) terminal.out(line)
    return EXIT.ok
  },
})

/** A person who relies on notifications must see somewhere else that they fail. */
function formatUnsentNotifications(notifications: readonly NotificationEntry[]): string[] {
  const failed = notifications.filter(({ state }) => state === 'failed')
  return failed.flatMap(({ channel, problem = '' }) => [
    '',
    `The notification ${channel} cannot be sent: ${problem}. Correct notifications.${channel}, then dropbridge notifications test ${channel}.`,
  ])
}
