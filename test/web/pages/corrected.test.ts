/** What the pages say of records that a person corrected: before their file is taken, and after. */
import { expect, test } from 'vitest'
import { orderPage, recordPage } from '../../../src/web/pages/records.ts'
import { searchPage } from '../../../src/web/pages/search.ts'
import { aRefusedFile, correctAll, damagedOrders, send, toRequest } from '../../fixtures/corrections.ts'
import { lookAt, visit } from '../../fixtures/console.ts'

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
    const order = await visit(context, orderPage, { params: { key } })
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

test('the record of a row that is corrected and not taken yet says so', async () => {
  const { world, refused } = await aCorrectedFile()
  const page = await visit(await lookAt(world), recordPage, { params: { n: String(refused[0]?.id) } })
  expect(page?.text).toContain(
    'Corrected in orders-16.rejects.csv: that file lies in the inbox and is not taken yet.',
  )
})
