/** The connection to the service database. Kysely builds the SQL, and better-sqlite3 runs it synchronously. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompiledQuery,
  DummyDriver,
  type Insertable,
  Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Updateable,
} from 'kysely'
import { BridgeError } from '../../support/errors.ts'
import { type Database, isSqliteError, openDatabase } from '../../support/sqlite.ts'
import { FIRST_VERSION, MIGRATIONS } from './schema.ts'
import type { Tables } from './tables.ts'

/** Makes queries; a store runs them. */
export const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A query of `build` or `sql`. */
interface Query<Row> {
  compile(executor: typeof build): CompiledQuery<Row>
}

/**
 * A query with named values. The store compiles it once, at its first use, with a placeholder for every value, and caches
 * it by the identity of the function: a statement must be a constant, never a function made for one call.
 */
export type Statement<Parameters, Row> = (parameters: Parameters) => Query<Row>

export type RowOf<Made> = Made extends Statement<never, infer Row> ? Row : never

type TableName = keyof Tables

/** Columns and the values they have; null finds rows without a value. */
type Where<Name extends TableName> = Readonly<Partial<Selectable<Tables[Name]>>>

/** New values; a column that is undefined stays as it is. */
type Patch<Name extends TableName> = {
  readonly [Column in keyof Updateable<Tables[Name]>]?: Updateable<Tables[Name]>[Column] | undefined
}

/** `folder` is made when it is missing; `:memory:` keeps nothing. Throws `service-data-unusable` and `service-data-in-use`. */
export function openStore(folder: string): Store {
  return createStore(openConnection(folder))
}

/** A copy that can only be read. */
export function openCopy(bytes: Uint8Array): Store {
  const connection = openDatabase(Buffer.from(bytes), { readonly: true })
  prepareConnection(connection)
  return createStore(connection)
}

/** A store in memory that starts from a copy. */
export function openImage(bytes: Uint8Array): Store {
  const connection = openDatabase(Buffer.from(bytes))
  connection.pragma('foreign_keys = ON')
  prepareConnection(connection)
  return createStore(connection)
}

/** All calls are synchronous, so no other request comes between those of a rule. The write queue makes writes durable. */
export type Store = ReturnType<typeof createStore>

function createStore(connection: Database) {
  const compile = memoize((statement: Statement<never, unknown>) => compileStatement(connection, statement))
  const prepare = memoize((text: string) => connection.prepare<unknown[]>(text))
  return {
    /** Runs a one-time query. */
    all<Row>(query: Query<Row>): Row[] {
      const { sql: text, parameters } = query.compile(build)
      return connection.prepare<unknown[], Row>(text).all(...parameters)
    },
    rows<Parameters, Row>(statement: Statement<Parameters, Row>, parameters: Parameters): Row[] {
      const { made, bind } = compile(statement)
      return made.all(bind(parameters)) as Row[]
    },
    first<Parameters, Row>(statement: Statement<Parameters, Row>, parameters: Parameters): Row | undefined {
      const { made, bind } = compile(statement)
      return made.get(bind(parameters)) as Row | undefined
    },
    run<Parameters>(statement: Statement<Parameters, unknown>, parameters: Parameters): void {
      const { made, bind } = compile(statement)
      made.run(bind(parameters))
    },
    find<Name extends TableName>(table: Name, where: Where<Name>): Selectable<Tables[Name]> | undefined {
      const found = prepare(`select * from ${table} ${whereClause(where)}`).get(boundValues(where))
      return found as Selectable<Tables[Name]> | undefined
    },
    /** The rows whose column holds one of the ids, in the order of their own ids. */
    findAll<Name extends TableName>(
      table: Name,
      column: keyof Tables[Name] & string,
      ids: readonly number[],
    ): Selectable<Tables[Name]>[] {
      const text = `select * from ${table} where ${column} in (select value from json_each(?)) order by id`
      return prepare(text).all([JSON.stringify(ids)]) as Selectable<Tables[Name]>[]
    },
    /** Returns the id of the new row. Other columns that are left out are null. */
    insert<Name extends TableName>(table: Name, row: Insertable<Tables[Name]>): number {
      const columns = Object.keys(row)
      const text = `insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`
      return Number(prepare(text).run(Object.values(row)).lastInsertRowid)
    },
    update<Name extends TableName>(table: Name, where: Where<Name>, patch: Patch<Name>): void {
      const changes = Object.entries(patch).filter(([, value]) => value !== undefined)
      if (changes.length === 0) return
      const assignments = changes.map(([column]) => `${column} = ?`).join()
      const values = [...changes.map(([, value]) => value), ...boundValues(where)]
      prepare(`update ${table} set ${assignments} ${whereClause(where)}`).run(values)
    },
    remove<Name extends TableName>(table: Name, where: Where<Name>): void {
      prepare(`delete from ${table} ${whereClause(where)}`).run(boundValues(where))
    },
    /** Plain commands such as `commit`, made once. */
    command(text: string): () => void {
      const statement = connection.prepare(text)
      return () => void statement.run()
    },
    /** Runs the work in its own transaction: all or nothing. Not for use within the write queue. */
    runInTransaction: (work: () => void): void => connection.transaction(work).immediate(),
    /** The bytes of the present database. Not within a transaction. */
    // bytes 18 and 19 promise a write-ahead log beside the file; a copy in memory has none and would not open
    copy: (): Uint8Array => connection.serialize().fill(1, 18, 20),
    close: (): void => void connection.close(),
  }
}

function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

function whereClause(where: object): string {
  return `where ${Object.entries(where)
    .map(([column, value]) => `${column} ${value === null ? 'is null' : '= ?'}`)
    .join(' and ')}`
}

function boundValues(where: object): unknown[] {
  return Object.values(where).filter((value) => value !== null)
}

/** The ids of a list as one value, so that the statement is the same for any number of them. */
export interface IdsParameter {
  readonly ids: string
}

export function idsParameter(ids: readonly number[]): IdsParameter {
  return { ids: JSON.stringify(ids) }
}

/** The ids of an `IdsParameter` in a statement. */
export function idsFromJson(json: string): RawBuilder<number> {
  return sql<number>`(select value from json_each(${json}))`
}

function openConnection(folder: string): Database {
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
  connection.function('fold', { deterministic: true }, (text) => foldCase(String(text)))
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

/** Replaces a named value while a statement is compiled. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function compileStatement(connection: Database, statement: Statement<never, unknown>) {
  const standIns = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })
  const { sql: text, parameters } = statement(standIns as never).compile(build)
  return {
    made: connection.prepare<unknown[]>(text),
    bind: (values: unknown) =>
      parameters.map((parameter) =>
        parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter,
      ),
  }
}

/** Text in one case, as searches compare it: in SQL the function `fold`. */
export function foldCase(text: string): string {
  return text.toLowerCase()
}
