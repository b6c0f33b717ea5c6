/** Packing slips and labels in the journal on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { documentsSuite } from '../suites/documents.suite.ts'

documentsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
