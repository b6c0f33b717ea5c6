/** The report of a run about a file. */
import { expect, test } from 'vitest'
import { formatReport } from '../../src/cli/format/inbound.ts'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'

test.each([
  [
    { delivered: 10, missing: 28, refused: 2 },
    '    30 packing slips or labels are missing: dropbridge labels',
  ],
  [{ missing: 1 }, '    1 packing slip or label is missing: dropbridge labels'],
])('missing packing slips and labels are one line with the command that fetches them', (documents, line) => {
  const records = { total: 20, accepted: 20 }
  const summary = {
    route: 'shipments',
    file: 'a.csv',
    outcome: 'processed',
    records,
    documents,
    heldFor: {},
    codes: {},
    warnings: {},
    problems: [],
  }
  const lines = formatReport({
    summary: summary as unknown as Summary,
    paths: ['/results/a.csv.results.csv'],
    isPart: false,
  })

  expect(lines[0]).toBe('shipments: a.csv: 20 accepted')
  expect(lines.filter((each) => each.includes('missing'))).toEqual([line])
})

test('a file of which all is skipped says why', () => {
  const summary = {
    route: 'ship-in',
    file: 'b10.edi',
    outcome: 'processed',
    records: { total: 1, skipped: 1 },
    heldFor: {},
    codes: { 'edi-test': 1 },
    warnings: {},
    problems: [],
  }
  const lines = formatReport({ summary: summary as unknown as Summary, paths: ['/r/b.csv'], isPart: true })

  expect(lines.slice(0, 2)).toEqual([
    'ship-in: b10.edi: 1 skipped',
    '    skipped: The interchange is marked as a test. Nothing to do. To post tests too, write `usage: any` under `read`.  [edi-test]',
  ])
})
