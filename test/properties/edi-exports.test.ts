/** Documents out of any records of the API: they pass our own checker, fit the dictionary, and read back as what they were. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc, { type GeneratorValue } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ElementInfo } from '../../src/edi/dictionary.ts'
import { DICTIONARIES } from '../../src/edi/documents.ts'
import type { Segment, Syntax } from '../../src/edi/segment.ts'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { toAscii } from '../../src/mapping/values/text.ts'
import {
  type ApiRecord,
  checkFile,
  exportRecords,
  loadExport,
  loadImport,
  ROOT,
} from '../formats/edi/exported.ts'
import { readThrough } from '../formats/edi/tools.ts'

/** Without shrinking: a record that fails is shown as it is. */
const RUNS = { numRuns: 20, endOnFailure: true }

// Records: those of the samples, with other values of the same kinds.

const NAUGHTY = [
  '*',
  '~',
  '>',
  '^',
  '+',
  ':',
  "'",
  '?',
  '??',
  "?'",
  '\r\n',
  '\n',
  '\t',
  '\0',
  '\u001F',
  '\u0085',
]
const TEXTS = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 2, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...NAUGHTY, 'a', 'é', 'ß', 'Ł', '王', '😀', ' '), { maxLength: 12 })
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'x'.repeat(23), 'n'.repeat(300), 'é'.repeat(60), 'SE*1*0001~'),
  },
)
/** Texts that every document can hold. */
const PLAIN = fc.stringMatching(/^[A-Za-z0-9]{2,8}( [A-Za-z0-9]{1,6}){0,2}$/)
const AMOUNTS = fc.oneof(
  fc.constantFrom('0', '0.00', '0.5', '0.50', '1234567.89', '-1', '-1.00'),
  fc.integer({ min: 1, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
)
const INSTANTS = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2035-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 16)}:00Z`)

/** Values with a meaning of their own, and those that tables of the ready mappings know. */
const FIXED = /^(status|created_by|type|currency|country|province|brand|retailer|shipping_method|part|kept)$/
const AMOUNT = /(price|amount|subtotal|charged|charges)$/

interface Choice {
  readonly any: boolean
  readonly draw: GeneratorValue
}

function vary(value: unknown, key: string, choice: Choice): unknown {
  const { any, draw } = choice
  if (FIXED.test(key)) return value
  if (key === 'reason') return any ? draw(() => fc.oneof(fc.constant(value), TEXTS)) : value
  if (key === 'upc') return draw(() => fc.option(fc.stringMatching(/^0[0-9]{11}$/), { freq: 8 }))
  if (key.endsWith('_at') || key === 'fulfill_by') {
    return draw(() => (any ? fc.option(INSTANTS, { freq: 10 }) : INSTANTS))
  }
  if (AMOUNT.test(key) && typeof value === 'string')
    return draw(() => (any ? AMOUNTS : AMOUNTS.filter((text) => !text.startsWith('-'))))
  if (Array.isArray(value)) return varyList(value, key, choice)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inside]) => [name, vary(inside, name, choice)]),
    )
  if (key === 'id') return draw(() => fc.integer({ min: 10, max: 2_147_483_647 }))
  if (key === 'quantity' || key === 'quantity_canceled')
    return draw(() => fc.integer({ min: key === 'quantity' ? 3 : 0, max: key === 'quantity' ? 99 : 2 }))
  if (typeof value === 'string' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return varyText(value, key, choice)
  return value
}

function varyText(value: string, key: string, { any, draw }: Choice): string {
  if (/^-?\d+(\.\d+)?$/.test(value) && key.startsWith('ship_'))
    return draw(() => fc.constantFrom('0.5', '12.5', '1', '150.25'))
  // A city has two letters, and a postal code three.
  const least = key === 'postal_code' ? /^[0-9]{5}$/ : /^[A-Z][a-z]{2,9}$/
  if (!any && (key === 'postal_code' || key === 'city')) return draw(() => fc.stringMatching(least))
  return draw(() => (any ? fc.oneof(PLAIN, TEXTS) : PLAIN))
}

function varyList(list: readonly unknown[], key: string, choice: Choice): unknown[] {
  if (key === 'gift_message')
    return choice.draw(() => fc.array(choice.any ? TEXTS : PLAIN, { maxLength: 12 }))
  const [first] = list
  if (first === undefined || key === 'attributes' || key === 'media')
    return list.map((item) => (key === 'attributes' ? item : vary(item, '', choice)))
  const count = choice.draw(() => fc.integer({ min: choice.any ? 0 : 1, max: 4 }))
  return Array.from({ length: count }, (_, index) => {
    const item = vary(list[index % list.length], '', choice)
    // Each item of a record is another one.
    return typeof item === 'object' && item !== null && 'order_line_number' in item
      ? { ...item, order_line_number: String(index + 1) }
      : item
  })
}

function readSample(name: string): ApiRecord[] {
  return JSON.parse(readFileSync(join(ROOT, 'samples/exports', `${name}.json`), 'utf8')) as ApiRecord[]
}

const ADDRESS = {
  id: 5,
  type: null,
  name1: 'Bill',
  name2: 'Floor',
  street1: 'Street',
  street2: 'Door',
  city: 'Reno',
  province: 'NV',
  postal_code: '89502',
  country: 'US',
  phone1: '555',
  phone2: null,
  fax: null,
  email: 'a@b.cc',
}
const ADJUSTMENT = { type: 'shipping', description: 'By air', amount: '1.00' }

const EXPORTS: readonly { name: string; sample: string; more?: ApiRecord }[] = [
  { name: 'x12/850-export', sample: 'orders', more: { sold_to: ADDRESS, ship_to: ADDRESS } },
  { name: 'x12/860-export', sample: 'canceled-orders' },
  { name: 'x12/855-export', sample: 'acknowledged-orders' },
  { name: 'x12/865-export', sample: 'cancels-of-orders' },
  { name: 'x12/856-export', sample: 'shipments' },
  {
    name: 'x12/810-export',
    sample: 'invoices',
    more: { remit_to: ADDRESS, charges: [ADJUSTMENT], allowances: [ADJUSTMENT] },
  },
  { name: 'x12/812-export', sample: 'credits', more: { adjustments: [ADJUSTMENT] } },
  { name: 'x12/180-export', sample: 'returns' },
  { name: 'x12/846-export', sample: 'variants' },
  { name: 'edifact/orders-export', sample: 'orders', more: { sold_to: ADDRESS, ship_to: ADDRESS } },
  { name: 'edifact/ordchg-export', sample: 'canceled-orders' },
  { name: 'edifact/ordrsp-export', sample: 'acknowledged-orders' },
  { name: 'edifact/desadv-export', sample: 'shipments' },
  {
    name: 'edifact/invoic-export',
    sample: 'invoices',
    more: { remit_to: ADDRESS, charges: [ADJUSTMENT], allowances: [ADJUSTMENT] },
  },
  { name: 'edifact/invrpt-export', sample: 'variants' },
]

function drawRecords(draw: GeneratorValue, sample: string, more: ApiRecord | undefined, any: boolean) {
  return readSample(sample).map((record) => vary({ ...record, ...more }, '', { any, draw }) as ApiRecord)
}

// Whether each element fits what the dictionary knows of it.

function listUnfit(segments: readonly Segment[], syntax: Syntax): string[] {
  return segments.flatMap((segment) => {
    const info = DICTIONARIES[syntax].find(segment.id)
    if (info === undefined || /^(ISA|GS|UNA|UNB)$/.test(segment.id)) return []
    return info.elements.flatMap((element, index) => {
      const parts =
        element.components.length === 0
          ? [[segment.value(index + 1), element] as const]
          : element.components.map((part, at) => [segment.value(index + 1, at + 1), part] as const)
      return parts
        .filter(([text, part]) => !isFit(text, part))
        .map(([text, { number }]) => `${segment.id} ${index + 1} (${number}): ${JSON.stringify(text)}`)
    })
  })
}

function isFit(text: string, { type, min, max }: ElementInfo): boolean {
  if (text === '') return true
  if (text !== text.trim()) return false
  if (/^N\d$/.test(type)) return /^-?\d+$/.test(text) && hasDigits(text, min, max)
  if (type === 'R') return /^-?(0|[1-9]\d*|0\d+)(\.\d*[1-9])?$/.test(text) && hasDigits(text, min, max)
  if (type === 'DT') return /^\d{8}$/.test(text)
  if (type === 'TM') return /^\d{4}$/.test(text)
  return text.length >= min && text.length <= max && !/\p{Cc}/u.test(text)
}

function hasDigits(text: string, min: number, max: number): boolean {
  const digits = text.replace(/[-.]/g, '').length
  return digits >= min && digits <= max
}

describe.each(EXPORTS)('$name', ({ name, sample, more }) => {
  const syntax: Syntax = name.startsWith('x12') ? 'x12' : 'edifact'

  test('writes any records as sets in which the checker finds nothing, or holds them', async () => {
    const { composer } = await loadExport(name)
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.boolean(), async (draw, any) => {
        const records = drawRecords(draw, sample, more, any)
        const { bytes, records: outcomes, written } = exportRecords(composer, records)
        const { sets, faults, segments } = await checkFile(bytes)

        const held = outcomes.filter(({ problems }) => problems.length > 0)
        expect(held.length + written.length).toBe(records.length)
        // Plain values are all written.
        expect(any ? [] : held).toEqual([])
        if (written.length === 0) return
        expect(faults).toEqual([])
        expect(sets).toBe(composer.frame === undefined ? written.length : 1)
        expect(listUnfit(segments, syntax)).toEqual([])
      }),
      RUNS,
    )
  })
})

// Reading back.

/** What a document makes of a text: controls and delimiters are blanks, and X12 is plain ASCII. */
function toWritten(value: unknown, syntax: Syntax): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const folded = Array.from(text.normalize('NFC'), (letter) =>
    letter < '\u0080' || syntax === 'edifact' ? letter : (toAscii(letter) ?? letter),
  ).join('')
  // The ready mappings write 004010, in which elements do not repeat: ^ is data there.
  const clean = syntax === 'x12' ? folded.replaceAll(/[*~>]/g, ' ') : folded
  return squash(clean)
}

/** Readers take blanks, and the quotes of spreadsheets, away from the ends of a text. */
function squash(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Z}]+/gu, ' ').replaceAll(/^[ '"=]+|[ '"]+$/g, '')
}

type Fields = Readonly<Record<string, unknown>>

const listOf = (record: Fields, list: string) => (record[list] ?? []) as readonly Fields[]

const READ_BACK = [
  {
    name: 'x12/810-export',
    reader: 'x12/810-invoices',
    sample: 'invoices',
    fields: ['purchase_order_number', 'invoice_number', 'due_amount'],
    lines: ['invoice_lines', 'quantity'],
  },
  {
    name: 'edifact/invoic-export',
    reader: 'edifact/invoic',
    sample: 'invoices',
    fields: ['purchase_order_number', 'invoice_number', 'due_amount'],
    lines: ['invoice_lines', 'quantity'],
  },
  {
    name: 'x12/856-export',
    reader: 'x12/856-shipments',
    sample: 'shipments',
    fields: ['tracking_number'],
    lines: ['shipment_lines', 'quantity'],
  },
  {
    name: 'edifact/desadv-export',
    reader: 'edifact/desadv',
    sample: 'shipments',
    fields: ['tracking_number'],
    lines: ['shipment_lines', 'quantity'],
  },
] as const

test.each(READ_BACK)(
  '$name reads back by $reader as what it was',
  async ({ name, reader, sample, fields, lines }) => {
    const syntax: Syntax = name.startsWith('x12') ? 'x12' : 'edifact'
    const { composer } = await loadExport(name)
    const { translator } = await loadImport(join(ROOT, 'mappings', `${reader}.yaml`))
    const [list, quantity] = lines
    let compared = 0
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.boolean(), async (draw, any) => {
        const [record = {}] = drawRecords(draw, sample, undefined, any)
        const { bytes, written } = exportRecords(composer, [record], { usage: 'production' })
        if (written.length === 0) return
        const { drafts } = await readThrough(translator, bytes)
        const [draft] = drafts
        expect(drafts).toHaveLength(1)
        // The API may refuse what it showed, such as an amount below zero.
        if (draft?.body === undefined) return
        const body = toExampleBody(draft)
        compared += 1
        for (const field of fields) {
          const value = toWritten(record[field], syntax)
          const expected = /^-?\d+(\.\d+)?$/.test(value) && field === 'due_amount' ? Number(value) : value
          const own = body[field]
          const read = squash(typeof own === 'string' || typeof own === 'number' ? String(own) : '')
          expect(typeof expected === 'number' ? Number(read) : read, field).toEqual(expected)
        }
        const items = listOf(record, list).filter(({ part }) => part === undefined || part === 1)
        const sum = (of: readonly Fields[]) => of.reduce((total, each) => total + Number(each[quantity]), 0)
        expect(sum(listOf(body, list))).toBe(sum(items))
      }),
      RUNS,
    )
    expect(compared).toBeGreaterThan(3)
  },
)
