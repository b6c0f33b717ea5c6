/** Reads documents back as people and scanners do: the texts of a PDF with their places, and bar codes of images. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

export interface PrintedText {
  readonly text: string
  readonly left: number
  readonly right: number
  /** From the top of the page. */
  readonly baseline: number
  readonly size: number
}

export interface ReadPage {
  /** Points. */
  readonly width: number
  readonly height: number
  readonly texts: readonly PrintedText[]
  /** All texts in the order in which they were written. */
  readonly lines: readonly string[]
}

export interface ReadDocument {
  readonly title: string
  readonly createdAt: string
  readonly pages: readonly ReadPage[]
  readonly lines: readonly string[]
}

export async function readPdf(content: Buffer): Promise<ReadDocument> {
  const pdf = await openPdf(content)
  const pages: ReadPage[] = []
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number)
    const { width, height } = page.getViewport({ scale: 1 })
    const { items } = await page.getTextContent()
    const texts = items.flatMap((item) => {
      if (!('str' in item) || item.str.trim() === '') return []
      const [, , , size, x, y] = item.transform as number[]
      return [{ text: item.str, left: x!, right: x! + item.width, baseline: height - y!, size: size! }]
    })
    pages.push({ width, height, texts, lines: texts.map(({ text }) => text) })
  }
  const { info } = await pdf.getMetadata()
  await pdf.destroy()
  const { Title: title, CreationDate: createdAt } = info as { Title: string; CreationDate: string }
  return { title, createdAt, pages, lines: pages.flatMap(({ lines }) => lines) }
}

function openPdf(content: Buffer) {
  return getDocument({ data: new Uint8Array(content), verbosity: 0 }).promise
}

/** Pairs of texts that overlap, and texts that leave the page. */
export function collisions({ texts, width, height }: ReadPage): string[] {
  const outside = texts.filter(
    ({ left, right, baseline, size }) =>
      left < 0 || right > width || baseline - size * 0.75 < 0 || baseline > height,
  )
  const overlaps = texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter((other) => {
        const [upper, lower] = one.baseline < other.baseline ? [one, other] : [other, one]
        // Letters such as Y and a full stop are kerned into each other, and the reader takes them apart.
        const kern = one.baseline === other.baseline ? one.size * 0.3 : 0
        const beside = one.right <= other.left + kern || other.right <= one.left + kern
        return !beside && lower.baseline - lower.size * 0.75 < upper.baseline
      })
      .map((other) => `${one.text} on ${other.text}`),
  )
  return [...outside.map(({ text }) => `${text} leaves the page`), ...overlaps]
}

export interface ReadBarcode {
  readonly format: string
  readonly text: string
}

/** The bar codes of an image file, or of a bitmap. */
export async function readBarcodesOf(image: Buffer | Bitmap): Promise<ReadBarcode[]> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const wasmBinary = readFileSync(wasm).buffer as ArrayBuffer
  await prepareZXingModule({ overrides: { wasmBinary }, equalityFn: () => true, fireImmediately: true })
  const input = Buffer.isBuffer(image) ? new Uint8Array(image) : imageDataOf(image)
  const found = await readBarcodes(input, { tryHarder: true })
  return found.map(({ format, text }) => ({ format, text }))
}

/** Black and white pixels, row by row; 1 is black. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

function imageDataOf({ width, height, pixels }: Bitmap) {
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (const [index, black] of pixels.entries()) {
    if (black === 1) data.fill(0, index * 4, index * 4 + 3)
  }
  return { data, width, height, colorSpace: 'srgb' as const }
}

/** The filled boxes of a PDF's only page as a bitmap of 406 dots to the inch, as a printer would make it. */
export async function bitmapOfPdf(content: Buffer): Promise<Bitmap> {
  const pdf = await openPdf(content)
  const page = await pdf.getPage(1)
  const viewport = page.getViewport({ scale: 406 / 72 })
  const { fnArray, argsArray } = await page.getOperatorList()
  const size = { width: Math.round(viewport.width), height: Math.round(viewport.height) }
  const bitmap = { ...size, pixels: new Uint8Array(size.width * size.height) }
  for (const [index, operator] of fnArray.entries()) {
    if (operator === OPS.constructPath) paintBoxes(bitmap, argsArray[index] as [number[], number[]])
  }
  await pdf.destroy()
  return bitmap
}

function paintBoxes(bitmap: Bitmap, [operators, numbers]: [number[], number[]]): void {
  if (operators.some((operator) => operator !== OPS.rectangle)) return
  for (let at = 0; at < numbers.length; at += 4) {
    const [left, top, width, height] = numbers.slice(at, at + 4).map((points) => (points * 406) / 72)
    for (let y = Math.round(top!); y < Math.round(top! + height!); y += 1) {
      const row = y * bitmap.width
      bitmap.pixels.fill(1, row + Math.round(left!), row + Math.round(left! + width!))
    }
  }
}
