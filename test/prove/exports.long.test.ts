/** `dropbridge prove` over exports of interchanges: it finds nothing wrong with the bridge, and each protection that is taken out. */
import { copyFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { NumberReservation } from '../../src/domain/interchange-journal.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import type { PartsWrapper } from '../../src/prove/crash-point.ts'
import type { DefectKind } from '../../src/prove/results.ts'
import { acknowledgedFirst, configureForExports, EXPORTS, proving } from '../fixtures/proving.ts'

test.each(['x12', 'edifact'])(
  'a bridge that dies at any effect of an export of %s delivers each record once, under numbers without gaps',
  async (syntax) => {
    const names = Object.keys(EXPORTS).filter((name) => name.startsWith(syntax))

    const proof = await proving({ path: await configureForExports(names), only: ['crashes', 'readers'] })

    expect(proof.routes.map(({ route, unproven, failures }) => [route, unproven, failures])).toEqual(
      names.map((name) => [name.replace('/', '-'), undefined, []]),
    )
    expect(proof.routes.every(({ kills, numbers }) => kills > 40 && numbers > 40)).toBe(true)
  },
  600_000,
)

test.each([
  ['x12/850-export', 'anywhere'],
  ['edifact/invoic-export', 'in an inbox'],
] as const)(
  'a bridge that dies at any effect of %s, whose partner answers %s, acknowledges what is accepted and holds what is refused',
  async (name, answers) => {
    const path = await configureForExports([name], { answers })

    const proof = await proving({ path, only: ['crashes', 'at-effect', 'at-random', 'stopped'], kills: 1 })

    const [route] = proof.routes
    expect([route?.unproven, route?.failures]).toEqual([undefined, []])
    expect(route?.kills).toBeGreaterThan(60)
  },
  600_000,
)

test.each([
  ['x12/810-export', 'x12/846-export', '{ group: interchange, set: grouped }'],
  ['edifact/desadv-export', 'edifact/invrpt-export', '{ start: 700 }'],
])(
  'two bridges that die over %s and %s to one partner deliver each record once, under numbers without gaps',
  async (one, other, numbers) => {
    const path = await configureForExports([one, other], { numbers })

    const proof = await proving({ path, only: ['twins', 'readers'], kills: 1 })

    expect(proof.routes.map(({ unproven, failures }) => [unproven, failures])).toEqual([
      [undefined, []],
      [undefined, []],
    ])
    expect(proof.routes.every(({ kills, processes }) => kills > 40 && processes > 0)).toBe(true)
  },
  600_000,
)

/** Each of the two runs without faults opens one bridge. */
const BASELINES = 2

/** Sabotages the journals of the bridges after the baseline, each with a memory of its own. */
function sabotageJournals(change: (journal: Journal) => Partial<Journal>): PartsWrapper {
  let opened = 0
  return {
    journal: (journal) => {
      if (++opened <= BASELINES) return journal
      const changed: Partial<Record<PropertyKey, unknown>> = change(journal)
      return new Proxy(journal, {
        get: (target, name) => changed[name] ?? (Reflect.get(target, name) as unknown),
      })
    },
  }
}

const BY = { by: 'nobody', why: 'sabotage' }

/** Counts a number only once its file is done: until then it is not reserved. */
function reservationsSkipped(): PartsWrapper {
  return sabotageJournals((journal) => {
    let given: NumberReservation | undefined
    const count = async (less: number) => {
      if (given === undefined) return
      const { scope, numbers } = given
      const { interchange, group } = numbers
      await journal.setNumberCounter({ ...scope, interchange: interchange - less, group: group - less }, BY)
    }
    return {
      reserveNumbers: async (...call) => (given = await journal.reserveNumbers(...call)),
      createDelivery: async (...call) => {
        const delivery = await journal.createDelivery(...call)
        await count(1)
        return delivery
      },
      markDeliveryAcknowledged: async (...call) => {
        await count(0)
        return journal.markDeliveryAcknowledged(...call)
      },
    }
  })
}

/** Forgets the numbers of a file whose composing ended early, and goes on behind them. */
function openReservationsForgotten(): PartsWrapper {
  return sabotageJournals((journal) => ({
    reserveNumbers: async (...call) => {
      // To set a counter takes away the reservations that are open.
      for (const counter of await journal.listNumberCounters()) await journal.setNumberCounter(counter, BY)
      return journal.reserveNumbers(...call)
    },
  }))
}

/** Writes other numbers than those that are reserved. */
function numbersChanged(change: (numbers: NumberReservation['numbers']) => object): PartsWrapper {
  return sabotageJournals((journal) => ({
    reserveNumbers: async (...call) => {
      const reserved = await journal.reserveNumbers(...call)
      return { ...reserved, numbers: { ...reserved.numbers, ...change(reserved.numbers) } }
    },
  }))
}

type GiveName = (...call: Parameters<Mailbox['giveName']>) => ReturnType<Mailbox['giveName']>

/** Sabotages the names of files after the baseline. */
function sabotageNaming(change: (mailbox: Mailbox) => GiveName): PartsWrapper {
  let opened = 0
  return {
    mailbox: (mailbox) => (++opened <= BASELINES ? mailbox : { ...mailbox, giveName: change(mailbox) }),
  }
}

/** Delivers each file under a second name too. */
const doubled =
  (mailbox: Mailbox): GiveName =>
  async (staged, name) => {
    await copyFile(staged.source, mailbox.describe(staged.folder, `again-${name}`))
    return mailbox.giveName(staged, name)
  }

/** Takes files for delivered that are not. */
const left = (): GiveName => () => Promise.resolve('delivered')

const SABOTAGES: readonly {
  readonly what: string
  readonly wrap: () => PartsWrapper
  readonly wrong: DefectKind
  readonly found: readonly RegExp[]
}[] = [
  {
    what: 'counts control numbers only once their files are done',
    wrap: reservationsSkipped,
    wrong: 'twice',
    found: [/^control number \d+: an interchange before had it$/],
  },
  {
    what: 'forgets the numbers of a file whose composing ended early',
    wrap: openReservationsForgotten,
    wrong: 'lost',
    found: [/^control number \d+: no interchange has it$/],
  },
  {
    what: 'gives each control number twice',
    wrap: () =>
      numbersChanged(({ interchange }) => ({ interchange: 700 + Math.floor((interchange - 700) / 2) })),
    wrong: 'twice',
    found: [/^control number \d+: an interchange before had it$/],
  },
  {
    what: 'leaves every other control number out',
    wrap: () => numbersChanged(({ interchange }) => ({ interchange: 2 * interchange - 700 })),
    wrong: 'lost',
    found: [/^control number \d+: no interchange has it$/],
  },
  {
    what: 'delivers each file twice',
    wrap: () => sabotageNaming(doubled),
    wrong: 'twice',
    found: [
      /^export-\w+ \d+: it is 2 times in the delivered files$/,
      /^control number \d+: an interchange before had it$/,
    ],
  },
  {
    what: 'takes files for delivered that are not',
    wrap: () => sabotageNaming(left),
    wrong: 'lost',
    found: [/^export-\w+ \d+: it is in no delivered file$/],
  },
  {
    what: 'acknowledges before it delivers',
    wrap: acknowledgedFirst,
    wrong: 'early',
    found: [/^export-\w+ \d+: it was acknowledged before it stood in a whole file$/],
  },
]

/** A set for each record in both syntaxes, and one set for all. */
const SABOTAGED = ['x12/810-export', 'edifact/invoic-export', 'x12/846-export']

test.each(SABOTAGES.flatMap((each) => SABOTAGED.map((name) => ({ ...each, name }))))(
  'prove detects in $name that a bridge $what',
  async ({ name, wrap, wrong, found }) => {
    const path = await configureForExports([name])

    const proof = await proving({ path, only: ['crashes'], sabotage: { wrap: wrap() }, failuresMax: 1 })

    const [route] = proof.routes
    expect(route?.unproven).toBeUndefined()
    expect(route?.wrongs[wrong]).toBeGreaterThan(0)
    const findings = route?.failures.flatMap((failure) => failure.findings) ?? []
    const lines = findings.map(({ record, what }) => `${record}: ${what}`)
    for (const pattern of found) expect(lines).toContainEqual(expect.stringMatching(pattern))
  },
)

test('prove detects that a bridge gives the number of a group twice', async () => {
  const path = await configureForExports(['x12/810-export'])
  const wrap = numbersChanged(({ group }) => ({ group: 700 + Math.floor((group - 700) / 2) }))

  const proof = await proving({ path, only: ['crashes'], sabotage: { wrap }, failuresMax: 1 })

  expect(proof.routes[0]?.unproven).toBeUndefined()
  expect(proof.routes[0]?.failures[0]?.findings).toContainEqual({
    wrong: 'twice',
    record: expect.stringMatching(/^group number \d+$/) as string,
    what: 'an interchange before had it',
  })
})

test('prove detects that each route to a partner counts its control numbers alone', async () => {
  const path = await configureForExports(['x12/810-export', 'x12/846-export'])
  const wrap: PartsWrapper = {
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          const reserve: typeof target.reserveNumbers = (lease, scope, rules) =>
            target.reserveNumbers(lease, { ...scope, receiver: `${scope.receiver} ${lease.route}` }, rules)
          return name === 'reserveNumbers' ? reserve : (Reflect.get(target, name) as unknown)
        },
      }),
  }

  const proof = await proving({ path, only: ['twins'], sabotage: { wrap }, failuresMax: 1 })

  for (const { wrongs, failures } of proof.routes) {
    expect(wrongs.twice).toBeGreaterThan(0)
    expect(failures[0]?.findings.map(({ what }) => what)).toContain('an interchange before had it')
  }
})
