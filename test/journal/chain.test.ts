/** Every promise of the journal again, while it is watched: nothing is written without an event, and all stays whole. */
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { CALLS, openWatched } from '../fixtures/watched-journal.ts'
import { documentsSuite } from '../suites/documents.suite.ts'
import { heldSuite } from '../suites/held.suite.ts'
import { journalSuite, testClock } from '../suites/journal.suite.ts'
import { stepsSuite } from '../suites/steps.suite.ts'
import { supersededSuite } from '../suites/superseded.suite.ts'

const seen = new Set<string>()
const name = 'that is watched'

journalSuite(name, (clock) => openWatched(clock, seen))
heldSuite(name, (clock) => openWatched(clock, seen))
stepsSuite(name, (clock) => openWatched(clock, seen))
documentsSuite(name, (clock) => openWatched(clock, seen))
supersededSuite(name, (clock) => openWatched(clock, seen))

it('knows of every call of the journal whether it adds an event, and why not', async () => {
  const journal = await openJournal({ path: ':memory:', clock: testClock() })

  expect(Object.keys(CALLS).toSorted()).toEqual(Object.keys(journal).toSorted())
  await journal.close()
})

it('was seen to add an event by each call that is said to', () => {
  const said = Object.keys(CALLS).filter((call) => CALLS[call as keyof typeof CALLS] === 'adds an event')

  // Forgetting is watched beside its own tests, in the same way.
  expect(said.filter((call) => !seen.has(call))).toEqual(['forget'])
})
