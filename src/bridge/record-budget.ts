/** How many records a run may still send: a journal that begins no more attempts than that. */
import type { Journal } from '../domain/journal.ts'

export interface RecordBudget {
  left: number
  /** Something more would have been sent. */
  isUsedUp: boolean
}

/** What goes out as a file, and its acknowledging, is not counted: a file holds what it holds. */
export function limitedJournal(journal: Journal, budget: RecordBudget): Journal {
  return {
    ...journal,
    beginAttempts: async (lease, work, limit, ended = []) => {
      if (!('file' in work)) return journal.beginAttempts(lease, work, limit, ended)
      if (budget.left > 0) {
        const begun = await journal.beginAttempts(lease, work, Math.min(limit, budget.left), ended)
        budget.left -= begun.length
        return begun
      }
      budget.isUsedUp = true
      if (ended.length > 0) await journal.endAttempts(lease, ended)
      return []
    },
  }
}
