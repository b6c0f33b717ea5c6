/** The tables of the service's database, as the query builder knows them. Times are milliseconds since 1970 in UTC. */
import type { CatalogueTables } from './tables/catalogue.ts'
import type { MoneyTables } from './tables/money.ts'
import type { OrderTables } from './tables/orders.ts'
import type { PartyTables } from './tables/parties.ts'

export interface Tables extends PartyTables, CatalogueTables, OrderTables, MoneyTables {
  /** How many rows of a list there are, by block of ids. Kept by triggers. */
  list_counts: {
    list: string
    owner_id: number
    is_acknowledged: number
    status: string
    block: number
    count: number
  }
}
