/** What every route of a bridge works with. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { Api } from '../domain/api.ts'
import type { Format } from '../domain/format.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Mapping } from '../mapping/load.ts'
import { assert } from '../support/errors.ts'
import type { AgeGuard } from './age-guard.ts'
import type { BridgeOptions } from './options.ts'

export interface Workshop {
  readonly configuration: Configuration
  readonly options: BridgeOptions
  readonly journal: Journal
  readonly apis: { readonly of: (route: Route) => Api }
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly format: Format
  readonly age: AgeGuard
}

export function mailboxOf({ mailboxes }: Pick<Workshop, 'mailboxes'>, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}
