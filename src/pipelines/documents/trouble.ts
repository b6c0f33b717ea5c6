/** Knowing when asking on is of no use. */
import type { DocumentKind } from '../../domain/shipping-document.ts'
import { type Fetched, missing, type NotHad } from './fetch.ts'

/** So many in a row that cannot be had mean that the API is in trouble, and not a document. */
const MISSING_MAX = 10

export interface TroubleWatch {
  look(fetched: Fetched): void
  /** A mailbox that cannot be written once cannot be written for the next one either. */
  ofMailbox(message: string): void
  isEnough(): boolean
  /** What is said of a document that is not asked for any more. */
  givenUp(kind: DocumentKind): NotHad
}

export function troubleWatch(): TroubleWatch {
  let inRow = 0
  let why: string | undefined
  return {
    look(fetched) {
      const isMissing = 'state' in fetched && fetched.state === 'wanted'
      inRow = isMissing ? inRow + 1 : 0
      if (isMissing && inRow >= MISSING_MAX) why ??= fetched.problem.message
    },
    ofMailbox(message) {
      why ??= message
    },
    isEnough: () => why !== undefined,
    givenUp: (kind) => missing(kind, `it was not asked for, because before it ${why}`),
  }
}
