/** Notices on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { noticesSuite } from '../suites/notices.suite.ts'

noticesSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
