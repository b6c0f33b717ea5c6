/** The parts that handlers work with: what reads resources and what moves them. */
import type { Clock } from '../support/clock.ts'
import { createCancelReader, type CancelReader } from './cancels/views.ts'
import { createCreditReader, type CreditReader } from './credits/views.ts'
import type { Directory } from './directory.ts'
import type { Switches } from './http/switches.ts'
import { createInvoiceReader, type InvoiceReader } from './invoices/views.ts'
import { createItemSummaries } from './items/summaries.ts'
import { createOrderProgress, type OrderProgress } from './orders/progress.ts'
import { createOrderReader, type OrderReader } from './orders/views.ts'
import { createRmaReader, type RmaReader } from './rmas/views.ts'
import { createShipmentReader, type ShipmentReader } from './shipments/views.ts'
import type { Store } from './store/store.ts'
import { createVariantReader, type VariantReader } from './variants/views.ts'

export interface ServiceParts {
  readonly store: Store
  readonly directory: Directory
  /** Skewed where a switch says so. */
  readonly clock: Clock
  readonly switches: Switches
}

/** Readers of every resource, and what keeps orders up to date. */
export interface Resources extends ServiceParts {
  readonly orders: OrderReader
  readonly cancels: CancelReader
  readonly shipments: ShipmentReader
  readonly invoices: InvoiceReader
  readonly rmas: RmaReader
  readonly credits: CreditReader
  readonly variants: VariantReader
  readonly progress: OrderProgress
}

export function createResources(parts: ServiceParts): Resources {
  const { store, directory, switches } = parts
  const reading = { store, directory, summaries: createItemSummaries(store, directory) }
  return {
    ...parts,
    orders: createOrderReader(reading),
    cancels: createCancelReader(reading),
    shipments: createShipmentReader(reading),
    invoices: createInvoiceReader(reading),
    rmas: createRmaReader(reading),
    credits: createCreditReader(reading),
    variants: createVariantReader(reading),
    progress: createOrderProgress(store, switches),
  }
}
