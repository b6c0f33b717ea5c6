/** After random histories, Today and the report of each day say the same numbers as `status`, and as SQL that counts them anew. */
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMailboxes } from '../../../src/app/context.ts'
import { type ConsoleContext, openConsole } from '../../../src/app/console/context.ts'
import { readReport } from '../../../src/app/console/reports.ts'
import type { Today } from '../../../src/app/console/today.ts'
import { takeSnapshot } from '../../../src/app/snapshot.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Alert } from '../../../src/domain/alert.ts'
import type { StateCounts } from '../../../src/domain/record.ts'
import type { Snapshot } from '../../../src/domain/snapshot.ts'
import type { Clock } from '../../../src/support/clock.ts'
import { newId } from '../../../src/support/text.ts'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { todayPage } from '../../../src/web/pages/today.ts'
import { toText, visit } from '../../fixtures/console.ts'
import { history, live } from '../../fixtures/histories.ts'
import { runCommand } from '../../fixtures/terminal.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { configurationAt } from '../harness.ts'

const MAPPINGS = new URL('../../../mappings', import.meta.url).pathname

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

interface CountedFile {
  readonly id: string
  readonly name: string
  readonly day: string
  readonly isClosed: boolean
  readonly states: StateCounts
  /** Rejected, and neither corrected by a later file nor dismissed. */
  readonly uncorrected: number
}

/** What the tables have, counted without any call of the program; the latest file first. */
function countBySql(path: string): CountedFile[] {
  const database = openDatabase(path, { readonly: true })
  const files = database
    .prepare(`select id, name, state, received_at from files order by number desc`)
    .all() as { id: string; name: string; state: string; received_at: number }[]
  const counts = database
    .prepare(
      `select file_id, state, count(*) as records, sum(state = 'rejected' and corrected = 0) as uncorrected
      from records group by file_id, state`,
    )
    .all() as { file_id: string; state: string; records: number; uncorrected: number }[]
  database.close()
  return files.map(({ id, name, state, received_at: at }) => {
    const own = counts.filter(({ file_id: file }) => file === id)
    return {
      id,
      name,
      day: isoDay(at),
      isClosed: state === 'closed',
      states: Object.fromEntries(own.map((each) => [each.state, each.records])),
      uncorrected: own.reduce((sum, { uncorrected }) => sum + uncorrected, 0),
    }
  })
}

function addStates(all: readonly StateCounts[]): StateCounts {
  const sum: Record<string, number> = {}
  for (const states of all)
    for (const [state, count] of Object.entries(states)) sum[state] = (sum[state] ?? 0) + count
  return sum
}

/** The page as a viewer has it, once the mailboxes were listed. */
async function visitToday(context: ConsoleContext) {
  const deadline = Date.now() + 20_000
  for (;;) {
    const page = await visit(context, todayPage, { role: 'viewer' })
    if (page?.data.checkedAt !== undefined) return page
    if (Date.now() > deadline) throw new Error('the mailboxes were never listed')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const UNFINISHED = ['deferred', 'uncertain', 'sending', 'planned', 'collected']

const pick = (states: StateCounts, names: readonly string[]) =>
  Object.fromEntries(Object.entries(states).filter(([state]) => names.includes(state)))

/** The numbers of Today, in the shape in which both SQL and `status` can say them. */
function toNumbers({
  files,
  held,
  unfinished,
  alerts,
}: Pick<Snapshot, 'held' | 'unfinished' | 'alerts'> & Pick<Today, 'files'>) {
  const byName = (one: readonly unknown[], other: readonly unknown[]) =>
    String(one) < String(other) ? -1 : 1
  const findCount = (code: string) =>
    alerts
      .filter((alert) => alert.code === code)
      .map(({ subject, message }) => [subject, Number(/: (\d+) records? /.exec(message)?.[1])])
      .toSorted(byName)
  return {
    files: files.map(({ id, records }) => [id, records]),
    held: held.map(({ file, records }) => [file, records]).toSorted(byName),
    unfinished: unfinished
      .map((work) => [
        'file' in work ? work.file : work.delivery,
        Object.fromEntries(work.records.map(({ state, count }) => [state, count])),
      ])
      .toSorted(byName),
    rejected: findCount('records-rejected'),
    unknown: findCount('outcome-unknown'),
  }
}

function numbersBySql(files: readonly CountedFile[]): ReturnType<typeof toNumbers> {
  const having = (read: (file: CountedFile) => number) =>
    files.filter((file) => read(file) > 0).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const nameOf = ({ name, id }: CountedFile) => `${name} (${id})`
  const uncertain = having(({ states }) => states.uncertain ?? 0)
  return {
    files: files.map(({ id, states }) => [id, states]),
    held: having(({ states }) => states.held ?? 0).map(({ id, states }) => [id, states.held ?? 0]),
    unfinished: having(({ isClosed }) => (isClosed ? 0 : 1)).map(({ id, states }) => [
      id,
      pick(states, UNFINISHED),
    ]),
    rejected: having(({ isClosed, uncorrected }) => (isClosed ? uncorrected : 0)).map((file) => [
      nameOf(file),
      file.uncorrected,
    ]),
    unknown: uncertain.map((file) => [nameOf(file), file.states.uncertain ?? 0]),
  }
}

/** What a row says of records that have no outcome, or were refused and are no more. */
const WORDS: Readonly<Record<string, string>> = {
  'to be sent': 'planned',
  'being sent': 'sending',
  'sent again since': 'corrected',
}

/** The counts that stand in the row of a file, as a person reads them. */
function readRow(html: string, id: string): Readonly<Record<string, number>> {
  const [, row = ''] =
    new RegExp(`<tr[^>]* id="files-${id.replaceAll('.', '\\.')}"[^>]*>([^]*?)</tr>`).exec(html) ?? []
  const [, cell = ''] = /<td data-label="Records">([^]*?)<\/td>/.exec(row) ?? []
  const counts = [
    ...toText(cell).matchAll(
      /[✓=✕‖…?–↗]?\s*([\d,]+) (accepted|duplicate|skipped|to be sent|being sent|rejected|held|deferred|uncertain|sent again since)/g,
    ),
  ]
  return Object.fromEntries(
    counts.map(([, count = '', word = '']) => [WORDS[word] ?? word, Number(count.replaceAll(',', ''))]),
  )
}

/** The same, by SQL. */
function toShown({ states, uncorrected }: CountedFile): Readonly<Record<string, number>> {
  const corrected = (states.rejected ?? 0) - uncorrected
  const shown = Object.entries({ ...states, rejected: uncorrected, corrected })
  return Object.fromEntries(shown.filter(([, count]) => count > 0))
}

const nameAlert = ({ code, subject }: Pick<Alert, 'code' | 'subject'>) => `${code} ${subject}`

async function readStatus(configuration: Configuration, context: ConsoleContext): Promise<Snapshot> {
  const { journal, clock } = context
  const mailboxes = await openMailboxes(configuration, {
    clock,
    random: Math.random,
    newId,
    isImpatient: true,
  })
  try {
    return await takeSnapshot({ journal, configuration, mailboxes, clock, folderCache: new Map() })
  } finally {
    for (const mailbox of mailboxes.values()) await mailbox.close()
  }
}

type Files = typeof history extends fc.Arbitrary<infer Value> ? Value : never

interface Seen {
  readonly configuration: Configuration
  readonly clock: Clock
  readonly today: Today
  readonly html: string
  readonly title: string
  readonly context: ConsoleContext
  readonly counted: readonly CountedFile[]
}

async function withToday(files: Files, check: (seen: Seen) => Promise<void>): Promise<void> {
  const folder = await tempFolder()
  const configuration = await configurationAt(folder)
  await cp(join(MAPPINGS, 'tables'), join(folder, 'tables'), { recursive: true })
  await cp(join(MAPPINGS, 'retailer-orders.yaml'), join(folder, 'orders.yaml'))
  const { journal, clock } = await live(files, { own: configuration })
  // Within an hour, a lost answer is no alert.
  clock.advance(61 * 60_000)
  const opened = openConsole({ configuration, clock })
  try {
    const context = await opened.getContext()
    const { data: today, html, title } = await visitToday(context)
    const counted = countBySql(configuration.journal.path)
    await check({ configuration, clock, today, html, title, context, counted })
  } finally {
    await opened.close()
    await journal.close()
  }
}

/** Of all days on which a file came, the counts of the report and those of the files of Today that came on it. */
async function compareDays({ context, counted, today }: Seen): Promise<void> {
  for (const day of new Set(counted.map((file) => file.day))) {
    const { rows } = await readReport(context, { span: 'day', day, zone: 'UTC' })
    const own = counted.filter((file) => file.day === day)
    const shown = today.files.filter(({ receivedAt = 0 }) => isoDay(receivedAt) === day)
    const states = addStates(rows.map((row) => row.states))
    expect(rows.reduce((sum, row) => sum + row.files, 0)).toBe(own.length)
    expect(states).toEqual(addStates(own.map((file) => file.states)))
    expect(states).toEqual(addStates(shown.map(({ records }) => records)))
    const uncorrected = own.reduce((sum, file) => sum + file.uncorrected, 0)
    const corrected = rows.reduce((sum, row) => sum + row.corrected, 0)
    // Held records whose key a later file has are counted as corrected, too.
    expect(corrected).toBeGreaterThanOrEqual((states.rejected ?? 0) - uncorrected)
  }
}

test('200 random histories: Today, the reports of their days, status and SQL have the same numbers', async () => {
  const seen = { rejected: 0, unknown: 0, held: 0, unfinished: 0 }
  await fc.assert(
    fc.asyncProperty(history, async (files) =>
      withToday(files, async (found) => {
        const { configuration, context, today, html, title, counted } = found
        const bySql = numbersBySql(counted)
        expect(toNumbers(today)).toEqual(bySql)
        const status = await readStatus(configuration, context)
        expect(toNumbers(status)).toEqual(bySql)
        const [route] = status.routes
        expect(addStates(counted.map(({ states }) => states))).toEqual(
          expect.objectContaining(
            pick(route?.incoming ?? {}, ['accepted', 'duplicate', 'skipped', ...UNFINISHED]),
          ),
        )
        expect(today.alerts.map(nameAlert)).toEqual(status.alerts.map(nameAlert))
        expect(Number(/^(\d+) things? needs? a person$/.exec(title)?.[1] ?? 0)).toBe(status.alerts.length)
        expect(title === 'All is well').toBe(status.alerts.length === 0)
        for (const file of counted) expect(readRow(html, file.id), file.id).toEqual(toShown(file))
        await compareDays(found)
        for (const key of ['rejected', 'unknown', 'held', 'unfinished'] as const)
          seen[key] += bySql[key].length
      }),
    ),
    { numRuns: 200 },
  )
  // The histories had each kind of trouble.
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(20)
})

test('the command status --json says the same numbers', async () => {
  for (const files of fc.sample(history, { numRuns: 5, seed: 4 }))
    await withToday(files, async ({ configuration, clock, today, counted }) => {
      const folder = dirname(configuration.stateFolder)
      const { out, err } = await runCommand({ folder, clock }, ['status', '--json'])
      const status = JSON.parse(out || err) as Snapshot
      expect(toNumbers(status)).toEqual(numbersBySql(counted))
      expect(toNumbers(today)).toEqual(toNumbers(status))
    })
})
