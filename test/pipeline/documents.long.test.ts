/** Packing slips and labels of the shipments of a file: their places, their names, and what is reported about them. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BridgeOptions } from '../../src/app/context.ts'
import type { Api, DocumentAnswer } from '../../src/domain/api.ts'
import { chooseExtension, getNameValues, listDocumentKinds } from '../../src/pipeline/documents/fetch.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import { aShippingWorld, type ShippingOptions } from '../fixtures/shipping.ts'
import type { World } from '../fixtures/world.ts'

/** A world whose inbox has the file `today.csv`; the parcels have labels of their own on request. */
async function withFile(options: ShippingOptions & { readonly labelled?: boolean }) {
  const { labelled = false, ...rest } = options
  const shipping = await aShippingWorld(rest)
  const { world, purchaseOrders, fileOf } = shipping
  const parcels = purchaseOrders.map((po, index) => (labelled ? { po, tracking: `OWN-${index}` } : { po }))
  await world.drop('inbox/shipments', 'today.csv', fileOf(parcels))
  return shipping
}

async function resultsOf(world: World): Promise<Record<string, string>[]> {
  return parseCsv(await world.read('results/today.csv.results.csv'))
}

async function runWith(world: World, wrap: NonNullable<BridgeOptions['wrap']>) {
  const bridge = await world.open(wrap)
  try {
    return await bridge.run(['shipments'], new AbortController().signal)
  } finally {
    await bridge.close()
  }
}

/** An API whose documents the test decides; all other calls go to the real one. */
function documentsAs(
  document: (real: Api['document'], call: Parameters<Api['document']>[0]) => Promise<DocumentAnswer>,
) {
  return {
    api: (api: Api): Api =>
      new Proxy(api, {
        get: (target, property) =>
          property === 'document'
            ? (call: Parameters<Api['document']>[0]) => document((one) => target.document(one), call)
            : (Reflect.get(target, property) as unknown),
      }),
  }
}

const bytesAt = (world: World, name: string) => readFile(join(world.folder, 'labels', 'today', name))
const startOf = async (world: World, name: string) =>
  (await bytesAt(world, name)).subarray(0, 4).toString('latin1')

test('the label and the packing slip of each created shipment get the names of the route, and the result row names them by mailbox and folder', async () => {
  const { world } = await withFile({ orders: 2 })

  const { exit } = await world.run('shipments')

  expect(exit).toBe(0)
  expect(await world.list('../labels/today')).toEqual([
    'HV-10001-FDEG000000000001-label.pdf',
    'HV-10001-FDEG000000000001-packing-slip.pdf',
    'HV-10002-FDEG000000000002-label.pdf',
    'HV-10002-FDEG000000000002-packing-slip.pdf',
  ])
  expect(await startOf(world, 'HV-10001-FDEG000000000001-label.pdf')).toBe('%PDF')
  expect(await startOf(world, 'HV-10002-FDEG000000000002-packing-slip.pdf')).toBe('%PDF')
  const folder = 'labels:today'
  expect((await resultsOf(world)).map((row) => [row['_status'], row['_code'], row['_documents']])).toEqual([
    [
      'accepted',
      '',
      `${folder}/HV-10001-FDEG000000000001-label.pdf | ${folder}/HV-10001-FDEG000000000001-packing-slip.pdf`,
    ],
    [
      'accepted',
      '',
      `${folder}/HV-10002-FDEG000000000002-label.pdf | ${folder}/HV-10002-FDEG000000000002-packing-slip.pdf`,
    ],
  ])
  expect(JSON.parse(await world.read('results/today.csv.summary.json'))).toMatchObject({
    documents: { delivered: 4 },
  })
})

test('a route without documents fetches none, and its results have no column for them', async () => {
  const { world } = await withFile({ orders: 1, documents: null })

  await world.run('shipments')

  expect(await world.list('../labels/today')).toEqual([])
  expect(Object.keys((await resultsOf(world))[0] ?? {})).not.toContain('_documents')
})

test('a shipment that came with its own label gets a packing slip only, and that is no problem', async () => {
  const { world } = await withFile({ orders: 1, labelled: true })

  const { exit } = await world.run('shipments')

  expect(exit).toBe(0)
  expect(await world.list('../labels/today')).toEqual(['HV-10001-OWN-0-packing-slip.pdf'])
})

test.each([
  [{ labels: false }, ['HV-10001-FDEG000000000001-packing-slip.pdf']],
  [{ packingSlips: false, name: 'parcel {shipment_id} of {carrier.code}' }, ['parcel 1 of FDEG.pdf']],
])('with %j only those are delivered, under the given name', async (documents, names) => {
  const { world } = await withFile({ orders: 1, documents })

  await world.run('shipments')

  expect(await world.list('../labels/today')).toEqual(names)
})

test.each([
  ['png', '.png', '\u0089PNG'],
  ['zpl', '.zpl', '^XA\n'],
] as const)('a label that the API makes as %s ends in %s', async (labelFormat, end, start) => {
  const { world } = await withFile({ orders: 1 })
  world.service.switches.labelFormat = labelFormat

  await world.run('shipments')

  const name = `HV-10001-FDEG000000000001-label${end}`
  expect(await world.list('../labels/today')).toContain(name)
  expect(await startOf(world, name)).toBe(start)
})

test('a shipment whose number is made with its label is distinguished from others by its id', async () => {
  const { world } = await withFile({ orders: 2 })
  world.service.switches.labelMade = 'fetch'

  await world.run('shipments')

  expect(await world.list('../labels/today')).toEqual([
    'HV-10001-1-label.pdf',
    'HV-10001-1-packing-slip.pdf',
    'HV-10002-2-label.pdf',
    'HV-10002-2-packing-slip.pdf',
  ])
})

test('a file that has the name stays as it is, and the document comes beside it', async () => {
  const { world } = await withFile({ orders: 1, documents: { packingSlips: false } })
  await mkdir(join(world.folder, 'labels', 'today'))
  const taken = join(world.folder, 'labels', 'today', 'HV-10001-FDEG000000000001-label.pdf')
  await writeFile(taken, 'somebody’s own')

  await world.run('shipments')

  expect(await readFile(taken, 'utf8')).toBe('somebody’s own')
  expect(await startOf(world, 'HV-10001-FDEG000000000001-label~2.pdf')).toBe('%PDF')
  expect((await resultsOf(world))[0]?.['_documents']).toMatch(/label~2\.pdf$/)
})

test('two shipments of one name come beside each other, whatever the letters’ case', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({
    orders: 2,
    documents: { labels: false, name: '{tracking_number}' },
  })
  const [first = '', second = ''] = purchaseOrders
  const parcels = [
    { po: first, tracking: 'track-1' },
    { po: second, tracking: 'TRACK-1' },
  ]
  await world.drop('inbox/shipments', 'today.csv', fileOf(parcels))

  await world.run('shipments')

  const names = (await resultsOf(world)).map((row) => row['_documents']?.split('/').at(-1))
  expect(names).toEqual(['track-1.pdf', 'TRACK-1~2.pdf'])
})

test('a refusal of the API is reported in its own words beside the accepted record, and the exit code asks for a person', async () => {
  const { world } = await withFile({ orders: 1 })
  const refusal = {
    made: false,
    status: 409,
    detail: 'HTTP 409: The shipment may not have a packing slip.',
  } as const
  const wrap = documentsAs((real, call) =>
    call.endpoint === 'getPackingSlip' ? Promise.resolve(refusal) : real(call),
  )

  const { exit } = await runWith(world, wrap)

  expect(exit).toBe(2)
  const [row] = await resultsOf(world)
  expect(row).toMatchObject({ _status: 'accepted', _code: 'document-refused' })
  expect(row?.['_message']).toBe(
    'line 2: the packing slip of shipment 1 is refused: HTTP 409: The shipment may not have a packing slip.',
  )
  expect(row?.['_documents']).toMatch(/label\.pdf$/)
  expect((await world.run('shipments')).exit).toBe(0)
})

test('the service itself refuses the label of a shipment without weight and size', async () => {
  const { world } = await withFile({ orders: 1, labelled: true })
  await world.run('shipments')
  const bridge = await world.open({
    journal: (journal) => ({
      ...journal,
      listCreatedShipments: async (...args) =>
        (await journal.listCreatedShipments(...args)).map((each) => ({
          ...each,
          answer: '{"valid_shipping_label":true}',
        })),
    }),
  })
  const reported: unknown[] = []

  await bridge.fetchLabels(
    { shipmentId: '1' },
    {
      signal: new AbortController().signal,
      onDocument: ({ document }) => reported.push(document.problem?.message),
    },
  )
  await bridge.close()

  expect(reported).toContainEqual(
    expect.stringMatching(
      /^the label of shipment 1 is refused: HTTP 4\d\d: The shipment was created without ship_weight/,
    ),
  )
})

test('when the answer was lost, the names come from the file', async () => {
  const { world } = await withFile({ orders: 1 })
  world.service.switches.loseAnswer = 1
  world.service.switches.faultLimit = 1

  const { exit } = await world.run('shipments')

  expect(exit).toBe(0)
  expect(await world.list('../labels/today')).toEqual(['HV-10001-1-label.pdf', 'HV-10001-1-packing-slip.pdf'])
})

test('an API that gives no documents does not hold the report back, and labels fetches them later', async () => {
  const { world } = await withFile({ orders: 15, documents: { packingSlips: false } })
  let asked = 0
  const wrap = documentsAs(() => {
    asked++
    return Promise.reject(new BridgeError('api-unreachable', 'The API gave no answer'))
  })

  const { exit } = await runWith(world, wrap)

  expect(exit).toBe(2)
  expect(await world.list('inbox/shipments')).toEqual([])
  const rows = await resultsOf(world)
  expect(rows.map((row) => [row['_status'], row['_code'], row['_documents']])).toEqual(
    rows.map(() => ['accepted', 'document-missing', '']),
  )
  expect(rows[0]?.['_message']).toBe('line 2: the label could not be fetched: The API gave no answer')
  expect(asked).toBeLessThanOrEqual(32)

  expect(await labelsOf(world, {})).toHaveLength(15)
  expect(await world.list('../labels/today')).toHaveLength(15)
  expect(await labelsOf(world, {})).toEqual([])
})

test.each([
  new BridgeError('api-redirected', 'the label redirects to https://labels.example (HTTP 302)'),
  new BridgeError('credentials-refused', 'The API refuses even a fresh token at the label'),
])('a label answered with $code does not hold the report back, nor the next file', async (failure) => {
  const { world, purchaseOrders, fileOf } = await withFile({ orders: 2, documents: { packingSlips: false } })
  await world.drop('inbox/shipments', 'later.csv', fileOf([{ po: purchaseOrders[1] ?? '' }]))

  const { exit } = await runWith(
    world,
    documentsAs(() => Promise.reject(failure)),
  )

  expect(exit).toBe(2)
  const reported = (await world.list('results')).filter((name) => name.endsWith('results.csv'))
  expect(reported).toEqual(['later.csv.results.csv', 'orders.csv.results.csv', 'today.csv.results.csv'])
  const [row] = await resultsOf(world)
  expect(row).toMatchObject({ _status: 'accepted', _code: 'document-missing' })
  expect(row?.['_message']).toContain(failure.message)
})

test('a label that is refused because the whole account is stops the route', async () => {
  const { world } = await withFile({ orders: 1, documents: { packingSlips: false } })
  const refused = new BridgeError('credentials-refused', 'The API refuses even a fresh token')
  let isRefused = false
  const wrap = {
    api: (api: Api): Api => ({
      ...api,
      document: () => {
        isRefused = true
        return Promise.reject(refused)
      },
      list: (call) => {
        if (isRefused) throw refused
        return api.list(call)
      },
    }),
  }

  const { exit } = await runWith(world, wrap)

  expect(exit).toBe(77)
  expect(await world.list('results')).not.toContain('today.csv.results.csv')
})

test('a mailbox that vanishes does not hold the report back, and labels delivers the very same bytes later', async () => {
  const { world } = await withFile({ orders: 3, documents: { packingSlips: false } })
  await rm(join(world.folder, 'labels'), { recursive: true })
  await writeFile(join(world.folder, 'labels'), 'no folder any more')

  const { exit } = await world.run('shipments')

  expect(exit).toBe(2)
  const rows = await resultsOf(world)
  expect(rows.map((row) => [row['_status'], row['_code']])).toEqual(
    rows.map(() => ['accepted', 'document-missing']),
  )
  expect(rows[0]?.['_message']).toContain(join(world.folder, 'labels'))

  await rm(join(world.folder, 'labels'))
  await mkdir(join(world.folder, 'labels'))
  await world.run('shipments')
  const offline = documentsAs(() => Promise.reject(new BridgeError('api-unreachable', 'It is down.')))
  const paths = await labelsOf(world, {}, offline)

  expect(paths.map((path) => path?.split('/').at(-1))).toEqual([
    'HV-10001-FDEG000000000001-label.pdf',
    'HV-10002-FDEG000000000002-label.pdf',
    'HV-10003-FDEG000000000003-label.pdf',
  ])
  expect(await startOf(world, 'HV-10003-FDEG000000000003-label.pdf')).toBe('%PDF')
  expect(await world.list('../state/spool/shipments')).toEqual([])
})

/** The report of `labels`: the paths, and the problems of missing documents. */
async function labelsOf(
  world: World,
  request: { route?: string; purchaseOrderNumber?: string; fileName?: string; out?: string },
  wrap?: BridgeOptions['wrap'],
) {
  const bridge = await world.open(wrap)
  const reported: (string | undefined)[] = []
  try {
    await bridge.fetchLabels(request, {
      signal: new AbortController().signal,
      onDocument: ({ path, document }) => reported.push(path ?? document.problem?.message),
    })
    return reported
  } finally {
    await bridge.close()
  }
}

test('labels fetches those of one order again, beside existing ones', async () => {
  const { world } = await withFile({ orders: 2, documents: { packingSlips: false } })
  await world.run('shipments')

  world.clock.skip(60_000) // the time is printed on the paper

  const paths = await labelsOf(world, { purchaseOrderNumber: 'HV-10002' })

  expect(paths).toEqual([join(world.folder, 'labels', 'today', 'HV-10002-FDEG000000000002-label~2.pdf')])
  expect(await world.list('../labels/today')).toEqual([
    'HV-10001-FDEG000000000001-label.pdf',
    'HV-10002-FDEG000000000002-label.pdf',
    'HV-10002-FDEG000000000002-label~2.pdf',
  ])
})

test('a delivered label stays reported as there when a further copy cannot be delivered', async () => {
  const { world } = await withFile({ orders: 1, documents: { packingSlips: false } })
  await world.run('shipments')
  world.clock.skip(60_000)
  const away = new BridgeError('mailbox-unreachable', 'the share is away')
  const wrap: BridgeOptions['wrap'] = {
    mailbox: (mailbox) => ({
      ...mailbox,
      stage: (path, folder, how) =>
        folder === 'today' ? Promise.reject(away) : mailbox.stage(path, folder, how),
    }),
  }

  expect(await labelsOf(world, { purchaseOrderNumber: 'HV-10001' }, wrap)).toEqual([
    'the label could not be fetched: the share is away',
  ])

  // No document is missing, and none is kept for later.
  expect(await labelsOf(world, {})).toEqual([])
  expect(await world.list('../labels/today')).toEqual(['HV-10001-FDEG000000000001-label.pdf'])
  expect(await world.list('../state/spool/shipments')).toEqual([])
  const again = await labelsOf(world, { purchaseOrderNumber: 'HV-10001' })
  expect(again).toEqual([join(world.folder, 'labels', 'today', 'HV-10001-FDEG000000000001-label~2.pdf')])
})

test('labels into a folder writes copies of both kinds, from a route without documents too, and never over a file', async () => {
  const { world } = await withFile({ orders: 2, documents: null })
  await world.run('shipments')
  const out = join(world.folder, 'copies')
  const before = join(out, 'HV-10001-1-label.pdf')
  await mkdir(out)
  await writeFile(before, 'mine')

  await labelsOf(world, { fileName: 'today.csv', out })

  expect(await readFile(before, 'utf8')).toBe('mine')
  expect(await world.list('../copies')).toEqual([
    'HV-10001-1-label.pdf',
    'HV-10001-1-label~2.pdf',
    'HV-10001-1-packing-slip.pdf',
    'HV-10002-2-label.pdf',
    'HV-10002-2-packing-slip.pdf',
  ])
})

test('labels names the possible routes when the given one creates no shipments', async () => {
  const { world } = await aShippingWorld({ orders: 1, documents: null })

  await expect(labelsOf(world, { route: 'orders' })).rejects.toMatchObject({
    code: 'usage-wrong',
    message: 'no route "orders" creates shipments; the routes that do are shipments.',
  })
  await expect(labelsOf(world, {})).rejects.toMatchObject({
    code: 'usage-wrong',
    message: 'Route shipments has no `documents`, so packing slips and labels go nowhere.',
  })
})

test('two hundred shipments of one file have their two hundred labels, each under its own name', async () => {
  const { world } = await withFile({ orders: 200, documents: { packingSlips: false }, connections: 16 })
  world.service.switches.labelFormat = 'zpl'

  const { exit } = await world.run('shipments')

  expect(exit).toBe(0)
  const names = await world.list('../labels/today')
  expect(names).toHaveLength(200)
  const fileNames = (await resultsOf(world)).map((row) => row['_documents']?.split('/').at(-1))
  expect(fileNames.toSorted()).toEqual(names)
})

const EFFECTS = [
  'journal.listCreatedShipments',
  'journal.requestDocuments',
  'journal.findDocuments',
  'api.document',
  'journal.reserveDocumentNames',
  'mailbox.stage',
  'mailbox.giveName',
  'mailbox.removeStaged',
  'journal.saveDocumentResults',
  'spool.remove',
  'journal.listDocuments',
  'journal.saveReportName',
]

test.each(EFFECTS)(
  'a bridge that dies right before or after %s delivers every document exactly once',
  async (effect) => {
    let deaths = 0
    for (const moment of ['before', 'after'] as const) {
      for (const occurrence of [1, 2]) {
        const { world } = await withFile({ orders: 2, connections: 2, documents: { packingSlips: false } })
        const plan = crashAt(occurrence, moment, effect)
        await runWith(world, plan.wrap).catch((error: unknown) => {
          if (plan.diedAt() === undefined) throw error
        })
        if (plan.diedAt() !== undefined) deaths++
        for (let start = 0; start < 2; start++) {
          world.clock.skip(60_000) // the lease of the dead bridge expires
          await world.run('shipments')
        }

        const context = `${moment} ${effect} ${occurrence}`
        const names = await world.list('../labels/today')
        expect(names, context).toHaveLength(2)
        expect(
          names.filter((name) => name.includes('~')),
          context,
        ).toEqual([])
        const paths = (await resultsOf(world)).flatMap((row) => row['_documents']?.split(' | ') ?? [])
        expect(paths.map((path) => path.split('/').at(-1)).toSorted(), context).toEqual(names)
        expect(await world.list('../state/spool/shipments'), context).toEqual([])
      }
    }
    expect(deaths).toBeGreaterThanOrEqual(2)
  },
  60_000,
)

test.each([
  ['application/pdf', '.pdf'],
  ['Application/PDF; charset=binary', '.pdf'],
  ['image/png', '.png'],
  ['application/zpl', '.zpl'],
  ['x-application/zpl', '.zpl'],
  ['application/vnd.zebra-zpl', '.zpl'],
  ['text/x-zpl2', '.zpl'],
  ['application/octet-stream', '.bin'],
  ['', '.bin'],
])('documents of the type "%s" end in %s', (contentType, end) => {
  expect(chooseExtension(contentType)).toBe(end)
})

const SHIPMENT = { recordId: 1, fileId: 'f', fileName: 'f.csv', shipmentId: '77', keyValues: ['', 'PO 9'] }

test('without an answer, weight and size in the body show whether there is a label', () => {
  const kinds = ['label', 'packing-slip'] as const
  const sized = { ship_weight: '1', ship_width: '2', ship_length: '3', ship_height: '4' }

  expect(listDocumentKinds({ ...SHIPMENT, body: JSON.stringify(sized) }, kinds)).toEqual([
    'label',
    'packing-slip',
  ])
  expect(
    listDocumentKinds({ ...SHIPMENT, body: JSON.stringify({ ...sized, ship_height: null }) }, kinds),
  ).toEqual(['packing-slip'])
})

test('names use the answer first, then the request, then the file', () => {
  const body = JSON.stringify({ order_id: 5, tracking_number: 'SENT' })

  expect(getNameValues({ ...SHIPMENT, body }, 'label')).toMatchObject({
    purchase_order_number: 'PO 9',
    tracking_number: 'SENT',
    shipment_id: '77',
    kind: 'label',
  })
  const answer = JSON.stringify({ purchase_order_number: 'PO-9', tracking_number: 'MADE' })
  expect(getNameValues({ ...SHIPMENT, body, answer }, 'label')).toMatchObject({
    purchase_order_number: 'PO-9',
    tracking_number: 'MADE',
  })
})

test('while the share of inbox and documents is away no document is put into the bare folder, and all are delivered when it is back', async () => {
  const { world } = await withFile({ orders: 2, documents: { mailbox: 'exchange', folder: 'labels' } })
  const share = join(world.folder, 'exchange')
  let isAway = false
  const awayAfterSend = (api: Api): Api =>
    new Proxy(api, {
      get(target, property) {
        if (property !== 'send') return Reflect.get(target, property) as unknown
        const send: Api['send'] = async (...call) => {
          const answer = await target.send(...call)
          if (!isAway) {
            isAway = true
            await rename(share, `${share}.away`)
            await mkdir(share)
          }
          return answer
        }
        return send
      },
    })

  expect((await runWith(world, { api: awayAfterSend })).exit).toBe(69)

  expect(await readdir(share)).toEqual([])
  await rm(share, { recursive: true })
  await rename(`${share}.away`, share)
  expect((await world.run('shipments')).exit).toBe(0)
  expect(await world.list('labels')).toHaveLength(4)
  expect((await resultsOf(world)).map((row) => row['_status'])).toEqual(['accepted', 'accepted'])
})
