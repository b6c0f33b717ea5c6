/** Writes text and filled boxes on PDF pages, measures text, and prepares it for printing. The same data gives the same bytes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import type { Address } from '../../contract/address.ts'

/** A size in the units of the page, and a weight. */
export interface FontFace {
  readonly size: number
  readonly weight: Weight
}

interface TextPosition {
  readonly x: number
  /** The baseline of the letters; y grows downwards from the top of the page. */
  readonly baseline: number
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The width of a text in the unit of its size. */
export type Ruler = (text: string, face: FontFace) => number

export interface Typeface {
  readonly fonts: Fonts
  readonly ruler: Ruler
}

interface PdfOptions {
  /** Width and height in points of 1/72 inch. */
  readonly size: readonly [width: number, height: number]
  readonly title: string
  /** Milliseconds. The only time in the file, so that the same data makes the same bytes. */
  readonly madeAt: number
}

export function openPdf(fonts: Fonts, { size, title, madeAt }: PdfOptions) {
  const document = openPdfDocument(fonts, {
    size: [...size],
    margin: 0,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: { Title: title, Creator: 'dropbridge', Producer: 'dropbridge', CreationDate: new Date(madeAt) },
  })
  document.addPage()
  return {
    /** Writes one line of text, without wrapping or a new page. */
    write(text: string, { x, baseline }: TextPosition, { size: fontSize, weight }: FontFace): void {
      document.font(weight, fontSize).fillColor('black')
      document.text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' })
    },
    /** Fills boxes; a shade of 0 is black, of 1 white. */
    fill(boxes: readonly Box[], shade = 0): void {
      for (const { x, y, width, height } of boxes) document.rect(x, y, width, height)
      const level = Math.round(shade * 255)
      if (boxes.length > 0) document.fill([level, level, level])
    },
    addPage: (): void => void document.addPage(),
    /** Draws on each existing page, in order; pages count from 1. */
    onEachPage(draw: (page: number, pages: number) => void): void {
      const { start, count } = document.bufferedPageRange()
      for (let index = 0; index < count; index += 1) {
        document.switchToPage(start + index)
        draw(index + 1, count)
      }
    },
    /** Finishes the document; nothing can be written after this. */
    finish(): Promise<Buffer> {
      document.end()
      return buffer(document)
    },
  }
}

/** More different characters than a service prints; beyond it widths are measured each time. */
const MAX_KNOWN_WIDTHS = 5000

/**
 * Measures with the same fonts as the PDF, for other formats and for layout. Adds letters up without kerning, which makes
 * a line a hair wider than printed: measuring whole texts is a hundred times slower.
 */
export function createRuler(fonts: Fonts): Ruler {
  const document = openPdfDocument(fonts, { fontLayoutCache: false })
  const emWidths = { regular: new Map<string, number>(), bold: new Map<string, number>() }
  const emWidthOf = (character: string, weight: Weight) => {
    const widths = emWidths[weight]
    const known = widths.get(character)
    if (known !== undefined) return known
    const width = document.font(weight, 1).widthOfString(character)
    if (widths.size >= MAX_KNOWN_WIDTHS) widths.clear()
    widths.set(character, width)
    return width
  }
  return (text, { size, weight }) => {
    let width = 0
    for (const character of text) width += emWidthOf(character, weight)
    return width * size
  }
}

function openPdfDocument(
  fonts: Fonts,
  options: PDFKit.PDFDocumentOptions & { readonly fontLayoutCache?: boolean },
): PDFKit.PDFDocument {
  // An empty name keeps the library from loading a font of its own.
  const document = new PDFDocument({ ...options, autoFirstPage: false, font: '' })
  document.registerFont('regular', fonts.regular)
  document.registerFont('bold', fonts.bold)
  return document
}

export type Weight = 'regular' | 'bold'

export type Fonts = Readonly<Record<Weight, Buffer>>

/**
 * DejaVu Sans, because the fonts that every PDF reader has cannot show "Łódź" or "Ζωή". It covers Latin, Greek, Cyrillic,
 * Armenian and Georgian, and Arabic and Hebrew letters, though words of a right-to-left line run left to right. It
 * does not hold Chinese, Japanese, Korean, the scripts of India, nor most emoji: each such character shows as a box.
 */
export function readFonts(): Fonts {
  const require = createRequire(import.meta.url)
  return {
    regular: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  }
}

// Prepares text for printing: removes control characters, breaks lines and formats addresses.

export type PrintedAddress = Pick<
  Address,
  'name1' | 'name2' | 'street1' | 'street2' | 'city' | 'province' | 'postal_code' | 'country' | 'phone1'
>

/** Longer texts are cut. Four times the longest text of the contract. */
const MAX_TEXT_LENGTH = 1024

const ELLIPSIS = '…'

/**
 * Makes text for one line. Line ends and control characters become spaces; invisible characters, such as those that change
 * the direction of writing, are removed, because on paper they only mislead.
 */
export function toPrintable(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .normalize('NFC')
}

export function addressLines(address: PrintedAddress): string[] {
  const { name1, name2, street1, street2, city, province, postal_code, country } = address
  const place = `${toPrintable(city)}, ${toPrintable(province)} ${toPrintable(postal_code)}`
  return [name1, name2, street1, street2, place, country]
    .map((line) => toPrintable(line ?? ''))
    .filter((line) => line !== '')
}

/** Formats the date of an ISO time. All times of the API are UTC, and the document says so. */
export function formatUtcDate(isoTime: string): string {
  return `${toPrintable(isoTime).slice(0, 10)} (UTC)`
}

interface LineLimits {
  /** Whether a text stays within the width of a line. */
  readonly fits: (text: string) => boolean
  readonly maxLines: number
}

/** Wraps a text into lines that fit, between words where possible. An ellipsis marks a cut text. */
export function wrapText(text: string, { fits, maxLines }: LineLimits): string[] {
  const lines: string[] = []
  let rest = toPrintable(text)
  while (rest !== '' && lines.length < maxLines - 1) {
    const length = findLineLength(rest, fits)
    lines.push(rest.slice(0, length).trimEnd())
    rest = rest.slice(length).trimStart()
  }
  if (rest !== '' && maxLines > 0) lines.push(cutText(rest, fits))
  return lines
}

function findLineLength(text: string, fits: LineLimits['fits']): number {
  if (fits(text)) return text.length
  const length = findFittingLength(text, fits)
  const space = text.lastIndexOf(' ', length)
  return space > 0 ? space : length
}

/** Returns at least one character, so that even a line that is too narrow makes progress. */
function findFittingLength(text: string, fits: LineLimits['fits']): number {
  const ends = findCharacterEnds(text)
  let fitting = 0
  let failing = ends.length
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2)
    if (fits(text.slice(0, ends[middle]))) fitting = middle
    else failing = middle
  }
  return ends[fitting] ?? text.length
}

/** Finds where a text may be cut: not between a letter and its accent, nor within a character of two code units. */
function findCharacterEnds(text: string): number[] {
  return [...text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)].map((match) => match.index + match[0].length)
}

function cutText(text: string, fits: LineLimits['fits']): string {
  if (fits(text)) return text
  const length = findFittingLength(text, (start) => fits(start + ELLIPSIS))
  return text.slice(0, length).trimEnd() + ELLIPSIS
}
