/** The bar code of a label: the tracking number as black boxes in printer dots, whole dots only. */
import bwipjs from 'bwip-js'
import { assert } from '../../support/errors.ts'
import type { Box } from './pdf.ts'

interface BarcodeSymbol {
  /** Printer dots to a module, the narrowest bar. */
  readonly dot: number
  /** In printer dots, without the quiet zone. */
  readonly width: number
  readonly height: number
}

/** The widths of bars and gaps in modules, a bar first. */
export interface Code128 extends BarcodeSymbol {
  readonly kind: 'code128'
  readonly text: string
  readonly widths: readonly number[]
}

/** Rows of modules from the top; true is black. */
export interface DataMatrix extends BarcodeSymbol {
  readonly kind: 'datamatrix'
  readonly rows: readonly (readonly boolean[])[]
}

export type Barcode = Code128 | DataMatrix

/** The room for a bar code in printer dots, its quiet zones included. */
interface BarcodeArea {
  readonly width: number
  readonly height: number
}

/** The modules that must stay white on each side: ISO/IEC 15417 and 16022, with one more for the matrix. */
const QUIET_MODULES = { code128: 10, datamatrix: 2 }

/** Bars of one dot of a 203 dpi printer are below what scanners read with certainty. */
const DOT_MIN = 2
const DOT_MAX = { code128: 4, datamatrix: 10 }

/** A greater-than sign switches code sets in ZPL, and tracking numbers have no control characters. */
const CODE_128_TEXT = /^[\x20-\x3d\x3f-\x7e]+$/

/**
 * Creates Code 128, which every carrier reads. Four inches have room for about 31 characters of any kind, or 60 digits. A
 * longer number (the API allows 128), or one with characters outside ASCII, becomes a Data Matrix, which has room for it.
 * A number has at least one character.
 */
export function createBarcode(text: string, room: BarcodeArea): Barcode {
  const linear = CODE_128_TEXT.test(text) ? createCode128(text, room) : undefined
  return linear !== undefined && linear.dot >= DOT_MIN ? linear : createDataMatrix(text, room)
}

/** The black parts, from the top left corner of the symbol. */
export function toBoxes(barcode: Barcode): Box[] {
  return barcode.kind === 'code128' ? toBarBoxes(barcode) : toModuleBoxes(barcode)
}

function createCode128(text: string, room: BarcodeArea): Code128 {
  const [symbol] = bwipjs.raw({ bcid: 'code128', text })
  assert(symbol !== undefined && 'sbs' in symbol, 'a Code 128 is drawn as bars')
  const modules = symbol.sbs.reduce((sum, width) => sum + width, 0)
  const dot = Math.min(DOT_MAX.code128, Math.floor(room.width / (modules + 2 * QUIET_MODULES.code128)))
  return { kind: 'code128', text, dot, width: modules * dot, height: room.height, widths: symbol.sbs }
}

function createDataMatrix(text: string, room: BarcodeArea): DataMatrix {
  // Each byte becomes a character: otherwise readers must guess characters above Latin-1.
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  const [symbol] = bwipjs.raw({ bcid: 'datamatrix', text: bytes, binarytext: true })
  assert(symbol !== undefined && 'pixs' in symbol, 'a Data Matrix is drawn as modules')
  const { pixs, pixx, pixy } = symbol
  const rows = Array.from({ length: pixy }, (_, row) =>
    pixs.slice(row * pixx, (row + 1) * pixx).map((module) => module === 1),
  )
  const modules = Math.max(pixx, pixy) + 2 * QUIET_MODULES.datamatrix
  const dot = Math.min(DOT_MAX.datamatrix, Math.floor(Math.min(room.width, room.height) / modules))
  return { kind: 'datamatrix', dot, width: pixx * dot, height: pixy * dot, rows }
}

function toBarBoxes({ widths, dot, height }: Code128): Box[] {
  const boxes: Box[] = []
  let x = 0
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) boxes.push({ x, y: 0, width: width * dot, height })
    x += width * dot
  }
  return boxes
}

/** Merges neighbours in a row into one box, so that no hairline shows between them. */
function toModuleBoxes({ rows, dot }: DataMatrix): Box[] {
  return rows.flatMap((row, index) =>
    findRuns(row).map(({ start, length }) => ({
      x: start * dot,
      y: index * dot,
      width: length * dot,
      height: dot,
    })),
  )
}

function findRuns(row: readonly boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = []
  for (const [index, black] of row.entries()) {
    const last = runs.at(-1)
    if (!black) continue
    if (last !== undefined && last.start + last.length === index) last.length += 1
    else runs.push({ start: index, length: 1 })
  }
  return runs
}
