/** The configuration as the program uses it: plain data, paths absolute, times in milliseconds, secrets filled in. */
import { resolve } from 'node:path'
import { checkedMs, keepMs } from './duration.ts'
import { type LogConfiguration, toLog } from './log.ts'
import { type MailboxConfiguration, toMailbox } from './mailboxes.ts'
import { type HealthConfiguration, toHealth, toPage } from './monitoring.ts'
import { type NoticeConfiguration, toNotices } from './notices.ts'
import { type Credentials, type Route, toRoute } from './routes.ts'
import type { ConfigurationFile } from './schema.ts'
import { toWatch, type WatchConfiguration } from './watch.ts'

export interface Configuration {
  readonly api: ApiConfiguration
  readonly journal: { readonly type: 'sqlite'; readonly path: string }
  /** How long the contents of finished work are kept; for ever when left out. */
  readonly keepContentsMs?: number
  /** Where files being worked on lie. */
  readonly stateFolder: string
  /** The defaults when left out. */
  readonly log?: LogConfiguration
  /** No server when left out. */
  readonly health?: HealthConfiguration
  /** The path of the status page; none when left out. */
  readonly statusPage?: string
  readonly notices?: readonly NoticeConfiguration[]
  /** The defaults when left out. */
  readonly watch?: WatchConfiguration
  readonly mailboxes: Readonly<Record<string, MailboxConfiguration>>
  /** The zone of the times of day that name none. */
  readonly zone?: string
  /** In the order of the file. */
  readonly routes: readonly Route[]
}

export interface ApiConfiguration {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly timeoutMs: number
  readonly connections: number
  readonly lateAnswerMs: number
  /** Whether a 503 with a time to come back means that nothing was done, also in answer to a create. */
  readonly trusts503: boolean
}

/** From what the file says, checked, to what the program uses. Relative paths are relative to `folder`. */
export function toConfiguration(file: ConfigurationFile, folder: string): Configuration {
  const { baseUrl, clientId, clientSecret, timeout, connections, lateAnswer, trust503 } = file.api
  const api: ApiConfiguration = {
    baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
    credentials: { clientId, clientSecret },
    timeoutMs: checkedMs(timeout),
    connections,
    lateAnswerMs: checkedMs(lateAnswer),
    trusts503: trust503,
  }
  return {
    api,
    journal: { type: 'sqlite', path: resolve(folder, file.journal.slice('sqlite:'.length)) },
    ...keepOf(file),
    stateFolder: resolve(folder, file.state),
    ...(file.zone === undefined ? {} : { zone: file.zone }),
    ...tellingOf(file, folder),
    watch: toWatch(file.watch),
    mailboxes: Object.fromEntries(
      Object.entries(file.mailboxes).map(([name, mailbox]) => [name, toMailbox(mailbox, folder)]),
    ),
    routes: Object.entries(file.routes).map(([name, route]) =>
      toRoute(name, route, { folder, zone: file.zone, credentials: api.credentials }),
    ),
  }
}

function keepOf({ keep }: ConfigurationFile): Pick<Configuration, 'keepContentsMs'> {
  const ms = keep.contents === undefined ? undefined : keepMs(keep.contents)
  return ms === undefined ? {} : { keepContentsMs: ms }
}

/** Logs, health, the status page and notices, as far as they are wanted. */
function tellingOf(
  { log, health, status, notices }: ConfigurationFile,
  folder: string,
): Pick<Configuration, 'log' | 'health' | 'statusPage' | 'notices'> {
  const listen = health === undefined ? undefined : toHealth(health)
  const statusPage = toPage(status, folder)
  return {
    ...(log === undefined ? {} : { log: toLog(log, folder) }),
    ...(listen === undefined ? {} : { health: listen }),
    ...(statusPage === undefined ? {} : { statusPage }),
    ...(Object.keys(notices).length === 0 ? {} : { notices: toNotices(notices, folder) }),
  }
}
