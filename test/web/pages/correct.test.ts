/** Correcting from the page, without script: as a browser sends its form, what was typed stays, and it is sent once. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRefusedFile, countOrders, damagedOrders } from '../../fixtures/corrections.ts'
import { toText } from '../../fixtures/console.ts'
import { aCorrectionDesk } from '../desk.ts'

const WHY = { why: 'confirmed by phone' }

test('one apply and two cells, checked and sent with a reason: all orders are there once, and the decision is shown', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(60, 6))
  const { look, press } = await aCorrectionDesk(world, { id })
  expect((await look(`/files/${id}`)).text).toContain('Correct 6 records …')
  const first = await look()
  expect(first.text).toContain('4 records: State “ZZ”')
  expect(first.text).toContain('2 records: Qty blank')
  const applied = await press('apply-1', { ...first.form, 'apply-1': 'NY', 'apply-2': '7' })
  expect(applied.text).toMatch(/Now “NY” in all \d rows of it. Check shows whether it would be sent./)
  // What was typed for the other cells waits.
  expect(applied.form['apply-2']).toBe('7')
  const quantities = Object.keys(applied.form).filter(
    (name) => name.startsWith('c-') && isQuantity(applied.body, name),
  )
  const typed = Object.fromEntries(quantities.map((name) => [name, applied.form[name] || '1']))
  const checked = await press('check', { ...applied.form, ...typed })
  expect(checked.text).toContain('6 records would be sent as orders-16.rejects.csv.')
  expect(checked.text).toContain('✓ It would be sent.')
  expect(checked.text).toContain(
    'Run orders after that, with whatever else waits in its inbox . Nothing else takes it from the inbox.',
  )
  // A browser shows the top of the answer.
  expect(checked.text.indexOf('What would be sent')).toBeLessThan(checked.text.indexOf('Problems'))
  expect(await world.list('inbox/orders')).toEqual([])

  const without = await press('send', checked.form)
  expect(without.status).toBe(409)
  expect(without.text).toContain('A reason is needed')
  expect(without.form['take']).toBe('yes')
  const { status, to } = await press('send', { ...without.form, ...WHY, take: '' })
  expect(status).toBe(303)
  expect((await look(to, 'viewer')).text).toContain('operator corrected 6 records')
  expect((await look(to)).text).toContain('The corrected rows lie in inbox/orders as orders-16.rejects.csv')
  expect((await look()).text).toContain('It lies in the inbox')
  expect((await look()).text).toContain('Of these, 6 were corrected and wait to be taken; 0 are left.')
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 60, doubled: 0 })
  expect((await look(to)).text).toContain('The corrected rows were taken as orders-16.rejects.csv')
  expect((await look()).text).toContain('No record of it waits for a correction.')
  expect((await look('/decisions', 'viewer')).text).toContain(
    'operator corrected orders-16.csv , HV-10001 and 5 more orders 6 confirmed by phone console',
  )
  const corrected =
    /href="(\/files\/[^"/]+)">orders-16\.rejects\.csv/.exec((await look('/files')).body)?.[1] ?? ''
  expect((await look(corrected)).text).toContain('It holds corrected rows of orders-16.csv')
})

test('three presses correct, check and send, and the run that is sent along takes the file', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(60, 6))
  const { look, press } = await aCorrectionDesk(world, { id })
  // Nothing is applied by its button: a check applies what was typed beside the groups.
  const typed = { ...(await look()).form, 'apply-1': 'NY', 'apply-2': '1' }
  const checked = await press('check', typed)
  expect(checked.text).toContain('6 records would be sent as orders-16.rejects.csv.')
  const { to } = await press('send', { ...checked.form, ...WHY })
  expect(to).toMatch(/^\/decisions\/1\?run=\w+$/)
  await expect
    .poll(async () => (await look(to)).text, { timeout: 20_000 })
    .toContain('The corrected rows were taken as orders-16.rejects.csv')
  expect(await countOrders(world)).toEqual({ orders: 60, doubled: 0 })
})

test('a check leaves cells as they are that a person typed into, whatever stands beside their group', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(60, 6))
  const { look, press } = await aCorrectionDesk(world, { id })
  const { form } = await look()
  const [own = ''] = Object.keys(form).filter((name) => name.startsWith('c-') && form[name] === 'ZZ')
  const checked = await press('check', { ...form, [own]: 'CA', 'apply-1': 'NY' })
  const texts = Object.entries(checked.form).flatMap(([name, text]) =>
    form[name] === 'ZZ' && name.startsWith('c-') ? [name === own ? `own ${text}` : text] : [],
  )
  expect(new Set(texts)).toEqual(new Set(['own CA', 'NY']))
  // A box that a person unticks stays so.
  expect((await press('check', { ...checked.form, take: '' })).form['take']).toBeUndefined()
})

test('a corrected file that no watch takes is taken by a run that a person starts there', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(60, 6))
  const { console, look, press } = await aCorrectionDesk(world, { id })
  const applied = await press('apply-1', { ...(await look()).form, 'apply-1': 'NY' })
  const checked = await press('check', applied.form)
  const { to } = await press('send', { ...checked.form, ...WHY, take: '' })
  expect((await look(to, 'viewer')).text).not.toContain('Take it now')
  const bridge = await world.open()
  await bridge.journal.saveHeartbeat('here+boot/4711/x', ['orders'])
  expect((await look(to)).text).toContain('A watch takes it within moments.')
  expect((await look(to)).text).not.toContain('Take it now')
  await bridge.journal.removeWatchers(['here+boot/4711/x'])
  await bridge.close()
  const before = await look(to)
  expect(before.text).toContain('Nothing takes it by itself.')
  const [, page = ''] = /href="([^"]+)">Take it now …/.exec(before.body) ?? []
  const form = Object.fromEntries(
    [...(await look(page)).body.matchAll(/type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)].map((each) => [
      each[1],
      each[2],
    ]),
  ) as Record<string, string>
  expect((await console.post(page, form, { role: 'operator' })).statusCode).toBe(303)
  expect((await look(to)).text).toContain('The corrected rows were taken as orders-16.rejects.csv')
  expect(await countOrders(world)).toEqual({ orders: 58, doubled: 0 })
})

test('where the corrected file is removed from the inbox, a run gives it up and its rows may be corrected again', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { console, look, press } = await aCorrectionDesk(world, { id })
  const checked = await press('check', { ...(await look()).form, 'apply-1': 'NY', 'apply-2': '1' })
  const { to } = await press('send', { ...checked.form, ...WHY, take: '' })
  const [name = ''] = await world.list('inbox/orders')
  await rm(join(world.folder, 'exchange', 'inbox', 'orders', name))
  expect((await look()).text).toContain('4 were corrected and wait to be taken; 0 are left.')
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await look('/routes/orders/run')).body) ?? []
  const [, once = ''] = /name="once" value="([^"]+)"/.exec((await look('/routes/orders/run')).body) ?? []
  expect((await console.post('/routes/orders/run', { csrf, once }, { role: 'operator' })).statusCode).toBe(
    303,
  )
  await expect
    .poll(async () => (await look(to)).text, { timeout: 20_000 })
    .toContain('was removed before it was taken; nothing of it was sent.')
  const again = await press('check', { ...(await look()).form, 'apply-1': 'NY', 'apply-2': '1' })
  await press('send', { ...again.form, ...WHY, take: '' })
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 20, doubled: 0 })
})

test('the same rows sent from a second tab with another reason lead to the first decision, which says so', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, press } = await aCorrectionDesk(world, { id })
  const checked: Record<string, string>[] = []
  for (let tab = 0; tab < 3; tab++) {
    const applied = await press('apply-1', { ...(await look()).form, 'apply-1': 'NY' })
    checked.push((await press('check', applied.form)).form)
  }
  const { to } = await press('send', { ...checked[0], ...WHY, take: '' })
  expect(to).toMatch(/^\/decisions\/\d+$/)
  expect((await look(to)).text).not.toContain('were sent before')
  const again = await press('send', { ...checked[1], ...WHY, take: '' })
  expect(again.to).toBe(to)
  const other = await press('send', { ...checked[2], why: 'by mail' })
  const { text } = await look(other.to)
  expect(text).toContain(
    'These rows were sent before, with this decision. Nothing was sent again, and your reason was not kept.',
  )
  expect(text).toContain('Why: confirmed by phone')
  await world.run('orders')
  expect((await countOrders(world)).doubled).toBe(0)
})

/** Whether the cell is in the column Qty. */
function isQuantity(body: string, name: string): boolean {
  return new RegExp(`<label for="${name}"\\s*>Qty</label`).test(body)
}

test('the wrong cell is marked with its problem beside it, until another text is typed, and anew where that is wrong too', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, press } = await aCorrectionDesk(world, { id })
  const first = await look()
  const marked = listMarked(first.body)
  expect(new Set(marked.map(({ label }) => label))).toEqual(new Set(['State', 'Qty']))
  const [state] = marked.filter(({ label }) => label === 'State')
  expect(state?.beside).toContain('✕ "ZZ" is not a state or province of US')

  const typed = await press('page-1', { ...first.form, [state?.name ?? '']: 'XX' })
  expect(listMarked(typed.body).map(({ name }) => name)).not.toContain(state?.name)
  const checked = await press('check', typed.form)
  expect(listMarked(checked.body).find(({ name }) => name === state?.name)?.beside).toContain(
    '✕ "XX" is not a state or province of US',
  )
  const good = await press('check', { ...checked.form, [state?.name ?? '']: 'NY' })
  expect(listMarked(good.body).map(({ name }) => name)).not.toContain(state?.name)
})

test('cells that nothing is said of are folded with their texts on the fold, and one that is changed is not', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, press } = await aCorrectionDesk(world, { id })
  const first = await look()
  const folded = (body: string) =>
    [...body.matchAll(/<details[^>]*>[^]*?<\/details>/g)].map(([text]) => text).join('')
  const [state] = listMarked(first.body)
  expect(folded(first.body)).not.toContain('aria-invalid')
  expect(toText(folded(first.body))).toMatch(/\d+ more cells: HV-\d+ · /)
  const [, city = ''] = /<label for="(c-[\d-]+)"\s*>City</.exec(folded(first.body)) ?? []
  expect(first.form[city]).not.toBe('')
  const changed = await press('page-1', { ...first.form, [city]: 'Albany', [state?.name ?? '']: 'NY' })
  expect(folded(changed.body)).not.toContain(`name="${city}"`)
  expect(changed.body).toContain(`name="${city}"`)
  expect(folded(changed.body)).not.toContain(`name="${state?.name}"`)
  // Each record here has a mark. Of one without any, the fold is open.
  expect(first.body).not.toContain('<details open')
})

/** The fields that are marked as wrong, with the words that they name. */
function listMarked(body: string): { name: string; label: string; beside: string }[] {
  const field = /<input\s[^>]*?name="(c-[\d-]+)"[^>]*?aria-invalid="true" aria-describedby="([\w-]+)"/g
  return [...body.matchAll(field)].map(([, name = '', about = '']) => ({
    name,
    label: new RegExp(`<label for="${name}"\\s*>([^<]*)</label`).exec(body)?.[1] ?? '',
    beside: toText(new RegExp(`<p class="problem" id="${about}">[^]*?</p>`).exec(body)?.[0] ?? ''),
  }))
}

test('a double click is one correction, and both clicks get the same answer', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, press, console } = await aCorrectionDesk(world, { id })
  const applied = await press('apply-1', { ...(await look()).form, 'apply-1': 'NY' })
  const { form } = await press('check', applied.form)
  const clicks = await Promise.all([1, 2].map(() => press('send', { ...form, ...WHY, take: '' })))
  expect(new Set(clicks.map(({ to }) => to)).size).toBe(1)
  expect(await world.list('inbox/orders')).toHaveLength(1)
  const { journal } = await console.opened.getContext()
  expect(await journal.countAllDecisions()).toBe(1)
})

test('pages of 50 keep what was typed on the others', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(120, 60))
  const { look, press } = await aCorrectionDesk(world, { id })
  const applied = await press('apply-1', { ...(await look()).form, 'apply-1': 'NY' })
  expect(applied.text).toContain('Page 1 of 2')
  const second = await press('page-2', applied.form)
  expect(second.text).toContain('Page 2 of 2')
  const checked = await press('check', second.form)
  expect(checked.text).toContain('58 records would be sent')
  expect(checked.text).toContain('2 records stay refused.')
})

test('a group names the place of each of its rows where these differ, so that one state for all is seen to be wrong', async () => {
  const orders = damagedOrders(20, 4)
  const bad = orders.filter(({ rows }) => rows[0]?.State === 'ZZ')
  for (const [index, { rows }] of bad.entries()) for (const row of rows) Object.assign(row, PLACES[index])
  const { world, id } = await aRefusedFile(orders)
  const { look } = await aCorrectionDesk(world, { id })
  const [first = '', second = ''] = bad.map(({ po }) => po)
  const { text, body } = await look()
  expect(text).toContain(
    `These rows differ: ${first} (Boston 02108), ${second} (Austin 73301). One text for all`,
  )
  expect(body).toMatch(new RegExp(`<a href="#c-\\d+-\\d+"\\s*>${first}</a`))

  for (const { rows } of bad) for (const row of rows) Object.assign(row, PLACES[0])
  // A quantity that is a word means the same in each row, whatever the goods are.
  for (const { rows } of orders) for (const row of rows) if (row.Qty === '') row.Qty = 'two'
  const alike = await aRefusedFile(orders)
  const seen = await (await aCorrectionDesk(alike.world, { id: alike.id })).look()
  expect(seen.text).toContain(`Apply to these 2 ${first} , ${second} : Boston 02108`)
  expect(seen.text).toContain('2 records: Qty “two”')
  expect(seen.text).not.toContain('These rows differ')
})

const PLACES = [
  { City: 'Boston', Zip: '02108', State: 'ZZ' },
  { City: 'Austin', Zip: '73301', State: 'ZZ' },
]

test('a check names the records that stay refused, also those of another page, and turning the page checks again', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(120, 60))
  const { look, press } = await aCorrectionDesk(world, { id })
  const checked = await press('check', { ...(await look()).form, 'apply-1': 'NY' })
  expect(checked.text).toContain('2 records stay refused.')
  const [, left = ''] = /2 records stay refused[^]*?<ul>([^]*?)<\/ul>/.exec(checked.body) ?? []
  expect(toText(left)).toMatch(/^Not changed: HV-\d+ , HV-\d+$/)
  const [, line = '', to = ''] = /value="line-(\d+)"\s+formaction="([^"]+)"/.exec(left) ?? []
  expect(to).toBe(`/files/${id}/correct#unit-${line}`)
  const there = await press(`line-${line}`, { ...checked.form, why: 'by phone' })
  expect(there.text).toContain('Page 2 of 2')
  expect(there.body).toContain(`id="unit-${line}"`)
  expect(there.text).toContain('58 records would be sent')
  expect(there.text).toContain('– Nothing of it was changed, so it is left out.')
  expect(there.form).toMatchObject({ why: 'by phone', expected: checked.form['expected'] })
  const back = await press('page-1', there.form)
  expect(back.text).toContain('58 records would be sent')
  // Before a check, another page only shows its rows.
  expect((await press('page-2', (await look()).form)).text).not.toContain('would be sent as')
})

test('a viewer gets neither the form nor what it sends, and looking and checking write nothing', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, press, console } = await aCorrectionDesk(world, { id })
  const path = `/files/${id}/correct`
  expect((await look(path, 'viewer')).status).toBe(403)
  expect((await look(`/files/${id}`, 'viewer')).text).not.toContain('Correct 4 records')
  const { form } = await look()
  expect((await press('send', { ...form, ...WHY }, 'viewer')).status).toBe(403)
  const { journal } = await console.opened.getContext()
  const before = await journal.getHead()
  await press('check', { ...form, 'apply-1': 'NY' })
  expect(await journal.getHead()).toEqual(before)
})

test('every field has a label, and the page is also data', async () => {
  const { world, id } = await aRefusedFile(damagedOrders(20, 4))
  const { look, console } = await aCorrectionDesk(world, { id })
  const { body } = await look()
  const fields = [...body.matchAll(/<(?:input|textarea)\s[^>]*?id="([^"]+)"/g)].map(([, name = '']) => name)
  expect(fields.length).toBeGreaterThan(50)
  expect(fields.filter((name) => !body.includes(`for="${name}"`) && name !== 'search')).toEqual([])
  const answer = await console.get(`/files/${id}/correct`, 'operator', { accept: 'application/json' })
  expect(answer.json()).toMatchObject({
    records: 4,
    groups: [{ column: 'State', records: 2 }, { column: 'Qty' }],
  })
})
