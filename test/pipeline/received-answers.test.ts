/** What partners answer to exported interchanges: records are acknowledged once they are accepted, and held once they are refused. */
import { expect, test } from 'vitest'
import type { OutboundRoute } from '../../src/config/routes.ts'
import { COMPONENT_MARK } from '../../src/domain/format.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { BridgeOptions } from '../../src/app/context.ts'
import { problem } from '../../src/domain/problem.ts'
import { caller } from '../fixtures/day.ts'
import { anAnsweredWorld, write997, writeContrl, writeTa1 } from '../fixtures/answering-partner.ts'
import { traceKey } from '../../src/app/trace.ts'
import { formatInterchanges } from '../../src/cli/format/interchanges.ts'
import { formatOutbound } from '../../src/cli/format/outbound.ts'
import { formatStatus } from '../../src/cli/format/status.ts'
import { formatTrace } from '../../src/cli/format/trace.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import {
  type ExportsWorld,
  listExported,
  numbersOf,
  order,
  passOver,
  setOf,
} from '../fixtures/edi-exports.ts'

const HOUR_MS = 3_600_000

const acknowledged = ({ world }: ExportsWorld) => world.service.counts().acknowledgedOrders

/** Exports three orders in one interchange. */
async function exportThree(acknowledge: OutboundRoute['acknowledge'] = 'answered') {
  const own = await anAnsweredWorld({ acknowledge })
  await order(own, 10_001, 3)
  await passOver(own)
  return own
}

async function answer(own: ExportsWorld, name: string, text: string, wrap?: BridgeOptions['wrap']) {
  await own.world.drop('inbox/van', name, text)
  return passOver(own, 'orders-out', wrap)
}

type Bridge = Awaited<ReturnType<ExportsWorld['world']['open']>>

async function withBridge<Result>(
  { world, mappings }: ExportsWorld,
  use: (bridge: Bridge, journal: Journal) => Promise<Result>,
): Promise<Result> {
  const bridge = await world.open(undefined, { mappings })
  try {
    return await use(bridge, bridge.journal as Journal)
  } finally {
    await bridge.close()
  }
}

/** The newest delivery of the route, the file that confirmed it, and why its records are held. */
const stateOf = (own: ExportsWorld) =>
  withBridge(own, async (_, journal) => {
    const [delivery] = await journal.listRecentDeliveries(1, 'orders-out')
    const held = await journal.listUnacknowledgedRecords(10, delivery?.id ?? '')
    return {
      state: delivery?.state,
      by: delivery?.confirmedBy,
      held: held.map(({ problems }) => problems[0]?.message),
    }
  })

/** What came of all answers that were received, in their order. */
const outcomesOf = (own: ExportsWorld) =>
  withBridge(own, async (_, journal) => {
    const files = (await journal.listRecentFiles(50, 'inbox:van')).toReversed()
    const all = await Promise.all(files.map(({ id }) => journal.listReceivedAnswers({ file: id }, 10)))
    return all.flat().map(({ outcome }) => outcome)
  })

const alertsOf = (own: ExportsWorld) =>
  withBridge(own, async (bridge) => {
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    return alerts.map(({ code }) => code)
  })

const auditOf = (own: ExportsWorld) =>
  withBridge(own, async (_, journal) => (await journal.verifyChain({})).findings)

const REFUSED = ['AK3*PO1*3**8', 'AK4*4*212*6*9.9X', 'AK5*R*5']
const ONE_REFUSED = write997({ '0001': ['AK5*A'], '0002': REFUSED, '0003': ['AK5*A'] }, 'AK9*P*3*3*2')

test('nothing is acknowledged before the answer, and all of it once the group is accepted', async () => {
  const own = await exportThree()
  await passOver(own)
  expect(acknowledged(own)).toBe(0)

  await answer(own, 'fa.x12', write997({}, 'AK9*A*3*3*3'))
  expect(acknowledged(own)).toBe(3)
  expect(await stateOf(own)).toEqual({ state: 'acknowledged', by: 'fa.x12', held: [] })
  expect(await outcomesOf(own)).toEqual(['matched'])
  expect(await auditOf(own)).toEqual([])
})

test('an interchange without an answer is sent again under its numbers, and acknowledged once that is answered', async () => {
  const own = await exportThree()
  const [first = ''] = await own.world.list('outbox')
  await withBridge(own, (bridge) => bridge.redeliver(first, new AbortController().signal))

  const [, second = ''] = await own.world.list('outbox')
  expect(await own.world.read(`outbox/${second}`)).toBe(await own.world.read(`outbox/${first}`))
  expect(acknowledged(own)).toBe(0)
  const resentAt = new Date(own.world.clock.now()).toISOString().slice(0, 13)
  own.world.clock.skip(25 * 3_600_000)
  const { alerts } = await withBridge(own, (bridge) => bridge.takeSnapshotAndPublishAlerts())
  const late = alerts.filter(({ code }) => code === 'interchange-unanswered')
  expect(late.map(({ message }) => message)).toEqual([
    expect.stringContaining(`sent once more on ${resentAt}`),
  ])

  await answer(own, 'fa.x12', write997({}, 'AK9*A*3*3*3'))
  expect(acknowledged(own)).toBe(3)
  expect(await outcomesOf(own)).toEqual(['matched'])
  expect(await auditOf(own)).toEqual([])
})

test('a refused set is held with the reasons of the partner, and the others are acknowledged', async () => {
  const own = await exportThree()
  const sets = { '0001': ['AK5*A'], '0002': REFUSED, '0003': ['AK3*CTT*4**2', 'AK5*E*5'] }
  await answer(own, 'fa.x12', write997(sets, 'AK9*P*3*3*2'))

  expect(acknowledged(own)).toBe(2)
  expect(await stateOf(own)).toEqual({
    state: 'acknowledged',
    by: 'fa.x12',
    held: ['The partner refused set 2 (997 on group 1): PO104 (segment 3) holds "9.9X": invalid character'],
  })
  expect(await alertsOf(own)).toEqual(['document-refused'])
  expect(await auditOf(own)).toEqual([])
})

test('a 999 is read as a 997 is', async () => {
  const own = await exportThree()
  const sets = {
    '0001': ['IK5*A'],
    '0002': ['IK3*PO1*3**8', 'IK4*4*212*7*X', 'IK5*R*5'],
    '0003': ['IK5*A'],
  }
  await answer(own, 'fa.x12', write997(sets, 'AK9*P*3*3*2', { kind: '999' }))

  expect(acknowledged(own)).toBe(2)
  expect((await stateOf(own)).held).toEqual([
    'The partner refused set 2 (999 on group 1): PO104 (segment 3) holds "X": invalid code',
  ])
})

test.each([
  ['AK9*A', 3, 0],
  ['AK9*E', 3, 0],
  ['AK9*R', 0, 3],
  ['AK9*M', 0, 3],
  ['AK9*W', 0, 3],
])('%s without sets is the verdict on all of them', async (verdict, accepted, held) => {
  const own = await exportThree()
  await answer(own, 'fa.x12', write997({}, `${verdict}*3*3*${accepted}`))
  expect(acknowledged(own)).toBe(accepted)
  expect((await stateOf(own)).held).toHaveLength(held)
})

test('of a group that names only its refused sets, the others are accepted where the count says so, and else wait', async () => {
  const counted = await exportThree()
  await answer(counted, 'fa.x12', write997({ '0002': REFUSED }, 'AK9*P*3*3*2'))
  expect(acknowledged(counted)).toBe(2)

  const uncounted = await exportThree()
  await answer(uncounted, 'fa.x12', write997({ '0002': REFUSED }, 'AK9*P*3*3*0'))
  expect(acknowledged(uncounted)).toBe(0)
  expect(await stateOf(uncounted)).toMatchObject({ state: 'delivered', by: undefined })
})

test('a group that is answered in parts is acknowledged in parts', async () => {
  const own = await exportThree()
  await answer(own, 'one.x12', write997({ '0001': ['AK5*A'] }, 'AK9*P*3*1*0'))
  expect(acknowledged(own)).toBe(1)
  expect(await stateOf(own)).toMatchObject({ state: 'delivered', by: undefined })

  await answer(own, 'two.x12', write997({ '0002': ['AK5*A'] }, 'AK9*P*3*1*0', { number: 2 }))
  expect(acknowledged(own)).toBe(2)
  await answer(own, 'three.x12', write997({ '0003': ['AK5*A'] }, 'AK9*P*3*1*0', { number: 3 }))
  expect(acknowledged(own)).toBe(3)
  expect(await stateOf(own)).toMatchObject({ state: 'acknowledged', by: 'three.x12' })
  expect(await auditOf(own)).toEqual([])
})

test('a TA1 that accepts decides nothing, and one that refuses holds all of it', async () => {
  const own = await exportThree()
  await answer(own, 'ta1.x12', writeTa1(1, 'A'))
  expect(acknowledged(own)).toBe(0)
  expect(await stateOf(own)).toMatchObject({ state: 'delivered', held: [] })

  await answer(own, 'refused.x12', writeTa1(1, 'R', '006', 2))
  expect(acknowledged(own)).toBe(0)
  expect(await stateOf(own)).toEqual({
    state: 'acknowledged',
    by: 'refused.x12',
    held: Array.from(
      { length: 3 },
      () => 'The partner refused sets 1 to 3 (TA1 on interchange 000000001): sender unknown',
    ),
  })
})

test('the same answer again changes nothing and is no alert', async () => {
  const own = await exportThree()
  await answer(own, 'fa.x12', ONE_REFUSED)
  const again = write997({ '0001': ['AK5*A'], '0002': REFUSED, '0003': ['AK5*A'] }, 'AK9*P*3*3*2', {
    number: 2,
  })
  await answer(own, 'again.x12', again)

  expect(await outcomesOf(own)).toEqual(['matched', 'repeated'])
  expect(acknowledged(own)).toBe(2)
  expect(await alertsOf(own)).toEqual(['document-refused'])
})

test.each([
  ['R after A', write997({}, 'AK9*A*3*3*3'), write997({}, 'AK9*R*3*3*0', { number: 2 }), 3],
  ['A after R', write997({}, 'AK9*R*3*3*0'), write997({}, 'AK9*A*3*3*3', { number: 2 }), 0],
])('%s is an alert, and the first verdict stays', async (_, first, second, accepted) => {
  const own = await exportThree()
  await answer(own, 'first.x12', first)
  await answer(own, 'second.x12', second)

  expect(await outcomesOf(own)).toEqual(['matched', 'contradicts'])
  expect(acknowledged(own)).toBe(accepted)
  expect(await alertsOf(own)).toContain('answer-contradicts')
  await withBridge(own, (bridge) =>
    bridge.dismiss({ what: 'second.x12', by: 'Ada', why: 'the partner erred' }),
  )
  expect(await alertsOf(own)).not.toContain('answer-contradicts')
})

test.each([
  ['a group that nobody sent', write997({}, 'AK9*A*1*1*1', { group: 77 })],
  ['a set that the group does not have', write997({ '0009': ['AK5*A'] }, 'AK9*P*3*3*1')],
  ['a group of another partner with this number', write997({}, 'AK9*A*3*3*3', { sender: 'STRANGER' })],
  ['an interchange that nobody sent', writeTa1(77, 'R')],
  ['a group of another kind with this number', write997({}, 'AK9*A*3*3*3').replace('AK1*PO', 'AK1*SH')],
  ['a test group with this number', write997({}, 'AK9*A*3*3*3').replace('*0*P*>', '*0*T*>')],
])('an answer to %s is an alert, and confirms nothing', async (_, text) => {
  const own = await exportThree()
  await answer(own, 'fa.x12', text)

  expect(await outcomesOf(own)).toEqual(['unmatched'])
  expect(acknowledged(own)).toBe(0)
  expect(await stateOf(own)).toMatchObject({ state: 'delivered', held: [] })
  expect(await alertsOf(own)).toContain('answer-unmatched')
})

test.each([
  ['without its end', (text: string) => text.slice(0, text.indexOf('SE*'))],
  ['with a wrong count', (text: string) => text.replace(/SE\*\d+/, 'SE*99')],
  ['with a verdict that nobody knows', (text: string) => text.replace('AK9*A', 'AK9*Z')],
])('an answer %s confirms nothing', async (_, damage) => {
  const own = await exportThree()
  await answer(own, 'fa.x12', damage(write997({}, 'AK9*A*3*3*3')))

  expect(await outcomesOf(own)).toEqual(['unreadable'])
  expect(acknowledged(own)).toBe(0)
  expect(await alertsOf(own)).toContain('answer-unmatched')
})

const messagesOf = (own: ExportsWorld) =>
  withBridge(own, async (bridge) => {
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    return alerts.flatMap(({ code, message }) => (code.startsWith('answer-') ? [message] : []))
  })

test.each([
  [
    'with a verdict that nobody knows',
    (text: string) => text.replace('AK9*A', 'AK9*Z'),
    'AK901 is "Z", which is no verdict',
  ],
  ['without a verdict', (text: string) => text.replace(/AK9[^~]*~\s*/, '').replace(/SE\*4/, 'SE*3'), 'AK9'],
  ['with a wrong count', (text: string) => text.replace(/SE\*\d+/, 'SE*99'), 'its set has a fault or no end'],
])('the alert of an answer %s says why, and ends once a good answer came', async (_, damage, why) => {
  const own = await exportThree()
  const [sent = ''] = await own.world.list('outbox')
  await answer(own, 'fa.x12', damage(write997({}, 'AK9*A*3*3*3')))
  const before = await messagesOf(own)
  await answer(own, 'fb.x12', write997({}, 'AK9*A*3*3*3', { number: 2 }))

  expect(before).toEqual([
    expect.stringMatching(/^fa\.x12 holds an answer that cannot be read: 997 for group \d+ of /),
  ])
  expect(before[0]).toContain(` of ${sent}, `)
  expect(before[0]).toContain(why)
  expect(acknowledged(own)).toBe(3)
  expect(await messagesOf(own)).toEqual([])
  expect(await auditOf(own)).toEqual([])
})

test('alerts of answers name the group, the interchange and the sets', async () => {
  const own = await exportThree()
  await answer(own, 'stray.x12', write997({ '0009': ['AK5*A'] }, 'AK9*P*3*3*1'))
  await answer(own, 'first.x12', write997({}, 'AK9*A*3*3*3', { number: 2 }))
  await answer(own, 'second.x12', write997({}, 'AK9*R*3*3*0', { number: 3 }))

  const messages = await messagesOf(own)

  expect(messages.find((each) => each.startsWith('stray.x12'))).toMatch(
    /997 for group \d+ of \S+, set 0009 was not sent/,
  )
  expect(messages.find((each) => each.startsWith('second.x12'))).toMatch(
    /: 997 for group \d+ of \S+, sets 1 to 3 were accepted before/,
  )
})

test.each(['delivered', 'never'] as const)(
  'a refusal is an alert also where the route acknowledges %s, until a person dismisses it',
  async (acknowledge) => {
    const own = await exportThree(acknowledge)
    const before = acknowledged(own)
    await answer(own, 'fa.x12', ONE_REFUSED)

    expect(acknowledged(own)).toBe(before)
    expect(await alertsOf(own)).toEqual(['document-refused'])
    const [name = ''] = await own.world.list('outbox')
    await withBridge(own, (bridge) => bridge.dismiss({ what: name, by: 'Ada', why: 'sent by mail' }))
    expect(await alertsOf(own)).toEqual([])
  },
)

test('what a partner refused goes out in a new interchange once a person releases it', async () => {
  const own = await exportThree()
  await answer(own, 'fa.x12', ONE_REFUSED)
  const [name = ''] = await own.world.list('outbox')
  const { signal } = new AbortController()
  const released = await withBridge(own, (bridge) =>
    bridge.decide({ action: 'release', what: name, by: 'Ada', why: 'the price is right now' }, signal),
  )
  expect(released).toMatchObject({ decision: { records: 1 }, exit: 0 })
  await passOver(own)

  const [first, second] = await listExported(own.world)
  expect(second?.orders).toEqual([first?.orders[1]])
  expect(await numbersOf(own.world)).toEqual(['000000001/1', '000000002/2'])
  expect(await alertsOf(own)).toEqual([])
  await answer(own, 'fa-2.x12', write997({}, 'AK9*A*1*1*1', { group: 2, number: 2 }))
  expect(acknowledged(own)).toBe(3)
  expect(await auditOf(own)).toEqual([])
})

test('a trace shows both sendings of a record that was released, and what the partner said of each', async () => {
  const own = await exportThree()
  const documents = new Map([['orders-out', '850']])
  const linesOf = (po: string) =>
    withBridge(own, async (_, journal) => formatTrace(await traceKey(journal, { key: po }), documents))
  const [exported] = await listExported(own.world)
  const [, refused = '', third = ''] = exported?.orders ?? []
  const isRow = (line: string) => line.includes(`850 `) && line.includes('  out ')
  expect((await linesOf(refused)).filter(isRow)).toEqual([
    expect.stringMatching(/ 850 .+ 850-000000001\.x12 +out 1 +not answered yet +none yet$/),
  ])
  await answer(own, 'fa.x12', ONE_REFUSED)
  expect((await linesOf(third)).filter(isRow)).toEqual([
    expect.stringMatching(/out 1 +accepted by partner +997 fa\.x12 20/),
  ])
  const [name = ''] = await own.world.list('outbox')
  const { signal } = new AbortController()
  await withBridge(own, (bridge) =>
    bridge.decide({ action: 'release', what: name, by: 'Ada', why: 'the price is right now' }, signal),
  )
  await passOver(own)
  await answer(own, 'fa-2.x12', write997({}, 'AK9*A*1*1*1', { group: 2, number: 2 }))

  const lines = await linesOf(refused)
  expect(lines.filter(isRow)).toEqual([
    expect.stringMatching(/850-000000001\.x12 +out 1 +refused by partner +997 fa\.x12 20/),
    expect.stringMatching(/850-000000002\.x12 +out 2 +accepted by partner +997 fa-2\.x12 20/),
  ])
  const facts = lines.filter((line) => /^ {3}(before|delivery|sent in|answer)/.test(line))
  expect(facts).toEqual([
    expect.stringContaining('before    outbox/850-000000001.x12'),
    expect.stringContaining('sent in   interchange 1, group 1'),
    expect.stringContaining('997 on group 1: 2 documents accepted, 1 refused'),
    expect.stringContaining('delivery  outbox/850-000000002.x12'),
    expect.stringContaining('sent in   interchange 2, group 2'),
    expect.stringContaining('997 on group 2: 1 document accepted'),
  ])
  await withBridge(own, (bridge) => bridge.redeliver('850-000000002.x12', signal))
  expect((await linesOf(refused)).filter(isRow).at(-1)).toMatch(
    /850-000000002\S+\.x12 +out 2 +the same once more/,
  )
})

test('the chain of an order names the answer whose verdict counts, whatever came later', async () => {
  const own = await exportThree()
  const [exported] = await listExported(own.world)
  const [first = ''] = exported?.orders ?? []
  await answer(own, 'counts.x12', write997({}, 'AK9*A*3*3*3'))
  await answer(own, 'contradicts.x12', write997({}, 'AK9*R*3*3*0', { number: 2 }))
  await answer(own, 'damaged.x12', write997({}, 'AK9*A*3*3*3', { number: 3 }).replace('AK9*A', 'AK9*Z'))

  const lines = await withBridge(own, async (_, journal) =>
    formatTrace(await traceKey(journal, { key: first }), new Map([['orders-out', '850']])),
  )

  expect(lines.filter((line) => line.includes('  out '))).toEqual([
    expect.stringMatching(/out 1 +accepted by partner +997 counts\.x12 20/),
  ])
})

test('an order that was canceled after the refusal does not go out again as it was', async () => {
  const own = await anAnsweredWorld(undefined, {
    composeRows: ({ purchase_order_number: po, status }) =>
      String(status).toLowerCase() === 'canceled'
        ? { problems: [problem('value-missing', {}, 'It is canceled.')] }
        : { rows: setOf(String(po)) },
  })
  await order(own, 10_001, 1)
  await passOver(own)
  await answer(own, 'fa.x12', write997({}, 'AK9*R*1*1*0'))
  const [name = ''] = await own.world.list('outbox')
  const [one] = await own.world.orders()
  const cancel = {
    reason_id: 2,
    cancel_lines:
      one?.order_lines.map(({ variant, quantity }) => ({ variant: { upc: variant.upc }, quantity })) ?? [],
  }
  await caller(own.world)('operator', 'POST', `/admin/orders/${String(one?.id)}/cancels/`, cancel)
  const { signal } = new AbortController()
  await withBridge(own, (bridge) =>
    bridge.decide({ action: 'release', what: name, by: 'Ada', why: 'the price is right now' }, signal),
  )
  await passOver(own)

  expect(await own.world.list('outbox')).toEqual([name])
})

test('an alert about a refusal repeats no value of the document', async () => {
  const own = await exportThree()
  await answer(own, 'fa.x12', ONE_REFUSED)
  const messages = await withBridge(own, async (bridge) => {
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    return alerts.map(({ message }) => message)
  })
  const [exported] = await listExported(own.world)
  expect(messages).toEqual([
    expect.stringContaining(
      `850-000000001.x12 (interchange 1, group 1, set 2): order ${String(exported?.orders[1])}: `,
    ),
  ])
  expect(messages[0]).toContain('PO104 (segment 3): invalid character')
})

test.each(['answered', 'never'] as const)(
  'an interchange that is not answered in time is an alert where the route acknowledges %s, and ends with the answer',
  async (acknowledge) => {
    const own = await exportThree(acknowledge)
    expect(await alertsOf(own)).toEqual([])
    own.world.clock.skip(25 * HOUR_MS)
    expect(await alertsOf(own)).toEqual(['interchange-unanswered'])
    const message = await withBridge(own, async (bridge) => (await bridge.snapshot()).alerts[0]?.message)
    const [exported] = await listExported(own.world)
    expect(message).toContain(
      `850-000000001.x12 (interchange 1, group 1: ${String(exported?.orders.map((po) => `order ${po}`).join(', '))})`,
    )
    await answer(own, 'fa.x12', write997({}, 'AK9*A*3*3*3'))
    expect(await alertsOf(own)).toEqual([])
  },
)

test('an answer that comes before the journal knows that the file is in place is carried out in the same pass', async () => {
  const own = await anAnsweredWorld()
  await order(own, 10_001, 3)
  const plan = crashAt(1, 'before', 'journal.markDeliveryDelivered')
  await passOver(own, 'orders-out', plan.wrap).catch(() => undefined)
  expect(plan.diedAt()).toBe('before journal.markDeliveryDelivered')
  expect(await own.world.list('outbox')).toHaveLength(1)
  // The lease of the dead process ends.
  own.world.clock.skip(60_000)

  await answer(own, 'fa.x12', ONE_REFUSED)
  expect(acknowledged(own)).toBe(2)
  expect((await stateOf(own)).held).toHaveLength(1)
})

// EDIFACT.

/** Exports three orders as ORDERS in one interchange. */
async function exportThreeMessages() {
  const own = await anAnsweredWorld(undefined, {
    write: { format: 'edifact', edi: { syntax: 'edifact', document: 'ORDERS', version: 'D.96A' } },
    columns: [],
    composeRows: ({ purchase_order_number: po }) => ({
      rows: [
        ['UNH'],
        ['BGM', '220', String(po), '9'],
        ['DTM', ['137', '20261124', '102'].join(COMPONENT_MARK)],
        ['LIN', '1'],
        ['UNS', 'S'],
        ['CNT', ['2', '1'].join(COMPONENT_MARK)],
      ],
    }),
  })
  await order(own, 10_001, 3)
  await passOver(own)
  return own
}

const ucm = (message: string, action: string) => `UCM+${message}+ORDERS:D:96A:UN+${action}`

test.each([
  ['7 on the interchange', writeContrl(1, '7'), 3, 0],
  ['4 on the interchange', writeContrl(1, '4'), 0, 3],
  ['8, which says only that it arrived', writeContrl(1, '8'), 0, 0],
  [
    '7, with one message refused',
    writeContrl(1, '7', [ucm('0001', '7'), ucm('0002', '4'), 'UCS+3+12', 'UCD+39+3:2', ucm('0003', '7')]),
    2,
    1,
  ],
])('a CONTRL with %s counts', async (_, text, accepted, refused) => {
  const own = await exportThreeMessages()
  expect(acknowledged(own)).toBe(0)
  await answer(own, 'contrl.edi', text)

  expect(acknowledged(own)).toBe(accepted)
  expect((await stateOf(own)).held).toHaveLength(refused)
  expect(await outcomesOf(own)).toEqual(['matched'])
})

test('a CONTRL says in words which element of which segment is wrong', async () => {
  const own = await exportThreeMessages()
  const messages = [ucm('0001', '7'), ucm('0002', '4'), 'UCS+3+12', 'UCD+39+3:2', ucm('0003', '7')]
  await answer(own, 'contrl.edi', writeContrl(1, '7', messages))

  expect((await stateOf(own)).held).toEqual([
    'The partner refused set 2 (CONTRL on interchange 1): element 2-2 of segment 3: too long',
  ])
})

// What a person reads.

test('a run says that an interchange waits for its 997, and status that a 997 was read', async () => {
  const own = await anAnsweredWorld()
  await order(own, 10_001, 1)
  const { routes } = await passOver(own)
  const lines = routes.flatMap((each) =>
    each.kind === 'outbound' ? formatOutbound('orders-out', each.pass) : [],
  )
  expect(lines[0]).toMatch(/1 record, waits for the answer of the partner \(997 or 999\)$/)
  await answer(own, 'fa.x12', write997({}, 'AK9*A*1*1*1'))
  const snapshot = await withBridge(own, (bridge) => bridge.snapshot())
  const row = formatStatus(snapshot).find((line) => line.startsWith('fa.x12'))
  expect(row).toMatch(/read as an answer of a partner$/)
})

test('a run says what came of each answer, and a trace shows the interchange and its answers', async () => {
  const own = await exportThree()
  const { routes } = await answer(own, 'fa.x12', ONE_REFUSED)
  const lines = routes.flatMap((each) => (each.kind === 'interchanges' ? formatInterchanges(each.pass) : []))
  expect(lines).toEqual([
    'inbox:van: fa.x12: 1 answer',
    '    997 on group 1 (850-000000001.x12): 2 documents accepted, 1 refused',
  ])
  const text = await withBridge(own, async (_, journal) => {
    const [delivery] = await journal.listRecentDeliveries(1, 'orders-out')
    return formatTrace(await traceKey(journal, { key: delivery?.name ?? '' })).join('\n')
  })
  expect(text).toContain('sent in   interchange 1, group 1, to ZZ:NORTHLIGHT')
  expect(text).toMatch(
    /answer {4}997 on group 1: 2 documents accepted, 1 refused; fa\.x12, id \S+, received 20/,
  )
})
