/** Keeps who may sign in to the console, and who is signed in: `people.db`, beside nothing of the journal. */
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../support/clock.ts'
import { BridgeError, usageError } from '../support/errors.ts'
import { makeFolderDurably, PRIVATE_FILE } from '../support/files.ts'
import { isSqliteError, openDatabase } from '../support/sqlite.ts'
import type { Person, Role } from './permissions.ts'

const TABLES = `
create table if not exists people (
  name text primary key,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password text not null,
  created_at integer not null,
  disabled_at integer
) strict;
create table if not exists sessions (
  hash blob primary key,
  name text not null references people (name),
  created_at integer not null,
  seen_at integer not null
) strict;
create index if not exists sessions_by_name on sessions (name);
create table if not exists alerts_aside (
  name text not null,
  alert text not null,
  until integer not null,
  primary key (name, alert)
) strict;
create table if not exists access_log (
  id integer primary key,
  at integer not null,
  what text not null check (what in ('signed-in', 'failed', 'signed-out', 'acted', 'added', 'disabled')),
  name text,
  role text,
  target text,
  address text
) strict;
create index if not exists failed_sign_ins on access_log (at) where what = 'failed';
create table if not exists views (
  id integer primary key,
  at integer not null,
  name text not null,
  kind text not null check (kind in ('record', 'file', 'delivery')),
  ref text not null,
  address text not null,
  unique (name, kind, ref)
) strict;
pragma user_version = 5;
`

/** The log of version 4 knew sign-ins only, and aside were other alerts before it. */
const UPGRADES: readonly (readonly [before: number, sql: string])[] = [
  [4, 'drop table if exists alerts_aside;'],
  [
    5,
    `drop index if exists failed_sign_ins;
alter table access_log rename to access_log_before;
${TABLES}
insert into access_log (id, at, what, name, address) select id, at, what, name, address from access_log_before;
drop table access_log_before;`,
  ],
]

/** The oldest lines of the access log are removed beyond so many. */
const ACCESS_MAX = 100_000

/** The oldest views are removed beyond so many. */
const VIEWS_MAX = 1_000_000

/** Half a second of waiting for the command line, which adds people meanwhile. */
const BUSY_TIMEOUT_MS = 500

const TOKEN_BYTES = 32

export interface ListedPerson extends Person {
  readonly createdAt: number
  readonly disabledAt?: number
  /** How many sessions are open. */
  readonly sessions: number
}

/** A line of the access log. */
export interface AccessEntry {
  readonly id: number
  readonly at: number
  /** `added`, `disabled`: the person, on the command line. */
  readonly what: 'signed-in' | 'failed' | 'signed-out' | 'acted' | 'added' | 'disabled'
  /** Left out for a name that may not sign in: it may be a password that was typed in the wrong field. */
  readonly name?: string
  /** That the person had then, when acting, or has from then on. */
  readonly role?: Role
  /** The path of the form by which a person acted. */
  readonly target?: string
  /** Left out for what was done on the command line. */
  readonly address?: string
}

/** What a person saw the personal data of. */
export interface View {
  readonly kind: 'record' | 'file' | 'delivery'
  /** The id of the record, file or delivery. */
  readonly ref: string
}

/** The first view of a person. */
export interface ViewEntry extends View {
  readonly id: number
  readonly at: number
  readonly name: string
  readonly address: string
}

/** Sign-ins that failed, of one name or from one address. */
export interface FailedSignIns {
  readonly of: { readonly name: string } | { readonly address: string }
  readonly count: number
  readonly lastAt: number
}

/** What pages may read of it. */
export type PeopleReader = Pick<
  People,
  'list' | 'listAside' | 'listAccess' | 'countAccess' | 'listViews' | 'countViews' | 'listFailedSignIns'
>

export interface SessionLimits {
  readonly idleMs: number
  readonly atMostMs: number
}

export type People = ReturnType<typeof openPeople>

interface PeopleOptions {
  readonly path: string
  readonly clock: Clock
  readonly limits: SessionLimits
  /** For tests: nothing can be written. */
  readonly isReadOnly?: boolean
  /** The file was removed, or another one was put in its place: no session counts any more. */
  readonly onReplaced?: () => void
}

/** Where the people of a configuration are kept. */
export function getPeoplePath({ stateFolder }: { readonly stateFolder: string }): string {
  return join(stateFolder, 'console', 'people.db')
}

export function openPeople(options: PeopleOptions) {
  const { path, clock, limits, isReadOnly = false, onReplaced } = options
  let opened = explainFailures(path, () => openFile(options))
  /** A file that was removed or put back must not let in who was signed in by the one before. */
  const use = () => {
    if (isReadOnly || identifyFile(path) === opened.file) return opened
    opened.database.close()
    seen.clear()
    opened = openFile(options)
    onReplaced?.()
    return opened
  }
  const sql = () => use().sql
  /** When sessions were used last: noted in the file now and then only, because showing a page writes nothing. */
  const seen = new Map<string, number>()
  const endSessions = (name: string) => {
    sql().endSessions.run(name)
  }
  const saveSeen = () => {
    const statements = sql()
    for (const [id, at] of seen) statements.saveSeen.run(at, Buffer.from(id, 'base64'))
    seen.clear()
  }

  const inTransaction =
    <Parameters extends unknown[]>(work: (...parameters: Parameters) => void) =>
    (...parameters: Parameters): void =>
      use().database.transaction(work)(...parameters)
  const addViews = inTransaction((name: string, views: readonly View[], address: string): void => {
    for (const { kind, ref } of views) sql().addView.run({ at: clock.now(), name, kind, ref, address })
    sql().removeViews.run(VIEWS_MAX)
  })
  const findSession = (token: string): Person | undefined => {
    const key = hashToken(token)
    const row = sql().findSession.get(key) as SessionRow | undefined
    if (row === undefined) return undefined
    const now = clock.now()
    const id = key.toString('base64')
    const usedAt = Math.max(row.seen_at, seen.get(id) ?? 0)
    if (now - row.created_at >= limits.atMostMs || now - usedAt >= limits.idleMs) {
      seen.delete(id)
      return undefined
    }
    seen.set(id, now)
    return { name: row.name, role: row.role }
  }

  const noteAccess = ({ what, name, role, target, address }: Omit<AccessEntry, 'id' | 'at'>): void => {
    const row = { name: name ?? null, role: role ?? null, target: target ?? null, address: address ?? null }
    sql().addAccess.run({ at: clock.now(), what, ...row })
    sql().removeAccess.run(ACCESS_MAX)
  }

  const people = {
    /** Adds a person, or one who was disabled before, who then has the new role and password. Throws `usage-wrong`. */
    add: inTransaction((written: string, role: Role, password: string): void => {
      const name = normalizeName(written)
      if (!NAME.test(name))
        throw usageError('A name has letters, digits, ".", "_", "-", "@" and single blanks; at most 64.')
      const known = sql().findAny.get(name) as { disabled_at: number | null } | undefined
      if (known?.disabled_at === null)
        throw usageError(`${name} is there already. For another role or password, disable ${name} first.`)
      endSessions(name)
      sql().add.run({ name, role, password, now: clock.now() })
      noteAccess({ what: 'added', name, role })
    }),
    list(): ListedPerson[] {
      return (sql().list.all() as ListedRow[]).map(({ name, role, created_at, disabled_at, sessions }) => ({
        name,
        role,
        createdAt: created_at,
        ...(disabled_at !== null && { disabledAt: disabled_at }),
        sessions,
      }))
    },
    /** Also ends the sessions of the person. Throws `usage-wrong` for an unknown name. */
    disable: inTransaction((written: string): void => {
      const name = normalizeName(written)
      if (sql().disable.run({ name, now: clock.now() }).changes === 0)
        throw usageError(`There is no person ${name} who may sign in: \`dropbridge console user list\`.`)
      endSessions(name)
      noteAccess({ what: 'disabled', name })
    }),
    isEmpty: () => sql().isEmpty.get() === undefined,
    /** The stored hash of the password; undefined for a name that may not sign in. */
    findPassword(written: string): string | undefined {
      const row = sql().findPassword.get(normalizeName(written)) as { password: string } | undefined
      return row?.password
    },
    /** Returns the secret of a new session: only its hash is kept. */
    startSession(written: string): string {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const now = clock.now()
      sql().startSession.run({ hash: hashToken(token), name: normalizeName(written), now })
      saveSeen()
      sql().removeOld.run({ created: now - limits.atMostMs, seen: now - limits.idleMs })
      return token
    },
    /** Who is signed in; undefined when the session ended, is too old or was not used for too long. */
    findSession,
    /** Whether the session stands, without using it: an open page that is not read must not keep it alive. */
    isStanding(token: string): boolean {
      const key = hashToken(token)
      const before = seen.get(key.toString('base64'))
      const isThere = findSession(token) !== undefined
      if (before !== undefined && isThere) seen.set(key.toString('base64'), before)
      return isThere
    },
    endSession(token: string): void {
      const key = hashToken(token)
      seen.delete(key.toString('base64'))
      sql().endSession.run(key)
    },
    /** Puts an alert aside for a person until then, or, without a time, back again. */
    setAside(name: string, alert: string, until: number | undefined): void {
      sql().removeAside.run({ name, alert, now: clock.now() })
      if (until !== undefined) sql().addAside.run({ name, alert, until })
    },
    /** The alerts that the person put aside, with the end of each. */
    listAside(name: string): ReadonlyMap<string, number> {
      const rows = sql().listAside.all(name, clock.now()) as { alert: string; until: number }[]
      return new Map(rows.map(({ alert, until }) => [alert, until]))
    },
    noteAccess,
    /** The newest first; `before`: the id of the last one of the page before. */
    listAccess(limit: number, before = Number.MAX_SAFE_INTEGER): AccessEntry[] {
      const rows = sql().listAccess.all(before, limit) as object[]
      const toGiven = (row: object) => Object.entries(row).filter(([, value]) => value !== null)
      return rows.map((row) => Object.fromEntries(toGiven(row)) as AccessEntry)
    },
    countAccess: () => (sql().countAccess.get() as { count: number }).count,
    /** Notes what of it the person sees for the first time. Writes nothing where all of it is noted. */
    noteViews(name: string, views: readonly View[], address: string): void {
      const fresh = views.filter(({ kind, ref }) => sql().findView.get(name, kind, ref) === undefined)
      if (fresh.length > 0) addViews(name, fresh, address)
    },
    /** The newest first; `before`: the id of the last one of the page before. */
    listViews: (limit: number, before = Number.MAX_SAFE_INTEGER): ViewEntry[] =>
      sql().listViews.all(before, limit) as ViewEntry[],
    countViews: () => (sql().countViews.get() as { count: number }).count,
    /** Names and addresses with at least so many failed sign-ins since then, the most frequent first. */
    listFailedSignIns(since: number, least: number): FailedSignIns[] {
      const rows = sql().listFailed.all({ since, least }) as FailedRow[]
      return rows.map(({ name, address, count, lastAt }) => {
        return { of: name === null ? { address: address ?? '' } : { name }, count, lastAt }
      })
    },
    /** Notes when sessions were last used, so that they outlive a restart of the console. */
    saveSeen,
    close: () => {
      opened.database.close()
    },
  }
  const explained = Object.entries(people).map(([name, work]) => [
    name,
    (...parameters: never[]) =>
      explainFailures(path, () => (work as (...given: never[]) => unknown)(...parameters)),
  ])
  return Object.fromEntries(explained) as typeof people
}

function openFile({ path, isReadOnly = false }: PeopleOptions) {
  if (!isReadOnly) makeFolderDurably(dirname(path))
  const database = openDatabase(path, { timeout: BUSY_TIMEOUT_MS, readonly: isReadOnly })
  try {
    if (!isReadOnly) {
      chmodSync(path, PRIVATE_FILE)
      // One file: a copy of it is whole, and no log of the file before is left for the one that is put back.
      database.pragma('journal_mode = delete')
      database.pragma('foreign_keys = on')
      upgrade(database)
    }
    return { database, sql: prepareStatements(database), file: identifyFile(path) }
  } catch (error) {
    database.close()
    throw error
  }
}

function upgrade(database: ReturnType<typeof openDatabase>): void {
  database
    .transaction(() => {
      const version = Number(database.pragma('user_version', { simple: true }))
      if (version === 0) database.exec(TABLES)
      for (const [before, statements] of UPGRADES)
        if (version > 0 && version < before) database.exec(statements)
    })
    .immediate()
}

/** Which file has the name now. */
function identifyFile(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}

/** SQLite's own words say nothing to a person. */
function explainFailures<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause
    throw new BridgeError('people-unusable', `The file ${path} cannot be used: ${cause.message}.`, { cause })
  }
}

function prepareStatements(database: ReturnType<typeof openDatabase>) {
  return {
    findAny: database.prepare('select disabled_at from people where name = ?'),
    add: database.prepare(`insert into people (name, role, password, created_at) values ($name, $role, $password, $now)
      on conflict (name) do update set role = $role, password = $password, disabled_at = null`),
    list: database.prepare(`select name, role, created_at, disabled_at,
      (select count(*) from sessions where sessions.name = people.name) as sessions from people order by name`),
    disable: database.prepare(
      'update people set disabled_at = $now where name = $name and disabled_at is null',
    ),
    isEmpty: database.prepare('select 1 from people where disabled_at is null limit 1'),
    findPassword: database.prepare('select password from people where name = ? and disabled_at is null'),
    startSession: database.prepare(
      'insert into sessions (hash, name, created_at, seen_at) values ($hash, $name, $now, $now)',
    ),
    removeOld: database.prepare('delete from sessions where created_at <= $created or seen_at <= $seen'),
    findSession: database.prepare(`select people.name, role, sessions.created_at, seen_at from sessions
      join people on people.name = sessions.name where hash = ? and disabled_at is null`),
    endSession: database.prepare('delete from sessions where hash = ?'),
    endSessions: database.prepare('delete from sessions where name = ?'),
    removeAside: database.prepare(
      'delete from alerts_aside where until <= $now or (name = $name and alert = $alert)',
    ),
    addAside: database.prepare(
      'insert into alerts_aside (name, alert, until) values ($name, $alert, $until)',
    ),
    listAside: database.prepare('select alert, until from alerts_aside where name = ? and until > ?'),
    addAccess: database.prepare(
      `insert into access_log (at, what, name, role, target, address)
        values ($at, $what, $name, $role, $target, $address)`,
    ),
    removeAccess: database.prepare('delete from access_log where id <= (select max(id) from access_log) - ?'),
    listAccess: database.prepare(
      'select id, at, what, name, role, target, address from access_log where id < ? order by id desc limit ?',
    ),
    countAccess: database.prepare('select count(*) as count from access_log'),
    findView: database.prepare('select 1 from views where name = ? and kind = ? and ref = ?'),
    addView: database.prepare(`insert or ignore into views (at, name, kind, ref, address)
      values ($at, $name, $kind, $ref, $address)`),
    removeViews: database.prepare('delete from views where id <= (select max(id) from views) - ?'),
    listViews: database.prepare(
      'select id, at, name, kind, ref, address from views where id < ? order by id desc limit ?',
    ),
    countViews: database.prepare('select count(*) as count from views'),
    listFailed: database.prepare(`
      select name, null as address, count(*) as count, max(at) as lastAt from access_log
      where what = 'failed' and at >= $since and name is not null group by name having count(*) >= $least
      union all
      select null, address, count(*), max(at) from access_log
      where what = 'failed' and at >= $since group by address having count(*) >= $least
      order by 3 desc`),
    saveSeen: database.prepare('update sessions set seen_at = ? where hash = ?'),
  }
}

interface SessionRow extends Person {
  readonly created_at: number
  readonly seen_at: number
}

interface FailedRow {
  readonly name: string | null
  readonly address: string | null
  readonly count: number
  readonly lastAt: number
}

interface ListedRow extends SessionRow {
  readonly disabled_at: number | null
  readonly sessions: number
}

const NAME = /^[\p{L}\p{N}](?:[ ]?[\p{L}\p{N}._@-]){0,63}$/u

/** The name as it is kept; undefined for one that no person can have. */
export function toPersonName(written: string): string | undefined {
  const name = normalizeName(written)
  return NAME.test(name) ? name : undefined
}

/** People write their names in more than one way. */
function normalizeName(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
