/** Which rows of the spec are proven, and by which tests. */
import { expect, it } from 'vitest'
import type { Row } from './rows/row.ts'

type Run = () => Promise<void> | void

export interface Ledger {
  /** Registers a test that proves the rows once it has passed; a test without an assertion fails. Throws for an unknown id. */
  proves(...ids: string[]): (title: string, run: Run) => void
  /** The rows that no passed test proves. */
  unproven(): readonly Row[]
  /** The titles of the tests that are to prove the row. */
  titlesOf(row: Row): readonly string[]
}

export function openLedger(rows: readonly Row[]): Ledger {
  const titles = new Map<string, string[]>(rows.map(({ id }) => [id, []]))
  const proven = new Set<string>()
  return {
    proves: (...ids) => {
      const unknown = ids.filter((id) => !titles.has(id))
      if (unknown.length > 0 || ids.length === 0) throw new Error(`no such rows: ${unknown.join(', ')}`)
      return (title, run) => {
        for (const id of ids) titles.get(id)?.push(title)
        it(`${title}`, async () => {
          expect.hasAssertions()
          await run()
          for (const id of ids) proven.add(id)
        })
      }
    },
    unproven: () => rows.filter(({ id }) => !proven.has(id)),
    titlesOf: ({ id }) => titles.get(id) ?? [],
  }
}
