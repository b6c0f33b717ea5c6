/** `dropbridge notifications`: shows the latest notifications, and sends a trial. */
import type { NotificationConfiguration } from '../../config/notifications.ts'
import type { Message, NotificationEntry } from '../../domain/notification.ts'
import { createNotifier } from '../../observability/notifications/notifiers.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT } from '../../support/errors.ts'
import { didYouMean, newId } from '../../support/text.ts'
import { VERSION } from '../../support/process.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfiguration, readConfigurationWithoutApi, withBridge } from '../context.ts'
import { formatCount, formatTable } from '../format/text.ts'

/** Sends a trial without alerts and results. It does not read the journal. */
export const testCommand = defineCommand({
  positionals: { name: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG },
  async run(terminal, { config, name }) {
    const { notifications: configured = [] } = await readConfiguration(terminal, config)
    const notification = configured.find((each) => each.name === name)
    if (notification === undefined) {
      const names = configured.map((each) => each.name)
      const known =
        names.length === 0 ? 'the configuration has no notifications' : `there are ${names.join(', ')}`
      const message = `there is no notification "${name}"; ${known}.${didYouMean(name, names)}`
      const fix = 'Name one that is there, or add it under `notifications`: see docs/notifications.md.'
      throw new BridgeError('usage-wrong', message, { fix })
    }
    const test = createTrialMessage(terminal.clock.now())
    const notifier = createNotifier(notification, { clock: terminal.clock, version: VERSION })
    try {
      await notifier.send(test, terminal.signal)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      const message = `the notification ${name} could not be sent: ${why}`
      throw new BridgeError('notification-not-sent', message, { cause })
    }
    terminal.say(`the notification ${name} took the trial ${test.id}; check that it arrived`)
    return EXIT.ok
  },
})

function createTrialMessage(now: number): Message {
  const id = newId()
  const at = isoTime(now)
  const text = `This is a trial of the notifications of dropbridge.\n\nNothing happened, and there is nothing to do.\n\nNotification ${id}, ${at}\n`
  return { id, subject: 'a trial', text, data: { id, at, trial: true } }
}

export const notificationsCommand = defineCommand({
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, json }) {
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const configured = configuration.notifications ?? []
    const latest = await withBridge(terminal, configuration, ({ journal }) =>
      journal.listLatestNotifications(configured.map(({ name }) => name)),
    )
    if (json) terminal.out(JSON.stringify(latest, null, 2))
    else if (configured.length === 0) terminal.say('the configuration has no notifications')
    else for (const line of formatNotifications(configured, latest)) terminal.out(line)
    return EXIT.ok
  },
})

function formatNotifications(
  configured: readonly NotificationConfiguration[],
  latest: readonly NotificationEntry[],
): string[] {
  const rows = configured.map(({ name, type, on }) => {
    const entry = latest.find(({ channel }) => channel === name)
    const state = entry === undefined ? 'nothing sent so far' : formatState(entry)
    return [name, type, on, entry === undefined ? '' : isoTime(entry.beganAt), state]
  })
  return formatTable(['notification', 'by', 'on', 'latest', 'what became of it'], rows, 200)
}

function formatState({ state, tries, problem }: NotificationEntry): string {
  if (state === 'sent') return tries === 1 ? 'sent' : `sent at try ${tries}`
  if (state === 'begun') return 'being sent, or interrupted: it comes again'
  return `not sent so far (${formatCount(tries, 'try', 'tries')}): ${problem ?? ''}`
}
