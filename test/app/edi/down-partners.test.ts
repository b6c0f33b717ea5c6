/** A partner whose mailbox is down: its answers wait, and nothing else of the inbox does. */
import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import { BridgeError } from '../../../src/support/errors.ts'
import { block, makeFrom, numbersOf, PARTNERS, places } from '../../fixtures/down-partners.ts'
import { HARBOR } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN } from '../../fixtures/edi-maker/envelope.ts'
import { commandsOf } from '../../fixtures/office.ts'

test('a run answers, reports and archives the files of other partners, and says which answer waits', async () => {
  const world = await anEdiInbox({ partners: PARTNERS })
  const run = await commandsOf(world)
  await block(places(world).harbor)
  await world.drop('inbox/van', 'a.x12', dress(makeFrom(HARBOR, 1, 'H-1')))
  await world.drop('inbox/van', 'b.x12', dress(makeFrom(HAVEN, 2, 'H-2')))

  const { err, exit } = await run('run')

  expect(await numbersOf(world)).toEqual(['H-1', 'H-2'])
  expect(await world.list('outbox/haven')).toEqual(['997-haven-000000001.x12'])
  expect(await world.list('results')).toContain('b.x12.summary.json')
  expect(await world.list('results')).not.toContain('a.x12.summary.json')
  expect(exit).not.toBe(0)
  expect(err).toMatch(/a\.x12 is not finished: 1 answer not delivered yet; to harbor: .+outbox\/harbor/)
  expect((await run('status')).out).toContain(
    'it waits for the answer 997-harbor-000000001.x12 to harbor (not delivered)',
  )
  expect((await run('why-not', 'a.x12')).out).toContain(
    'the answer 997-harbor-000000001.x12 to harbor (not delivered)',
  )

  await rm(places(world).harbor)
  expect((await run('run')).exit).toBe(0)
  expect(await world.list('outbox/harbor')).toEqual(['997-harbor-000000001.x12'])
  expect(await world.list('results')).toContain('a.x12.summary.json')
})

test('a partner whose server refuses the login delays its own answers only', async () => {
  const world = await anEdiInbox({ partners: PARTNERS })
  let tries = 0
  const refusing = (mailbox: Mailbox): Mailbox => ({
    ...mailbox,
    stage: (source, folder, options) => {
      if (folder !== 'outbox/harbor') return mailbox.stage(source, folder, options)
      tries += 1
      return Promise.reject(new BridgeError('credentials-refused', 'The server refuses the key.'))
    },
  })
  for (const number of [1, 2, 3])
    await world.drop('inbox/van', `a${number}.x12`, dress(makeFrom(HARBOR, number, `H-${number}`)))
  await world.drop('inbox/van', 'b.x12', dress(makeFrom(HAVEN, 4, 'H-4')))
  const bridge = await world.open({ mailbox: refusing })

  await bridge.run([], new AbortController().signal)
  await bridge.close()

  expect(await numbersOf(world)).toEqual(['H-1', 'H-2', 'H-3', 'H-4'])
  expect(await world.list('outbox/haven')).toEqual(['997-haven-000000001.x12'])
  // A place that is down is not tried again for each file: every try may take as long as a connection.
  expect(tries).toBe(1)
})
