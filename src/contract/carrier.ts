/** Carriers, their methods and accounts, and connections. Spec: the sections of the same names. */
import { z } from 'zod'
import { choice, id, text } from './fields.ts'
import { objectSchema } from './object-schema.ts'

export const Carrier = z.object({ id: id(), name: text(), code: text() })
export type Carrier = z.infer<typeof Carrier>

const methodFields = {
  id: id(),
  name: text(),
  code: text(),
  type: text().nullable(),
  generic_shipping_method: z.object({ name: text(), description: text(), type: text() }).nullable(),
}

/** On orders, shipments and connections. */
export const ShippingMethod = z.object({ ...methodFields, carrier: Carrier })
export type ShippingMethod = z.infer<typeof ShippingMethod>

/** On carrier lookups. */
export const CarrierWithMethods = z.object({
  id: id(),
  name: text(),
  code: text(),
  shipping_methods: z.array(z.object(methodFields)),
})
export type CarrierWithMethods = z.infer<typeof CarrierWithMethods>

/** Spec: the generic level, used when the supplier picks the carrier. */
export const RequestedShippingMethod = z.object({ id: id(), name: text(), description: text() })
export type RequestedShippingMethod = z.infer<typeof RequestedShippingMethod>

/** Spec: brand view of an order. */
export const ShippingAccount = z.object({
  id: id(),
  nickname: text(),
  owner_type: choice('brand', 'retailer'),
  carrier: Carrier,
  shipping_methods: z.array(z.object({ id: id(), name: text(), code: text() })),
})
export type ShippingAccount = z.infer<typeof ShippingAccount>

/** Spec: code plus carrier with code; an older shape has id and name too. The connection says which are allowed. */
export const ShippingMethodInput = objectSchema({
  id: id().nullish(),
  name: text().nullish(),
  code: text(),
  carrier: objectSchema({ id: id().nullish(), name: text().nullish(), code: text() }),
})

/** `id`: the fields leave it out, the address of one connection needs it. */
export const Connection = z.object({
  id: id(),
  message: text(),
  brand: z.object({ id: id(), name: text() }),
  level: choice('Full', 'Basic'),
  status: choice('Active', 'Pending', 'Suspended'),
  shipping_methods: z.array(ShippingMethod),
})
export type Connection = z.infer<typeof Connection>
