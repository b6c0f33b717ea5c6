/** Trying the mailboxes that are on other machines: reached, trusted, logged in to, and looked into. Nothing is changed. */
import type { Configuration } from '../config/configuration.ts'
import { BridgeError } from '../support/errors.ts'
import { isRefusedLogin, type OnlineCheck } from './check-online.ts'
import { type MailboxOptions, openMailbox } from './mailboxes.ts'

export async function checkMailboxes(
  { mailboxes }: Configuration,
  options: MailboxOptions,
): Promise<OnlineCheck> {
  const wrong: string[] = []
  const refused: string[] = []
  const unanswered: string[] = []
  for (const [name, settings] of Object.entries(mailboxes)) {
    if (settings.type === 'directory') continue
    const mailbox = await openMailbox(name, settings, options)
    try {
      await mailbox.list('.', [NO_FILE])
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const told = `mailbox ${name}: ${error.message}`
      const found = isRefusedLogin(error) ? refused : wrong
      if (error.code === 'mailbox-unreachable') unanswered.push(told)
      else found.push(`${told} ${error.cure}`)
    } finally {
      await mailbox.close()
    }
  }
  return { wrong, refused, unanswered }
}

/** Asked for where nobody may list, so that such a server is tried as well. */
const NO_FILE = 'dropbridge-check'
