/** What runs the statements of the journal, in this thread or in one of its own, and Kysely on top of it. */
import type Database from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

export interface Executed {
  readonly rows: readonly unknown[]
  readonly changes?: number
  readonly insertId?: bigint
}

/** One statement at a time. Throws what SQLite says, as a `SqliteError`. */
export interface Executor {
  /** The first value that it gives. */
  pragma(text: string): Promise<unknown>
  execute(text: string, parameters: readonly unknown[]): Promise<Executed>
  close(): Promise<void>
}

const STATEMENTS_KEPT = 200

/** Preparing costs more than many of our statements do; their texts are few, because data goes in as parameters. */
export function executorOn(database: Database.Database): Executor {
  const kept = new Map<string, Database.Statement<unknown[]>>()
  const prepare = (text: string) => {
    const known = kept.get(text)
    if (known) return known
    if (kept.size === STATEMENTS_KEPT) kept.clear()
    const statement = database.prepare<unknown[]>(text)
    kept.set(text, statement)
    return statement
  }
  return {
    pragma: async (text) => database.pragma(text, { simple: true }),
    async execute(text, parameters) {
      const statement = prepare(text)
      if (statement.reader) return { rows: statement.all(parameters) }
      const { changes, lastInsertRowid } = statement.run(parameters)
      return { rows: [], changes, insertId: BigInt(lastInsertRowid) }
    },
    async close() {
      kept.clear()
      database.close()
    },
  }
}

/** SQLite has one connection, and whoever has it has it alone. */
export function dialectOf(executor: Executor): Dialect {
  return {
    createDriver: () => driverOf(executor),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

function driverOf(executor: Executor): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes, insertId } = await executor.execute(sql, parameters)
      return {
        rows: rows as Row[],
        ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
        ...(insertId === undefined ? {} : { insertId }),
      }
    },
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('the journal reads in pages and streams nothing')
    },
  }
  let busy: Promise<void> | undefined
  let free: (() => void) | undefined
  const run = (text: string) => async () => {
    await executor.execute(text, [])
  }
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      while (busy) await busy
      busy = new Promise((resolve) => (free = resolve))
      return connection
    },
    async releaseConnection() {
      busy = undefined
      free?.()
    },
    beginTransaction: run('begin'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    destroy: () => executor.close(),
  }
}
