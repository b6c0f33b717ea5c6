/** The return that a credit is issued for, and the rows of the new credit. */
import { sql } from 'kysely'
import type { CreditAdjustment } from '../../contract/credit.ts'
import type { CreditCreate } from '../admin/bodies.ts'
import type { Store } from '../store/store.ts'
import type { CreditedLine, ReturnedLine } from './lines.ts'

export interface ReturnRow {
  readonly id: number
  readonly order_id: number
  readonly retailer_id: number
  readonly brand_id: number
  readonly status: string
  readonly total_amount: string
  /** Of the order's invoice, where it has one. */
  readonly invoice_id: number | null
}

export interface CreditedReturn {
  readonly rma: ReturnRow
  readonly lines: readonly ReturnedLine[]
  /** Of the credits it has already. */
  readonly creditedSubtotals: readonly string[]
  /** Whether the supplier has a credit with the number. */
  readonly isNumberTaken: boolean
}

/** Undefined for a return that does not exist. */
export function prepareReturn(store: Store): (rmaId: number, number: string) => CreditedReturn | undefined {
  const { rmas, subtotals, numbers } = prepareReads(store)
  const lines = prepareReturnedLines(store)
  return (rmaId, number) => {
    const rma = rmas.first({ rma: rmaId })
    if (rma === undefined) return undefined
    return {
      rma,
      lines: lines.all({ rma: rmaId }),
      creditedSubtotals: subtotals.all({ rma: rmaId }).map(({ subtotal }) => subtotal),
      isNumberTaken: numbers.first({ brand: rma.brand_id, number }) !== undefined,
    }
  }
}

function prepareReads({ build, prepare }: Store) {
  return {
    rmas: prepare((p: { rma: number }) =>
      build
        .selectFrom('rmas')
        .leftJoin('invoices', 'invoices.order_id', 'rmas.order_id')
        .select(['rmas.id', 'rmas.order_id', 'rmas.retailer_id', 'rmas.brand_id', 'rmas.status'])
        .select(['rmas.total_amount', 'invoices.id as invoice_id'])
        .where('rmas.id', '=', p.rma),
    ),
    subtotals: prepare((p: { rma: number }) =>
      build.selectFrom('credits').select('subtotal').where('rma_id', '=', p.rma),
    ),
    numbers: prepare((p: { brand: number; number: string }) =>
      build
        .selectFrom('credits')
        .select('id')
        .where('brand_id', '=', p.brand)
        .where('credit_number', '=', p.number),
    ),
  }
}

function prepareReturnedLines({ build, prepare }: Store) {
  return prepare((p: { rma: number }) =>
    build
      .selectFrom('rma_lines')
      .innerJoin('rmas', 'rmas.id', 'rma_lines.rma_id')
      .innerJoin('order_lines', 'order_lines.id', 'rma_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_variants', (join) =>
        join
          .onRef('retailer_variants.variant_id', '=', 'variants.id')
          .onRef('retailer_variants.retailer_id', '=', 'rmas.retailer_id'),
      )
      .select(['rma_lines.order_line_id', 'rma_lines.quantity', 'order_lines.net_price'])
      .select(['order_lines.variant_id', 'variants.identifier as brand_identifier', 'variants.upc'])
      .select('retailer_variants.sku as retailer_identifier')
      .select(
        sql<number>`(
          select coalesce(sum(credit_lines.quantity), 0) from credits
          join credit_lines on credit_lines.credit_id = credits.id
          where credits.rma_id = rmas.id and credit_lines.order_line_id = rma_lines.order_line_id
        )`.as('credited'),
      )
      .where('rma_lines.rma_id', '=', p.rma)
      .orderBy('rma_lines.id'),
  )
}

export interface NewCredit {
  readonly body: CreditCreate
  readonly rma: ReturnRow
  readonly lines: readonly CreditedLine[]
  readonly subtotal: string
  readonly creditAmount: string
  readonly now: number
}

/** Inserts and gives the id of the credit. */
export function createCreditInserter({ inserter }: Store): (credit: NewCredit) => number {
  const insertCredit = inserter('credits')
  const insertLine = inserter('credit_lines')
  return ({ body, rma, lines, subtotal, creditAmount, now }) => {
    const id = insertCredit({
      rma_id: rma.id,
      order_id: rma.order_id,
      retailer_id: rma.retailer_id,
      brand_id: rma.brand_id,
      invoice_id: rma.invoice_id,
      credit_number: body.credit_number,
      subtotal,
      adjustments: JSON.stringify((body.adjustments ?? []).map(toAdjustment)),
      credit_amount: creditAmount,
      credited_at: now,
      acknowledged_at: null,
    })
    for (const { orderLineId, quantity, price } of lines) {
      insertLine({ credit_id: id, order_line_id: orderLineId, quantity, price })
    }
    return id
  }
}

function toAdjustment({
  type,
  description,
  amount,
}: NonNullable<CreditCreate['adjustments']>[number]): CreditAdjustment {
  return { type, description: description ?? null, amount }
}
