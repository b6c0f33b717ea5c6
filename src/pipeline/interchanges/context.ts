/** What a pass over an inbox of interchanges works with. */
import type { Partner } from '../../config/edi.ts'
import type { InterchangeFormat } from '../../domain/interchange.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { IntakeContext } from '../context.ts'
import type { Taker } from './takers.ts'

export interface InterchangeContext extends IntakeContext {
  readonly interchanges: InterchangeFormat
  /** The addresses at which the bridge receives. Empty: at any. */
  readonly ourAddresses: readonly string[]
  readonly partners: readonly Partner[]
  readonly takers: readonly Taker[]
  readonly findAnswerPlace: (partner: Partner) => AnswerPlace
}

/** Where the answers to a partner are delivered. */
export interface AnswerPlace {
  readonly target: Mailbox
  readonly folder: string
  readonly nameFor: (values: {
    /** The control number of the first interchange of the file. */
    readonly number: number
    /** `997`, `999`, `TA1` or `CONTRL`. */
    readonly kind: string
    readonly sequence: number
    readonly at: number
  }) => string
}
