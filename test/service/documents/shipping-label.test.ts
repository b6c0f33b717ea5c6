import { describe, expect, it } from 'vitest'
import { createDocumentRenderer } from '../../../src/service/documents/handlers.ts'
import { type Bitmap, bitmapOfPdf, collisions, readBarcodesOf, readPdf } from './reading.ts'
import { CONSUMER, shippingLabel } from './samples.ts'

const documents = createDocumentRenderer()

type Changes = Parameters<typeof shippingLabel>[0]

async function pdfOf(changes: Changes = {}): Promise<Buffer> {
  return (await documents.shippingLabel(shippingLabel(changes), 'pdf')).content
}

async function pngOf(changes: Changes = {}): Promise<Buffer> {
  return (await documents.shippingLabel(shippingLabel(changes), 'png')).content
}

async function zplOf(changes: Changes = {}): Promise<string> {
  return (await documents.shippingLabel(shippingLabel(changes), 'zpl')).content.toString('utf8')
}

/** The numbers that carriers use, the longest that the API allows, and odd ones. */
const NUMBERS = [
  { number: '1Z999AA10123456784', format: 'Code128' },
  { number: '9400111899223197428490', format: 'Code128' },
  { number: '420021349200190106334500000001', format: 'Code128' },
  { number: '^XZ~JA_5E', format: 'Code128' },
  { number: 'A>B>:C', format: 'DataMatrix' },
  { number: 'ABCDEFGH'.repeat(16), format: 'DataMatrix' },
  { number: 'Zoë-Łódź-ß', format: 'DataMatrix' },
  { number: '追跡番号'.repeat(32), format: 'DataMatrix' },
]

describe('a label as PDF', () => {
  it('is a page of 4 by 6 inches that says everything a carrier needs', async () => {
    const { contentType } = await documents.shippingLabel(shippingLabel(), 'pdf')
    expect(contentType).toBe('application/pdf')
    const { pages, title, createdAt } = await readPdf(
      await pdfOf({ shipTo: { ...CONSUMER, phone1: '207-555-0144' } }),
    )
    expect(title).toBe('Shipping label 794644790132')
    expect(createdAt).toBe('D:20261121021500Z')
    expect(pages.map(({ width, height }) => [width, height])).toEqual([[288, 432]])
    expect(pages[0]!.lines).toEqual(
      [
        ['FROM', 'Northlight Goods', 'Warehouse 3', '1200 Industrial Parkway', 'Dock 14'],
        ['Reno, NV 89502', 'US', 'Tel. +1 775 555 0100'],
        ['PARCEL', '2.5 lb', '12 × 8 × 6.25 in', '2026-11-21 (UTC)'],
        ['SHIP TO', 'Zoë Łukasiewicz', '48 Harbor View Terrace', 'Portland, ME 04101', 'US'],
        ['Tel. 207-555-0144', 'FedEx Ground', 'FedEx · FDEG'],
        ['TRACKING NUMBER', '794644790132', 'PO: PO-2026-001187', 'REF: Bin 14'],
      ].flat(),
    )
    expect(collisions(pages[0]!)).toEqual([])
  })

  it('writes the receiver larger than the sender', async () => {
    const { pages } = await readPdf(await pdfOf())
    const sizeOf = (wanted: string) => pages[0]!.texts.find(({ text }) => text === wanted)!.size
    expect(sizeOf('Zoë Łukasiewicz')).toBeGreaterThan(1.8 * sizeOf('Northlight Goods'))
  })

  it('asks for a signature only when one is required', async () => {
    const without = await readPdf(await pdfOf({ signature: null }))
    const required = await readPdf(await pdfOf({ signature: 'required' }))
    expect(without.lines).not.toContain('SIGNATURE REQUIRED')
    expect(required.lines).toContain('SIGNATURE REQUIRED')
    expect(required.pages.flatMap(collisions)).toEqual([])
  })

  it('has no line for a reference that was not given', async () => {
    const { lines } = await readPdf(await pdfOf({ reference: null }))
    expect(lines.at(-1)).toBe('PO: PO-2026-001187')
  })

  it('holds the longest texts of the API on its one page, the country and the whole number among them', async () => {
    const number = 'ABCDEFGH'.repeat(16)
    const longest = 'W'.repeat(255)
    const address = {
      ...CONSUMER,
      name1: longest,
      name2: longest,
      street1: longest,
      street2: longest,
      city: longest,
    }
    const { pages } = await readPdf(
      await pdfOf({
        shipFrom: address,
        shipTo: address,
        methodName: longest,
        carrierName: longest,
        trackingNumber: number,
        purchaseOrderNumber: 'W'.repeat(32),
        reference: 'W'.repeat(30),
        signature: 'required',
      }),
    )
    expect(pages).toHaveLength(1)
    expect(collisions(pages[0]!)).toEqual([])
    expect(pages[0]!.lines.filter((line) => line === 'US')).toHaveLength(2)
    expect(pages[0]!.lines.join('')).toContain(number)
  })

  it.each(NUMBERS)('prints $number as a $format that reads back', async ({ number, format }) => {
    const bitmap = await bitmapOfPdf(await pdfOf({ trackingNumber: number }))
    expect(await readBarcodesOf(bitmap)).toEqual([{ format, text: number }])
  })
})

describe('a label as PNG', () => {
  it('is an image of 4 by 6 inches at 203 dots to the inch', async () => {
    const { contentType, content } = await documents.shippingLabel(shippingLabel(), 'png')
    expect(contentType).toBe('image/png')
    expect(content.subarray(1, 4).toString('latin1')).toBe('PNG')
    expect([content.readUInt32BE(16), content.readUInt32BE(20)]).toEqual([812, 1218])
  })

  it.each(NUMBERS)('prints $number as a $format that reads back', async ({ number, format }) => {
    expect(await readBarcodesOf(await pngOf({ trackingNumber: number }))).toEqual([{ format, text: number }])
  })
})

describe('a label as ZPL', () => {
  it('is one label of 4 by 6 inches at 203 dots to the inch, in UTF-8', async () => {
    const zpl = await zplOf()
    expect(zpl).toMatch(/^\^XA\n\^CI28\n\^PW812\n\^LL1218\n/)
    expect(zpl).toMatch(/\^PQ1\n\^XZ\n$/)
    expect(zpl).toContain('^FDZoë Łukasiewicz^FS')
    expect(zpl).toContain('^FDPortland, ME 04101^FS')
    expect((await documents.shippingLabel(shippingLabel(), 'zpl')).contentType).toBe('application/zpl')
  })

  it('leaves the bar code to the printer and writes the number beneath it', async () => {
    const zpl = await zplOf({ trackingNumber: '1Z999AA10123456784' })
    expect(zpl).toMatch(/\^BY3\^BCN,192,N,N,N,A\^FH_\^FD1Z999AA10123456784\^FS/)
    expect(zpl).toMatch(/\^A0N,34\^FH_\^FD1Z999AA10123456784\^FS/)
  })

  it('never lets data end the label or command the printer', async () => {
    const zpl = await zplOf({
      shipTo: { ...CONSUMER, name1: '^XZ~JA', street1: 'a_5Eb\n^XA' },
      trackingNumber: '^XZ_1',
      reference: '~DG^FS',
    })
    expect(zpl.match(/\^XA/g)).toHaveLength(1)
    expect(zpl.match(/\^XZ/g)).toHaveLength(1)
    expect(zpl).not.toContain('~')
    expect(zpl).toContain('^FD_5EXZ_7EJA^FS')
    expect(zpl).toContain('^FDa_5F5Eb _5EXA^FS')
    expect(zpl).toContain('^BCN,192,N,N,N,A^FH_^FD_5EXZ_5F1^FS')
  })

  it.each(NUMBERS.filter(({ format }) => format === 'DataMatrix'))(
    'holds $number as an image that reads back',
    async ({ number }) => {
      const bitmap = bitmapOfZpl(await zplOf({ trackingNumber: number }))
      expect(await readBarcodesOf(bitmap)).toEqual([{ format: 'DataMatrix', text: number }])
    },
  )
})

/** The image of a label, with a white margin around it. */
function bitmapOfZpl(zpl: string): Bitmap {
  const [, total, bytesPerRow, hex] = /\^GFA,\d+,(\d+),(\d+),([0-9A-F]+)\^FS/.exec(zpl)!
  const rows = Number(total) / Number(bytesPerRow)
  const size = { width: Number(bytesPerRow) * 8 + 40, height: rows + 40 }
  const pixels = new Uint8Array(size.width * size.height)
  for (const [index, byte] of Buffer.from(hex!, 'hex').entries()) {
    const y = 20 + Math.floor(index / Number(bytesPerRow))
    const x = 20 + (index % Number(bytesPerRow)) * 8
    for (let bit = 0; bit < 8; bit += 1) pixels[y * size.width + x + bit] = (byte >> (7 - bit)) & 1
  }
  return { ...size, pixels }
}

it.each(['pdf', 'png', 'zpl'] as const)('the same data makes the same %s to the byte', async (format) => {
  const one = await documents.shippingLabel(shippingLabel(), format)
  const again = await createDocumentRenderer().shippingLabel(shippingLabel(), format)
  const other = await documents.shippingLabel(shippingLabel({ weight: '2.6' }), format)
  expect(one.content.equals(again.content)).toBe(true)
  expect(one.content.equals(other.content)).toBe(false)
})
