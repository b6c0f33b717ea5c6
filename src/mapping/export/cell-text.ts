/** What is done to the text of a cell before it is written: case, characters, zeros in front, formulas, width. */
import type { ColumnLeaf } from './column-options.ts'
import { quoted } from '../values/text.ts'
import type { Paper, RefuseCell } from './paper.ts'

type Step = (text: string, refuse: RefuseCell) => string

export interface Finish {
  /** For values of the API: case, characters, pad, formulas. */
  readonly shape?: Step
  /** For everything that is written, blanks too: the width of the column. */
  readonly layout?: Step
  /** All of them in their order, for the tools that show them. */
  readonly named: readonly { readonly does: string; readonly step: Step }[]
}

export interface TextForm extends Pick<ColumnLeaf, 'case' | 'pad' | 'formulas' | 'width' | 'align' | 'long'> {
  readonly isNumber: boolean
}

/** The steps in their one order; those that nobody asks for cost nothing. */
export function finishFor(form: TextForm, paper: Paper): Finish {
  const { pad, formulas = paper.guardsFormulas ? 'guard' : 'leave' } = form
  const named: { does: string; step: Step }[] = []
  const add = (does: string, step: Step) => named.push({ does, step })
  if (form.case === 'upper') add('case upper', (text) => text.toUpperCase())
  if (form.case === 'lower') add('case lower', (text) => text.toLowerCase())
  if (paper.fit !== undefined) add('characters', paper.fit)
  if (pad !== undefined) add('pad', (text) => text.padStart(pad.to, pad.with))
  if (formulas === 'guard') add('formulas', guarded)
  const steps = named.map(({ step }) => step)
  const layout = layoutFor(form, paper)
  if (layout !== undefined) add('width', layout)
  return {
    ...(steps.length === 0 ? {} : { shape: inTurn(steps) }),
    ...(layout === undefined ? {} : { layout }),
    named,
  }
}

function inTurn(steps: readonly Step[]): Step {
  const [only] = steps
  if (steps.length === 1 && only !== undefined) return only
  return (text, refuse) => steps.reduce((now, step) => step(now, refuse), text)
}

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d+)*|\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?|[.,]\d+)$/

/** A program that opens the file must not run what a buyer typed as his name. */
function guarded(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

function layoutFor({ width, align, long, isNumber }: TextForm, { isFixed }: Paper): Step | undefined {
  if (width === undefined) return undefined
  const atRight = (align ?? (isNumber ? 'right' : 'left')) === 'right'
  return (text, refuse) => {
    const length = lengthOf(text)
    if (length > width) {
      if (long === 'cut') return cutTo(text, width)
      return refuse('value-too-wide', `${quoted(text)} has ${length} characters; the column takes ${width}.`)
    }
    if (!isFixed) return text
    const blanks = ' '.repeat(width - length)
    return atRight ? blanks + text : text + blanks
  }
}

/** In characters: what stands outside of the basic plane is two units long. */
function lengthOf(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length
}

function cutTo(text: string, width: number): string {
  return Array.from(text).slice(0, width).join('')
}
