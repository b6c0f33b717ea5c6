/** Reads about a single record: one that fails must not stand in the way of the others. */
import type { Api } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import { hasCode } from '../support/errors.ts'
import { orderListOf } from './operations/operation.ts'

/** What a read came to: its value, or why there is none right now. What concerns the whole API is thrown. */
export type ReadResult<Value> = { readonly value: Value } | { readonly trouble: string }

export async function tryRead<Value>(read: () => Promise<Value>): Promise<ReadResult<Value>> {
  try {
    return { value: await read() }
  } catch (error) {
    if (hasCode(error, 'api-unreachable', 'api-answer-unusable')) return { trouble: error.message }
    throw error
  }
}

/**
 * Asks, once, whether the account may act for the party at all: a 403 about a record can mean the record or the account.
 * Throws `credentials-refused` when it is the account.
 */
export function accountCheck(api: Api, party: Party): () => Promise<void> {
  let asked: Promise<void> | undefined
  const ask = async () => {
    const pages = api.list({ ...orderListOf(party), query: { limit: 1 } })
    await pages[Symbol.asyncIterator]().next()
  }
  return async () => {
    asked ??= tryRead(ask).then(() => undefined)
    return asked
  }
}
