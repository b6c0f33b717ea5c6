/** Tracing and resolving on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { supportSuite } from '../suites/support.suite.ts'

supportSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
