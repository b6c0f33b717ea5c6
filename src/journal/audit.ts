/** What can be found out about the chain, and what is forgotten. */
import { sql } from 'kysely'
import type { AuditJournal } from '../domain/audit.ts'
import { anchorWhere } from './chain.ts'
import { forget } from './forget.ts'
import { type Store, read } from './store.ts'
import { atOneMoment, verifyChain } from './verify.ts'

export function auditCalls(store: Store): AuditJournal {
  return {
    submissionOf: (fileId) =>
      read(store, (tables) => anchorWhere(tables, sql`subject = ${fileId} and kind = 'file-submitted'`)),
    verifyChain: ({ anchor }) =>
      read(store, (tables) => atOneMoment(tables, () => verifyChain(tables, anchor))),
    forget: (request) => forget(store, request),
  }
}
