/** The configuration as the program uses it: absolute paths, times in milliseconds, secrets filled in. */
import { join, resolve } from 'node:path'
import type { z } from 'zod'
import type { BridgeError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { toBytes } from './alerts.ts'
import { type EdiConfiguration, toEdi } from './edi.ts'
import { type MailboxConfiguration, toMailbox } from './mailboxes.ts'
import { type NotificationConfiguration, toNotifications } from './notifications.ts'
import {
  type ConsoleConfiguration,
  type HealthSettings,
  type LogSettings,
  toConsole,
} from './observability.ts'
import { type Credentials, type Route, toRoute } from './routes.ts'
import type { WatchSettings } from './schedule.ts'
import type { ConfigurationFile } from './schema.ts'
import { parseRetention, toMs } from './time-values.ts'

export interface Configuration {
  readonly api: ApiConfiguration
  readonly journal: { readonly type: 'sqlite'; readonly path: string }
  /** How long the contents of finished work are kept; for ever when left out. */
  readonly keepContentsMs?: number
  /** The folder of files in work. */
  readonly stateFolder: string
  /** Less room than this on a disk of this machine is an alert; the default when left out. */
  readonly diskAlertBytes?: number
  /** The defaults when left out; its file is absolute. */
  readonly log?: Readonly<z.output<typeof LogSettings>>
  /** No server when left out. */
  readonly health?: Readonly<z.output<typeof HealthSettings>>
  readonly statusPage?: string
  /** Always there where it was read from a file. */
  readonly console?: ConsoleConfiguration
  readonly notifications?: readonly NotificationConfiguration[]
  /** The defaults when left out. */
  readonly watch?: Readonly<z.output<typeof WatchSettings>>
  readonly mailboxes: Readonly<Record<string, MailboxConfiguration>>
  /** The zone of times of day without one. */
  readonly zone?: string
  /** Absent where no interchanges of partners are configured. */
  readonly edi?: EdiConfiguration
  /** In the order of the file. */
  readonly routes: readonly Route[]
  /** The place in the file that names a mapping, by the path of the mapping. */
  readonly mappingPlaces?: ReadonlyMap<string, string>
  /** The places in the file where a secret itself stands, and not the variable or file that holds it. */
  readonly secretPlaces?: {
    readonly file: string
    readonly places: readonly string[]
    /** The files that `${file:PATH}` names. */
    readonly files: readonly string[]
  }
  /** The file that it was read from; left out where it was read from none. */
  readonly source?: ConfigurationSource
  /** The errors of the file, where an earlier configuration takes its place because a command only reads. */
  readonly broken?: { readonly failure: BridgeError; readonly keptAt: number }
}

export interface ConfigurationSource {
  /** Absolute. */
  readonly path: string
  /** Of the file as it is written, without the values of variables. */
  readonly sha256: string
  /** The files of its partners, where they have a folder: SHA-256 of each by its absolute path, like that of the folder. */
  readonly partners?: { readonly folder: string; readonly files: ReadonlyMap<string, string> }
  /** The settings, for a copy that others may see. */
  readonly withoutSecrets: Readonly<Record<string, unknown>>
  /** Reads the file again, in the same way. */
  readonly load: () => Promise<Configuration>
}

interface ApiConfiguration {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly timeoutMs: number
  readonly connections: number
  readonly lateAnswerMs: number
  /** Whether a 503 with `Retry-After` means that nothing was done, also in answer to a create. */
  readonly trusts503: boolean
}

/** The names under which the journal knows work: those of routes, and the keys of inboxes of interchanges. */
export function listWorkNames({ routes, edi }: Pick<Configuration, 'routes' | 'edi'>): readonly string[] {
  return [...routes.map(({ name }) => name), ...(edi?.inboxes ?? []).map(({ key }) => key)]
}

/** Converts the checked file to the program's configuration. Relative paths are relative to `folder`. */
export function toConfiguration(file: ConfigurationFile, folder: string): Configuration {
  const { keep, zone, log, health, status, notifications, watch } = file
  const { baseUrl, clientId, clientSecret, timeout, connections, lateAnswer, trust503 } = file.api
  const credentials = { clientId, clientSecret }
  const edi = file.edi && toEdi(file.edi, zone)
  const around = { folder, zone, credentials, inboxes: edi?.inboxes ?? [], partners: edi?.partners ?? [] }
  return {
    api: {
      baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
      credentials,
      timeoutMs: toMs(timeout),
      connections,
      lateAnswerMs: toMs(lateAnswer),
      trusts503: trust503,
    },
    journal: { type: 'sqlite', path: resolve(folder, file.journal.slice('sqlite:'.length)) },
    stateFolder: resolve(folder, file.state),
    diskAlertBytes: toBytes(file.alertIfDiskBelow),
    ...omitUndefined({
      keepContentsMs: parseRetention(keep.contents ?? ''),
      zone,
      log: log && { ...log, ...(log.file && { file: resolve(folder, log.file) }) },
      health,
      statusPage: status.page && resolve(folder, status.page),
    }),
    console: toConsole(file.console, folder),
    ...(Object.keys(notifications).length > 0 && { notifications: toNotifications(notifications, folder) }),
    watch,
    mailboxes: Object.fromEntries(
      Object.entries(file.mailboxes).map(([name, mailbox]) => [name, toMailbox(mailbox, folder)]),
    ),
    ...omitUndefined({ edi }),
    routes: Object.entries(file.routes).map(([name, route]) => toRoute(name, route, around)),
  }
}

/** The folder for the files in work of a route or inbox. The key of an inbox has a colon, which Windows allows in no name. */
export function getSpoolFolder({ stateFolder }: Pick<Configuration, 'stateFolder'>, key: string): string {
  return join(stateFolder, 'spool', key.replace(':', '.'))
}
