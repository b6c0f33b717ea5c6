/**
 * The lists of the service, and how many rows each of their parts holds, kept by the database itself: a page far down
 * a list of millions is found, and its count told, without walking there.
 */

/** Where the rows of a list come from. */
export interface Listed {
  /** The table or view that has a column for every filter. */
  readonly from: string
  readonly owner: 'retailer_id' | 'brand_id'
  /** The table whose rows are counted, and its id column. */
  readonly table: string
  readonly id: string
  /** Whether a retailer or supplier acknowledges the rows. */
  readonly isAcknowledged: boolean
  /** Whether the rows can be listed by status. */
  readonly hasStatus: boolean
}

const receipts = (table: string, owner: Listed['owner'] = 'retailer_id') =>
  ({ from: table, owner, table, id: 'id', isAcknowledged: true, hasStatus: false }) as const satisfies Listed

export const LISTED = {
  retailerOrders: { ...receipts('orders'), hasStatus: true },
  brandOrders: { ...receipts('orders', 'brand_id'), hasStatus: true },
  cancels: receipts('cancels'),
  shipments: receipts('shipments'),
  retailerInvoices: receipts('invoices'),
  brandInvoices: receipts('invoices', 'brand_id'),
  credits: receipts('credits'),
  rmas: receipts('rmas'),
  retailerVariants: {
    ...receipts('retailer_variants'),
    from: 'retailer_catalogue',
    id: 'variant_id',
  },
  brandVariants: { ...receipts('variants', 'brand_id'), isAcknowledged: false },
} as const satisfies Record<string, Listed>

export type ListName = keyof typeof LISTED

/** Rows are counted in blocks of this many ids. */
export const BLOCK_BITS = 12

/** The statuses of orders that can be listed; other lists know only ''. */
export const LISTED_STATUSES = ['open', 'partial', 'closed', 'canceled'] as const

export const COUNTS_SCHEMA = `
  create table list_counts (
    list text not null, owner_id integer not null, is_acknowledged integer not null, status text not null,
    block integer not null, count integer not null,
    primary key (list, owner_id, is_acknowledged, status, block)
  ) strict, without rowid;
  ${Object.entries<Listed>(LISTED)
    .map(([name, listed]) => triggersOf(name, listed))
    .join('\n')}
`

function triggersOf(name: string, listed: Listed): string {
  const { table, isAcknowledged, hasStatus } = listed
  const moving = [...(isAcknowledged ? ['acknowledged_at'] : []), ...(hasStatus ? ['status'] : [])]
  const inserted = `
  create trigger ${name}_counted after insert on ${table} begin ${countOne(name, listed, 'new')} end;`
  if (moving.length === 0) return inserted
  return `${inserted}
  create trigger ${name}_recounted after update of ${moving.join(', ')} on ${table}
  when ${keyOf(listed, 'new')} is not ${keyOf(listed, 'old')} begin
    ${countOne(name, listed, 'new')}
    update list_counts set count = count - 1
    where (list, owner_id, is_acknowledged, status, block) = (${rowKey(name, listed, 'old')});
  end;`
}

function countOne(name: string, listed: Listed, row: 'new' | 'old'): string {
  return `insert into list_counts values (${rowKey(name, listed, row)}, 1)
    on conflict do update set count = count + 1;`
}

function rowKey(name: string, listed: Listed, row: 'new' | 'old'): string {
  const { owner, id } = listed
  return `'${name}', ${row}.${owner}, ${acknowledged(listed, row)}, ${status(listed, row)}, ${row}.${id} >> ${BLOCK_BITS}`
}

function keyOf(listed: Listed, row: 'new' | 'old'): string {
  return `(${acknowledged(listed, row)} || ${status(listed, row)})`
}

function acknowledged({ isAcknowledged }: Listed, row: 'new' | 'old'): string {
  return isAcknowledged ? `(${row}.acknowledged_at is not null)` : '0'
}

function status({ hasStatus }: Listed, row: 'new' | 'old'): string {
  return hasStatus ? `${row}.status` : `''`
}
