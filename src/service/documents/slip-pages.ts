/** The pages of a packing slip: space is taken from the top down, and a new page begins where the last is full. */
import { type Box, type Face, openPaper, type Place, type Ruler, type Typeface } from './paper.ts'
import { printable, wrap } from './wording.ts'

/** US Letter in points, with the part that is written on. */
export const PAGE = { size: [612, 792], left: 48, top: 48, width: 516, bottom: 738 } as const

const FOOTER_BASELINE = 762
const FOOTER: Face = { size: 8, weight: 'regular' }

export interface Repeated {
  readonly height: number
  draw(top: number): void
}

export interface TakeOptions {
  /** What must stay on one page with the taken space, itself included. */
  readonly together?: number
  /** What stands on top again when a new page begins. */
  readonly again?: Repeated
}

export interface WrapOptions {
  readonly width: number
  readonly face: Face
  readonly maxLines: number
}

export interface SlipPages {
  readonly ruler: Ruler
  /** Takes space over the whole width and says where it begins; never across two pages. */
  take(height: number, options?: TakeOptions): number
  wrap(text: string, options: WrapOptions): string[]
  write(text: string, place: Place, face: Face): void
  fill(boxes: readonly Box[], shade?: number): void
  finish(): Promise<Buffer>
}

export interface SlipHead {
  readonly purchaseOrderNumber: string
  readonly madeAt: number
}

export function createSlipPages({ purchaseOrderNumber, madeAt }: SlipHead, typeface: Typeface): SlipPages {
  const { fonts, ruler } = typeface
  const title = `Packing slip ${printable(purchaseOrderNumber)}`
  const paper = openPaper(fonts, { size: PAGE.size, title, madeAt })
  const linesOf = (text: string, { width, face, maxLines }: WrapOptions) =>
    wrap(text, { fits: (line) => ruler(line, face) <= width, maxLines })
  const [name = ''] = linesOf(title, { width: PAGE.width - 100, face: FOOTER, maxLines: 1 })
  let next: number = PAGE.top
  return {
    ruler,
    take(height, { together = height, again } = {}) {
      if (next + together > PAGE.bottom) {
        paper.addPage()
        next = PAGE.top
        again?.draw(next)
        next += again?.height ?? 0
      }
      const top = next
      next += height
      return top
    },
    wrap: linesOf,
    write: (text, place, face) => paper.write(text, place, face),
    fill: (boxes, shade) => paper.fill(boxes, shade),
    finish() {
      paper.onEachPage((page, pages) => {
        const text = `Page ${page} of ${pages}`
        const x = PAGE.left + PAGE.width - ruler(text, FOOTER)
        paper.write(name, { x: PAGE.left, baseline: FOOTER_BASELINE }, FOOTER)
        paper.write(text, { x, baseline: FOOTER_BASELINE }, FOOTER)
      })
      return paper.finish()
    },
  }
}
