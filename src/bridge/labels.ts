/** Fetching packing slips and labels again: what is missing, or those of the shipments that are named. */
import type { InboundParts } from '../pipelines/parts.ts'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InboundRoute, Route } from '../config/routes.ts'
import { DEFAULT_DOCUMENT_NAME, documentNameOf } from '../config/document-name.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { type Problem, problem } from '../domain/problem.ts'
import type { CreatedShipment, ShipmentQuery, ShippingDocument } from '../domain/shipping-document.ts'
import { directoryMailbox } from '../mailboxes/directory.ts'
import { bringDocuments } from '../pipelines/documents/bring.ts'
import { copyDocuments } from '../pipelines/documents/copy.ts'
import type { DocumentPlace } from '../pipelines/documents/place.ts'
import { wantDocuments } from '../pipelines/inbound/documents.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { openSpool } from '../support/spool.ts'
import { documentPlace } from './document-place.ts'
import { runRoute, type Workshop } from './run-route.ts'

/** Which shipments are meant: those of which all that is said holds; without any of it, those that miss a document. */
export interface LabelsRequest extends Omit<ShipmentQuery, 'route' | 'fileId'> {
  readonly route?: string
  /** A folder for copies; the mailboxes of the routes when left out. */
  readonly out?: string
}

/** A shipment of which nothing can be fetched, because its contents were forgotten. */
export type ForgottenShipment = CreatedShipment & { readonly problem: Problem; readonly kind?: never }

/** One document, and what became of it. */
export interface FetchedLabel {
  readonly route: string
  readonly document: ShippingDocument | ForgottenShipment
  /** Where it is, for people, when it could be had. */
  readonly path?: string
}

export interface LabelsWork {
  readonly signal: AbortSignal
  readonly tell: (label: FetchedLabel) => void
}

/** Tells of every document as it comes. Throws what keeps it from going on. */
export async function fetchLabels(shop: Workshop, request: LabelsRequest, work: LabelsWork): Promise<void> {
  const { route: named, out, ...query } = request
  const which = Object.keys(query).length === 0 ? 'missing' : 'all'
  for (const route of shippingRoutes(shop, named, out)) {
    const wanted = { ...query, route: route.name, which } as const
    if (out === undefined) await intoMailbox(shop, route, { wanted, ...work })
    else await intoFolder(shop, route, { wanted, out, ...work })
    if (which === 'all') await tellForgotten(shop, route, { wanted, ...work })
  }
}

/** The routes that create shipments and, without a folder to leave copies in, have a place for their documents. */
function shippingRoutes({ configuration }: Workshop, named: string | undefined, out: string | undefined) {
  const all = configuration.routes.filter(isShipping)
  const routes = named === undefined ? all : all.filter(({ name }) => name === named)
  const placed = out === undefined ? routes.filter(({ documents }) => documents !== undefined) : routes
  if (placed.length > 0) return placed
  if (routes.length > 0) {
    const message = `${routes.map(({ name }) => name).join(', ')} leaves no documents anywhere`
    throw new BridgeError(
      'usage-wrong',
      `${message}: name a folder with --out, or give the route \`documents\`.`,
    )
  }
  const known = all.length === 0 ? '' : `; the routes that do are ${all.map(({ name }) => name).join(', ')}`
  const who = named === undefined ? 'no route creates shipments' : `no route "${named}" creates shipments`
  throw new BridgeError('usage-wrong', `${who}${known}.`)
}

function isShipping(route: Route): route is InboundRoute {
  return route.direction === 'inbound' && route.operation === 'create-shipment'
}

interface Wanted extends LabelsWork {
  readonly wanted: ShipmentQuery & { readonly which: 'all' | 'missing' }
}

/** Under the lease of the route, and noted like those that a run brings. */
async function intoMailbox(shop: Workshop, route: InboundRoute, work: Wanted): Promise<void> {
  const { wanted, signal, tell } = work
  const inbound = async (parts: InboundParts) => {
    const { documents } = parts
    assert(documents !== undefined, `route ${route.name} has no place for documents`)
    const { which, ...query } = wanted
    if (which === 'all') await wantDocuments(parts, documents, query)
    await bringDocuments({ ...parts, documents }, wanted, teller(route, documents, tell))
    return { route: route.name, summaries: [], reported: [], open: [], waiting: [] }
  }
  const result = await runRoute(shop, route, signal, { inbound })
  if (result.kind === 'failed') throw result.failure
}

async function intoFolder(
  shop: Workshop,
  route: InboundRoute,
  { wanted, out, signal, tell }: Wanted & { readonly out: string },
): Promise<void> {
  const { journal, configuration, options } = shop
  await mkdir(out, { recursive: true })
  const documents = placeIn(route, directoryMailbox({ root: out, clock: options.clock }))
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-labels-'))
  try {
    const api = shop.apis.of(route)
    const spool = await openSpool(folder)
    const concurrency = configuration.api.connections
    await copyDocuments(
      { journal, api, spool, signal, concurrency, route, documents },
      wanted,
      teller(route, documents, tell),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As the route has it but for the folder; both kinds where the route says nothing. */
function placeIn(route: InboundRoute, mailbox: Mailbox): DocumentPlace {
  const own = documentPlace(route, () => mailbox)
  const usual = {
    mailboxName: '',
    kinds: ['label', 'packing-slip'],
    nameFor: (values: Readonly<Record<string, unknown>>) => documentNameOf(DEFAULT_DOCUMENT_NAME, values),
  } as const
  return { ...usual, ...own, mailbox, folder: '.' }
}

/** How many shipments are taken from the journal at once. */
const PAGE = 100

/** Of those that were named: neither fetched nor given a name that says less than the first copy's did. */
async function tellForgotten({ journal }: Workshop, route: InboundRoute, work: Wanted): Promise<void> {
  const { wanted, tell } = work
  const { which: _, ...query } = wanted
  let afterId = 0
  for (;;) {
    const shipments = await journal.createdShipments(query, afterId, PAGE)
    const last = shipments.at(-1)
    if (last === undefined) return
    for (const shipment of shipments) {
      if (shipment.isForgotten === true) tell({ route: route.name, document: forgotten(shipment) })
    }
    afterId = last.recordId
  }
}

function forgotten(shipment: CreatedShipment): ForgottenShipment {
  const message = `what was sent and answered of shipment ${shipment.shipmentId ?? ''} was forgotten, so its packing slip and label are not fetched again`
  return { ...shipment, problem: problem('document-forgotten', {}, message) }
}

function teller({ name: route }: InboundRoute, { mailbox }: DocumentPlace, tell: LabelsWork['tell']) {
  return (document: ShippingDocument): void => {
    const { state, folder, name, problem } = document
    const isThere = state === 'delivered' && name !== undefined && problem === undefined
    tell({ route, document, ...(isThere ? { path: mailbox.describe(folder, name) } : {}) })
  }
}
