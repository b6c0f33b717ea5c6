/** The page for people without a command line: its order, its links, and the escaping of its texts. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import type { LatestFile } from '../../src/domain/snapshot.ts'
import { renderStatusPage, replaceFile, type StatusPageData } from '../../src/observability/status-page.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const AT = Date.UTC(2026, 10, 21, 15, 20)

const CONFIGURATION = {
  mailboxes: { erp: { type: 'directory', path: '/srv/exchange' } },
  routes: [
    {
      name: 'orders',
      direction: 'inbound',
      results: { mailbox: 'erp', folder: 'results' },
    },
  ],
} as unknown as Configuration

const FILE: LatestFile = {
  id: 'f1',
  route: 'orders',
  folder: 'inbox',
  name: 'monday #1.csv',
  size: 10,
  modifiedAt: 1,
  state: 'closed',
  outcome: 'processed',
  problems: [],
  keyColumns: [],
  headerLines: 1,
  reportName: 'monday #1.csv',
  claimedAt: AT,
  receivedAt: AT,
  closedAt: AT,
  records: {},
  warnings: 0,
}

function matter(
  more: Partial<StatusPageData['snapshot']> = {},
  others: Partial<StatusPageData> = {},
): StatusPageData {
  return {
    snapshot: {
      at: AT,
      alerts: [],
      scheduledRuns: [],
      routes: [],
      files: [],
      deliveries: [],
      held: [],
      heldRecords: [],
      waiting: [],
      unfinished: [],
      unmatchedFiles: [],
      disks: [],
      watches: [],
      ...more,
    },
    notifications: [],
    configuration: CONFIGURATION,
    path: '/srv/exchange/STATUS.html',
    isLive: true,
    ...others,
  }
}

test('a page without alerts says that nothing is to be done, and its time', () => {
  const page = renderStatusPage(matter())

  expect(page).toContain('<h1 class="well">all is well</h1>')
  expect(page).toContain('As of <strong>2026-11-21 15:20 UTC</strong>')
  expect(page).toContain('If this is more than 10 minutes ago, the bridge is not running.')
  expect(page).toContain('<meta http-equiv="refresh" content="60" />')
})

test('a page that a run left does not ask for a running bridge', () => {
  const page = renderStatusPage(matter({}, { isLive: false }))

  expect(page).not.toContain('the bridge is not running')
  expect(page).toContain('this is the state when its last run ended')
})

test('alerts come first, with their fixes', () => {
  const page = renderStatusPage(
    matter({
      alerts: [
        {
          code: 'expected-file-missing',
          route: 'orders',
          subject: '2026-11-21',
          since: AT,
          message: 'no file came by 07:00',
          fix: 'ask whoever sends it',
        },
        {
          code: 'route-failing',
          route: 'invoices',
          subject: 'api-unreachable',
          since: AT,
          message: 'the API did not answer',
          fix: 'run again later',
        },
      ],
      files: [FILE],
    }),
  )

  expect(page).toContain('<h1 class="needs">2 things need a person</h1>')
  expect(page).toContain('no file came by 07:00')
  expect(page).toContain('ask whoever sends it')
  expect(page).toContain('the API did not answer')
  expect(page.indexOf('What needs a person')).toBeLessThan(page.indexOf('Latest files'))
})

test('a file leads to its results by a path that holds on any machine that has the share', () => {
  const page = renderStatusPage(matter({ files: [{ ...FILE, records: { accepted: 3, rejected: 1 } }] }))

  expect(page).toContain(
    '<a href="results/monday%20%231.csv.results.csv" title="its results">monday #1.csv</a>',
  )
  expect(page).toContain('<em>3 accepted, 1 rejected</em>')
})

test('a route with a schedule shows when its next run is', () => {
  const scheduledRuns = [
    { route: 'report', last: { occurrence: '2026-11-20', state: 'done' as const }, nextAt: AT + 3_600_000 },
    { route: 'late', nextAt: AT },
  ]
  const page = renderStatusPage(matter({ scheduledRuns })).replaceAll(/\s+/g, ' ')

  expect(page).toContain('<td>2026-11-20 done</td><td>2026-11-21 16:20 UTC</td>')
  expect(page).toContain('<td>due now</td>')
})

test('a file that is not done yet leads nowhere', () => {
  const { closedAt: _, ...open } = FILE
  const page = renderStatusPage(matter({ files: [{ ...open, state: 'submitted' }] }))

  expect(page).toContain('monday #1.csv')
  expect(page).not.toContain('<a ')
})

test('whatever a file, a route or a message is called, no text becomes HTML', () => {
  const hostile = fc
    .tuple(
      fc.constantFrom('<script>', '"><img src=x onerror=alert(1)>', "' onmouseover='x", '</td>', '&lt;'),
      fc.string(),
    )
    .map(([bad, text]) => `${text}${bad}${text}`)
  fc.assert(
    fc.property(hostile, (text) => {
      const page = renderStatusPage(
        matter(
          {
            alerts: [
              { code: 'records-held', route: text, subject: text, since: AT, message: text, fix: text },
            ],
            files: [{ ...FILE, name: text, reportName: text, route: 'orders' }],
            routes: [{ route: text, files: {}, incoming: {}, outgoing: {}, deliveries: {}, owner: text }],
            held: [
              {
                file: text,
                name: text,
                route: text,
                receivedAt: AT,
                code: 'circuit-breaker-open',
                records: 1,
                since: AT,
              },
            ],
            unfinished: [
              {
                route: text,
                file: text,
                name: text,
                state: 'planned',
                next: text,
                records: [],
                isRouteKnown: false,
              },
            ],
          },
          {
            notifications: [
              { channel: text, id: text, state: 'failed', tries: 1, beganAt: AT, triedAt: AT, problem: text },
            ],
          },
        ),
      )
      const plain = renderStatusPage(matter())
      const tagsOf = (html: string) => new Set([...html.matchAll(/<([a-z!]+[0-9]?)/gi)].map(([, tag]) => tag))
      const expected = new Set([
        ...tagsOf(plain),
        'section',
        'h2',
        'ul',
        'li',
        'strong',
        'br',
        'small',
        'code',
        'div',
      ])
      for (const tag of ['table', 'thead', 'tbody', 'tr', 'th', 'td', 'em', 'a']) expected.add(tag)
      expect([...tagsOf(page)].filter((tag) => !expected.has(tag))).toEqual([])
      expect(page).not.toMatch(/<[^>]*\son[a-z]+=/i)
      expect(page).not.toMatch(/href="(?!results\/|\.\.?\/)[^"]*:/)
    }),
    { numRuns: 100 },
  )
})

test('a page is replaced at once, and nothing is left beside it', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'STATUS.html')

  await replaceFile(path, 'one')
  const first = await stat(path)
  await replaceFile(path, 'two')

  expect(await readFile(path, 'utf8')).toBe('two')
  expect((await stat(path)).ino).not.toBe(first.ino)
  expect(await readdir(folder)).toEqual(['STATUS.html'])
})

test('a page makes no folder: in the place of a share that is away it would look like the share', async () => {
  const folder = await tempFolder()

  await expect(replaceFile(join(folder, 'share', 'STATUS.html'), 'one')).rejects.toThrow(
    `the folder ${join(folder, 'share')} is not there; make it, or mount its share`,
  )
  expect(await readdir(folder)).toEqual([])
})

test('a page that cannot be replaced leaves nothing beside it', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'STATUS.html', 'x'), { recursive: true })

  await expect(replaceFile(join(folder, 'STATUS.html'), 'one')).rejects.toThrow(
    /EISDIR|ENOTEMPTY|EEXIST|EPERM/,
  )
  expect(await readdir(folder)).toEqual(['STATUS.html'])
})

test('a paused route says until when, and by whom', () => {
  const pause = {
    decision: 1,
    route: 'orders',
    at: AT,
    until: AT + 3_600_000,
    by: 'Ada',
    why: 'it comes again',
  }
  const orders = { route: 'orders', files: {}, incoming: {}, outgoing: {}, deliveries: {}, pause }
  expect(renderStatusPage(matter({ routes: [orders] }))).toMatch(/paused by Ada until [^<]*16:20/)
})
