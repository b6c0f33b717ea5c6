import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Endpoint, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { FIELD_RULES } from '../../src/contract/fields.ts'
import { validateBody } from '../../src/service/http/handler.ts'
import {
  answerOf,
  INVOICES,
  invoiceBody,
  openMarket,
  orderBody,
  ORDERS,
  SHIPMENTS,
  shipmentBody,
} from './market.ts'

type Path = readonly (string | 0)[]

/** The texts of a body that may not be blank. */
function textsIn(schema: z.core.$ZodType, path: Path = []): Path[] {
  const rule = FIELD_RULES.get(schema as z.ZodType)
  if (rule !== undefined) return rule.kind === 'text' && rule.blankAllowed !== true ? [path] : []
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return textsIn(schema.unwrap(), path)
  if (schema instanceof z.ZodArray) return textsIn(schema.element, [...path, 0])
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.core.$ZodType>).flatMap(([name, field]) =>
    textsIn(field, [...path, name]),
  )
}

function wrapped(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value)
}

const TEXTS = (Object.entries(ENDPOINTS) as [string, Endpoint][])
  .filter(([name, { request }]) => name !== 'token' && request !== undefined)
  .flatMap(([name, { request }]) => textsIn(request!).map((path) => ({ name, request: request!, path })))

describe('an empty string', () => {
  it('is tried in every body', () => {
    expect([...new Set(TEXTS.map(({ name }) => name))].toSorted()).toEqual([
      'createCancel',
      'createInvoice',
      'createOrder',
      'createShipment',
      'createVariant',
      'updateBrandVariant',
      'updateRetailerVariant',
    ])
    expect(TEXTS.map(({ name, path }) => `${name} ${path.join('.')}`)).toContain('createOrder sold_to.email')
  })

  it.each(TEXTS.map(({ name, request, path }) => [name, path.join('.'), request, path] as const))(
    '%s refuses it as %s, by name',
    (_name, _path, request, path) => {
      const checked = validateBody(request, wrapped(path, ''))
      expect(checked).toMatchObject({
        refusal: { status: 400, body: wrapped(path, ['This field may not be blank.']) },
      })
    },
  )

  it('is refused over HTTP with all that is wrong in the shape of the body', async () => {
    const { retailer, brand } = await openMarket()
    const address = { ...orderBody('PO-1').ship_to, name2: '', phone1: '' }
    const order = await retailer.post(ORDERS, orderBody('', { customer_order_number: '', ship_to: address }))
    expect([order.status, order.body]).toEqual([
      400,
      {
        purchase_order_number: ['This field may not be blank.'],
        customer_order_number: ['This field may not be blank.'],
        ship_to: { name2: ['This field may not be blank.'], phone1: ['This field may not be blank.'] },
      },
    ])
    const shipment = await brand.post(
      SHIPMENTS,
      shipmentBody(1, { ship_from_name2: '', tracking_number: '' }),
    )
    expect([shipment.status, shipment.body]).toEqual([
      400,
      {
        ship_from_name2: ['This field may not be blank.'],
        tracking_number: ['This field may not be blank.'],
      },
    ])
    const invoice = await brand.post(INVOICES, invoiceBody('PO-1', { invoice_number: '' }))
    expect([invoice.status, invoice.body]).toEqual([
      400,
      { invoice_number: ['This field may not be blank.'] },
    ])
  })

  it('is a line break in a gift message', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', { gift_message: ['Dear Ann', ''] }),
    )
    expect([status, body.gift_message]).toEqual([201, ['Dear Ann', '']])
  })
})

describe('an invalid body', () => {
  async function post(body: string | Uint8Array, type: string) {
    const { service, retailer } = await openMarket()
    const headers = { authorization: `Bearer ${retailer.token}`, 'content-type': type }
    const answer = await answerOf(
      await fetch(service.baseUrl + ORDERS, {
        method: 'POST',
        headers,
        body: body as RequestInit['body'] & object,
      }),
    )
    return { ...answer, orders: service.counts().orders }
  }

  it.each([
    ['[]', 'list'],
    ['"text"', 'string'],
    ['5', 'number'],
    ['true', 'boolean'],
  ])('%s is refused as no dictionary', async (text, kind) => {
    const { status, body } = await post(text, 'application/json')
    expect([status, body]).toEqual([
      400,
      { non_field_errors: [`Invalid data. Expected a dictionary, but got ${kind}.`] },
    ])
  })

  it.each(['{"a": 1', "{'a': 1}", '{"a": 1,}', '\u0000', '{} {}'])(
    '%j is refused as no JSON',
    async (text) => {
      const { status, body } = await post(text, 'application/json')
      expect([status, Object.keys(body)]).toEqual([400, ['detail']])
      expect(body.detail).toMatch(/^JSON parse error - ./)
    },
  )

  it('that is not in UTF-8 is refused instead of being kept with wrong letters', async () => {
    const text = JSON.stringify(orderBody('PO-1', { customer_order_number: 'M\u00fcller' }))
    const { status, body, orders } = await post(Buffer.from(text, 'latin1'), 'application/json')
    expect([status, body, orders]).toEqual([
      400,
      { detail: 'JSON parse error - the body is not in UTF-8' },
      0,
    ])
    const right = await post(Buffer.from(text), 'application/json; charset=utf-8')
    expect([right.status, right.body.customer_order_number]).toEqual([201, 'M\u00fcller'])
  })

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
    'of the type %s is refused for its type',
    async (type) => {
      const { status, body } = await post('a=1', type)
      expect([status, body]).toEqual([415, { detail: `Unsupported media type "${type}" in request.` }])
    },
  )
})

describe('values of the wrong kind', () => {
  it('are reported with their place, and what is expected instead', async () => {
    const { retailer } = await openMarket()
    const line = { quantity: '2', net_price: 'seven', price: '16.73' }
    const { status, body } = await retailer.post(
      ORDERS,
      orderBody('PO-1', {
        purchase_order_number: 5,
        customer_order_number: 'x'.repeat(33),
        ordered_at: 'yesterday',
        ship_to: 'Albany',
        shipping_method: { code: null, carrier: {} },
        gift_message: ['fine', 7],
        order_lines: [{ ...orderBody('').order_lines[0] }, { ...line, variant: {} }],
      }),
    )
    expect([status, body]).toEqual([
      400,
      {
        purchase_order_number: ['Not a valid string.'],
        customer_order_number: ['Ensure this field has no more than 32 characters.'],
        ordered_at: ['Datetime has wrong format. Use this format instead: YYYY-MM-DDThh:mm:ssZ.'],
        ship_to: { non_field_errors: ['Invalid data. Expected a dictionary, but got string.'] },
        shipping_method: {
          code: ['This field may not be null.'],
          carrier: { code: ['This field is required.'] },
        },
        gift_message: { 1: ['Not a valid string.'] },
        order_lines: [
          {},
          {
            variant: ['An item needs at least one of id, identifier, upc.'],
            quantity: ['A valid integer is required.'],
            net_price: ['Must be a decimal with two decimals, such as 12.50.'],
          },
        ],
      },
    ])
  })

  it('in a query are reported with the parameter', async () => {
    const { retailer } = await openMarket()
    const { status, body } = await retailer.get(
      `${ORDERS}?status=done&is_acknowledged=maybe&ordered_at_gte=today&limit=none`,
    )
    expect(status).toBe(400)
    expect(Object.keys(body).toSorted()).toEqual(['is_acknowledged', 'limit', 'ordered_at_gte', 'status'])
  })
})
