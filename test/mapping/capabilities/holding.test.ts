/** Records for which the API has no call: the mapping holds them for a person. */
import { expect, test } from 'vitest'
import { draftsOf, HEADER, errorsOf, ORDERS, orderRow, placesOf, sheet } from '../sheet.ts'

const withKeys = (keys: string) => ORDERS.replace('body:', `${keys}\nbody:`)
const rowsOf = (...rows: Record<string, string>[]) => sheet([HEADER, ...rows.map(orderRow)].join('\n'))

const BY_SHIP_VIA = withKeys(
  'hold: [{ when: { Ship Via: Pigeon }, say: No pigeons. }, { unless: { Gift: blank }, say: Wrap it by hand. }]',
)

test('a record is held in the words of the rule, whatever else is wrong with it', async () => {
  const rows = rowsOf(
    { 'PO Number': 'A', 'Ship Via': 'pigeon', Qty: 'none' },
    { 'PO Number': 'B', 'Ship Via': 'Pigeon', Gift: 'Hurrah' },
    { 'PO Number': 'C' },
  )

  const [first, second, third] = await draftsOf(BY_SHIP_VIA, rows)

  expect(first).toEqual({
    number: 1,
    lines: [[2, 2]],
    keyValues: ['A'],
    references: [],
    problems: [
      expect.objectContaining({
        code: 'held-by-mapping',
        message: 'No pigeons.',
        place: { line: 2, column: 'Ship Via' },
      }) as unknown,
    ],
    held: true,
  })
  expect(second?.problems.map(({ message }) => message)).toEqual(['No pigeons.', 'Wrap it by hand.'])
  expect(third).not.toHaveProperty('held')
  expect(third?.body).toBeDefined()
})

test('one line holds the whole record, even one that makes no line of it', async () => {
  const text = withKeys(
    'lines: { hold: [{ when: { SKU: [GONE, LOST] }, say: Tell the retailer. }] }',
  ).replace('- variant:', '- when: { SKU: { not: LOST } }\n      variant:')
  const rows = rowsOf(
    { 'PO Number': 'A', SKU: 'NL-1' },
    { 'PO Number': 'A', SKU: 'gone' },
    { 'PO Number': 'B', SKU: 'NL-1' },
    { 'PO Number': 'B', SKU: 'LOST' },
    { 'PO Number': 'C', SKU: 'NL-1' },
  )

  const drafts = await draftsOf(text, rows)

  expect(drafts.map((draft) => [draft.held, draft.lines.length, ...placesOf(draft)])).toEqual([
    [true, 2, 'held-by-mapping@3:SKU'],
    [true, 2, 'held-by-mapping@5:SKU'],
    [undefined, 1],
  ])
})

test('what is left out on purpose is not held, and rows that disagree refuse the record', async () => {
  const text = withKeys('only: { Gift: blank }\nhold: [{ when: { Ship Via: Pigeon }, say: No pigeons. }]')
  const rows = rowsOf(
    { 'PO Number': 'A', Gift: 'Hurrah', 'Ship Via': 'Pigeon' },
    { 'PO Number': 'B', 'Ship Via': 'Pigeon', SKU: 'NL-1' },
    { 'PO Number': 'B', 'Ship Via': 'FedEx Ground', SKU: 'NL-2' },
  )

  const [left, refused] = await draftsOf(text, rows)

  expect(left).toMatchObject({ skipped: true })
  expect(refused).not.toHaveProperty('held')
  expect(refused?.problems.map(({ code }) => code)).toContain('rows-disagree')
})

test('a column that a rule names must be in the file', async () => {
  const text = withKeys('hold: [{ when: { Decision: No }, say: Tell them. }]')

  await expect(draftsOf(text, rowsOf({}))).rejects.toThrow(/Decision/)
})

test.each([
  ['hold: [{ when: { Qty: 1 } }]', '4:8 hold[0]: say is missing'],
  ['hold: [{ say: Never }]', '4:8 hold[0]: a check has `say` and one of `when` and `unless`'],
  [
    'lines: { hold: [{ when: { $rw: 1 }, say: No. }] }',
    '4:27 lines.hold[0].when.$rw: there is no $rw. Did you mean "$row"?',
  ],
])('%s is reported with its place', async (keys, error) => {
  expect(await errorsOf(withKeys(keys))).toEqual([error])
})
