/** docs/certainty.md is printed from the table that decides what may be sent again, and from the limits of doing so. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REQUEST_ENDINGS, type EndingName, type Known } from '../../src/client/certainty.ts'
import { DEFAULT_HOST_LIMITS, DEFAULT_RETRY } from '../../src/client/retry.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { FAILURES } from '../../src/support/errors.ts'

const repository = new URL('../..', import.meta.url).pathname

/** What the bridge does about a call that changes something, and about a read. */
const DONE: Readonly<Record<Known, readonly [write: string, read: string]>> = {
  done: ['`accepted`, or `uncertain` where its body has no id', 'continues'],
  refused: ['`rejected`, with the reasons of the API', 'the answer counts; 404 is “not there”'],
  'nothing-done': ['sent again, after what `Retry-After` asks for; then `deferred`', 'asked again'],
  unknown: ['**never sent again blindly**: `uncertain`, and looked up', 'asked again'],
}

const BUT = {
  'one-renewal': `once more with a new token; then \`credentials-refused\` (exit ${FAILURES['credentials-refused'].exit}) stops the route`,
  'credentials-refused': `\`credentials-refused\` (exit ${FAILURES['credentials-refused'].exit}) stops the route`,
  'api-redirected': `never followed, so that the token stays with its origin; \`api-redirected\` (exit ${FAILURES['api-redirected'].exit}) stops the route`,
} as const

const KNOWN: Readonly<Record<Known, string>> = {
  done: 'it was done',
  refused: 'it was not done',
  'nothing-done': 'nothing was done',
  unknown: 'it may have been done',
}

function statusOf(name: EndingName): string {
  const ending = REQUEST_ENDINGS[name]
  if (!('status' in ending)) return '–'
  const { from, to } = ending.status
  return from === to ? String(from) : `${from}–${to}`
}

function rowOf(name: EndingName): string {
  const ending = REQUEST_ENDINGS[name]
  const [write, read] = 'but' in ending ? [BUT[ending.but], 'the same'] : DONE[ending.known]
  return `| ${ending.when} | ${statusOf(name)} | ${KNOWN[ending.known]} | ${write} | ${read} |`
}

function operationRow([name, operation]: [string, (typeof OPERATIONS)[keyof typeof OPERATIONS]]): string[] {
  if (operation.direction !== 'inbound') return []
  const reads = operation.looksUp.map((endpoint) => `\`${endpoint}\``).join(', ')
  return [`| \`${name}\` | ${operation.repeatable ? 'yes' : 'no'} | ${reads} |`]
}

const seconds = (ms: number) => `${ms / 1000} seconds`

interface Proof {
  readonly what: string
  readonly when: string
  readonly by: readonly string[]
}

const PROOFS: readonly Proof[] = [
  {
    what: 'No record is lost or posted twice, none is acknowledged early, no file is delivered twice',
    when: 'the bridge dies right before or after any of its calls, real processes are killed or stopped at any moment, answers are lost, reads lag, readers take files meanwhile',
    by: [
      'cli/prove.long.test.ts',
      'journeys/crash.long.test.ts',
      'journeys/kill.long.test.ts',
      'journeys/paused.long.test.ts',
      'journeys/threads.long.test.ts',
    ],
  },
  {
    what: 'Each of these proofs fails when the protection is taken out',
    when: 'attempts, notes, leases, lookups or acknowledgements are sabotaged',
    by: ['cli/prove.long.test.ts', 'cli/prove-parts.test.ts'],
  },
  {
    what: 'A file is in one place once, though its reader takes it while the bridge is down',
    when: 'the bridge dies around each step of a delivery: folders, SFTP with rename, SFTP without; exports, results, summaries',
    by: ['pipeline/delivered-once.test.ts', 'suites/mailbox.suite.ts'],
  },
  {
    what: 'Nothing that was acknowledged is missing, nothing is doubled',
    when: 'the machine loses power at any flush: on a model of a file system that is fed with the real calls, mailboxes in folders',
    by: ['journeys/power-loss.long.test.ts'],
  },
  {
    what: 'A delivered file and its name are flushed before the file counts as delivered',
    when: 'in folders, also where a crash came before the flush; on SFTP servers that flush on request',
    by: ['mailboxes/flushes.test.ts', 'mailboxes/sftp/flushes.test.ts'],
  },
  {
    what: 'A request that reached its deadline is not sent any further',
    when: 'over plain TCP and TLS',
    by: ['client/resets.test.ts'],
  },
]

const LIMITS = [
  {
    what: 'A machine loses power after a file got its name and before the name is on the disk, while a reader on a share already has the bytes',
    done: 'After the start the file has no name, and nothing shows that it had one, so the bridge delivers it again. The gap is one flush long',
  },
  {
    what: 'An API shows a record only after twice `api.lateAnswer`, or a gateway delivers a request later than `api.lateAnswer`',
    done: 'The absence looks proven, and the record is sent again. Set `api.lateAnswer` to more than the longest delay of the API and its gateways',
  },
  {
    what: 'Another program removes a hidden working file on an SFTP server, or in a folder without hard links, right while the bridge is down in the middle of its delivery',
    done: 'The file counts as delivered. In a folder with hard links it is held for a person',
  },
  {
    what: 'A scanner or a backup touches a hidden working file, and the bridge dies between the note and the name',
    done: 'The changed time of the file looks as if it had its name, and it counts as delivered. While the bridge lives it detects this, and continues',
  },
  {
    what: 'An SFTP server itself stops between the two steps of its own rename (OpenSSH links and then removes)',
    done: 'Both names are there, and the file counts as not delivered: where its reader has taken it by then, it comes twice',
  },
  {
    what: 'The whole machine, mailboxes included, is set back to an earlier state, and the API alone knows better',
    done: 'No local file shows it. Run `dropbridge restored` after every restore',
  },
] as const

test('each test that docs/certainty.md names is there', () => {
  const missing = PROOFS.flatMap(({ by }) => by).filter((path) => !existsSync(`${repository}test/${path}`))
  expect(missing).toEqual([])
})

test('docs/certainty.md shows the table by which the client decides what is sent again', async () => {
  const page = [
    '# What is sent again, and what is not',
    '',
    'The API has no key that would make it recognise a request it was sent before. So what may be sent again is decided by',
    'where a failure happened, never by the words of a message. The first row that fits counts.',
    '',
    '| What happened | HTTP | What is known | A call that changes something | A read |',
    '|---|---|---|---|---|',
    ...(Object.keys(REQUEST_ENDINGS) as EndingName[]).map(rowOf),
    '',
    '## Trying again',
    '',
    `- A call is tried ${DEFAULT_RETRY.attempts} times at most, within ${seconds(DEFAULT_RETRY.budgetMs)} of its first failure. The pause is a random part of ${DEFAULT_RETRY.baseMs} ms,`,
    `  doubled each time up to ${seconds(DEFAULT_RETRY.maxMs)}, and comes on top of what \`Retry-After\` asks for, in seconds or as a date`,
    '  (by the clock of the API, as its `Date` header shows).',
    `- A bridge has ${DEFAULT_HOST_LIMITS.retries} tries more than the first in hand; every answer gives back ${DEFAULT_HOST_LIMITS.retriesPerAnswer}. When they are used up, a call is tried once.`,
    `- When ${DEFAULT_HOST_LIMITS.failures} requests in a row, over ${seconds(DEFAULT_HOST_LIMITS.failingMs)}, had no answer of the API itself (no connection, no answer, 502, 503, 504),`,
    `  the host is left in peace for ${seconds(DEFAULT_HOST_LIMITS.pauseMs)}: nothing is sent to it by any route. Then one request is let through, which decides.`,
    '- Right before each attempt the lease of the route must be fresh, and once more at the moment the request is written: a',
    '  process that was stopped and wakes up late sends nothing.',
    '- When the program is asked to stop, all these waits end at once.',
    '- A call that reaches its deadline, or that a stop cuts off, resets its TCP connection. What has not reached the server by',
    '  then is never sent. What the server has received by then it may still carry out.',
    '',
    '## After a lost answer',
    '',
    'The attempt was noted before its request left, so the record is known to be `uncertain`, whatever crashed. It is looked up',
    'once a late answer is out of the question (`api.lateAnswer`, counted from when it became uncertain).',
    '',
    '- What a read shows as ours is `accepted` at once.',
    '- What it does not show is read again after `api.lateAnswer`, because a read may come from a replica that lags behind. What neither',
    '  read shows is read once more right before it is sent again. What may be repeated does no harm twice, and is read once.',
    '- A read that shows less of an order than was noted before sending is older than the note, and proves nothing.',
    '- What only looks like ours is not taken for it: an order, invoice or item of the same number with other contents, what the API says',
    '  was made more than a day before the first lost attempt, and a shipment that was there before, or has a tracking number where the',
    '  record has none.',
    '- What cannot be proven is `held` with `outcome-unprovable`, and with `dropbridge resolve` a person states what came of it.',
    '',
    '| Operation | May be repeated | Looked up with |',
    '|---|---|---|',
    ...Object.entries(OPERATIONS).flatMap(operationRow),
    '',
    'How each of them separates its own record from others: [exactly once](concepts/exactly-once.md#present).',
    '',
    '## What is proven, and by what',
    '',
    'Each row names the tests that show it. `dropbridge prove` shows the same for your own routes and mappings.',
    '',
    '| What | When | Proven by |',
    '|---|---|---|',
    ...PROOFS.map(
      ({ what, when, by }) => `| ${what} | ${when} | ${by.map((path) => `\`${path}\``).join(', ')} |`,
    ),
    '',
    '## What no client can know',
    '',
    '| What happens | What the bridge does |',
    '|---|---|',
    ...LIMITS.map(({ what, done }) => `| ${what} | ${done} |`),
    '',
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${repository}docs/certainty.md`)
})
