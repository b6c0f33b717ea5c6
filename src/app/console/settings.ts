/** What is in force: the configuration without its secrets, versions, sizes, and whether the chain of the journal is whole. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { VERSION } from '../../support/process.ts'
import type { ConsoleContext } from './context.ts'
import type { Verification } from './verifier.ts'

/** A setting as it is written in the file, by its path such as `api.baseUrl`. */
export interface ShownSetting {
  readonly path: string
  readonly value: string
}

export interface FolderSize {
  readonly path: string
  readonly bytes: number
  readonly files: number
  /** It has more files, which are not counted. */
  readonly isMore: boolean
}

export interface SettingsPage {
  /** Left out for a configuration that was read from no file. */
  readonly source?: { readonly path: string; readonly sha256: string }
  /** Secrets only as where they come from. */
  readonly settings: readonly ShownSetting[]
  readonly versions: { readonly dropbridge: string; readonly node: string }
  readonly journal: { readonly path: string; readonly bytes: number }
  /** The archives in directories; those on servers are not counted. */
  readonly archives: readonly FolderSize[]
  readonly verification: Verification
}

/** Never waits for a mailbox on a server. */
export async function readSettings({ configuration, verifier }: ConsoleContext): Promise<SettingsPage> {
  const { source, journal } = configuration
  const archives: FolderSize[] = []
  for (const path of listArchives(configuration)) archives.push(await measureFolder(path))
  return omitUndefined({
    source: source && { path: source.path, sha256: source.sha256 },
    settings: listSettings(source?.withoutSecrets ?? {}),
    versions: { dropbridge: VERSION, node: process.version },
    journal: { path: journal.path, bytes: await measureJournal(journal.path) },
    archives,
    verification: verifier?.read() ?? { state: 'never' as const },
  })
}

/** Shown as where they come from: `removeSecrets` leaves the names of variables and files; the id is half of the credentials. */
const SECRET_NAMES: readonly string[] = ['clientId', 'clientSecret', 'password', 'passphrase', 'secret']

function listSettings(value: unknown, path = ''): ShownSetting[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) =>
      listSettings(each, path === '' ? name : `${path}.${name}`),
    )
  const text = String(value)
  const name = path.split('.').at(-1) ?? ''
  return [{ path, value: SECRET_NAMES.includes(name) ? describeSecret(text) : text }]
}

function describeSecret(text: string): string {
  const [, file] = /^\$\{file:([^}]+)\}$/.exec(text) ?? []
  if (file !== undefined) return `from the file ${file}`
  const [, variable] = /^\$\{([^}]+)\}$/.exec(text) ?? []
  return variable === undefined ? 'in the configuration itself' : `from the environment (${variable})`
}

async function measureJournal(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((each) =>
      stat(each).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function listArchives({ routes, mailboxes }: Configuration): string[] {
  const paths = routes.flatMap((route) => {
    if (route.direction !== 'inbound') return []
    const mailbox = mailboxes[route.from.mailbox]
    return mailbox?.type === 'directory' ? [join(mailbox.path, route.from.archive)] : []
  })
  return [...new Set(paths)]
}

/** A page does not wait for more. */
const FILES_MAX = 2_000

async function measureFolder(path: string): Promise<FolderSize> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  let bytes = 0
  for (const { parentPath, name } of files.slice(0, FILES_MAX))
    bytes += await stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    )
  return { path, bytes, files: Math.min(files.length, FILES_MAX), isMore: files.length > FILES_MAX }
}
