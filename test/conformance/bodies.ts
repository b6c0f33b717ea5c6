/** Every field of every body: which values are refused with the name of the field, and which are accepted. */
import { expect } from 'vitest'
import { invoiceBody, orderBody, shipmentBody } from '../service/market.ts'
import type { Ledger } from './ledger.ts'
import { BODY_ROWS } from './rows/bodies.ts'
import type { BodyName, BodyRow } from './rows/row.ts'
import { attributesBody, cancelBody, LABEL, ordered, sharedWorld, shipped, type World } from './world.ts'

/** A valid body, and where it is posted. */
interface Sendable {
  readonly by: 'retailer' | 'brand'
  readonly path: string
  readonly body: unknown
}

const BODIES: Record<BodyName, (world: World) => Promise<Sendable>> = {
  order: async (world) => ({ by: 'retailer', path: 'orders/', body: orderBody(world.nextNumber()) }),
  cancel: async (world) => ({
    by: 'retailer',
    path: 'cancels/',
    body: cancelBody((await ordered(world)).id),
  }),
  shipment: async (world) => ({
    by: 'brand',
    path: 'shipments/',
    body: shipmentBody((await ordered(world)).id),
  }),
  label: async (world) => {
    const body = shipmentBody((await ordered(world)).id, LABEL)
    const given = Object.entries(body).filter(([, value]) => value !== null)
    return { by: 'brand', path: 'shipments/', body: Object.fromEntries(given) }
  },
  invoice: async (world) => ({
    by: 'brand',
    path: 'invoices/',
    body: invoiceBody((await shipped(world)).purchase_order_number),
  }),
  variant: async (world) => ({
    by: 'brand',
    path: 'variants/',
    body: attributesBody({ identifier: world.nextNumber(), name: 'Wool Throw' }),
  }),
}

export function bodies({ proves }: Ledger): void {
  const { world } = sharedWorld()

  for (const row of BODY_ROWS) {
    proves(row.id)(titleOf(row), async () => {
      const sendable = await BODIES[row.body](world())
      if (row.required) await expectRefused(world(), { row, sendable, value: undefined })
      for (const value of row.wrong) await expectRefused(world(), { row, sendable, value })
      await expectTaken(world(), sendable)
      const taken = row.required ? row.right : [...row.right, null, undefined]
      for (const value of taken) {
        const { body, ...where } = await BODIES[row.body](world())
        await expectTaken(world(), { ...where, body: changed(body, row.path.split('.'), value) })
      }
    })
  }
}

function titleOf({ body, path, required }: BodyRow): string {
  const field = path.replaceAll('.0.', '.').replaceAll('.1.', '.')
  return `${body} bodies: ${field} is ${required ? 'required' : 'optional'}, and a wrong value is refused by name`
}

interface Attempt {
  readonly row: BodyRow
  readonly sendable: Sendable
  readonly value: unknown
}

async function expectRefused(world: World, { row, sendable, value }: Attempt): Promise<void> {
  const { by, path, body } = sendable
  const steps = row.path.split('.')
  const { status, body: refusal } = await world[by].post(path, changed(body, steps, value))
  expect([value, status]).toEqual([value, 400])
  expect([value, isNamed(refusal, steps)]).toEqual([value, true])
}

async function expectTaken(world: World, { by, path, body }: Sendable): Promise<void> {
  const answer = await world[by].post(path, body)
  expect([answer.status, answer.status === 201 ? '' : answer.body]).toEqual([201, ''])
}

/** Whether the refusal names the field: at its place, below it, or by its name where the error is of several fields. */
function isNamed(refusal: Record<string, unknown>, steps: readonly string[]): boolean {
  const names = JSON.stringify(refusal['non_field_errors'] ?? '').split(/\W+/)
  return isReportedAt(refusal, steps) || names.includes(steps.at(-1)!)
}

function isReportedAt(refusal: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps
  if (step === undefined) return refusal !== undefined
  if (typeof refusal !== 'object' || refusal === null) return false
  return isReportedAt((refusal as Record<string, unknown>)[step], rest)
}

/** A copy with another value at the place; undefined removes the field. */
function changed(body: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const copy: Record<string, unknown> = Array.isArray(body) ? [...body] : Object.assign({}, body)
  const inner = changed(copy[step], rest, value)
  if (inner === undefined) delete copy[step]
  else copy[step] = inner
  return copy
}
