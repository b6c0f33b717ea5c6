/** docs/service.md: how to run the service, and what proves that it is the one of the spec. */
import { ADMIN_ENDPOINTS } from '../../src/service/admin/endpoints.ts'
import { type SwitchRow, SWITCHES } from '../../src/service/http/switches.ts'
import type { Ledger } from './ledger.ts'
import type { Row } from './rows/row.ts'

export function pageOf(rows: readonly Row[], ledger: Ledger): string {
  const sections = [...new Set(rows.map(({ section }) => section))]
  return [
    ...INTRODUCTION,
    ...sections.flatMap((section) => [
      `### ${section}`,
      '',
      tableRow('Spec', 'What it says', 'Proven by'),
      tableRow('---', '---', '---'),
      ...rows
        .filter((row) => row.section === section)
        .map((row) => tableRow(`\`${row.id}\``, saidBy(row), ledger.titlesOf(row).join('<br>') || '–')),
      '',
    ]),
  ].join('\n')
}

const INTRODUCTION = [
  '# The order-fulfilment API',
  '',
  'The service in `src/service/` is the API of the spec, with its rules, on a database file. Use it to try mappings and',
  'to see how a route behaves before it meets the real thing.',
  '',
  '## Start',
  '',
  '`dropbridge service` starts it. A fresh database is filled with a sample market: a retailer, two suppliers, three',
  'carriers and 300 items. The credentials of the parties are printed once, when the database is made; only their',
  'hashes are kept. A token is asked for at `/auth/token/` and goes into the `Authorization` header of every call.',
  '',
  '## Administration',
  '',
  'What the spec shows and has no call for - returns, credits, pickups, parties, connections - is done by the operator on',
  'a path of its own, with credentials of its own.',
  '',
  tableRow('Method', 'Path'),
  tableRow('---', '---'),
  ...Object.values(ADMIN_ENDPOINTS).map(({ method, path }) => tableRow(method, `\`${path}\``)),
  '',
  '## Switches',
  '',
  'Where the spec leaves a choice, the service makes one; a switch turns to the other plausible form. Others make the',
  'service fail the way real ones do, with the likelihood that is set. The first value is the default.',
  '',
  tableRow('Switch', 'Values', 'What it does'),
  tableRow('---', '---', '---'),
  ...Object.entries<SwitchRow>(SWITCHES).map(([name, row]) =>
    tableRow(`\`${name}\``, valuesOf(row), row.doc),
  ),
  '',
  '## What it does, row by row',
  '',
  'Every statement of the spec is a row below. Where the spec shows nothing, *ours* marks what we chose. The last column',
  'names the tests in `test/conformance/` that prove the row over HTTP; the build fails when a row has none. The page is',
  'printed by those tests.',
  '',
]

function valuesOf(row: SwitchRow): string {
  return row.kind === 'choice'
    ? row.values.map((value) => `\`${value}\``).join(', ')
    : `${row.default}, from ${row.min} to ${row.max}`
}

function saidBy({ says, ours }: Row): string {
  return ours === true ? `*ours:* ${says}` : says
}

function tableRow(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
