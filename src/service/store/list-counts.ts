/** The lists of the service and their row counts. Triggers keep the counts, so that no page of any list needs a full scan. */

export interface ListDefinition {
  /** The table or view that has a column for every filter. */
  readonly from: string
  readonly owner: 'retailer_id' | 'brand_id'
  /** The table whose rows are counted, and its id column. */
  readonly table: string
  readonly id: string
  /** Whether a retailer or supplier acknowledges the rows. */
  readonly isAcknowledged: boolean
  readonly hasStatus: boolean
}

const acknowledged = <Name extends string>(table: Name, owner: ListDefinition['owner'] = 'retailer_id') =>
  ({
    from: table,
    owner,
    table,
    id: 'id',
    isAcknowledged: true,
    hasStatus: false,
  }) as const satisfies ListDefinition

export const LISTS = {
  retailerOrders: { ...acknowledged('orders'), hasStatus: true },
  brandOrders: { ...acknowledged('orders', 'brand_id'), hasStatus: true },
  cancels: acknowledged('cancels'),
  shipments: acknowledged('shipments'),
  retailerInvoices: acknowledged('invoices'),
  brandInvoices: acknowledged('invoices', 'brand_id'),
  credits: acknowledged('credits'),
  rmas: acknowledged('rmas'),
  retailerVariants: { ...acknowledged('retailer_variants'), from: 'retailer_catalogue', id: 'variant_id' },
  brandVariants: { ...acknowledged('variants', 'brand_id'), isAcknowledged: false },
} as const satisfies Record<string, ListDefinition>

export type ListName = keyof typeof LISTS

/** Rows are counted in blocks of this many ids. */
export const BLOCK_BITS = 12

/** The statuses of orders that can be listed; other lists know only ''. */
export const LIST_STATUSES = ['open', 'partial', 'closed', 'canceled'] as const

export const COUNTS_SCHEMA = `
  create table list_counts (
    list text not null, owner_id integer not null, is_acknowledged integer not null, status text not null,
    block integer not null, count integer not null,
    primary key (list, owner_id, is_acknowledged, status, block)
  ) strict, without rowid;
  ${Object.entries<ListDefinition>(LISTS)
    .map(([name, listed]) => createTriggers(name, listed))
    .join('\n')}
`

function createTriggers(name: string, listed: ListDefinition): string {
  const { table, isAcknowledged, hasStatus } = listed
  const moving = [...(isAcknowledged ? ['acknowledged_at'] : []), ...(hasStatus ? ['status'] : [])]
  const inserted = `
  create trigger ${name}_counted after insert on ${table} begin ${countRow(name, listed, 'new')} end;`
  if (moving.length === 0) return inserted
  return `${inserted}
  create trigger ${name}_recounted after update of ${moving.join(', ')} on ${table}
  when ${changeKey(listed, 'new')} is not ${changeKey(listed, 'old')} begin
    ${countRow(name, listed, 'new')}
    update list_counts set count = count - 1
    where (list, owner_id, is_acknowledged, status, block) = (${rowKey(name, listed, 'old')});
  end;`
}

function countRow(name: string, listed: ListDefinition, row: 'new' | 'old'): string {
  return `insert into list_counts values (${rowKey(name, listed, row)}, 1)
    on conflict do update set count = count + 1;`
}

function rowKey(name: string, listed: ListDefinition, row: 'new' | 'old'): string {
  const { owner, id } = listed
  return `'${name}', ${row}.${owner}, ${acknowledgedColumn(listed, row)}, ${statusColumn(listed, row)}, ${row}.${id} >> ${BLOCK_BITS}`
}

function changeKey(listed: ListDefinition, row: 'new' | 'old'): string {
  return `(${acknowledgedColumn(listed, row)} || ${statusColumn(listed, row)})`
}

function acknowledgedColumn({ isAcknowledged }: ListDefinition, row: 'new' | 'old'): string {
  return isAcknowledged ? `(${row}.acknowledged_at is not null)` : '0'
}

function statusColumn({ hasStatus }: ListDefinition, row: 'new' | 'old'): string {
  return hasStatus ? `${row}.status` : `''`
}
