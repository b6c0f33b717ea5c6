/** Connections between retailers and brands: made, and their terms changed. Runs in the write queue. */
import type { Connection } from '../connections.ts'
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import type { Directory } from '../directory.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'
import { createOffering } from '../variants/offering.ts'
import type { ConnectionChange, ConnectionCreate } from './bodies.ts'
import { checkMethods } from './carriers.ts'
import { HOUR_MS } from './hours.ts'
import type { ConnectionTerms } from './shown.ts'

export interface TermsReader {
  one(id: number): ConnectionTerms | undefined
  /** In the order of the ids. */
  all(): ConnectionTerms[]
}

/** What the directory knows. */
export function createTermsReader({ store, directory }: Resources): TermsReader {
  const ids = store.prepare(() => store.build.selectFrom('connections').select('id').orderBy('id'))
  const one = (id: number) => {
    const connection = directory.connectionById(id)
    return connection === undefined ? undefined : toTerms(connection)
  }
  return {
    one,
    all: () =>
      ids
        .all({})
        .map(({ id }) => one(id))
        .filter((terms) => terms !== undefined),
  }
}

function toTerms(connection: Connection): ConnectionTerms {
  return {
    id: connection.id,
    retailer_id: connection.retailerId,
    brand_id: connection.brandId,
    message: connection.message,
    level: connection.level,
    status: connection.status,
    fulfill_within_hours: connection.fulfillWithinMs / HOUR_MS,
    shipping_method_ids: [...connection.methods],
    signature_required: connection.signatureRequired,
    packing_slips: connection.packingSlips,
    shipping_accounts: [...connection.accounts],
  }
}

/** Answers the id alone: the directory shows the rest once it was read again. */
export function createConnectionMaking({ store, directory }: Resources): (body: ConnectionCreate) => Answer {
  const { findOf } = prepareStatements(store)
  const insert = store.inserter('connections')
  const setMethods = createMethodSetting(store)
  const offerWhenOpen = createOpening(store)
  return (body) => {
    const { retailer_id, brand_id, level, status } = body
    const errors = createFieldErrors()
    checkParties(body, directory, errors)
    checkAllowed(body.shipping_method_ids, directory, errors)
    if (findOf.first({ retailer_id, brand_id }) !== undefined) {
      errors.add(['brand_id'], `Retailer ${retailer_id} and brand ${brand_id} are connected already.`)
    }
    if (errors.any()) return errors.answer()
    const id = insert({
      retailer_id,
      brand_id,
      message: body.message ?? MESSAGE,
      level,
      status,
      fulfill_within_ms: body.fulfill_within_hours * HOUR_MS,
      signature_required: Number(body.signature_required ?? false),
      packing_slips: Number(body.packing_slips ?? true),
    })
    setMethods(id, body.shipping_method_ids)
    offerWhenOpen({ retailer_id, brand_id, level, status })
    return answered({ id }, 201)
  }
}

/** Spec: "Static message". */
const MESSAGE = 'The retailer and the supplier are connected.'

function checkParties(
  { retailer_id, brand_id }: ConnectionCreate,
  directory: Directory,
  errors: FieldErrors,
) {
  if (directory.findParty('retailer', retailer_id) === undefined) {
    errors.add(['retailer_id'], `Retailer ${retailer_id} does not exist.`)
  }
  if (directory.findParty('brand', brand_id) === undefined) {
    errors.add(['brand_id'], `Brand ${brand_id} does not exist.`)
  }
}

function checkAllowed(ids: readonly number[], directory: Directory, errors: FieldErrors): void {
  checkMethods(ids, errors, (id) =>
    directory.findMethod(id) === undefined ? `Shipping method ${id} does not exist.` : undefined,
  )
}

/** What is left out of the body stays as it is. Answers the id alone, as making does. */
export function createConnectionChanging({ store, directory }: Resources) {
  const { find, save } = prepareStatements(store)
  const setMethods = createMethodSetting(store)
  const offerWhenOpen = createOpening(store)
  return (id: number, body: ConnectionChange): Answer => {
    const row = find.first({ id })
    if (row === undefined) return notFound()
    const errors = createFieldErrors()
    if (body.shipping_method_ids !== undefined) checkAllowed(body.shipping_method_ids, directory, errors)
    if (errors.any()) return errors.answer()
    const { fulfill_within_hours: within, signature_required, packing_slips } = body
    const changed: ConnectionRow = {
      ...row,
      message: body.message ?? row.message,
      level: body.level ?? row.level,
      status: body.status ?? row.status,
      fulfill_within_ms: within === undefined ? row.fulfill_within_ms : within * HOUR_MS,
      signature_required: Number(signature_required ?? row.signature_required),
      packing_slips: Number(packing_slips ?? row.packing_slips),
    }
    save.run(changed)
    if (body.shipping_method_ids !== undefined) setMethods(id, body.shipping_method_ids)
    offerWhenOpen(changed)
    return answered({ id })
  }
}

/** Spec: Full is "approved for transactions", Active is neither waiting nor on hold. */
function createOpening(store: Store) {
  const offering = createOffering(store)
  return ({ retailer_id, brand_id, level, status }: Standing): void => {
    if (level === 'Full' && status === 'Active') offering.offerAll(brand_id, retailer_id)
  }
}

function createMethodSetting({
  build,
  prepare,
  inserter,
}: Store): (id: number, methodIds: readonly number[]) => void {
  const insert = inserter('connection_methods')
  const clear = prepare((p: { id: number }) =>
    build.deleteFrom('connection_methods').where('connection_id', '=', p.id),
  )
  return (connection_id, methodIds) => {
    clear.run({ id: connection_id })
    for (const shipping_method_id of methodIds) insert({ connection_id, shipping_method_id })
  }
}

interface Standing {
  readonly retailer_id: number
  readonly brand_id: number
  readonly level: Connection['level']
  readonly status: Connection['status']
}

interface ConnectionRow extends Standing {
  readonly id: number
  readonly message: string
  readonly fulfill_within_ms: number
  readonly signature_required: number
  readonly packing_slips: number
}

function prepareStatements({ build, prepare }: Store) {
  return {
    find: prepare((p: { id: number }) => build.selectFrom('connections').selectAll().where('id', '=', p.id)),
    findOf: prepare((p: { retailer_id: number; brand_id: number }) =>
      build
        .selectFrom('connections')
        .select('id')
        .where('retailer_id', '=', p.retailer_id)
        .where('brand_id', '=', p.brand_id),
    ),
    save: prepare((p: ConnectionRow) =>
      build
        .updateTable('connections')
        .set({
          message: p.message,
          level: p.level,
          status: p.status,
          fulfill_within_ms: p.fulfill_within_ms,
          signature_required: p.signature_required,
          packing_slips: p.packing_slips,
        })
        .where('id', '=', p.id),
    ),
  }
}
