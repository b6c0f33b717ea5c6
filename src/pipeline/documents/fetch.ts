/** Fetches the documents of a shipment. Bytes go to the disk at once, so that few are in memory together. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { DocumentAnswer } from '../../domain/api.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import {
  type CreatedShipment,
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentState,
  type ShippingDocument,
} from '../../domain/shipping-document.ts'
import { createPartyParams } from '../../operations/operation.ts'
import { hasCode } from '../../support/errors.ts'
import type { DocumentContext } from '../context.ts'
import { createAccountCheck, tryRead } from '../failures.ts'
import { isObject } from '../../support/object-paths.ts'

/** The document is in the spool, with the extension for its name; or there is none, with the reason. */
type FetchResult = { readonly extension: string } | FetchFailure

interface FetchFailure {
  readonly state: Exclude<DocumentState, 'delivered'>
  readonly problem: Problem
}

const DOCUMENT_ENDPOINTS = {
  label: 'getShippingLabel',
  'packing-slip': 'getPackingSlip',
} as const satisfies Record<DocumentKind, EndpointName>

/** Makes the function that fetches one document. It throws failures of the whole account or program. */
export function createDocumentFetcher({
  api,
  spool,
  route,
}: Pick<DocumentContext, 'api' | 'spool' | 'route'>) {
  const checkAccount = createAccountCheck(api, route.party)
  return async (shipment: CreatedShipment, kind: DocumentKind, spooled: string): Promise<FetchResult> => {
    const { shipmentId } = shipment
    if (shipmentId === undefined) return createMissing(kind, 'the API did not say which id the shipment has')
    const params = { ...createPartyParams(route.party), id: shipmentId }
    const call = { endpoint: DOCUMENT_ENDPOINTS[kind], params }
    const read = await tryDocument(() => api.document(call), checkAccount)
    if ('trouble' in read) return createMissing(kind, read.trouble)
    const answer = read.value
    if (!answer.made) {
      if (answer.status === 403) await checkAccount()
      const message = `the ${DOCUMENT_KINDS[kind]} of shipment ${shipmentId} is refused: ${answer.detail}`
      return { state: 'refused', problem: problem('document-refused', {}, message) }
    }
    await spool.put(spooled, [answer.bytes])
    return { extension: chooseExtension(answer.contentType) }
  }
}

/** A label may be on another server, or closed to the account; such a failure of one document does not stop the route. */
async function tryDocument(read: () => Promise<DocumentAnswer>, checkAccount: () => Promise<void>) {
  try {
    return await tryRead(read)
  } catch (error) {
    if (!hasCode(error, 'api-redirected', 'credentials-refused')) throw error
    if (error.code === 'credentials-refused') await checkAccount()
    return { trouble: error.message }
  }
}

/** A failed further copy does not change the state of the copy that was delivered before. */
export function addFailure(document: ShippingDocument, outcome: FetchFailure): ShippingDocument {
  const { problem } = outcome
  return { ...document, ...(document.state === 'delivered' ? { problem } : outcome) }
}

/** A document that cannot be fetched right now. */
export function createMissing(kind: DocumentKind, why: string): FetchFailure {
  const message = `the ${DOCUMENT_KINDS[kind]} could not be fetched: ${why}`
  return { state: 'wanted', problem: problem('document-missing', {}, message) }
}

const EXTENSIONS: readonly (readonly [type: RegExp, extension: string])[] = [
  [/^application\/(x-)?pdf$/, '.pdf'],
  [/^image\/png$/, '.png'],
  [/^[\w-]+\/(?:[\w.-]*[.-])?zpl2?$/, '.zpl'],
]

/** Spec: "Content format: not shown". */
export function chooseExtension(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return EXTENSIONS.find(([pattern]) => pattern.test(type))?.[1] ?? '.bin'
}

// Stops asking when the API or the mailbox keeps failing.

/** After so many missing documents in a row, the API is in trouble, and not a document. */
const MISSING_MAX = 10

export type FailureTracker = ReturnType<typeof createFailureTracker>

export function createFailureTracker() {
  let inRow = 0
  let why: string | undefined
  return {
    observe(fetched: FetchResult): void {
      const isMissing = 'state' in fetched && fetched.state === 'wanted'
      inRow = isMissing ? inRow + 1 : 0
      if (isMissing && inRow >= MISSING_MAX) why ??= fetched.problem.message
    },
    /** A mailbox that cannot be written once cannot be written for the next one either. */
    noteMailboxFailure(message: string): void {
      why ??= message
    },
    shouldStop: () => why !== undefined,
    /** The result of a document that is not requested any more. */
    createGivenUp: (kind: DocumentKind) =>
      createMissing(kind, `it was not requested, because an earlier request failed: ${why}`),
  }
}

// Which documents a created shipment may have, and the values that name them.

type Values = Readonly<Record<string, unknown>>

/** The stored part of the answer to a create: its values, and those of the objects in it, but no lists. JSON text. */
export function selectAnswer(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))))
}

/** The kinds that the API makes for the shipment, as far as that is known before it is asked. */
export function listDocumentKinds(shipment: CreatedShipment, kinds: readonly DocumentKind[]): DocumentKind[] {
  if (shipment.isPruned === true) return []
  const answer = parseValues(shipment.answer)
  return kinds.filter((kind) => {
    const flag = answer[FLAGS[kind]]
    return typeof flag === 'boolean' ? flag : kind !== 'label' || hasDimensions(parseValues(shipment.body))
  })
}

const FLAGS = { label: 'valid_shipping_label', 'packing-slip': 'valid_packing_slip' } as const

/** Spec: "returns a label only if the shipment was created with" these. */
function hasDimensions(body: Values): boolean {
  const fields = ['ship_weight', 'ship_width', 'ship_height', 'ship_length']
  return fields.every((field) => body[field] !== undefined && body[field] !== null)
}

/** The values for a document's name. Without an answer they come from the file; without a tracking number from the id. */
export function getNameValues(shipment: CreatedShipment, kind: DocumentKind): Values {
  const { shipmentId = '', keyValues } = shipment
  return {
    purchase_order_number: keyValues.find((value) => value.trim() !== '') ?? shipmentId,
    tracking_number: shipmentId,
    id: shipmentId,
    ...omitEmpty(parseValues(shipment.body)),
    ...omitEmpty(parseValues(shipment.answer)),
    shipment_id: shipmentId,
    kind,
  }
}

function omitEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
}

function parseValues(json: string | undefined): Values {
  const value: unknown = json === undefined ? {} : JSON.parse(json)
  return isObject(value) ? value : {}
}
