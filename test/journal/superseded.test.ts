/** Changes that a later file has superseded, on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { supersededSuite } from '../suites/superseded.suite.ts'

supersededSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
