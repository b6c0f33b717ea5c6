/** A restored journal, on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { restoredSuite } from '../suites/restored.suite.ts'

restoredSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
