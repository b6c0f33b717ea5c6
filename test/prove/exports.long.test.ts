/** `dropbridge prove` over exports of interchanges: it finds nothing wrong with the bridge, and each protection that is taken out. */
import { copyFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { DeliveryEntry } from '../../src/domain/delivery.ts'
import type { ReceivedAnswer } from '../../src/domain/interchange.ts'
import type { NumberReservation } from '../../src/domain/interchange-journal.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import type { PartsWrapper } from '../../src/prove/crash-point.ts'
import type { DefectKind } from '../../src/prove/results.ts'
import { acknowledgedFirst, configureForExports, proving } from '../fixtures/proving.ts'

// The effects of an export depend on whether each record is a set of its own or all are one set, neither on the document nor
// on the syntax. The other documents are in goldens, in the properties of exports, and in the proofs of two routes below.
test.each([
  ['x12', ['x12/846-export']],
  ['edifact', ['edifact/desadv-export']],
])(
  'a bridge that dies at any effect of an export of %s delivers each record once, under numbers without gaps',
  async (_, names) => {
    const proof = await proving({ path: await configureForExports(names), only: ['crashes', 'readers'] })

    expect(proof.routes.map(({ route, unproven, failures }) => [route, unproven, failures])).toEqual(
      names.map((name) => [name.replace('/', '-'), undefined, []]),
    )
    expect(proof.routes.every(({ kills, numbers }) => kills > 40 && numbers > 40)).toBe(true)
  },
  600_000,
)

test('a bridge that dies at any effect, those over answers too, acknowledges what is accepted and holds what is refused', async () => {
  const path = await configureForExports(['x12/850-export'], { answers: 'anywhere' })

  // After each effect, while a reader takes the files away.
  const proof = await proving({ path, only: ['readers'] })

  const [route] = proof.routes
  expect([route?.unproven, route?.failures]).toEqual([undefined, []])
  expect(route?.kills).toBeGreaterThan(80)
}, 600_000)

test('processes that are killed and stopped acknowledge what is accepted and hold what is refused', async () => {
  const path = await configureForExports(['edifact/invoic-export'], { answers: 'in an inbox' })

  // One trial of each kind.
  const proof = await proving({ path, only: ['at-effect', 'stopped', 'at-random'], kills: 12 })

  const [route] = proof.routes
  expect([route?.unproven, route?.failures]).toEqual([undefined, []])
  expect(route?.processes).toBeGreaterThan(0)
}, 600_000)

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

// Answers of the partner.

/** Changes what the journal stores of received answers. */
function answersChanged(change: (answer: ReceivedAnswer) => ReceivedAnswer): PartsWrapper {
  return {
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          const store: typeof target.markFileUnbundled = (lease, file, { received, ...unbundling }) => {
            const changed = received.map((each) => ({ ...each, answer: change(each.answer) }))
            return target.markFileUnbundled(lease, file, { ...unbundling, received: changed })
          }
          return name === 'markFileUnbundled' ? store : (Reflect.get(target, name) as unknown)
        },
      }),
  }
}

/** Gives the verdicts on the sets of an answer to their neighbours. */
function shiftVerdicts({ sets, ...answer }: ReceivedAnswer): ReceivedAnswer {
  const shifted = sets.map(({ number }, at) => {
    const { verdict, reasons } = sets[(at + 1) % sets.length] ?? { verdict: 'A', reasons: [] }
    return { number, verdict, reasons }
  })
  return { ...answer, sets: shifted }
}

function dropRefusals({ sets, ...answer }: ReceivedAnswer): ReceivedAnswer {
  return { ...answer, sets: sets.filter(({ verdict }) => verdict !== 'R') }
}

function acceptRefusals({ sets, ...answer }: ReceivedAnswer): ReceivedAnswer {
  return { ...answer, sets: sets.map((set) => ({ ...set, verdict: 'A' })) }
}

/** Takes each delivered file for confirmed. */
function confirmedAtDelivery(): PartsWrapper {
  const confirm = <Entry extends DeliveryEntry | undefined>(entry: Entry): Entry =>
    entry?.state === 'delivered' ? { ...entry, confirmedAt: 1 } : entry
  return {
    journal: (journal) =>
      new Proxy(journal, {
        get(target, name) {
          const get: typeof target.getDelivery = async (id) => confirm(await target.getDelivery(id))
          return name === 'getDelivery' ? get : (Reflect.get(target, name) as unknown)
        },
      }),
  }
}

/** Acknowledges each record once more. */
function acknowledgedTwice(): PartsWrapper {
  return {
    api: (api) => ({
      ...api,
      send: async (call, ...more) => {
        if (/^acknowledge/i.test(call.endpoint)) await api.send(call, ...more)
        return api.send(call, ...more)
      },
    }),
  }
}

test.each<{
  readonly what: string
  readonly wrap: PartsWrapper
  readonly wrong: DefectKind
  readonly found: readonly RegExp[]
}>([
  {
    what: 'acknowledges at delivery what waits for an answer',
    wrap: confirmedAtDelivery(),
    wrong: 'early',
    found: [/^it was acknowledged before its partner answered$/],
  },
  {
    what: 'applies answers to the wrong records',
    wrap: answersChanged(shiftVerdicts),
    wrong: 'early',
    found: [
      /^it was acknowledged although its partner had refused it$/,
      /^it was never acknowledged$/,
      /^its partner refused it, and it is not held$/,
    ],
  },
  {
    what: 'drops refusals',
    wrap: answersChanged(dropRefusals),
    wrong: 'lost',
    found: [/^its partner refused it, and it is not held$/],
  },
  {
    what: 'takes refusals for acceptances',
    wrap: answersChanged(acceptRefusals),
    wrong: 'early',
    found: [/^it was acknowledged although its partner had refused it$/],
  },
  {
    what: 'acknowledges a record again although nothing was lost',
    wrap: acknowledgedTwice(),
    wrong: 'doubled',
    found: [/^it was acknowledged 2 times$/],
  },
])('prove detects that a bridge $what', async ({ wrap, wrong, found }) => {
  const path = await configureForExports(['x12/850-export'], { answers: 'anywhere' })

  const proof = await proving({ path, only: ['crashes'], sabotage: { wrap }, failuresMax: 1 })

  const [route] = proof.routes
  expect(route?.unproven).toBeUndefined()
  expect(route?.wrongs[wrong]).toBeGreaterThan(0)
  const lines = route?.failures.flatMap(({ findings }) => findings.map(({ what }) => what))
  for (const pattern of found) expect(lines).toContainEqual(expect.stringMatching(pattern))
})
