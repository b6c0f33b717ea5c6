/** The ways a notice can go, by the word that names them in the configuration. */
import type { Notifier } from '../domain/notice.ts'
import type { Clock } from '../support/clock.ts'
import { type CommandOptions, commandNotifier } from './command.ts'
import { type MailOptions, mailNotifier } from './mail.ts'
import { type WebhookOptions, webhookNotifier } from './webhook.ts'

export type NoticeOptions =
  | ({ readonly type: 'mail' } & MailOptions)
  | ({ readonly type: 'webhook' } & Omit<WebhookOptions, 'clock' | 'version'>)
  | ({ readonly type: 'command' } & CommandOptions)

export function openNotifier(
  options: NoticeOptions,
  given: { readonly clock: Clock; readonly version: string },
): Notifier {
  switch (options.type) {
    case 'mail':
      return mailNotifier(options)
    case 'webhook':
      return webhookNotifier({ ...options, ...given })
    case 'command':
      return commandNotifier(options)
  }
}
