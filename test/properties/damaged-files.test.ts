/** Whatever the bytes, a mapping makes drafts and problems of them: nothing is thrown, and the work is bounded by the bytes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnreadable } from '../../src/domain/format.ts'
import type { Draft, Translator } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { translatorOf } from '../mapping/sheet.ts'
import { constantMapping } from '../mapping/ready-bodies.ts'

interface Subject {
  readonly name: string
  readonly translator: Translator
  readonly sample: Buffer
}

const FOLDER = new URL('../../mappings', import.meta.url).pathname

/** Ways to read that no ready mapping has, each with a file for it. */
const OTHERS: readonly (readonly [name: string, read: object, sample: string])[] = [
  [
    'fixed width',
    {
      format: 'fixed',
      ignore: [{ startsWith: '#' }],
      columns: [
        { name: 'Key', length: 8 },
        { name: 'SKU', length: 6 },
        { name: 'Qty', length: 4 },
      ],
    },
    '# orders\r\nHV-20001A-1   0002\r\nHV-20001A-2   0001\r\nHV-20002Ä-1   0010\r\n',
  ],
  [
    'fixed width with types',
    {
      format: 'fixed',
      typeIn: { start: 1, length: 1 },
      records: {
        H: { as: 'header', columns: [{ name: 'Key', start: 2, length: 8 }] },
        A: { of: 'H', columns: [{ name: 'Note', start: 2, length: 10 }] },
        D: {
          as: 'detail',
          columns: [
            { name: 'SKU', start: 2, length: 6 },
            { name: 'Qty', length: 4 },
          ],
        },
      },
    },
    'HHV-20001\nAring twice\nDA-1   0002\nDA-2   0001\nHHV-20002\nDA-1   0010\n',
  ],
  [
    'types in a column, escapes and a Shift_JIS file',
    {
      format: 'csv',
      encoding: 'shift_jis',
      escape: '\\',
      skip: 1,
      typeIn: 'Type',
      rows: { short: 'pad', long: 'cut' },
      records: { order: { as: 'header' }, line: { as: 'detail' }, '*': { as: 'ignore' } },
    },
    'printed today\nType,Key,SKU,Qty\norder,HV-1,,\nline,,"A \\"1\\"",2\nnote,x\nline,,A-2,1\norder,HV-2,,\nline,,A-1,3\n',
  ],
  [
    'several headings and repeated columns',
    {
      format: 'csv',
      header: { lines: 3, names: 2 },
      repeated: 'allowed',
      ignore: [{ matches: 'page \\d' }],
    },
    'Order,Item,Amount,,\nKey,SKU,Qty,Note,Note\ntext,text,number,text,text\nHV-1,A-1,2,,\npage 2\nHV-1,"A\n2",1,,\nHV-2,A-1,9,,\n',
  ],
]

const subjects: readonly Subject[] = [
  ...(await readySubjects()),
  ...(await Promise.all(OTHERS.map(otherSubject))),
]

async function readySubjects(): Promise<Subject[]> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
  const loaded = await Promise.all(
    names.map(async (name) => ({ name, mapping: await loadMapping(join(FOLDER, name)) })),
  )
  return loaded.flatMap(({ name, mapping }) => {
    const [example] = mapping.examples
    if (mapping.direction !== 'inbound' || example === undefined) return []
    return [{ name, translator: mapping.translator, sample: readFileSync(join(FOLDER, example.input)) }]
  })
}

async function otherSubject([name, read, sample]: (typeof OTHERS)[number]): Promise<Subject> {
  const lines = [{ variant: { identifier: { from: 'SKU' } }, quantity: { from: 'Qty' } }]
  const body = { purchase_order_number: { from: 'Key' }, order_lines: lines }
  const grouped = 'records' in read ? { group: undefined } : {}
  return {
    name,
    translator: await translatorOf(constantMapping('create-order', body, { read, ...grouped })),
    sample: Buffer.from(sample),
  }
}

type Change = (bytes: Buffer) => Buffer

/** The damage that files take on their way: pieces lost, doubled, moved, and odd bytes among them. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place(), place()).map(([from, to]): Change => (bytes) => {
    const [first, last] = [at(bytes, from), at(bytes, to)].toSorted((a, b) => a - b)
    return Buffer.concat([bytes.subarray(0, first), bytes.subarray(last)])
  }),
  fc.tuple(place(), place(), place()).map(([from, to, behind]): Change => (bytes) => {
    const piece = bytes.subarray(at(bytes, Math.min(from, to)), at(bytes, Math.max(from, to)))
    return Buffer.concat([bytes.subarray(0, at(bytes, behind)), piece, bytes.subarray(at(bytes, behind))])
  }),
  fc.tuple(place(), strange()).map(
    ([where, piece]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), piece, bytes.subarray(at(bytes, where))]),
  ),
  fc
    .tuple(fc.constantFrom(',', '"', '\n', '\r\n', '-', '2'), fc.constantFrom('', ';', '\t', '\r', '|', '0'))
    .map(
      ([old, instead]): Change =>
        (bytes) =>
          Buffer.from(bytes.toString('latin1').replaceAll(old, instead), 'latin1'),
    ),
)

function place(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true })
}

function at(bytes: Buffer, where: number): number {
  return Math.round(where * bytes.length)
}

function strange(): fc.Arbitrary<Buffer> {
  const texts = [
    '"',
    '""',
    '"\n',
    '\0',
    '\uFEFF',
    'sep=;\n',
    '\r',
    '=1+1',
    '1E+11',
    '\u2028',
    ',,,,,,,,',
    '#',
    '{n}',
    '\\',
  ]
  return fc.oneof(
    fc.constantFrom(...texts).map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  )
}

test('every ready mapping that reads files is among them, typed, packed and with a preamble', () => {
  const names = subjects.map(({ name }) => name)

  expect(names).toEqual(
    expect.arrayContaining(['dropstream-orders.yaml', 'ebay-orders.yaml', 'woocommerce-orders-packed.yaml']),
  )
  expect(names.length).toBeGreaterThan(15)
})

test.each(subjects)(
  '$name: its sample is translated, however its bytes arrive',
  async ({ translator, sample }) => {
    const { drafts } = await translated(translator, sample, 1)

    expect(drafts.length).toBeGreaterThan(0)
    expect(await translated(translator, sample, 4096)).toEqual(await translated(translator, sample, 1))
  },
)

test.each(subjects)(
  '$name: of a damaged sample every line has one outcome',
  async ({ translator, sample }) => {
    const damaged = fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
      const bytes = changes.reduce((before, apply) => apply(before).subarray(0, 20_000), sample)
      return { bytes, [fc.toStringMethod]: () => JSON.stringify(bytes.toString()) }
    })

    await fc.assert(
      fc.asyncProperty(damaged, fc.integer({ min: 7, max: 4096 }), async ({ bytes }, size) => {
        expect(faults(await translated(translator, bytes, size), bytes)).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)

test.each(subjects)('$name: any bytes are read to their end', async ({ translator }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 400 }),
      fc.integer({ min: 1, max: 50 }),
      async (bytes, size) => {
        expect(faults(await translated(translator, Buffer.from(bytes), size), Buffer.from(bytes))).toEqual([])
      },
    ),
    { numRuns: 40 },
  )
})

interface Translated {
  /** Why the file as a whole cannot be used. */
  readonly refusals: number
  readonly drafts: readonly Draft[]
  /** The first line of each row. */
  readonly rows: readonly number[]
}

async function translated(translator: Translator, bytes: Buffer, size: number): Promise<Translated> {
  const refused = (refusals: number) => ({ refusals, drafts: [], rows: [] })
  const reading = await createFormats().read(pieces(bytes, size), translator.read)
  if (isUnreadable(reading)) return refused(reading.problems.length)
  const bound = translator.bind(reading.layouts, { file: 'orders.csv', folder: 'inbox' })
  if (!('keyColumns' in bound)) return refused(bound.length)
  const drafts: Draft[] = []
  const rows: number[] = []
  for await (const batch of reading.batches) {
    rows.push(...batch.map(({ line }) => line))
    drafts.push(...bound.translateRows(batch))
  }
  return { refusals: 0, drafts: [...drafts, ...bound.finish()], rows }
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size)
    yield await Promise.resolve(bytes.subarray(from, from + size))
}

/** The errors in the outcome: every row is in one record, and every record has a draft or a problem. */
function faults({ refusals, drafts, rows }: Translated, bytes: Buffer): string[] {
  if (refusals > 0) return []
  const found: string[] = []
  if (rows.length > bytes.length) found.push(`${rows.length} rows of ${bytes.length} bytes`)
  for (const { number, body, problems, skipped } of drafts) {
    if ((body === undefined) !== problems.length > 0)
      found.push(`record ${number} is neither good nor refused`)
    if (skipped !== undefined && problems.length !== 1)
      found.push(`record ${number} is skipped without a reason`)
  }
  // Lines that were packed in one row of the file are all on its line.
  const outcomes = drafts.flatMap((draft) => [...new Set(draft.lines.map(([first]) => first))])
  const sorted = (lines: readonly number[]) => lines.toSorted((a, b) => a - b).join()
  if (sorted(outcomes) !== sorted(rows))
    found.push(`rows ${sorted(rows)}, but outcomes of ${sorted(outcomes)}`)
  return found
}
