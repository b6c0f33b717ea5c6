/** docs/certainty.md is printed from the table that decides what may be sent again, and from the limits of doing so. */
import { expect, test } from 'vitest'
import { ENDINGS, type EndingName, type Known } from '../../src/client/endings.ts'
import { DEFAULT_HOST } from '../../src/client/host.ts'
import { DEFAULT_RETRY } from '../../src/client/retry.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { FAILURES } from '../../src/support/errors.ts'

const repository = new URL('../..', import.meta.url).pathname

/** What is done about a call that changes something, and about a read. */
const DONE: Readonly<Record<Known, readonly [write: string, read: string]>> = {
  done: ['`accepted`, or `uncertain` where its body tells nothing', 'goes on'],
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
  const ending = ENDINGS[name]
  if (!('status' in ending)) return '–'
  const { from, to } = ending.status
  return from === to ? String(from) : `${from}–${to}`
}

function rowOf(name: EndingName): string {
  const ending = ENDINGS[name]
  const [write, read] = 'but' in ending ? [BUT[ending.but], 'the same'] : DONE[ending.known]
  return `| ${ending.when} | ${statusOf(name)} | ${KNOWN[ending.known]} | ${write} | ${read} |`
}

function operationRow([name, operation]: [string, (typeof OPERATIONS)[keyof typeof OPERATIONS]]): string[] {
  if (operation.direction !== 'inbound') return []
  const reads = operation.looksUp.map((endpoint) => `\`${endpoint}\``).join(', ')
  return [`| \`${name}\` | ${operation.repeatable ? 'yes' : 'no'} | ${reads} |`]
}

const seconds = (ms: number) => `${ms / 1000} seconds`

test('docs/certainty.md shows the table by which the client decides what is sent again', async () => {
  const page = [
    '# What is sent again, and what is not',
    '',
    'The API has no key that would make it recognise a request it was sent before. So what may be sent again is decided by',
    'where a failure happened, never by the words of a message. The first row that fits counts. Printed from the table the',
    'client decides by (`src/client/endings.ts`).',
    '',
    '| What happened | HTTP | What is known | A call that changes something | A read |',
    '|---|---|---|---|---|',
    ...(Object.keys(ENDINGS) as EndingName[]).map(rowOf),
    '',
    '## Trying again',
    '',
    `- A call is tried ${DEFAULT_RETRY.attempts} times at most, within ${seconds(DEFAULT_RETRY.budgetMs)} of its first failure. The pause is a random part of ${DEFAULT_RETRY.baseMs} ms,`,
    `  doubled each time up to ${seconds(DEFAULT_RETRY.maxMs)}, and comes on top of what \`Retry-After\` asks for, in seconds or as a date`,
    '  (by the clock of the API, as its `Date` header tells).',
    `- A bridge has ${DEFAULT_HOST.retries} tries more than the first in hand; every answer gives back ${DEFAULT_HOST.earned}. When they are used up, a call is tried once.`,
    `- When ${DEFAULT_HOST.failures} requests in a row, over ${seconds(DEFAULT_HOST.failingMs)}, had no answer of the API itself (no connection, no answer, 502, 503, 504),`,
    `  the host is left in peace for ${seconds(DEFAULT_HOST.restMs)}: nothing is sent to it by any route. Then one request is let through, which decides.`,
    '- Right before each attempt the lease of the route must be fresh, and once more at the moment the request is written: a',
    '  process that was stopped and wakes up late sends nothing.',
    '- When the program is asked to stop, all these waits end at once.',
    '',
    '## After a lost answer',
    '',
    'The attempt was noted before its request left, so the record is known to be `uncertain`, whatever crashed. It is looked up',
    'once a late answer is out of the question (`api.lateAnswer`, counted from when it became uncertain), and only a proven',
    'absence sends it again. What the API cannot tell is `held` with `outcome-unprovable`, and `dropbridge settle` tells the',
    'bridge what a person found out. What may be repeated does no harm twice, and is looked up all the same.',
    '',
    '| Operation | May be repeated | Looked up with |',
    '|---|---|---|',
    ...Object.entries(OPERATIONS).flatMap(operationRow),
    '',
    'How each of them tells its own record from others is in [architecture.md](architecture.md), under *Certainty*.',
    '',
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${repository}docs/certainty.md`)
})
