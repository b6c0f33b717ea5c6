/** Who trades with whom. Spec: "Connection". */
import { z } from 'zod'
import { ShippingMethod } from './carrier.ts'
import { choice, id, text } from './fields.ts'

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
