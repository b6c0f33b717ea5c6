import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDocumentRenderer } from '../../../src/service/documents/handlers.ts'
import { collisions, readPdf } from './reading.ts'
import { CONSUMER, packingSlip, shippingLabel, slipLine } from './samples.ts'

const documents = createDocumentRenderer()

/** Anything that JSON can carry: control characters, halves of characters, emoji, all scripts. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    '\u0000',
    '\n\n',
    '\ud800',
    '\u202e^XZ',
    '追跡番号',
    '👩‍👩‍👧',
    'שלום',
    'سلام',
    'e\u0301',
    '\u0301',
    ' ',
  ),
)

const LETTERS =
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789äöüßéèêñçøåæłźćżśęąőűřůŁÉÖ&.,-/#()'

/** Words of a Latin language, as names and streets are made of them. */
const latinText = fc
  .array(fc.string({ unit: fc.constantFrom(...LETTERS.split('')), minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((words) => words.join(' '))

it('a packing slip takes any text in any field', async () => {
  const slip = fc.record({
    retailerName: anyText,
    brandName: anyText,
    purchaseOrderNumber: anyText,
    customerOrderNumber: anyText,
    carrierName: anyText,
    methodName: anyText,
    trackingNumber: anyText,
    giftMessage: fc.array(anyText, { maxLength: 4 }),
    name: anyText,
    upc: anyText,
    street1: anyText,
  })
  await fc.assert(
    fc.asyncProperty(slip, async ({ name, upc, street1, ...rest }) => {
      const lines = [slipLine({ name, upc, identifier: name, size: upc, color: name }), slipLine()]
      const content = await documents.packingSlip(
        packingSlip({ ...rest, lines, shipTo: { ...CONSUMER, street1, name1: name } }),
      )
      const { pages, lines: texts } = await readPdf(content)
      expect(pages).toHaveLength(1)
      expect(texts).toContain('Total units: 4')
    }),
    { numRuns: 30 },
  )
})

it('Latin text is found again on the packing slip, and overlaps nothing', async () => {
  await fc.assert(
    fc.asyncProperty(latinText, latinText, latinText, async (name1, name, message) => {
      const content = await documents.packingSlip(
        packingSlip({
          shipTo: { ...CONSUMER, name1 },
          lines: [slipLine({ name })],
          giftMessage: [message],
        }),
      )
      const { pages, lines } = await readPdf(content)
      // Wrapping may break a line at any place: only the letters are compared.
      const letters = lines.join('').replaceAll(' ', '')
      for (const text of [name1, name, message]) expect(letters).toContain(text.replaceAll(' ', ''))
      expect(pages.flatMap(collisions)).toEqual([])
    }),
    { numRuns: 25 },
  )
})

it('a label takes any text in any field and any format, and ZPL data never commands the printer', async () => {
  const label = fc.record({
    carrierName: anyText,
    carrierCode: anyText,
    methodName: anyText,
    trackingNumber: anyText,
    purchaseOrderNumber: anyText,
    reference: anyText,
    weight: anyText,
  })
  await fc.assert(
    fc.asyncProperty(label, anyText, async (changes, name1) => {
      const any = shippingLabel({ ...changes, shipTo: { ...CONSUMER, name1 }, signature: 'required' })
      const [pdf, png, zpl] = await Promise.all(
        (['pdf', 'png', 'zpl'] as const).map((format) => documents.shippingLabel(any, format)),
      )
      const { pages, lines } = await readPdf(pdf!.content)
      expect(pages).toHaveLength(1)
      expect(lines).toContain('SIGNATURE REQUIRED')
      expect(png!.content.length).toBeGreaterThan(1000)
      const commands = zpl!.content.toString('utf8').match(/\^[A-Z0-9]{2}/g)!
      expect(commands.filter((command) => command === '^XA' || command === '^XZ')).toEqual(['^XA', '^XZ'])
      expect(zpl!.content.includes('~')).toBe(false)
    }),
    { numRuns: 20 },
  )
})

it('Latin text is found again on the label', async () => {
  await fc.assert(
    fc.asyncProperty(latinText, latinText, async (name1, methodName) => {
      const label = shippingLabel({ shipTo: { ...CONSUMER, name1 }, methodName })
      const { content } = await documents.shippingLabel(label, 'pdf')
      const { pages, lines } = await readPdf(content)
      const letters = lines.join('').replaceAll(' ', '')
      for (const text of [name1, methodName]) expect(letters).toContain(text.replaceAll(' ', ''))
      expect(pages.flatMap(collisions)).toEqual([])
    }),
    { numRuns: 20 },
  )
})
