/** A pass that dies at any of its effects while a partner's answer is in the inbox: nothing is acknowledged before, or twice. */
import { expect, test } from 'vitest'
import { anAnsweredWorld, write997 } from '../fixtures/answering-partner.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { type ExportsWorld, order, passOver } from '../fixtures/edi-exports.ts'

const ANSWER = write997({ '0001': ['AK5*A'], '0002': ['AK5*R*5'] }, 'AK9*P*2*2*1')

async function exportTwo(): Promise<ExportsWorld> {
  const own = await anAnsweredWorld()
  await order(own, 10_001, 2)
  await passOver(own)
  await own.world.drop('inbox/van', 'fa.x12', ANSWER)
  return own
}

/** How many answers are stored, how many records are held, and what the check of the journal finds. */
async function look({ world, mappings }: ExportsWorld) {
  const bridge = await world.open(undefined, { mappings })
  const { journal } = bridge
  try {
    const files = await journal.listRecentFiles(10, 'inbox:van')
    const answers = await Promise.all(files.map(({ id }) => journal.listReceivedAnswers({ file: id }, 10)))
    return {
      outcomes: answers.flat().map(({ outcome }) => outcome),
      held: (await journal.listUnacknowledgedRecords(10)).length,
      findings: (await journal.verifyChain({})).findings,
    }
  } finally {
    await bridge.close()
  }
}

test.each(['before', 'after'] as const)(
  'one record is acknowledged and one held, once each, whatever effect a pass dies %s',
  async (moment) => {
    const effects = await atEachEffect(moment, async (effect) => {
      const own = await exportTwo()
      const { world } = own
      const acknowledged = () => world.service.counts().acknowledgedOrders
      // Right before one effect is right after the one before it, so every second one is enough.
      const plan = crashAt(moment === 'before' ? 2 * effect - 1 : effect, moment)
      await passOver(own, 'orders-out', plan.wrap).catch(() => undefined)
      const died = plan.diedAt()
      const stored = (await look(own)).outcomes.length
      expect(acknowledged(), died).toBeLessThanOrEqual(stored)
      // The lease of the dead process ends.
      world.clock.skip(60_000)
      await passOver(own)
      await passOver(own)

      expect(acknowledged(), died).toBe(1)
      expect(await look(own), died).toEqual({ outcomes: ['matched'], held: 1, findings: [] })
      return died
    })
    expect(effects).toBeGreaterThan(15)
  },
  240_000,
)
