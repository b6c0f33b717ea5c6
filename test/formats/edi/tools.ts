/** Mappings of orders in X12 and EDIFACT, and files read through them. */
import { join } from 'node:path'
import { isUnreadable, type Row } from '../../../src/domain/format.ts'
import type { Problem } from '../../../src/domain/problem.ts'
import type { Draft, Translator } from '../../../src/domain/translator.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import type { Syntax } from '../../../src/edi/segment.ts'
import { toExampleBody } from '../../../src/mapping/examples.ts'
import { loadMapping } from '../../../src/mapping/load.ts'
import { repeatable } from '../../../src/support/async.ts'
import { dress, makeInterchange, type MadeDocument } from '../../fixtures/edi-maker.ts'
import { translateAll, translatorOf } from '../../mapping/sheet.ts'

const SHIP_VIA = `
tables:
  ship-via:
    rows:
      FedEx Ground: { method: FEDEX_GROUND, carrier: FDEG }
      UPS Ground: { method: UPS_GROUND, carrier: UPSN }
      USPS Priority: { method: USPS_PRIORITY, carrier: USPS }
`

export const ORDERS_850 = `
operation: create-order
read: { format: x12, document: 850 }
body:
  purchase_order_number: BEG.03
  customer_order_number: [REF*CO.02, REF*OQ.02]
  ordered_at: [DTM*004.date, BEG.05]
  ship_to:
    name1: N1*ST.02
    name2: N1*ST/N2.01
    street1: N1*ST/N3.01
    street2: [N1*ST/N3.02, N1*ST/N3#2.01]
    city: N1*ST/N4.01
    province: N1*ST/N4.02
    postal_code: N1*ST/N4.03
    country: { from: N1*ST/N4.04, default: US }
    phone1: [N1*ST/PER.TE, PER.TE]
    email: [N1*ST/PER.EM, PER.EM]
  gift_message: { every: N9*L1|ZZ/MSG.01 }
  shipping_method:
    code: { from: [TD5.05, N1*ST/TD5.05], table: ship-via, pick: method }
    carrier: { code: { from: [TD5.05, N1*ST/TD5.05], table: ship-via, pick: carrier } }
  order_lines:
    - variant: { identifier: PO1.SK, upc: [PO1.UP, PO1.EN] }
      quantity: PO1.02
      net_price: PO1.04
      price: [CTP*RES.03, CTP*RTL.03, PO1.04]
${SHIP_VIA}`

export const ORDERS_EDIFACT = `
operation: create-order
read: { format: edifact, document: ORDERS }
body:
  purchase_order_number: BGM.1004
  customer_order_number: RFF+CR.1154
  ordered_at: DTM+137.date
  ship_to:
    name1: NAD+DP.3036
    name2: NAD+DP.3036#2
    street1: NAD+DP.3042
    city: NAD+DP.3164
    province: NAD+DP.3229
    postal_code: NAD+DP.3251
    country: NAD+DP.3207
    phone1: NAD+DP/COM.TE
    email: NAD+DP/COM.EM
  gift_message: { every: FTX+GFT|DEL.4440 }
  shipping_method:
    code: { from: [TDT+20.8067, TDT+20.3128, TDT+20.3127], table: ship-via, pick: method }
    carrier: { code: { from: [TDT+20.3128, TDT+20.8067, TDT+20.3127], table: ship-via, pick: carrier } }
  order_lines:
    - variant: { identifier: [LIN.SA, LIN.IN], upc: [LIN.UP, LIN.EN] }
      quantity: QTY+21.6060
      net_price: PRI+AAA.5118
      price: [PRI+INF.5118, PRI+AAB.5118]
${SHIP_VIA}`

export const ORDERS: Readonly<Record<Syntax, string>> = { x12: ORDERS_850, edifact: ORDERS_EDIFACT }

export type Chunks = readonly Uint8Array[]

/** Bytes in one piece, or in the pieces that are given. */
export function toInput(file: Uint8Array | Chunks): AsyncIterable<Uint8Array> {
  const chunks = file instanceof Uint8Array ? [file] : file
  return repeatable(async function* () {
    for (const chunk of chunks) yield await Promise.resolve(chunk)
  })
}

export interface ReadFile {
  readonly rows: readonly Row[]
  readonly drafts: readonly Draft[]
  /** Why the whole file is unusable. */
  readonly unusable: readonly Problem[]
}

/** Compiled once: some tests read a file a thousand times. */
const translators = new Map<string, Promise<Translator>>()

function getTranslator(mapping: string, beside: MappingFiles = {}): Promise<Translator> {
  const key = [mapping, ...Object.values(beside)].join('\0')
  const known = translators.get(key) ?? translatorOf(mapping, beside)
  translators.set(key, known)
  return known
}

/** What the mapping names, by path: grammars, tables and the mapping that it extends. */
type MappingFiles = Readonly<Record<string, string>>

/** Reads a file as the mapping says. */
export async function readFile(
  mapping: string,
  file: Uint8Array | Chunks,
  beside?: MappingFiles,
): Promise<ReadFile> {
  return readThrough(await getTranslator(mapping, beside), file)
}

/** Reads documents as a ready mapping says, such as `x12/850-orders`: in one interchange of one group. */
export async function readReady(name: string, ...sets: readonly MadeDocument[]): Promise<ReadFile> {
  const mapping = await loadMapping(join(import.meta.dirname, `../../../mappings/${name}.yaml`))
  if (mapping.direction !== 'inbound') throw new Error(`${name} is an export`)
  const syntax = name.startsWith('x12') ? 'x12' : 'edifact'
  const bytes = dress(makeInterchange({ syntax, groups: [{ sets }] }), { newline: '\n' })
  return readThrough(mapping.translator, bytes)
}

export async function readThrough(translator: Translator, file: Uint8Array | Chunks): Promise<ReadFile> {
  const reading = await createFormats().read(toInput(file), translator.read)
  if (isUnreadable(reading)) return { rows: [], drafts: [], unusable: reading.problems }
  const rows: Row[] = []
  for await (const batch of reading.batches) rows.push(...batch)
  const { drafts, problems } = translateAll(translator, reading.layouts, rows)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  return { rows, drafts, unusable: [] }
}

/** What becomes of a record, as results files name it. */
export function outcomeOf({ skipped, held, body }: Draft): 'taken' | 'refused' | 'held' | 'skipped' {
  if (skipped === true) return 'skipped'
  if (held === true) return 'held'
  return body === undefined ? 'refused' : 'taken'
}

/** The bodies that would be sent, as JSON. */
export function bodiesOf({ drafts }: ReadFile): unknown[] {
  return drafts.filter(({ body }) => body !== undefined).map((draft) => toExampleBody(draft))
}

/** `code segment 14 (N1*ST/N4)`, without the byte and the set. */
export function problemsOf(drafts: readonly Draft[]): string[] {
  return drafts.flatMap(({ problems }) =>
    problems.map(({ code, place: { spot } }) => {
      const { segment = 0, id = '', element } = spot ?? {}
      const part = element === undefined ? '' : ` ${String(element).padStart(2, '0')}`
      return `${code} segment ${segment} (${id})${part}`
    }),
  )
}

/** The rows as data, each with the place of its order number. */
export function plainRows(rows: readonly Row[]) {
  return rows.map((row) => ({ ...row, spot: row.findSpot?.('BEG.03') ?? row.findSpot?.('BGM.1004') }))
}

/** Copies the records of these rows out of the file. */
export async function copyRanges(
  mapping: string,
  file: Uint8Array | Chunks,
  ranges: readonly (readonly [number, number])[],
): Promise<Buffer> {
  const { read } = await getTranslator(mapping)
  const pieces: Uint8Array[] = []
  const options = { read, encoding: 'utf-8', headerLines: 0, ranges }
  for await (const piece of createFormats().copyRecords(toInput(file), options)) pieces.push(piece)
  return Buffer.concat(pieces)
}
