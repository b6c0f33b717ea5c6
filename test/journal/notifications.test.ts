/** Notifications on SQLite. */
import { openJournal } from '../../src/journal/open.ts'
import { notificationsSuite } from '../suites/notifications.suite.ts'

notificationsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))
