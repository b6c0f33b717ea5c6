/** Composes the acknowledgments of a file, one interchange for each that came: TA1, 997 or 999, and CONTRL. */
import type { JudgedPart } from '../judgment.ts'
import { EdifactAnswer } from './edifact.ts'
import { type AnswerOptions, createCounter, type InterchangeAnswer } from './segments.ts'
import { X12Answer } from './x12.ts'

/** Returns a function that takes the parts of a file in their order, and returns what is to be written. */
export function createAnswers(options: AnswerOptions): (part: JudgedPart) => string {
  let answer: InterchangeAnswer | undefined
  const interchanges = createCounter(options.numbers.interchange)
  const groups = createCounter(options.numbers.group)
  return (part) => {
    switch (part.kind) {
      case 'interchange': {
        answer = undefined
        if (options.interchanges?.has(part.interchange.ordinal) === false) return ''
        const context = { ...options, part, number: interchanges.get(), takeGroupNumber: groups.take }
        const isX12 = part.interchange.segment.delimiters.syntax === 'x12'
        answer = isX12 ? new X12Answer(context) : new EdifactAnswer(context)
        return ''
      }
      case 'group':
        return answer?.beginGroup(part) ?? ''
      case 'set':
        return answer?.addSet(part) ?? ''
      case 'group-end':
        return answer?.endGroup?.(part) ?? ''
      case 'interchange-end': {
        const rest = answer?.end() ?? ''
        if (answer?.isWritten === true) interchanges.take()
        answer = undefined
        return rest
      }
    }
  }
}
