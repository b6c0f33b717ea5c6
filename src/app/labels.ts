/** Fetches packing slips and labels again: missing ones, or those of the named shipments. */
import type { DocumentPlace, InboundContext } from '../pipeline/context.ts'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InboundRoute, Route } from '../config/routes.ts'
import { DEFAULT_DOCUMENT_NAME, formatDocumentName } from '../config/file-name.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { type Problem, problem } from '../domain/problem.ts'
import type { CreatedShipment, ShipmentQuery, ShippingDocument } from '../domain/shipping-document.ts'
import { createDirectoryMailbox } from '../mailboxes/directory/mailbox.ts'
import { deliverDocuments, readShipments, requestDocuments } from '../pipeline/documents/delivery.ts'
import { copyDocuments } from '../pipeline/documents/copy.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { openSpool } from '../support/spool.ts'
import { buildDocumentPlace } from '../pipeline/route-settings.ts'
import type { BridgeContext } from './context.ts'
import { runRoute } from './run-route.ts'

/** Which shipments are meant: all given conditions must hold; without any, the shipments that miss a document. */
export interface LabelsRequest extends Omit<ShipmentQuery, 'route' | 'fileId'> {
  readonly route?: string
  /** A folder for copies; the mailboxes of the routes when left out. */
  readonly out?: string
}

/** A shipment of which nothing can be fetched, because its contents were pruned. */
type PrunedShipment = CreatedShipment & { readonly problem: Problem; readonly kind?: never }

export interface FetchedLabel {
  readonly route: string
  readonly document: ShippingDocument | PrunedShipment
  /** Where the copy is, for people; left out when there is none. */
  readonly path?: string
}

export interface LabelsHooks {
  readonly signal: AbortSignal
  readonly onDocument: (label: FetchedLabel) => void
}

/** Reports every document as it comes. Throws when it cannot continue. */
export async function fetchLabels(context: BridgeContext, request: LabelsRequest, work: LabelsHooks) {
  const { route: named, out, ...query } = request
  const which = Object.keys(query).length === 0 ? 'missing' : 'all'
  let hasFound = false
  const onDocument = (label: FetchedLabel) => {
    hasFound = true
    work.onDocument(label)
  }
  const routes = findShippingRoutes(context, named, out)
  for (const route of routes) {
    const job = { ...work, onDocument, wanted: { ...query, route: route.name, which } } as const
    if (out === undefined) await fetchIntoMailbox(context, route, job)
    else await fetchIntoFolder(context, route, job, out)
    if (which === 'all') await reportPruned(context, route, job)
  }
  if (which === 'all' && !hasFound) await assertPlaced(context, query, routes)
}

/** Throws where such a shipment was accepted on a route that leaves its documents nowhere. */
async function assertPlaced(
  { journal, configuration }: BridgeContext,
  query: Omit<ShipmentQuery, 'route'>,
  searched: readonly InboundRoute[],
): Promise<void> {
  for (const route of configuration.routes.filter(isShippingRoute)) {
    if (searched.includes(route)) continue
    const [shipment] = await journal.listCreatedShipments({ ...query, route: route.name }, 0, 1)
    if (shipment !== undefined) throw noDocumentsError([route.name])
  }
}

/** Says what to add. */
function noDocumentsError([first = '', ...more]: readonly string[]): BridgeError {
  const names = [first, ...more].join(', ')
  const have = more.length === 0 ? `Route ${names} has` : `The routes ${names} have`
  const fix = `Add \`documents: { mailbox: NAME, folder: labels }\` under \`routes.${first}\`, or name a folder with --out.`
  return new BridgeError('usage-wrong', `${have} no \`documents\`, so packing slips and labels go nowhere.`, {
    fix,
  })
}

/** The routes that create shipments and, unless a folder for copies is given, have a place for their documents. */
function findShippingRoutes({ configuration }: BridgeContext, named?: string, out?: string) {
  const all = configuration.routes.filter(isShippingRoute)
  const routes = named === undefined ? all : all.filter(({ name }) => name === named)
  const placed = out === undefined ? routes.filter(({ documents }) => documents !== undefined) : routes
  if (placed.length > 0) return placed
  if (routes.length > 0) throw noDocumentsError(routes.map(({ name }) => name))
  const known = all.length === 0 ? '' : `; the routes that do are ${all.map(({ name }) => name).join(', ')}`
  const who = named === undefined ? 'no route creates shipments' : `no route "${named}" creates shipments`
  const fix = 'Name a route with `operation: create-shipment`, or add one to the configuration.'
  throw new BridgeError('usage-wrong', `${who}${known}.`, { fix })
}

function isShippingRoute(route: Route): route is InboundRoute {
  return route.direction === 'inbound' && route.operation === 'create-shipment'
}

type FetchJob = LabelsHooks & { readonly wanted: ShipmentQuery & { readonly which: 'all' | 'missing' } }

/** Works under the lease of the route, and notes the documents as a run does. */
async function fetchIntoMailbox(context: BridgeContext, route: InboundRoute, work: FetchJob): Promise<void> {
  const { wanted, signal } = work
  const inbound = async (parts: InboundContext) => {
    const { documents } = parts
    assert(documents !== undefined, `route ${route.name} has no place for documents`)
    const { which, ...query } = wanted
    if (which === 'all') await requestDocuments(parts, documents, query)
    await deliverDocuments({ ...parts, documents }, wanted, createReporter(route, documents, work))
    return { route: route.name, summaries: [], reported: [], open: [], waiting: [] }
  }
  const result = await runRoute(context, route, signal, { inbound })
  if (result.kind === 'failed') throw result.failure
}

async function fetchIntoFolder(context: BridgeContext, route: InboundRoute, work: FetchJob, out: string) {
  const { journal, configuration, options } = context
  await mkdir(out, { recursive: true })
  const documents = buildFolderPlace(route, createDirectoryMailbox({ root: out, clock: options.clock }))
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-labels-'))
  try {
    const api = context.apis.get(route)
    const spool = await openSpool(folder)
    const concurrency = configuration.api.connections
    const parts = { journal, api, spool, signal: work.signal, concurrency, route, documents }
    await copyDocuments(parts, work.wanted, createReporter(route, documents, work))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The route's own settings with another folder; both kinds of document where the route has none. */
function buildFolderPlace(route: InboundRoute, mailbox: Mailbox): DocumentPlace {
  const own = buildDocumentPlace(route, () => mailbox)
  const usual = {
    mailboxName: '',
    kinds: ['label', 'packing-slip'],
    nameFor: (values: Readonly<Record<string, unknown>>) => formatDocumentName(DEFAULT_DOCUMENT_NAME, values),
  } as const
  return { ...usual, ...own, mailbox, folder: '.' }
}

/** How many shipments are read from the journal at once. */
const PAGE_SIZE = 100

/** Reports pruned shipments among the named ones. They are not fetched: a new name would say less than the first copy's. */
async function reportPruned({ journal }: BridgeContext, route: InboundRoute, work: FetchJob): Promise<void> {
  const { wanted, onDocument } = work
  const { which: _, ...query } = wanted
  for await (const shipments of readShipments(journal, query, PAGE_SIZE))
    for (const shipment of shipments)
      if (shipment.isPruned === true) onDocument({ route: route.name, document: describePruned(shipment) })
}

function describePruned(shipment: CreatedShipment): PrunedShipment {
  const message = `what was sent and answered of shipment ${shipment.shipmentId ?? ''} was pruned, so its packing slip and label are not fetched again`
  return { ...shipment, problem: problem('document-pruned', {}, message) }
}

function createReporter({ name: route }: InboundRoute, { mailbox }: DocumentPlace, { onDocument }: FetchJob) {
  return (document: ShippingDocument): void => {
    const { state, folder, name, problem } = document
    const isThere = state === 'delivered' && name !== undefined && problem === undefined
    onDocument({ route, document, ...(isThere && { path: mailbox.describe(folder, name) }) })
  }
}
