/** Compares the number of lines that a document states with those that it has. */
import type { Grammar } from '../../edi/grammar.ts'
import type { Segment } from '../../edi/segment.ts'
import { compareDecimals, parseDecimal } from '../../support/decimal.ts'
import { showText } from './envelopes.ts'
import type { Loop } from './loops.ts'
import type { CheckFinding } from './partner-checks.ts'
import { fits } from './path-reader.ts'
import { formatElement } from './spots.ts'

/** Takes the loops and segments of one set. */
export class LineTotal {
  readonly #total: NonNullable<Grammar['total']>
  readonly #counts: number[]
  #stated: Segment | undefined

  constructor(total: NonNullable<Grammar['total']>) {
    this.#total = total
    this.#counts = total.loops.map(() => 0)
  }

  onOpened({ first, parent }: Loop): void {
    if (parent !== undefined) this.onJoined(first, parent)
    for (const [index, test] of this.#total.loops.entries())
      if (fits(first, test)) this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  onJoined(segment: Segment, loop: Loop): void {
    const { segment: test } = this.#total.place
    if (segment.id === test.id && loop.parent === undefined && fits(segment, test)) this.#stated ??= segment
  }

  /** Undefined where no total is stated, or it is one of those that may be meant. */
  compare(): CheckFinding | undefined {
    const { place, loops } = this.#total
    const segment = this.#stated
    const { element = 1, component } = place.value ?? {}
    const text = segment?.value(element, component).trim() ?? ''
    if (segment === undefined || text === '') return undefined
    const stated = parseDecimal(text)
    const isRight = (count: number) =>
      stated !== undefined && compareDecimals(stated, { units: BigInt(count), scale: 0 }) === 0
    if (this.#counts.some(isRight)) return undefined
    const mark = segment.delimiters.syntax === 'x12' ? '*' : '+'
    const found = loops.map(
      ({ id, qualifiers }, index) => `${this.#counts[index]} ${[id, ...qualifiers].join(mark)}`,
    )
    const name = formatElement(segment.id, element, component)
    const message = `${name} says ${showText(text)}, and the document has ${found.join(' and ')}.`
    const at = { element, ...(component === undefined ? {} : { component }) }
    return { kind: 'line-count-differs', segment, message, ...at }
  }
}
