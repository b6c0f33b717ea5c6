/** The one connection to the service's database: the query builder makes the SQL, the connection runs it at once. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  type Insertable,
  Kysely,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { BridgeError } from '../../support/errors.ts'
import { type Database, isSqliteError, openDatabase, type Statement } from '../../support/sqlite.ts'
import { folded } from './folded.ts'
import { FIRST_VERSION, MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'

/** A statement made once. `Parameters` are its named values. */
export interface Prepared<Parameters, Row> {
  all(parameters: Parameters): Row[]
  first(parameters: Parameters): Row | undefined
  /** How many rows changed. */
  run(parameters: Parameters): number
}

/**
 * Nothing here waits: a rule that reads before it writes runs from start to end with nobody in between. Writes belong
 * into the write queue, which makes them durable.
 */
export interface Store {
  /** Makes queries; running one is up to the other methods. */
  readonly build: Kysely<Tables>
  readonly all: <Row>(query: Compilable<Row>) => Row[]
  /** For what the builder cannot say. */
  readonly query: <Row>(statement: RawBuilder<Row>) => Row[]
  /** The query is built once, with a stand-in for every named value. */
  readonly prepare: <Parameters extends object, Row>(
    make: (parameters: Parameters) => Compilable<Row>,
  ) => Prepared<Parameters, Row>
  /** A function that inserts one row and gives its id. Every row it gets must have the same columns. */
  readonly inserter: <Name extends keyof Tables>(table: Name) => (row: Insertable<Tables[Name]>) => number
  /** Plain commands such as `commit`, made once. */
  readonly command: (text: string) => () => void
  /** Runs the work in a transaction of its own: all or nothing. Not for what runs in the write queue. */
  atomically(work: () => void): void
  /** The bytes of the database as it stands. Not within a transaction. */
  copy(): Uint8Array
  close(): void
}

/** `folder` is made when it is missing; `:memory:` keeps nothing. Throws `service-data-unusable` and `service-data-in-use`. */
export function openStore(folder: string): Store {
  return storeOf(connect(folder))
}

/** A copy that can only be read. */
export function openCopy(bytes: Uint8Array): Store {
  const connection = openDatabase(Buffer.from(bytes), { readonly: true })
  prepareConnection(connection)
  return storeOf(connection)
}

function storeOf(connection: Database): Store {
  const build = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const all = <Row>(query: Compilable<Row>) => {
    const { sql: text, parameters } = query.compile()
    return connection.prepare<unknown[], Row>(text).all(...parameters)
  }
  return {
    build,
    all,
    query: <Row>(statement: RawBuilder<Row>) =>
      all<Row>({ compile: () => statement.compile(build) as CompiledQuery<Row> }),
    prepare: (make) => prepare(connection, make),
    inserter: (table) => inserter(connection, build, table),
    command: (text) => {
      const statement = connection.prepare(text)
      return () => void statement.run()
    },
    atomically: (work) => connection.transaction(work).immediate(),
    copy: () => standAlone(connection.serialize()),
    close: () => void connection.close(),
  }
}

/** The ids of a list bound as one JSON value, so that the statement is the same for any number of them. */
export function idsIn(json: string): RawBuilder<number> {
  return sql<number>`(select value from json_each(${json}))`
}

function connect(folder: string): Database {
  const inMemory = folder === ':memory:'
  const file = inMemory ? folder : join(folder, 'service.db')
  let connection: Database | undefined
  try {
    if (!inMemory) mkdirSync(folder, { recursive: true, mode: 0o700 })
    connection = openDatabase(file)
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    // a second service on the folder would not know the tokens of the first
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.pragma('busy_timeout = 1000')
    prepareConnection(connection)
    migrate(connection)
    return connection
  } catch (error) {
    connection?.close()
    if (error instanceof BridgeError) throw error
    if (isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) {
      throw new BridgeError(
        'service-data-in-use',
        `The service's database ${file} is used by another service.`,
      )
    }
    throw new BridgeError('service-data-unusable', `The service's database ${file} cannot be opened.`, {
      cause: error,
    })
  }
}

function prepareConnection(connection: Database): void {
  // SQLite's own lower() knows the letters of English only
  connection.function('fold', { deterministic: true }, (text) => folded(String(text)))
}

/** Bytes 18 and 19 say that there is a write-ahead log beside the file; a copy in memory has none and would not open. */
function standAlone(bytes: Buffer): Buffer {
  return bytes.fill(1, 18, 20)
}

function migrate(connection: Database): void {
  const latest = FIRST_VERSION + MIGRATIONS.length - 1
  const migrateOnce = connection.transaction(() => {
    const version = Number(connection.pragma('user_version', { simple: true }))
    if (version > latest) {
      const message = `The service's database has version ${version}; this program knows ${latest}. Use the newer program.`
      throw new BridgeError('service-data-unusable', message)
    }
    if (version > 0 && version < FIRST_VERSION) {
      const message = `The service's database has version ${version}, which was never released. Start with another data folder.`
      throw new BridgeError('service-data-unusable', message)
    }
    const done = version === 0 ? 0 : version - FIRST_VERSION + 1
    for (const step of MIGRATIONS.slice(done)) connection.exec(step)
    connection.pragma(`user_version = ${latest}`)
  })
  migrateOnce.immediate()
}

/** Stands for a named value while a statement is made. */
class StandIn {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function prepare<Parameters extends object, Row>(
  connection: Database,
  make: (parameters: Parameters) => Compilable<Row>,
): Prepared<Parameters, Row> {
  const standIns = new Proxy({}, { get: (_, name) => new StandIn(String(name)) })
  const { sql: text, parameters } = make(standIns as Parameters).compile()
  const statement = connection.prepare<unknown[], Row>(text)
  const bind = (values: Parameters) =>
    parameters.map((parameter) =>
      parameter instanceof StandIn ? values[parameter.name as keyof Parameters] : parameter,
    )
  return {
    all: (values) => statement.all(bind(values)),
    first: (values) => statement.get(bind(values)),
    run: (values) => statement.run(bind(values)).changes,
  }
}

function inserter<Name extends keyof Tables>(
  connection: Database,
  build: Kysely<Tables>,
  table: Name,
): (row: Insertable<Tables[Name]>) => number {
  let columns: (keyof Insertable<Tables[Name]>)[] | undefined
  let statement: Statement | undefined
  return (row) => {
    columns ??= Object.keys(row) as (keyof Insertable<Tables[Name]>)[]
    statement ??= connection.prepare<unknown[]>(
      build
        .insertInto(table)
        .values(row as never)
        .compile().sql,
    )
    return Number(statement.run(columns.map((column) => row[column])).lastInsertRowid)
  }
}
