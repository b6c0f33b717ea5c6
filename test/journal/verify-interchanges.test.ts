/** Interchanges, parts, answers and control numbers that were changed by hand: the check of the journal reports them. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import {
  answerDelivery,
  answerTo,
  interchange,
  refuses,
  SCOPE,
  unbundleFile,
} from '../suites/interchanges.suite.ts'
import { receiveFile, testClock } from '../suites/journal.suite.ts'

const EXPORTS = { ...SCOPE, receiver: 'ZZ:BUYER' }

/**
 * File a was read twice, and brought three interchanges in two batches; answer n1 of it is composed, n2 is decided, n3 is
 * due. File b repeats a number. Of file c no interchange was read yet. File e holds an answer that refuses delivery d3.
 */
async function writeJournal(path: string): Promise<void> {
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.acquireLease('inbox:van', 'bridge-1', 60_000, () => true)
  await receiveFile(journal, lease, 'a')
  await journal.addInterchanges(lease, 'a', [interchange(1), interchange(2), interchange(3)])
  await journal.startUnbundling(lease, 'a')
  await journal.addInterchanges(lease, 'a', [interchange(1), interchange(2)])
  await journal.addInterchanges(lease, 'a', [interchange(4)])
  await journal.markFileUnbundled(lease, 'a', {
    parts: [
      { id: 'p1', route: 'orders-in', sets: [[1, 3]] },
      { id: 'p2', route: 'cancels-in', sets: [[4, 4]] },
    ],
    answers: [
      answerTo('n1', { interchanges: [1, 2] }),
      answerTo('n2', { scope: { ...SCOPE, usage: 'test' } }),
      answerTo('n3', { scope: { ...SCOPE, syntax: 'edifact' } }),
    ],
    unrouted: [[5, 5]],
    ambiguous: [],
    received: [],
    problems: [],
  })
  for (const id of ['n1', 'n2']) await journal.decideAnswer(lease, id, { byStructure: false, start: 1 })
  await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))
  await journal.createReportDelivery(lease, answerDelivery('d2'))
  const earlier = { file: 'a', name: 'a.csv' }
  await unbundleFile(journal, lease, 'b', { interchanges: [interchange(1, { verdict: 'reused', earlier })] })
  await receiveFile(journal, lease, 'c')
  const reserved = await journal.reserveNumbers(lease, EXPORTS, { start: 7, groupFollows: false })
  await journal.createReportDelivery(lease, {
    ...answerDelivery('d3'),
    reservation: { id: reserved.id, sets: 1, code: 'PO' },
  })
  await journal.reserveNumbers(lease, EXPORTS, { start: 7, groupFollows: false })
  const moved = { ...SCOPE, receiver: 'ZZ:OTHER', interchange: 40, group: 41 }
  await journal.setNumberCounter(moved, { by: 'Ada', why: 'the old gateway' })
  await unbundleFile(journal, lease, 'e', { received: [refuses('ZZ:BUYER', '7')] })
  await journal.close()
}

const TABLES = [
  'interchanges',
  'parts',
  'unbundlings',
  'interchange_answers',
  'number_counters',
  'number_reservations',
]

/** Each column of these tables: `interchanges.number`. */
function listColumns(path: string): string[] {
  const database = openDatabase(path)
  const columns = TABLES.flatMap((table) =>
    database
      .prepare<[], { name: string }>(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => `${table}.${name}`),
  )
  database.close()
  return columns
}

/** Changes the file with the tools of another program, and checks it. */
async function problemsAfter(change: string): Promise<readonly string[]> {
  const path = join(await tempFolder(), 'journal.db')
  await writeJournal(path)
  return checkChanged(path, change)
}

async function checkChanged(path: string, change: string): Promise<readonly string[]> {
  const database = openDatabase(path)
  database.pragma('foreign_keys = off')
  database.pragma('ignore_check_constraints = on')
  const { changes } = database.prepare(change).run()
  database.close()
  expect(changes).toBeGreaterThan(0)
  const journal = await openJournal({ path, clock: testClock() })
  const { findings } = await journal.verifyChain({})
  await journal.close()
  return findings.map(({ message }) => message)
}

it('finds nothing in a journal of interchanges that only the bridge wrote', async () => {
  expect(await problemsAfter('update leases set until = until')).toEqual([])
})

const INTERCHANGES = /^interchanges 1 to 2 of file a are not what was noted/
const LAST_INTERCHANGE = /^interchanges 4 to 4 of file a are not what was noted/

const insertInterchange = (file: string, ordinal: number) => `
  insert into interchanges select '${file}', ${ordinal}, segment, syntax, sender, receiver, usage, '99', sha256, sets,
    verdict, partner, earlier_file from interchanges where file_id = 'a' and ordinal = 1`

it.each([
  [
    'the number of an interchange: it would be taken again',
    `update interchanges set number = '000000199' where file_id = 'a' and ordinal = 2`,
    INTERCHANGES,
  ],
  [
    'the verdict on a reused number',
    `update interchanges set verdict = 'taken' where file_id = 'b'`,
    /^interchanges 1 to 1 of file b are not what was noted/,
  ],
  [
    'the file that had a number first',
    `update interchanges set earlier_file = 'c' where file_id = 'b'`,
    /^interchanges 1 to 1 of file b/,
  ],
  [
    'the partner of an interchange',
    `update interchanges set partner = null where file_id = 'a' and ordinal = 4`,
    LAST_INTERCHANGE,
  ],
  [
    'the hash of an interchange',
    `update interchanges set sha256 = '' where file_id = 'a' and ordinal = 4`,
    LAST_INTERCHANGE,
  ],
  [
    'the place of an interchange',
    `update interchanges set segment = 7 where file_id = 'a' and ordinal = 4`,
    LAST_INTERCHANGE,
  ],
  [
    'an interchange that was removed',
    `delete from interchanges where file_id = 'a' and ordinal = 1`,
    INTERCHANGES,
  ],
  ['one that was put between two batches', insertInterchange('a', 3), INTERCHANGES],
  ['one that was put behind the last', insertInterchange('a', 5), LAST_INTERCHANGE],
  ['one that was put before the first', insertInterchange('a', 0), /^those before interchange 1 of file a/],
  [
    'one that was added to a file without any',
    insertInterchange('c', 1),
    /^the interchanges of file c have no event: they were added to the table directly$/,
  ],
  [
    'the sets of a part',
    `update parts set sets = '[[1,4]]' where file_id = 'p1'`,
    /^the sets of part p1 are not those that it had$/,
  ],
  [
    'sets that were emptied and not pruned',
    `update parts set sets = '[]' where file_id = 'p1'`,
    /^the sets of part p1 are not those that it had$/,
  ],
  ['a part without its sets', `delete from parts where file_id = 'p2'`, /^the sets of part p2 are missing$/],
  [
    'sets of a file that is no part',
    `insert into parts values ('c', '[1]')`,
    /^the sets of part c have no event: they were added to the table directly$/,
  ],
  [
    'the file that a part is of',
    `update files set part_of = 'b' where id = 'p1'`,
    /^file p1 \(a.csv\) is not what it was/,
  ],
  [
    'the sets that no route takes',
    `update unbundlings set unrouted = '[]' where file_id = 'a'`,
    /^the sets without a route of file a are not those that it had$/,
  ],
  [
    'sets without a route that were added',
    `insert into unbundlings values ('c', '[1]', '[]')`,
    /^the sets without a route of file c have no event: they were added to the table directly$/,
  ],
  [
    'the control number of an answer',
    `update interchange_answers set interchange_number = 9 where id = 'n1'`,
    /^answer n1: its control numbers are 9 and 1, and were 1 and 1$/,
  ],
  [
    'an answer that is said to be undecided: it would get another number',
    `update interchange_answers set decided_at = null, by_structure = null, interchange_number = null,
      group_number = null where id = 'n2'`,
    /^answer n2: its control numbers are none, and were 1 and 1$/,
  ],
  [
    'what an answer rests on',
    `update interchange_answers set by_structure = 1 where id = 'n2'`,
    /^answer n2 is not what it was/,
  ],
  [
    'what an answer is to',
    `update interchange_answers set interchanges = '[1]' where id = 'n1'`,
    /^answer n1 is not what it was/,
  ],
  [
    'when an answer is due',
    `update interchange_answers set due_at = due_at + 1 where id = 'n3'`,
    /^answer n3 is not what it was/,
  ],
  [
    'the delivery of an answer: it would be made again',
    `update interchange_answers set delivery_id = null where id = 'n1'`,
    /^answer n1: its delivery is none, and was d1$/,
  ],
  [
    'an answer that is bound to the delivery of something else',
    `update interchange_answers set delivery_id = 'd2' where id = 'n2'`,
    /^answer n2: its delivery is d2, and was none$/,
  ],
  ['an answer that was removed', `delete from interchange_answers where id = 'n3'`, /^answer n3 is missing$/],
  [
    'an answer that was added',
    `insert into interchange_answers
      select 9, 'n9', 'b', syntax, sender, receiver, usage, partner, interchanges, groups, due_at, null, null, null, null,
        null from interchange_answers where id = 'n3'`,
    /^answer n9 has no event: it was added to the table directly$/,
  ],
  [
    'the number that a delivery carries',
    `update number_reservations set interchange_number = 9 where delivery_id = 'd3'`,
    /^the control numbers of outgoing file 1 are 9 and 7, and were 7 and 7$/,
  ],
  [
    'numbers that are said to be free: another file would carry them too',
    `update number_reservations set delivery_id = null, route = 'x' where delivery_id = 'd3'`,
    /^the control numbers of outgoing file 1 are of delivery none, and were of d3$/,
  ],
  [
    'the time in an envelope: composed again, the file would be another',
    `update number_reservations set reserved_at = reserved_at + 1 where delivery_id = 'd3'`,
    /^the control numbers of outgoing file 1 are not what they were/,
  ],
  [
    'reserved numbers that were removed: they would be left out',
    `delete from number_reservations where delivery_id is null`,
    /^the control numbers of outgoing file 2 are missing, and were 8 and 8$/,
  ],
  [
    'reserved numbers that were added',
    `insert into number_reservations select 9, 'x', syntax, sender, receiver, usage, 9, 9, 9, null, null, null, null
      from number_reservations where id = 1`,
    /^the control numbers of outgoing file 9 have no event/,
  ],
  [
    'how many sets an interchange has: others would count as answered',
    `update number_reservations set sets = 2 where delivery_id = 'd3'`,
    /^the control numbers of outgoing file 1 are not what they were/,
  ],
  [
    'the verdict of a partner',
    `update answered_sets set verdict = 'A' where delivery_id = 'd3'`,
    /^received answer 1 is not what it was: a verdict differs$/,
  ],
  [
    'a verdict that was removed',
    `delete from answered_sets where delivery_id = 'd3'`,
    /^received answer 1 is not what it was: a verdict differs$/,
  ],
  [
    'a verdict that was added',
    `insert into answered_sets values ('d2', 1, 1, 'A', '[]', 1, 0)`,
    /^received answer 1 is not what it was: a verdict differs$/,
  ],
  [
    'what an answer of a partner is about',
    `update received_answers set delivery_id = 'd2'`,
    /^received answer 1 is not what it was/,
  ],
  [
    'an answer of a partner that was removed',
    `delete from received_answers`,
    /^received answer 1 is missing$/,
  ],
  [
    'an answer of a partner that was added',
    `insert into received_answers
      select 9, file_id, interchange, segment, kind, '8', 'accepted', outcome, '[]', 'd3', received_at from received_answers`,
    /^received answer 9 has no event: it was added to the table directly$/,
  ],
  [
    'the last number that was given: it would be given again',
    `update number_counters set last_interchange = 1 where usage = 'production' and receiver = '12:7755550100'`,
    /^the control numbers of x12 ZZ:HAVENRETAIL to 12:7755550100, production are 1 and 1, and were 2 and 1$/,
  ],
  [
    'numbers that a person set',
    `update number_counters set last_group = 0 where receiver = 'ZZ:OTHER'`,
    /^the control numbers of x12 ZZ:HAVENRETAIL to ZZ:OTHER, production are 40 and 0, and were 40 and 41$/,
  ],
  [
    'numbers that were removed: they would begin anew',
    `delete from number_counters where receiver = 'ZZ:OTHER'`,
    /are missing, and were 40 and 41$/,
  ],
  [
    'numbers that were added',
    `insert into number_counters values ('x12', 'ZZ:A', 'ZZ:B', 'test', 1, 1)`,
    /have no event: they were added to the table directly$/,
  ],
  [
    'why a person set numbers',
    `update decisions set why = 'because' where action = 'set-numbers'`,
    /^decision 1 \(set-numbers\) is not what was decided, by whom, or why$/,
  ],
])('reports %s', async (_, change, message) => {
  expect(await problemsAfter(change)).toEqual([expect.stringMatching(message)])
})

it('reports a change of any column', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'journal.db')
  await writeJournal(path)
  const columns = listColumns(path)
  const unreported: string[] = []
  for (const [index, place] of columns.entries()) {
    const [table = '', column = ''] = place.split('.')
    const copy = join(folder, `${index}.db`)
    await copyFile(path, copy)
    // The largest value becomes another one of its type.
    const found = await checkChanged(
      copy,
      `update ${table}
        set ${column} = case typeof(${column}) when 'integer' then ${column} + 1000 else ${column} || 'x' end
        where ${column} = (select max(${column}) from ${table})`,
    )
    if (found.length === 0) unreported.push(place)
  }

  expect(columns.length).toBeGreaterThan(30)
  expect(unreported).toEqual([])
})

it('has one event for each call that writes of interchanges, answers or numbers', async () => {
  const path = join(await tempFolder(), 'journal.db')
  await writeJournal(path)
  const database = openDatabase(path)
  const kinds = database.prepare<[], { kind: string }>('select kind from events order by id').all()
  database.close()

  expect(kinds.map(({ kind }) => kind)).toEqual([
    'chain-began',
    // Of a file: interchanges read, parts given, answers decided under their numbers, and what delivers them.
    'file-claiming',
    'file-received',
    'interchanges-noted',
    'unbundling-discarded',
    'interchanges-noted',
    'interchanges-noted',
    'part-received',
    'part-received',
    'file-unbundled',
    'answer-decided',
    'answer-decided',
    'delivery-composed',
    'delivery-composed',
    // Of the second file, of the third, of two exports, and by a person.
    'file-claiming',
    'file-received',
    'interchanges-noted',
    'file-unbundled',
    'file-claiming',
    'file-received',
    'numbers-reserved',
    'delivery-composed',
    'numbers-reserved',
    'numbers-set',
    // Of the file that holds an answer of a partner.
    'file-claiming',
    'file-received',
    'interchanges-noted',
    'file-unbundled',
  ])
})
