/** What the pages say of records that a person corrected: before their file is taken, and after. */
import { expect, onTestFinished, test } from 'vitest'
import { openConsole } from '../../../src/app/console/context.ts'
import { correctPage } from '../../../src/web/pages/correct.ts'
import { decisionPage } from '../../../src/web/pages/decisions.ts'
import { filePage, filesPage } from '../../../src/web/pages/files.ts'
import { proofPage } from '../../../src/web/pages/proof.ts'
import { orderPage, recordPage } from '../../../src/web/pages/records.ts'
import { reportsPage } from '../../../src/web/pages/reports.ts'
import { searchPage } from '../../../src/web/pages/search.ts'
import { todayPage } from '../../../src/web/pages/today.ts'
import { aRefusedFile, correctAll, damagedOrders, send, toRequest } from '../../fixtures/corrections.ts'
import { lookAt, toText, visit } from '../../fixtures/console.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'

type RefusedFile = Awaited<ReturnType<typeof aRefusedFile>>

/** Twenty orders, of which four were refused and are corrected; the corrected file lies in the inbox. */
async function aCorrectedFile(
  correct: (page: RefusedFile['page']) => ReturnType<RefusedFile['page']> = correctAll,
) {
  const { world, id, page } = await aRefusedFile(damagedOrders(20, 4))
  const { journal } = await lookAt(world)
  const refused = await journal.listRecords({ file: id }, { state: 'rejected' }, 9)
  await send(world, toRequest(await correct(page)))
  return { world, id, refused }
}

/** The file with the corrected rows, and its records. */
async function findTaken({ world }: Pick<RefusedFile, 'world'>) {
  const context = await lookAt(world)
  const file = (await context.journal.listFiles({}, undefined, 9)).find(({ correctionOf }) => correctionOf)
  return { context, file, accepted: await context.journal.listRecords({ file: file?.id ?? '' }, {}, 9) }
}

test('a record that was accepted after a correction leads to what was refused and to the decision, and back', async () => {
  const corrected = await aCorrectedFile()
  await corrected.world.run('orders')
  const { context, file, accepted } = await findTaken(corrected)
  expect(accepted).toHaveLength(4)
  for (const { id, keyValues, apiId } of accepted) {
    const key = keyValues.join(', ')
    const source = corrected.refused.find((each) => each.keyValues[0] === keyValues[0])
    const page = await visit(context, recordPage, { params: { n: String(id) } })
    expect(page?.text).toContain(`Its row was refused before, as record ${key} of orders-16.csv`)
    expect(page?.text).toMatch(/nadia corrected it [\d:]+ : confirmed by phone\./)
    expect(page?.html).toContain(`href="/records/${source?.id}"`)
    expect(page?.html).toContain(`href="/files/${corrected.id}"`)
    expect(page?.html).toContain('href="/decisions/1"')

    const old = await visit(context, recordPage, { params: { n: String(source?.id) } })
    expect(old?.text).toContain(
      `Corrected as record ${key} of orders-16.rejects.csv , ✓ accepted as ${apiId} at the API.`,
    )
    expect(old?.html).toContain(`href="/records/${id}"`)
    expect(old?.html).toContain(`href="/files/${file?.id}"`)
  }
})

test('a search for a corrected order shows both its records, also where the correction changed its number', async () => {
  const corrected = await aCorrectedFile(async (page) => {
    const { units, changes } = await correctAll(page)
    const cell = units[0]!.rows[0]!.cells.find(({ text }) => text === units[0]!.key)!
    const renamed = units[0]!.rows.map(({ line }) => ({ line, cell: cell.cell, text: 'HV-NEW-1' }))
    return page({ changes: [...changes, ...renamed], isCheck: true })
  })
  await corrected.world.run('orders')
  const context = await lookAt(corrected.world)
  for (const key of ['HV-NEW-1', corrected.refused[1]?.keyValues[0] ?? '']) {
    const found = await visit(context, searchPage, { query: { q: key } })
    expect(found?.data.only).toBe(`/orders/${key}`)
    // In another case it leads to the same page, and not to the refused record alone.
    const lower = await visit(context, searchPage, { query: { q: key.toLowerCase() } })
    expect(lower?.data.only).toBe(`/orders/${key}`)
    const order = await visit(context, orderPage, { params: { key } })
    // What came of it stands above the life of the refused row.
    expect(order?.text).toMatch(/Now: create-order ✓ accepted as \d+\./)
    expect(order?.data.records.map(({ state }) => state)).toEqual(['rejected', 'accepted'])
    expect(order?.text).toContain('Its row was refused before')
  }
})

test('a line break that a person typed leaves the rows without a place, and then the keys say what came of what', async () => {
  const corrected = await aCorrectedFile(async (page) => {
    const { units, changes } = await correctAll(page)
    const cell = units[0]!.rows[0]!.cells.find(({ column }) => column === 'Address 1')!
    const broken = units[0]!.rows.map(({ line }) => ({
      line,
      cell: cell.cell,
      text: `${cell.text}\nback door`,
    }))
    return page({ changes: [...changes, ...broken], isCheck: true })
  })
  await corrected.world.run('orders')
  const { context, accepted } = await findTaken(corrected)
  const links = await context.journal.listCorrectionLinks(accepted.map(({ id }) => id))
  const keyOf = new Map([...corrected.refused, ...accepted].map((each) => [each.id, each.keyValues[0]]))
  expect(accepted.length).toBeGreaterThan(0)
  expect(links[0]?.pairs.filter(({ to }) => to !== undefined)).toHaveLength(accepted.length)
  for (const { from, to = 0 } of links[0]!.pairs.filter((pair) => pair.to !== undefined))
    expect(keyOf.get(to)).toBe(keyOf.get(from))
})

test('the record of a row that is corrected and not taken yet says so, and offers to take it now', async () => {
  const { world, refused } = await aCorrectedFile()
  const page = await visit(await lookAt(world), recordPage, { params: { n: String(refused[0]?.id) } })
  expect(page?.text).toContain(
    'Corrected in orders-16.rejects.csv: that file lies in the inbox and is not taken yet.',
  )
  expect(page?.html).toContain('href="/routes/orders/run">Take it now …')
  const seen = await visit(await lookAt(world), recordPage, {
    params: { n: String(refused[0]?.id) },
    role: 'viewer',
  })
  expect(seen?.text).toContain('Nothing takes it by itself.')
  expect(seen?.text).not.toContain('Take it now')
  await world.run('orders')
  const taken = await visit(await lookAt(world), recordPage, { params: { n: String(refused[0]?.id) } })
  expect(taken?.text).not.toContain('Take it now')
})

test('the proof of a refused record names its purchase order', async () => {
  const { world, refused } = await aCorrectedFile()
  const page = await visit(await lookAt(world), proofPage, { params: { n: String(refused[0]?.id) } })
  expect(page?.title).toBe('Proof of create-order HV-10001')
})

test('until a correction is taken, the file, its decision and Today say what takes it, and offer to take it now', async () => {
  const { world, id, refused } = await aCorrectedFile()
  const context = await lookAt(world)
  const opened = openConsole({ configuration: world.configuration, clock: world.clock })
  onTestFinished(() => opened.close())
  const readPages = async (role: 'operator' | 'viewer' = 'operator') => {
    const today = await opened.getContext()
    await expect.poll(async () => (await today.lookout?.read())?.checkedAt, { timeout: 20_000 }).toBeDefined()
    return [
      await visit(context, filePage, { params: { id }, role }),
      await visit(context, decisionPage, { params: { n: '1' }, role }),
      await visit(today, todayPage, { role }),
    ]
  }
  const isRefused = `${refused.length} records are corrected by nadia and wait to be taken, as orders-16.rejects.csv.`
  for (const page of await readPages()) {
    expect(page?.text).toContain('Nothing takes it by itself.')
    expect(page?.html).toContain('href="/routes/orders/run">Take it now …')
    expect(page?.text).not.toContain('dropbridge run')
  }
  const [file, , today] = await readPages('viewer')
  expect(file?.text).toContain(isRefused)
  expect(file?.text).toContain('4 were refused: 4 corrected and not finished, 0 left.')
  expect(today?.text).toContain(isRefused)
  expect(today?.text).toContain('Until then they count as not corrected.')
  // Titles, for people without a command line.
  expect(today?.text).toContain('orders-16.csv: 4 records are rejected and not corrected 2 × ')
  expect(today?.text).not.toMatch(/\d [a-z]+-[a-z]+[,)]/)
  expect(today?.text).toContain('Corrected, and not taken yet')
  for (const page of await readPages('viewer')) expect(page?.text).not.toContain('Take it now')

  // The first run of a schedule is due at once.
  Object.assign(world.configuration.routes[0]!, { schedule: { kind: 'every', everyMs: 24 * 3_600_000 } })
  for (const page of await readPages()) expect(page?.text).toContain('A scheduled run is due: it takes it.')

  Object.assign(world.configuration.routes[0]!, { schedule: undefined })
  await world.run('orders')
  for (const page of await readPages()) expect(page?.text).not.toContain('Take it now')
})

test('the numbers of a file agree after a part of it is corrected, and after the rest is dismissed', async () => {
  const { world, id } = await aCorrectedFile(async (page) => {
    const [group] = (await page()).groups
    return page({ changes: [], apply: { group: group!.number, text: 'NY' }, isCheck: true })
  })
  await world.run('orders')
  const context = await lookAt(world)
  const part = await visit(context, filePage, { params: { id } })
  expect(part?.text).toContain('4 were refused: 2 sent again since, 2 left.')
  expect(part?.text).toContain('Correct 2 records …')
  expect(part?.data.reasons.map(({ records, corrected }) => [records, corrected])).toEqual([
    [2, 2],
    [2, 0],
  ])
  expect(part?.text).toContain('Open Corrected or given up Problem')
  const report = await visit(context, reportsPage)
  expect(report?.data.reasons.map(({ records, corrected }) => [records, corrected])).toEqual([
    [2, 2],
    [2, 0],
  ])
  expect(report?.text).toContain('Open Corrected or given up since Problem')
  const bridge = await world.open()
  await bridge.journal.dismissRejected(id, { by: 'olu', why: 'gone' })
  await bridge.close()
  const rest = await visit(context, filePage, { params: { id } })
  expect(rest?.text).toContain('4 were refused: 2 sent again since, 2 given up, 0 left.')
  expect(rest?.text).not.toContain('Correct 2 records')
})

test('the lists of files and the expected files count a corrected or dismissed record as refused no more', async () => {
  const { world, id } = await aCorrectedFile(async (page) => {
    const [group] = (await page()).groups
    return page({ changes: [], apply: { group: group!.number, text: 'NY' }, isCheck: true })
  })
  const [route] = world.configuration.routes
  if (route?.direction !== 'inbound') throw new Error('the route takes no files')
  const expectFile = { by: '00:00', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] }
  Object.assign(route, { from: { ...route.from, expectFile } })
  const listCounts = async () => {
    const opened = openConsole({ configuration: world.configuration, clock: world.clock })
    onTestFinished(() => opened.close())
    const context = await opened.getContext()
    await expect
      .poll(async () => (await context.lookout?.read())?.checkedAt, { timeout: 20_000 })
      .toBeDefined()
    const files = await visit(context, filesPage)
    const today = await visit(context, todayPage)
    const rows = [...`${files?.html}${today?.html}`.matchAll(/<tr[^>]*>[^]*?<\/tr>/g)].map(([row]) =>
      toText(row),
    )
    return rows.flatMap(
      (row) => /orders-16\.csv .*(✓ 16 accepted.*?)(?: done|$)/.exec(row)?.[1]?.trim() ?? [],
    )
  }
  const both = (text: string) => [text, text, text]
  expect(await listCounts()).toEqual(both('✓ 16 accepted ✕ 4 rejected'))
  await world.run('orders')
  expect(await listCounts()).toEqual(both('✓ 16 accepted ✕ 2 rejected 2 sent again since'))
  const bridge = await world.open()
  await bridge.journal.dismissRejected(id, { by: 'olu', why: 'gone' })
  await bridge.close()
  expect(await listCounts()).toEqual(both('✓ 16 accepted 2 sent again since, 2 given up'))
})

test('the record of a refused row leads to its row on the page that corrects its file', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(120, 60))
  const context = await lookAt(world)
  const last = (await context.journal.listRecords({ file: id }, { state: 'rejected' }, 99)).at(-1)
  const asked = { params: { n: String(last?.id) } }
  const page = await visit(context, recordPage, asked)
  const line = last?.lines[0]?.[0]
  const address = `/files/${id}/correct?line=${line}#row-${line}`
  expect(page?.html).toContain(`href="${address}">Correct this record …`)
  const correct = await visit(context, correctPage, { params: { id }, query: { line: String(line) } })
  expect(correct?.data.page).toBe(2)
  expect(correct?.html).toContain(`id="row-${line}"`)
  const seen = await visit(context, recordPage, { ...asked, role: 'viewer' })
  expect(seen?.html).not.toContain('/correct')
  expect(seen?.text).toContain(
    'An operator can correct it here and send it again, or its sender corrects the row and sends it again.',
  )
})

/** An order whose one line has no quantity, in an interchange. */
const REFUSED_ORDER = [
  'ISA*00*          *00*          *ZZ*HAVENRETAIL    *12*7755550100     *261121*0900*U*00401*000000001*0*P*>',
  'GS*PO*HAVENRETAIL*7755550100*20261121*0900*1*X*004010',
  'ST*850*0001',
  'BEG*00*SA*HV-1**20261121',
  'PO1*1*x*EA*9.25**VN*NL-0001',
  'CTT*1',
  'SE*5*0001',
  'GE*1*1',
  'IEA*1*000000001',
].join('~\n')

test('what is refused of an interchange is offered for correction nowhere, and the pages say who corrects it', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', `${REFUSED_ORDER}~\n`)
  await world.run()
  const context = await lookAt(world)
  const files = await context.journal.listFiles({}, undefined, 9)
  const part = files.find(({ partOf }) => partOf !== undefined)
  const file = await visit(context, filePage, { params: { id: part?.id ?? '' } })
  expect(file?.data.records).toEqual({ rejected: 1 })
  expect(file?.text).toContain('What is refused cannot be corrected here. It holds EDI documents.')
  expect(file?.text).toContain('are corrected by the sender, who sends them again.')
  const record = await visit(context, recordPage, { params: { n: String(file?.data.page[0]?.id) } })
  expect(record?.text).toContain('It cannot be corrected here. It holds EDI documents.')
  const opened = openConsole({ configuration: world.configuration, clock: world.clock })
  onTestFinished(() => opened.close())
  const own = await opened.getContext()
  await expect.poll(async () => (await own.lookout?.read())?.checkedAt, { timeout: 20_000 }).toBeDefined()
  const today = await visit(own, todayPage)
  expect(today?.text).toContain('It holds EDI documents. Refused documents are corrected by the sender')
  expect(today?.text).toContain('See its records')
  expect(today?.text).not.toContain('See and correct')
})

test('a correction on a route with a schedule names its next run', async () => {
  const { world, id, page } = await aRefusedFile(damagedOrders(20, 4))
  Object.assign(world.configuration.routes[0]!, { schedule: { kind: 'every', everyMs: 90 * 60_000 } })
  await world.run('orders')
  await send(world, toRequest(await correctAll(page)))
  const file = await visit(await lookAt(world), filePage, { params: { id } })
  expect(file?.text).toMatch(/The next scheduled run takes it at 13:30:\d\d ?\. Take it now …/)
})
