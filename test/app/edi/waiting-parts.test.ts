/** An interchange whose invoices come before their orders are shipped. */
import { expect, test } from 'vitest'
import { chooseExitCode } from '../../../src/app/outcome.ts'
import { aPartner, anEdiInbox } from '../../fixtures/edi-inbox.ts'
import { makeOrder } from '../../fixtures/edi-chaos.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange, NORTHLIGHT } from '../../fixtures/edi-maker/envelope.ts'
import { make810 } from '../../fixtures/edi-maker/x12-fulfilment.ts'

const ITEM = [
  ['UP', '086000100025'],
  ['VN', 'NL-0002'],
] as const

test('an inbox whose records only wait for their orders says so, and the run ends with 0 as for any other file that waits', async () => {
  const world = await anEdiInbox({
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('northlight', '12:7755550100')],
    inboxRoutes: [
      {
        name: 'orders',
        partner: 'haven',
        document: '850',
        operation: 'create-order',
        mapping: 'x12/850-orders',
      },
      { name: 'invoices', document: '810', operation: 'create-invoice', mapping: 'x12/810-invoices' },
    ],
  })
  for (const route of world.configuration.routes)
    if (route.name === 'invoices') Object.assign(route, { waitMs: 7_200_000 })
  const order = { syntax: 'x12', number: 1, sender: HAVEN, receiver: NORTHLIGHT } as const
  await world.drop(
    'inbox/van',
    'order.x12',
    dress([makeInterchange({ ...order, groups: [{ sets: [makeOrder('EARLY-1')] }] })]),
  )
  await world.run()
  const invoice = make810({
    number: 'INV-1',
    po: 'EARLY-1',
    lines: [{ quantity: 1, price: '11.24', pairs: ITEM }],
  })
  const sent = { syntax: 'x12', number: 2, sender: NORTHLIGHT, receiver: HAVEN } as const
  await world.drop(
    'inbox/van',
    'invoice.x12',
    dress([makeInterchange({ ...sent, groups: [{ sets: [invoice] }] })]),
  )

  const { routes } = await world.run()

  const [inbox] = routes
  expect(inbox).toMatchObject({
    kind: 'interchanges',
    pass: { open: [{ routes: ['invoices'], isWaiting: true }] },
  })
  expect(chooseExitCode(routes, [])).toBe(0)
})
