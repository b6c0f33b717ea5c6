/** Addresses of every page with everything that a journal holds: a new page is in it by itself. */
import type { Journal } from '../../src/domain/journal.ts'
import type { ConsoleServer } from '../../src/web/server.ts'

const MANY = 1_000

/** Each GET route that ends, once for each thing it can show. Throws for a route whose names it does not know. */
export async function listEveryAddress(
  { guardedRoutes }: Pick<ConsoleServer, 'guardedRoutes'>,
  journal: Journal,
  routes: readonly string[],
): Promise<string[]> {
  const files = await journal.listFiles({}, undefined, MANY)
  const traced = await Promise.all(files.map(({ id }) => journal.listReportedRecords(id, 0, MANY)))
  const records = traced.flat()
  const deliveries = await journal.listDeliveries({}, undefined, MANY)
  const decisions = await journal.listAllDecisions(undefined, MANY)
  const values: Readonly<Record<string, readonly string[]>> = {
    'files :id': files.map(({ id }) => id),
    'records :n': records.map(({ id }) => String(id)),
    'orders :key': [...new Set(records.flatMap(({ keyValues }) => keyValues))],
    'deliveries :id': deliveries.map(({ id }) => id),
    'decisions :n': decisions.map(({ id }) => String(id)),
    'routes :name': routes,
  }
  return guardedRoutes.flatMap(({ method, path }) => {
    // Other tests have worlds with alerts of mailboxes and with reports.
    if (method !== 'GET' || ['/live', '/aside/:alert', '/routes/:name/again'].includes(path)) return []
    const [, section = '', name] = /^\/([\w-]*)(?:\/(:\w+))?/.exec(path) ?? []
    if (name === undefined) return [path]
    const known = values[`${section} ${name}`]
    if (known === undefined || known.length === 0) throw new Error(`Nothing is there for ${path}.`)
    return known.map((value) => path.replace(name, encodeURIComponent(value)).replace(':run', 'none'))
  })
}
