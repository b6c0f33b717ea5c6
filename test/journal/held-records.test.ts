/** Held records and decisions on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { heldRecordsSuite } from '../suites/held-records.suite.ts'

heldRecordsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
