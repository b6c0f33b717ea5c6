/** Answers an interchange of EDIFACT with a CONTRL. */
import { UCS_CODES } from '../../../edi/answer-codes.ts'
import { FAULTS } from '../../../edi/faults.ts'
import { formatServiceString } from '../copy-sets.ts'
import type { JudgedGroup, JudgedSet } from '../judgment.ts'
import { type AnswerContext, type InterchangeAnswer, SegmentWriter, splitMoment } from './segments.ts'

/** 0083: this level and what is below it. */
const REJECTED = '4'
const ACKNOWLEDGED = '7'

const MESSAGE_NUMBER = '1'

export class EdifactAnswer implements InterchangeAnswer {
  isWritten = false
  readonly #context: AnswerContext
  readonly #writer: SegmentWriter
  /** What is said of the group stands before what is said of its messages, so these wait for nothing. */
  #before = 0

  constructor(context: AnswerContext) {
    this.#context = context
    this.#writer = new SegmentWriter(context.part.interchange.segment.delimiters)
  }

  beginGroup({ group, faults, verdict }: JudgedGroup): string {
    const { part } = this.#context
    if (part.isAnswer) return ''
    const opening = this.#begin()
    const { segment } = group
    if (segment === undefined || part.verdict === 'R') return opening
    const action = verdict === 'R' ? REJECTED : ACKNOWLEDGED
    const code = faults[0] === undefined ? '' : FAULTS[faults[0].kind].edifact
    return opening + this.#writer.write('UCF', segment.raw(5), segment.raw(2), segment.raw(3), action, code)
  }

  addSet({ set, verdict, errors, edifact }: JudgedSet): string {
    const { part } = this.#context
    if (part.isAnswer || part.verdict === 'R' || set.document === 'CONTRL') return ''
    const { segment } = set
    const { component: separator } = segment.delimiters
    const action = verdict === 'R' ? REJECTED : ACKNOWLEDGED
    const lines = [this.#writer.write('UCM', segment.raw(1), segment.raw(2), action, edifact)]
    for (const { inSet, edifact: code, elements } of errors) {
      // A segment that is missing is placed at the one before it, and the tag of a segment is its first element.
      const position = code === UCS_CODES.missing && elements.length === 0 ? inSet - 1 : inSet
      lines.push(this.#writer.write('UCS', String(position), code))
      for (const each of elements) {
        const { element, component } = each
        const place = component === undefined ? `${element + 1}` : `${element + 1}${separator}${component}`
        lines.push(this.#writer.write('UCD', each.edifact, place))
      }
    }
    return lines.join('')
  }

  end(): string {
    const { part, number } = this.#context
    if (part.isAnswer) return ''
    const opening = this.#begin()
    const count = this.#writer.count - this.#before + 1
    const trailer = this.#writer.write('UNT', String(count), MESSAGE_NUMBER)
    return opening + trailer + this.#writer.write('UNZ', '1', String(number))
  }

  #begin(): string {
    if (this.isWritten) return ''
    this.isWritten = true
    const { part, at, number, zone = 'UTC' } = this.#context
    const unb = part.interchange.segment
    const { component } = unb.delimiters
    const { day, time } = splitMoment(at.getTime(), zone)
    const isSyntax4 = unb.value(1, 2) === '4'
    const service = formatServiceString(unb.delimiters)
    const moment = [isSyntax4 ? day : day.slice(2), time].join(component)
    const test = unb.raw(11)
    const header = this.#writer.write(
      'UNB',
      unb.raw(1),
      unb.raw(3),
      unb.raw(2),
      moment,
      String(number),
      '',
      '',
      '',
      '',
      '',
      test,
    )
    this.#before = this.#writer.count
    const type = ['CONTRL', ...(isSyntax4 ? ['4', '1'] : ['D', '3']), 'UN'].join(component)
    const action = part.verdict === 'R' ? REJECTED : ACKNOWLEDGED
    const code = part.faults[0] === undefined ? '' : FAULTS[part.faults[0].kind].edifact
    return [
      service === '' ? '' : `${service}\n`,
      header,
      this.#writer.write('UNH', MESSAGE_NUMBER, type),
      this.#writer.write('UCI', unb.raw(5), unb.raw(2), unb.raw(3), action, code),
    ].join('')
  }
}
