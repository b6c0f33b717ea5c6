/** Held records and decisions on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { heldSuite } from '../suites/held.suite.ts'

heldSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
