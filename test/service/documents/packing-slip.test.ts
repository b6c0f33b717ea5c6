import { describe, expect, it } from 'vitest'
import { createDocumentRenderer } from '../../../src/service/documents/handlers.ts'
import { collisions, readPdf } from './reading.ts'
import { CONSUMER, packingSlip, slipLine } from './samples.ts'

const documents = createDocumentRenderer()

async function rendered(changes: Parameters<typeof packingSlip>[0] = {}) {
  return readPdf(await documents.packingSlip(packingSlip(changes)))
}

describe('a packing slip', () => {
  it('says on a US Letter page who sends what to whom', async () => {
    const { title, createdAt, pages, lines } = await rendered({ lines: [slipLine({ size: 'M' })] })
    expect(title).toBe('Packing slip PO-2026-001187')
    expect(createdAt).toBe('D:20261121021500Z')
    expect(pages.map(({ width, height }) => [width, height])).toEqual([[612, 792]])
    const column = (caption: string) => lines.slice(lines.indexOf(caption) + 1)
    expect(lines.slice(0, 3)).toEqual(['Packing slip', 'Harbor & Pine', 'Fulfilled by Northlight Goods'])
    expect(column('SHIP FROM').slice(0, 6)).toEqual([
      'Northlight Goods',
      'Warehouse 3',
      '1200 Industrial Parkway',
      'Dock 14',
      'Reno, NV 89502',
      'US',
    ])
    expect(column('SHIP TO').slice(0, 4)).toEqual([
      'Zoë Łukasiewicz',
      '48 Harbor View Terrace',
      'Portland, ME 04101',
      'US',
    ])
    expect(column('ORDER').slice(0, 14)).toEqual(
      [
        ['PO number', 'PO-2026-001187', 'Your order', 'HP-55018'],
        ['Ordered', '2026-11-20 (UTC)', 'Shipped', '2026-11-21 (UTC)'],
        ['Carrier', 'FedEx', 'Method', 'FedEx Ground', 'Tracking', '794644790132'],
      ].flat(),
    )
    expect(column('QTY')).toEqual(
      [
        ['1', 'NL-1001', 'Stoneware mug', 'Size: M, Color: Sage', '012345678905', '2'],
        ['Total units: 2'],
        ['Packing slip PO-2026-001187', 'Page 1 of 1'],
      ].flat(),
    )
  })

  it('leaves out what is not known', async () => {
    const { lines } = await rendered({
      customerOrderNumber: null,
      shippedAt: null,
      trackingNumber: null,
      lines: [slipLine({ upc: null, name: null, color: null })],
    })
    expect(lines).not.toContain('Your order')
    expect(lines).not.toContain('Shipped')
    expect(lines).not.toContain('Tracking')
    expect(lines).not.toContain('GIFT MESSAGE')
    expect(lines.slice(lines.indexOf('QTY') + 1, -2)).toEqual(['1', 'NL-1001', '2', 'Total units: 2'])
    expect(lines.join()).not.toContain('null')
  })

  it('names the further packages of an item and does not count them', async () => {
    const lines = [
      slipLine({ quantity: 1 }),
      slipLine({ part: 2, quantity: 1 }),
      slipLine({ part: 3, quantity: 1 }),
      slipLine({ number: '2', quantity: 4 }),
    ]
    const slip = await rendered({ lines })
    expect(slip.lines.filter((line) => line.startsWith('package'))).toEqual(['package 2', 'package 3'])
    expect(slip.lines).toContain('Total units: 5')
  })

  it('shows Greek, Polish, Cyrillic and Vietnamese as they were written', async () => {
    const texts = ['Ζωή Παπαδοπούλου', 'Łódź, żółć', 'Мария Иванова', 'Nguyễn Thị Hạnh']
    const { lines } = await rendered({ lines: texts.map((name) => slipLine({ name })) })
    for (const text of texts) expect(lines).toContain(text)
  })

  it('prints line ends within a text as spaces, and no characters that turn the direction of writing', async () => {
    const { lines } = await rendered({
      shipTo: { ...CONSUMER, name1: 'Ann\u202eeel\u202c', street1: 'Flat 2\r\n\tMill Road\u0000' },
    })
    expect(lines).toContain('Anneel')
    expect(lines).toContain('Flat 2 Mill Road')
  })

  it('keeps the line breaks of the gift message', async () => {
    const { pages } = await rendered({ giftMessage: ['Happy birthday!', '', 'Ania & Tom'] })
    const { texts } = pages[0]!
    const [, birthday, names] = texts.slice(texts.findIndex(({ text }) => text === 'GIFT MESSAGE'))
    expect([birthday!.text, names!.text]).toEqual(['Happy birthday!', 'Ania & Tom'])
    expect(names!.baseline - birthday!.baseline).toBeCloseTo(30)
  })

  it('of 200 lines fills page after page, each with the heading of the table, and overlaps nowhere', async () => {
    const name = 'Hand-thrown stoneware serving bowl with reactive glaze, large, dishwasher safe'
    const lines = Array.from({ length: 200 }, (_, index) =>
      slipLine({ number: String(index + 1), identifier: `NL-${1001 + index}`, name, quantity: 1 }),
    )
    const { pages, lines: texts } = await rendered({ lines })
    expect(pages.length).toBeGreaterThan(8)
    for (const [index, page] of pages.entries()) {
      expect(page.lines).toContain('DESCRIPTION')
      expect(page.lines).toContain(`Page ${index + 1} of ${pages.length}`)
      expect(collisions(page)).toEqual([])
    }
    const identifiers = texts.filter((text) => text.startsWith('NL-'))
    expect(identifiers).toEqual(lines.map(({ identifier }) => identifier))
    expect(texts).toContain('Total units: 200')
  })

  it('with a gift message of several pages shows every line of it, and overlaps nowhere', async () => {
    const giftMessage = Array.from(
      { length: 150 },
      (_, index) => `${index + 1}. ${'happy birthday '.repeat(4)}`,
    )
    const { pages, lines } = await rendered({ giftMessage })
    expect(pages.length).toBe(4)
    expect(pages.slice(1).map((page) => page.lines[0])).toEqual(
      Array.from({ length: 3 }, () => 'GIFT MESSAGE, CONTINUED'),
    )
    expect(lines.filter((line) => /^\d+\. happy/.test(line))).toHaveLength(150)
    expect(pages.flatMap(collisions)).toEqual([])
  })

  it('wraps the longest texts of the API instead of letting them run into each other', async () => {
    const { pages } = await rendered({
      retailerName: 'W'.repeat(255),
      brandName: 'word '.repeat(51),
      purchaseOrderNumber: 'W'.repeat(32),
      customerOrderNumber: 'M'.repeat(32),
      shipTo: {
        ...CONSUMER,
        name1: 'W'.repeat(255),
        street1: 'Street '.repeat(36),
        city: 'C'.repeat(255),
      },
      carrierName: 'W'.repeat(255),
      methodName: 'W'.repeat(255),
      trackingNumber: 'W'.repeat(128),
      lines: [
        slipLine({
          number: '2147483647',
          identifier: 'W'.repeat(255),
          upc: '9'.repeat(64),
          name: 'W'.repeat(255),
          size: 'W'.repeat(255),
          quantity: 2_147_483_647,
        }),
        slipLine(),
      ],
      giftMessage: ['W'.repeat(64)],
    })
    expect(pages.flatMap(collisions)).toEqual([])
    expect(pages.flatMap(({ lines }) => lines).join('')).toContain('Stoneware mug')
  })

  it('is the same file to the byte for the same data, and another for other data', async () => {
    const [one, again, other] = await Promise.all([
      documents.packingSlip(packingSlip()),
      createDocumentRenderer().packingSlip(packingSlip()),
      documents.packingSlip(packingSlip({ methodName: 'FedEx Home' })),
    ])
    expect(one!.equals(again!)).toBe(true)
    expect(one!.equals(other!)).toBe(false)
  })
})
