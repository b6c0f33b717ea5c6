/** Answers an interchange of X12: with a TA1 where it is refused or asks for one, and with a 997 or 999 for each group. */
import { FAULTS } from '../../../edi/faults.ts'
import type { JudgedGroup, JudgedGroupEnd, JudgedSet, SegmentError } from '../judgment.ts'
import {
  type AnswerContext,
  cleanEcho,
  type InterchangeAnswer,
  SegmentWriter,
  splitMoment,
} from './segments.ts'

/** The longest text in AK404. */
const MAX_ECHO = 99

export class X12Answer implements InterchangeAnswer {
  isWritten = false
  readonly #context: AnswerContext
  readonly #writer: SegmentWriter
  readonly #number: string
  #groups = 0
  /** Of the 997 that is open: the number of its group, and the count of segments before it. */
  #open: { readonly group: number; readonly before: number } | undefined

  constructor(context: AnswerContext) {
    this.#context = context
    this.#writer = new SegmentWriter(context.part.interchange.segment.delimiters)
    this.#number = String(context.number).padStart(9, '0')
  }

  beginGroup({ group }: JudgedGroup): string {
    const { part, kind, at, takeGroupNumber, zone = 'UTC' } = this.#context
    const start = group.segment
    if (group.code === 'FA' || part.verdict === 'R' || start === undefined) return ''
    const opening = this.#begin()
    this.#groups += 1
    const own = takeGroupNumber()
    const { day, time } = splitMoment(at.getTime(), zone)
    const isOld = group.version < '004'
    const lines = [
      this.#writer.write(
        'GS',
        'FA',
        start.raw(3),
        start.raw(2),
        isOld ? day.slice(2) : day,
        time,
        String(own),
        start.raw(7),
        start.raw(8),
      ),
    ]
    this.#open = { group: own, before: this.#writer.count }
    // From 5010 on the answer also names the version.
    const version = group.version >= '005010' ? start.raw(8) : ''
    lines.push(this.#writer.write('ST', kind, SET_NUMBER))
    lines.push(this.#writer.write('AK1', start.raw(1), start.raw(6), version))
    return opening + lines.join('')
  }

  addSet({ set, verdict, errors, codes }: JudgedSet): string {
    if (this.#open === undefined) return ''
    const { segment } = set
    const is997 = this.#context.kind === '997'
    const version = set.version >= '005010' ? segment.raw(3) : ''
    return [
      this.#writer.write('AK2', segment.raw(1), segment.raw(2), version),
      ...errors.flatMap((error) => this.#formatError(error)),
      this.#writer.write(is997 ? 'AK5' : 'IK5', verdict, ...codes),
    ].join('')
  }

  endGroup({ verdict, written, sets, accepted, codes }: JudgedGroupEnd): string {
    const open = this.#open
    if (open === undefined) return ''
    this.#open = undefined
    const writer = this.#writer
    const verdicts = writer.write('AK9', verdict, String(written), String(sets), String(accepted), ...codes)
    const end = writer.write('SE', String(writer.count - open.before + 1), SET_NUMBER)
    return verdicts + end + writer.write('GE', '1', String(open.group))
  }

  end(): string {
    const { part } = this.#context
    const opening = !part.isAnswer && this.#isDue() ? this.#begin() : ''
    return this.isWritten ? opening + this.#writer.write('IEA', String(this.#groups), this.#number) : ''
  }

  /** Whether the interchange itself is answered with a TA1. */
  #isDue(): boolean {
    const { part, ta1 } = this.#context
    const isAsked = part.interchange.segment.value(14).trim() === '1'
    return part.verdict === 'R' || ta1 === 'always' || isAsked
  }

  /** The ISA and, where it is due, the TA1, which comes before all groups. */
  #begin(): string {
    if (this.isWritten) return ''
    this.isWritten = true
    const { part, at, zone = 'UTC' } = this.#context
    const { interchange, verdict, faults } = part
    const isa = interchange.segment
    const { day, time } = splitMoment(at.getTime(), zone)
    const header = this.#writer.write(
      'ISA',
      '00',
      ' '.repeat(10),
      '00',
      ' '.repeat(10),
      ...[isa.raw(7), isa.raw(8), isa.raw(5), isa.raw(6)].map((text, index) =>
        text.padEnd(index % 2 === 0 ? 2 : 15),
      ),
      day.slice(2),
      time,
      isa.raw(11) || 'U',
      isa.raw(12),
      this.#number,
      '0',
      isa.raw(15),
      isa.delimiters.component,
    )
    if (!this.#isDue()) return header
    const code = faults[0] === undefined ? '000' : FAULTS[faults[0].kind].x12
    return header + this.#writer.write('TA1', isa.raw(13), isa.raw(9), isa.raw(10), verdict, code)
  }

  #formatError({ id, inSet, loop, code, elements }: SegmentError): string[] {
    const is997 = this.#context.kind === '997'
    const { delimiters } = this.#context.part.interchange.segment
    return [
      this.#writer.write(is997 ? 'AK3' : 'IK3', id, String(inSet), loop, code),
      ...elements.map((each) => {
        const { element, component, number, text } = each
        const position =
          component === undefined ? `${element}` : `${element}${delimiters.component}${component}`
        const echo = this.#context.echoes ? cleanEcho(text, delimiters, MAX_ECHO) : ''
        return this.#writer.write(is997 ? 'AK4' : 'IK4', position, number, each.code, echo)
      }),
    ]
  }
}

const SET_NUMBER = '0001'
