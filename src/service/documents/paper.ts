/** PDF pages to write on: text at a place, filled boxes, pages, and the same bytes for the same data. */
import PDFDocument from 'pdfkit'
import type { Fonts, Weight } from './fonts.ts'

/** A size in the units of the page, and a weight. */
export interface Face {
  readonly size: number
  readonly weight: Weight
}

export interface Place {
  readonly x: number
  /** Where the letters stand; y grows downwards from the top of the page. */
  readonly baseline: number
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The width of a text in the unit of its size. */
export type Ruler = (text: string, face: Face) => number

/** What all renderers share: the fonts, and a ruler over the same fonts. */
export interface Typeface {
  readonly fonts: Fonts
  readonly ruler: Ruler
}

export interface Paper {
  /** One line of text. Nothing is wrapped and no page is begun. */
  write(text: string, place: Place, face: Face): void
  /** Fills boxes; a shade of 0 is black, of 1 white. */
  fill(boxes: readonly Box[], shade?: number): void
  addPage(): void
  /** Goes back to each page there is, in order; pages count from 1. */
  onEachPage(draw: (page: number, pages: number) => void): void
  /** No more may be written after this. */
  finish(): Promise<Buffer>
}

export interface PaperOptions {
  /** Width and height in points of 1/72 inch. */
  readonly size: readonly [width: number, height: number]
  readonly title: string
  /** Milliseconds. The only time in the file, so that the same data makes the same bytes. */
  readonly madeAt: number
}

export function openPaper(fonts: Fonts, { size, title, madeAt }: PaperOptions): Paper {
  const document = openDocument(fonts, {
    size: [...size],
    margin: 0,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: { Title: title, Creator: 'dropbridge', Producer: 'dropbridge', CreationDate: new Date(madeAt) },
  })
  document.addPage()
  return {
    write(text, { x, baseline }, { size: fontSize, weight }) {
      document.font(weight, fontSize).fillColor('black')
      document.text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' })
    },
    fill(boxes, shade = 0) {
      for (const { x, y, width, height } of boxes) document.rect(x, y, width, height)
      const level = Math.round(shade * 255)
      if (boxes.length > 0) document.fill([level, level, level])
    },
    addPage: () => void document.addPage(),
    onEachPage(draw) {
      const { start, count } = document.bufferedPageRange()
      for (let index = 0; index < count; index += 1) {
        document.switchToPage(start + index)
        draw(index + 1, count)
      }
    },
    finish: () => finish(document),
  }
}

/** More characters than a service ever prints; beyond it the widths are measured anew. */
const KNOWN_WIDTHS_MAX = 5000

/**
 * Measures with the same fonts as the paper, for those who draw elsewhere or must know before. Letters are added up
 * without kerning, which makes a line a hair wider than it will be: measuring whole texts is a hundred times slower.
 */
export function createRuler(fonts: Fonts): Ruler {
  const document = openDocument(fonts, { fontLayoutCache: false })
  const emWidths = { regular: new Map<string, number>(), bold: new Map<string, number>() }
  const emWidthOf = (character: string, weight: Weight) => {
    const widths = emWidths[weight]
    const known = widths.get(character)
    if (known !== undefined) return known
    const width = document.font(weight, 1).widthOfString(character)
    if (widths.size >= KNOWN_WIDTHS_MAX) widths.clear()
    widths.set(character, width)
    return width
  }
  return (text, { size, weight }) => {
    let width = 0
    for (const character of text) width += emWidthOf(character, weight)
    return width * size
  }
}

function openDocument(
  fonts: Fonts,
  options: PDFKit.PDFDocumentOptions & { readonly fontLayoutCache?: boolean },
): PDFKit.PDFDocument {
  // An empty name keeps the library from loading a font of its own.
  const document = new PDFDocument({ ...options, autoFirstPage: false, font: '' })
  document.registerFont('regular', fonts.regular)
  document.registerFont('bold', fonts.bold)
  return document
}

function finish(document: PDFKit.PDFDocument): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    document.on('end', () => resolve(Buffer.concat(chunks)))
    document.on('error', reject)
    document.end()
  })
}
