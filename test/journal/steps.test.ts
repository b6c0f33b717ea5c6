/** What the journal promises about steps and waiting, on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { stepsSuite } from '../suites/steps.suite.ts'

stepsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
