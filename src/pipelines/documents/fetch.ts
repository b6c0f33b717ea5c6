/** Asking the API for a document: its bytes go to the disk at once, so that few are in memory together. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Api, DocumentAnswer } from '../../domain/api.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Party } from '../../domain/route.ts'
import {
  type CreatedShipment,
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentState,
  type ShippingDocument,
} from '../../domain/shipping-document.ts'
import { hasCode } from '../../support/errors.ts'
import type { Spool } from '../../support/spool.ts'
import { partyParams } from '../operations/operation.ts'
import { accountCheck, type ReadResult, tryRead } from '../reads.ts'

export interface FetchParts {
  readonly api: Api
  readonly spool: Spool
  readonly route: { readonly party: Party }
}

/** The document is in the spool, with the end its name gets; or there is none, and why. */
export type Fetched = { readonly extension: string } | NotHad

export interface NotHad {
  readonly state: Exclude<DocumentState, 'delivered'>
  readonly problem: Problem
}

const ENDPOINTS = {
  label: 'getShippingLabel',
  'packing-slip': 'getPackingSlip',
} as const satisfies Record<DocumentKind, EndpointName>

/** What concerns the whole account or program is thrown. */
export function documentFetcher({ api, spool, route }: FetchParts) {
  const checkAccount = accountCheck(api, route.party)
  return async (shipment: CreatedShipment, kind: DocumentKind, spooled: string): Promise<Fetched> => {
    const { shipmentId } = shipment
    if (shipmentId === undefined) return missing(kind, 'the API did not say which id the shipment has')
    const params = { ...partyParams(route.party), id: shipmentId }
    const read = await tryDocument(() => api.document({ endpoint: ENDPOINTS[kind], params }), checkAccount)
    if ('trouble' in read) return missing(kind, read.trouble)
    const answer = read.value
    if (!answer.made) {
      if (answer.status === 403) await checkAccount()
      const message = `the ${DOCUMENT_KINDS[kind]} of shipment ${shipmentId} is refused: ${answer.detail}`
      return { state: 'refused', problem: problem('document-refused', {}, message) }
    }
    await spool.put(spooled, [answer.bytes])
    return { extension: extensionOf(answer.contentType) }
  }
}

/** A label may lie elsewhere, or be closed to the account: what is true of one document does not stop the route. */
async function tryDocument(
  read: () => Promise<DocumentAnswer>,
  checkAccount: () => Promise<void>,
): Promise<ReadResult<DocumentAnswer>> {
  try {
    return await tryRead(read)
  } catch (error) {
    if (!hasCode(error, 'api-redirected', 'credentials-refused')) throw error
    if (error.code === 'credentials-refused') await checkAccount()
    return { trouble: error.message }
  }
}

/** A copy that could not be had again takes nothing from the one that was left before. */
export function withoutBytes(document: ShippingDocument, outcome: NotHad): ShippingDocument {
  return document.state === 'delivered'
    ? { ...document, problem: outcome.problem }
    : { ...document, ...outcome }
}

/** A document that cannot be had right now. */
export function missing(kind: DocumentKind, why: string): NotHad {
  const message = `the ${DOCUMENT_KINDS[kind]} could not be had: ${why}`
  return { state: 'wanted', problem: problem('document-missing', {}, message) }
}

const EXTENSIONS: readonly (readonly [type: RegExp, extension: string])[] = [
  [/^application\/(x-)?pdf$/, '.pdf'],
  [/^image\/png$/, '.png'],
  [/^[\w-]+\/(?:[\w.-]*[.-])?zpl2?$/, '.zpl'],
]

/** Spec: "Content format: not shown". */
export function extensionOf(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return EXTENSIONS.find(([pattern]) => pattern.test(type))?.[1] ?? '.bin'
}
