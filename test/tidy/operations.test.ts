/** The page of operations, printed from their table, and the proof that it covers the whole API. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../src/contract/endpoints.ts'
import {
  type InboundOperation,
  type OperationName,
  OPERATIONS,
  type OutboundOperation,
  partiesOf,
} from '../../src/contract/operations.ts'
import { loadMapping } from '../../src/mapping/load.ts'

const repository = new URL('../..', import.meta.url).pathname
const mappings = join(repository, 'mappings')

const operations = Object.entries<InboundOperation | OutboundOperation>(OPERATIONS)

/** How the operations use an endpoint, as text. */
function usesOf(endpoint: EndpointName): string[] {
  const own = operations.flatMap(([name, operation]) => {
    const how = roleOf(operation, endpoint)
    return how === undefined ? [] : [`\`${name}\` ${how}`]
  })
  return endpoint === 'token' ? ['every operation'] : own
}

function roleOf(operation: InboundOperation | OutboundOperation, endpoint: EndpointName): string | undefined {
  if (operation.direction === 'inbound') {
    if (Object.values(operation.endpoints).includes(endpoint)) return 'calls it for each record'
    if (operation.documents?.some((each) => each === endpoint) === true) return 'fetches it for what was made'
    return operation.looksUp.includes(endpoint) ? 'looks up lost answers' : undefined
  }
  if (operation.list === endpoint) return 'lists'
  if (operation.get === endpoint) return 'reads again'
  return operation.acknowledge === endpoint ? 'acknowledges' : undefined
}

interface Shown {
  readonly mapping: string
  readonly sample: string
  readonly golden: string
}

/** The ready mappings of an operation with their samples. */
async function shownBy(operation: string): Promise<Shown[]> {
  const shown: Shown[] = []
  for (const name of readdirSync(mappings).filter((each) => each.endsWith('.yaml'))) {
    if (!readFileSync(join(mappings, name), 'utf8').includes(`operation: ${operation}\n`)) continue
    const { examples } = await loadMapping(join(mappings, name))
    const [first] = examples
    if (first) shown.push({ mapping: name, sample: first.input, golden: first.expect })
  }
  return shown
}

test('docs/operations.md lists the operations with a sample of each, and every endpoint with those that use it', async () => {
  const table = (names: readonly string[], rows: readonly (readonly string[])[]) => [
    `| ${names.join(' | ')} |`,
    `|${'---|'.repeat(names.length)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ]
  const rows: Record<'inbound' | 'outbound', string[][]> = { inbound: [], outbound: [] }
  for (const [name, operation] of operations) {
    const shown = await shownBy(name)
    const links = shown.map(({ mapping, sample, golden }) => {
      return `[${mapping}](../mappings/${mapping}) ([sample](${sample}), [result](${golden}))`
    })
    const parties = partiesOf(name as OperationName).join(', ')
    rows[operation.direction].push([`\`${name}\``, parties, operation.summary, links.join('<br>')])
  }
  const endpoints = Object.entries<Endpoint>(ENDPOINTS).map(([name, { method, path }]) => [
    `\`${method} ${path}\``,
    usesOf(name as EndpointName).join('<br>'),
  ])
  const page = [
    '# Operations',
    '',
    'What a route can do, printed from the table the program works with. Each operation has a ready mapping with a sample',
    'file and what comes of it; the names are those of `operation:` in a route and in its mapping.',
    '',
    '## From files to the API',
    '',
    'Each record of a file is one call. Orders, shipments, invoices, cancels and new items are made once, whatever happens;',
    'what changes the state of something may come again and does no harm.',
    '',
    ...table(['Operation', 'Party', 'What it does', 'Ready mappings'], rows.inbound),
    '## From the API to files',
    '',
    'What is received is listed while it is not acknowledged, written to a file, and acknowledged once the file is in',
    'its place. Reports and reference files (`select`) show what is there, as often as one likes, and acknowledge nothing.',
    '',
    ...table(['Operation', 'Party', 'What it does', 'Ready mappings'], rows.outbound),
    '## Every endpoint',
    '',
    ...table(['Endpoint', 'Used by'], endpoints),
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${repository}docs/operations.md`)
})

test.each(Object.keys(ENDPOINTS) as EndpointName[])('the endpoint %s is used by an operation', (name) => {
  expect(usesOf(name)).not.toEqual([])
})

test.each(Object.keys(OPERATIONS))(
  'the operation %s has a ready mapping with a sample and its golden',
  async (name) => {
    const shown = await shownBy(name)

    expect(shown).not.toEqual([])
    for (const { sample, golden } of shown) {
      expect(existsSync(join(mappings, sample))).toBe(true)
      expect(existsSync(join(mappings, golden))).toBe(true)
    }
  },
)
