/** The shape of the service's database, step by step. A step that has been released is never changed. */
import { COUNTS_SCHEMA } from './listed.ts'
import { CATALOGUE_SCHEMA } from './schema/catalogue.ts'
import { MONEY_SCHEMA } from './schema/money.ts'
import { ORDERS_SCHEMA } from './schema/orders.ts'
import { PARTIES_SCHEMA } from './schema/parties.ts'

/** The version step 0 makes. Version 1 was never released and cannot be brought up to date. */
export const FIRST_VERSION = 2

/** Step n takes a database from version FIRST_VERSION + n - 1 to the next. */
export const MIGRATIONS: readonly string[] = [
  [PARTIES_SCHEMA, CATALOGUE_SCHEMA, ORDERS_SCHEMA, MONEY_SCHEMA, COUNTS_SCHEMA].join('\n'),
]
