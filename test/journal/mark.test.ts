/** The mark beside a journal, while several bridges start at once. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findMarkMismatch, markPath, writeMark } from '../../src/journal/mark.ts'
import { openJournal } from '../../src/journal/open.ts'
import { systemClock } from '../../src/support/clock.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

test('a bridge that starts while another one writes the first mark finds nothing wrong', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journal = await openJournal({ path, clock: systemClock })
  const beside = {
    ...journal,
    isMarked: async () => {
      await writeMark(journal, markPath(path))
      return journal.hasMark()
    },
  }

  const why = await findMarkMismatch(beside, markPath(path))
  await journal.close()

  expect(why).toBeUndefined()
})
