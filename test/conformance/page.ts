/** docs/service.md: how to run the service, and which tests prove that it follows the spec. */
import { ADMIN_ENDPOINTS, type AdminEndpointName } from '../../src/service/endpoints.ts'
import { type SwitchRow, SWITCHES } from '../../src/service/switches.ts'
import { ADMIN_ENDPOINT_DESCRIPTIONS } from '../../src/service/openapi/descriptions/endpoints.ts'
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
        .map((row) => tableRow(`\`${row.id}\``, textFor(row), ledger.titlesOf(row).join('<br>') || '–')),
      '',
    ]),
  ].join('\n')
}

const INTRODUCTION = [
  '# The order-fulfilment API',
  '',
  'The service in `src/service/` is the Retailer and Supplier Order-Fulfillment API, implemented from its specification:',
  'to certify against, to try mappings against, and to run in its own right. It keeps its data in one SQLite file; an',
  'answer that says that something was created means that it is on the disk.',
  '',
  '## Start',
  '',
  '```sh',
  'dropbridge service --data ./service-data --port 8080',
  '```',
  '',
  'A fresh folder is filled with a sample market: a retailer, two suppliers, three carriers and 300 items with stock. The',
  'credentials of each party and of the administrator are printed once, when they are made; only their hashes are kept.',
  'If they are lost, start the service with `--new-clients`. It listens on 127.0.0.1 unless `--host` says otherwise.',
  '',
  'Every field, parameter and rule is on the page at `/docs/`, and as OpenAPI 3.1 at `/openapi.json`.',
  '',
  'For scripts, `--json` prints one line once the service listens; port 0 takes any free port:',
  '',
  '```json',
  '{"baseUrl":"http://127.0.0.1:41035",',
  ' "parties":[{"kind":"retailer","id":1000,"name":"Harbor & Vine","clientId":"…","clientSecret":"…",',
  '             "variants":[{"id":9001,"brand_id":2000,"identifier":"NL-0001","brand_identifier":"NL-0001","upc":"…","name":"…"}]}],',
  ' "carriers":[{"id":1,"name":"FedEx","code":"FDEG","shipping_methods":[{"id":3,"name":"FedEx Ground","code":"FEDEX_GROUND"}]}],',
  ' "admin":{"clientId":"…","clientSecret":"…"}}',
  '```',
  '',
  'A first call:',
  '',
  '```sh',
  "TOKEN=$(curl -s http://127.0.0.1:8080/auth/token/ -d grant_type=client_credentials -d client_id=$ID -d client_secret=$SECRET | node -p 'JSON.parse(fs.readFileSync(0)).access_token')",
  'curl -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:8080/v1/brands/2000/orders/?is_acknowledged=0"',
  '```',
  '',
  '## Administration',
  '',
  'What happens outside the API happens here: the carrier picks up and delivers, a consumer returns an item, the supplier',
  'accepts the return and issues a credit, cancels what it cannot ship, counts the stock of its warehouses. Parties, clients,',
  "carriers and connections are made here too. The administrator's client gets its token like any other.",
  '',
  tableRow('Call', 'What it does'),
  tableRow('---', '---'),
  ...Object.entries(ADMIN_ENDPOINTS).map(([name, { method, path }]) =>
    tableRow(`\`${method} ${path}\``, ADMIN_ENDPOINT_DESCRIPTIONS[name as AdminEndpointName][1]),
  ),
  '',
  '## Switches',
  '',
  'Where the spec leaves a choice, the service makes one; a switch turns to the other plausible form. Others make the',
  'service fail the way real ones do, with the likelihood that is set. The first value is the default. They are turned when',
  'the service starts, `--switch envelope=array --switch loseAnswer=0.05`, or while it runs, `PATCH /admin/switches/`.',
  '',
  tableRow('Switch', 'Values', 'What it does'),
  tableRow('---', '---', '---'),
  ...Object.entries<SwitchRow>(SWITCHES).map(([name, row]) =>
    tableRow(`\`${name}\``, valuesOf(row), row.doc),
  ),
  '',
  '## What it does, row by row',
  '',
  'Every statement of the spec is a row below. Where the spec shows nothing, *choice* marks what the service does. The last column',
  'names the tests in `test/conformance/` that prove the row over HTTP; the build fails when a row has none. The page is',
  'printed by those tests.',
  '',
]

function valuesOf(row: SwitchRow): string {
  return row.kind === 'choice'
    ? row.values.map((value) => `\`${value}\``).join(', ')
    : `${row.default}, from ${row.min} to ${row.max}`
}

function textFor({ says, ours }: Row): string {
  return ours === true ? `*choice:* ${says}` : says
}

function tableRow(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
