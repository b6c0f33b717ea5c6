/** What commands work with that only look: a journal, and no route, mapping or lease. */
import { existsSync } from 'node:fs'
import type { Configuration } from '../config/configuration.ts'
import type { Journal } from '../domain/journal.ts'
import { openJournal } from '../journal/open.ts'
import type { Clock } from '../support/clock.ts'

/** Undefined while there is no journal: looking makes none. */
export async function readJournal<Result>(
  { journal: { path } }: Configuration,
  clock: Clock,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result | undefined> {
  if (!existsSync(path)) return undefined
  const journal = await openJournal({ path, clock })
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}
