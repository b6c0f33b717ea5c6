/** Interchanges, their parts and answers, on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { interchangesSuite } from '../suites/interchanges.suite.ts'

interchangesSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
