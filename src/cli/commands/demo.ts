/** `dropbridge demo`: the whole life of the sample orders, against its own service in its own folder. */
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { DateTime } from 'luxon'
import type { RouteResult, RunResult } from '../../app/outcome.ts'
import { isUnreadable } from '../../domain/format.ts'
import { createCsvFormat } from '../../formats/csv/format.ts'
import type { Summary } from '../../pipeline/inbound/summary.ts'
import type { ReportedSets } from '../../pipeline/interchanges/sets-report.ts'
import type { StartupParty } from '../../service/access/clients.ts'
import { sampleSeed } from '../../service/sample-seed.ts'
import type { Seed } from '../../service/seed.ts'
import type { Service } from '../../service/service.ts'
import { assert, EXIT, usageError, throwIfStopped } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import { readFileBytes } from '../../support/files.ts'
import { copyFromPackage, resolvePackagePath } from '../../support/process.ts'
import { DEFAULT_CONFIGURATION, defineCommand, flag } from '../command.ts'
import { readConfiguration, resolvePath, withProgress } from '../context.ts'
import { formatRun } from '../format/run.ts'
import { addPersonWithPassword, serveConsole } from './console.ts'
import { formatCount, formatCounts, formatTable } from '../format/text.ts'
import type { Terminal } from '../terminal.ts'

/** How many refused records of a file are shown. */
const REFUSED_SHOWN = 12

export const demoCommand = defineCommand({
  positionals: { folder: { type: 'string', describe: 'The work folder to make' } },
  options: { console: flag('Then serve the console on what it did, and the API, until Ctrl+C') },
  async run(terminal, { folder, console: isServed }) {
    const root = await createFolder(terminal, folder)
    // Loaded on demand: a web server takes longer to load than all the rest.
    const { createService } = await import('../../service/service.ts')
    const { clock } = terminal
    const service = await createService({ data: join(root, 'service'), clock, seed: createSeed() })
    try {
      await service.listen()
      await createWorkFolder({ folder: root, now: clock.now() }, service.baseUrl, service.parties)
      terminal.out(`The order-fulfilment service listens on ${service.baseUrl}; the work folder is ${root}.`)
      for (const [index, chapter] of CHAPTERS.entries()) {
        terminal.out('')
        terminal.out(`${index + 1}. ${chapter.title}`)
        await runChapter(terminal, chapter, root, service)
        throwIfStopped(terminal.signal)
      }
      for (const line of formatClosingNotes(terminal, root, service)) terminal.out(line)
      return isServed ? await serveDemoConsole(terminal, root) : EXIT.ok
    } finally {
      await service.close()
    }
  },
})

/** A supplier that ships on the day: Today of the console shows what must be shipped soon. */
function createSeed(): Seed {
  const seed = sampleSeed()
  const connections = seed.connections.map((each) => ({ ...each, fulfill_within_hours: 8 }))
  return { ...seed, connections }
}

const DEMO_PERSON = 'demo'

/** On any free port, as a console of the person may have its own. */
async function serveDemoConsole(terminal: Terminal, root: string) {
  const config = join(root, DEFAULT_CONFIGURATION)
  const password = await addPersonWithPassword(terminal, config, { name: DEMO_PERSON, role: 'admin' })
  terminal.out('')
  terminal.out(`Sign in to the console as ${DEMO_PERSON}, with the password ${password}`)
  return serveConsole(terminal, config, { port: 0 })
}

/** Creates the given folder, which must be new or empty; otherwise `demo`, or `demo-2` and so on when that exists. */
async function createFolder(terminal: Terminal, folder: string | undefined): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const root = resolvePath(terminal, folder ?? (attempt === 1 ? 'demo' : `demo-${attempt}`))
    await mkdir(root, { recursive: true })
    if ((await readdir(root)).length === 0) return root
    if (folder !== undefined) throw usageError(`${root} is not empty`, 'Name a new folder.')
  }
}

async function runChapter(terminal: Terminal, chapter: Chapter, root: string, service: Service) {
  const { drops, routes, taken } = chapter
  for (const { sample, inbox, as } of drops) await dropSample(root, sample, inbox, as)
  if (taken !== undefined) await takeDelivered(root, taken)
  const before = countCreated(service)
  const configuration = await readConfiguration(terminal, join(root, DEFAULT_CONFIGURATION))
  const result = await withProgress(terminal, configuration, (bridge) => bridge.run(routes, terminal.signal))
  for (const line of formatResults(result)) terminal.out(`   ${line}`)
  for (const line of await formatRefusedRecords(root, result)) terminal.out(`   ${line}`)
  for (const line of await formatAnswers(root, result)) terminal.out(`   ${line}`)
  terminal.out(`   The service has ${formatCreated(service)} (${countCreated(service) - before} new).`)
}

/** One table with the results of the chapter's files and routes. */
function formatResults(result: RunResult): string[] {
  const rows: string[][] = []
  const talk: string[] = []
  for (const each of result.routes) {
    if (each.kind === 'failed') talk.push(...formatRun({ ...result, routes: [each] }))
    if (each.kind === 'inbound') rows.push(...each.pass.summaries.map(formatSummaryRow))
    if (each.kind === 'interchanges') rows.push(...each.pass.reported.map(formatSetsRow))
    if (each.kind !== 'outbound') continue
    for (const { delivery, records } of each.pass.deliveries) {
      const counts = [String(delivery.records), String(delivery.rows)]
      rows.push([each.route, delivery.name, ...counts, formatCounts(records, 'acknowledged')])
    }
  }
  if (rows.length === 0 && talk.length === 0) return ['nothing to do']
  return [...formatTable(['route', 'file', 'records', 'rows', 'what happened'], rows), ...talk]
}

function formatSummaryRow({ route, file, records, rows, outcome, duplicateOf }: Summary): string[] {
  const what =
    outcome === 'duplicate'
      ? `same bytes as ${duplicateOf?.file ?? 'another file'}: nothing sent`
      : formatCounts(records)
  return [route, file, String(records.total), String(rows.total), what]
}

function formatSetsRow({ summary: { inbox, file, sets } }: ReportedSets): string[] {
  const { total, ...counts } = sets
  return [inbox, file, '', '', `${formatCount(total, 'set')}: ${formatCounts(counts)}`]
}

/** The refused records with their reasons, as the sender reads them in the result file. */
async function formatRefusedRecords(root: string, result: RunResult): Promise<string[]> {
  const lines: string[] = []
  for (const each of result.routes) {
    if (each.kind !== 'inbound') continue
    for (const { summary, paths } of each.pass.reported) {
      const { file, records } = summary
      const results = findReport(paths, '.results.csv')
      if ((records.rejected ?? 0) === 0 || results === undefined) continue
      const rows = await readRefusedRows(join(root, results))
      lines.push(
        '',
        `Refused in ${file}, and why:`,
        ...formatTable(['line', 'record', 'code', 'why'], rows.slice(0, REFUSED_SHOWN), 100),
      )
      if (rows.length > REFUSED_SHOWN) lines.push(`… and ${rows.length - REFUSED_SHOWN} more in ${results}`)
    }
  }
  return lines.length > 0 ? [...lines, ''] : lines
}

/** The path of a report within the work folder, by the end of its name. */
function findReport(paths: readonly string[], end: string): string | undefined {
  const found = paths.find((path) => path.endsWith(end))
  return found && `exchange/results/${basename(found)}`
}

/** What the partners of interchanges get: their answers, and the refused sets to correct. Envelopes are left out. */
async function formatAnswers(root: string, result: RunResult): Promise<string[]> {
  const lines: string[] = []
  for (const [title, path] of result.routes.flatMap(listAnswerFiles)) {
    const segments = (await readFile(join(root, path), 'utf8')).split('\n')
    const inSets = segments.slice(
      segments.findIndex((segment) => segment.startsWith('ST*')),
      segments.findLastIndex((segment) => segment.startsWith('SE*')) + 1,
    )
    lines.push(`${title}, in ${path}:`, ...inSets.map((segment) => `  ${segment}`), '')
  }
  return lines
}

function listAnswerFiles(result: RouteResult): [title: string, path: string][] {
  if (result.kind === 'interchanges')
    return result.pass.answers.map(({ partner, path }) => [
      `The answer to partner ${partner}`,
      `exchange/${ANSWERS_FOLDER}/${basename(path)}`,
    ])
  if (result.kind !== 'inbound' || !DEMO_INBOX_ROUTES.has(result.route)) return []
  return result.pass.reported.flatMap(({ paths }) => {
    const rejects = findReport(paths, '.rejects.x12')
    return rejects === undefined ? [] : [['The refused set, to correct and drop in again', rejects]]
  })
}

function countCreated(service: Service): number {
  const { orders, shipments, invoices } = service.counts()
  return orders + shipments + invoices
}

function formatCreated(service: Service): string {
  const { orders, shipments, invoices } = service.counts()
  return `${orders} orders, ${shipments} shipments and ${invoices} invoices`
}

function formatClosingNotes(terminal: Terminal, root: string, service: Service): string[] {
  const shown = relative(terminal.folder, root)
  assert(shown !== '', 'the demo has a folder of its own')
  const rejects = `${shown}/exchange/results/harbor-vine-week.csv.rejects.csv`
  const quoted = (path: string) => quoteForShell(`${shown}/${path}`)
  return [
    '',
    `Everything is in ${shown}/:`,
    '  exchange/results/   what became of every record: *.results.csv, *.rejects.csv, *.summary.json',
    '  exchange/outbox/    the exported orders, shipments and invoices; in edi/ the 997 of the X12 orders',
    '  exchange/archive/   the files that were dropped, byte for byte',
    '  mappings/           the mapping files; dropbridge.yaml is the configuration',
    '',
    `To send the refused orders after all, correct them in ${rejects} and:`,
    `  ${terminal.program} service --data ${quoted('service')} --port ${new URL(service.baseUrl).port}   # in a second terminal`,
    `  cp ${quoteForShell(rejects)} ${quoted('exchange/inbox/orders/corrected.csv')}`,
    `  ${terminal.program} run orders-in -c ${quoted('dropbridge.yaml')}`,
    '',
    'To see it in a browser, with the console:',
    `  ${terminal.program} console user add NAME --role admin -c ${quoted('dropbridge.yaml')}`,
    `  ${terminal.program} console -c ${quoted('dropbridge.yaml')}`,
  ]
}

// Chapters: which samples are dropped, which routes run

export interface Chapter {
  readonly title: string
  /** Samples and the inbox folders to drop them in; `as` gives a sample another name. */
  readonly drops: readonly { readonly sample: string; readonly inbox: string; readonly as?: string }[]
  readonly routes: readonly string[]
  /** Delivered files with this beginning are taken away first, as their reader does. */
  readonly taken?: string
}

export const CHAPTERS: readonly Chapter[] = [
  {
    title:
      'The retailer drops its orders: four systems, four kinds of file, one of them X12 for an inbox that answers',
    drops: [
      { sample: 'orders/harbor-vine-week.csv', inbox: 'orders' },
      { sample: 'orders/shopify-orders.csv', inbox: 'shopify' },
      { sample: 'orders/dropstream-orders.csv', inbox: 'dropstream' },
      { sample: 'edi/850-one-day.x12', inbox: 'edi' },
    ],
    routes: ['orders-in', 'shopify-in', 'dropstream-in', 'edi-orders-in'],
  },
  {
    title: 'The supplier receives its new orders as a file',
    drops: [],
    routes: ['orders-out'],
  },
  {
    title: 'The warehouse takes the file, and so its orders are acknowledged',
    drops: [],
    taken: 'orders-',
    routes: ['orders-out'],
  },
  {
    title: 'The supplier ships, and the retailer receives the shipments',
    drops: [{ sample: 'shipments/northlight-shipments.csv', inbox: 'shipments' }],
    routes: ['shipments-in', 'shipments-out'],
  },
  {
    title: 'The supplier invoices, and the retailer receives the invoices',
    drops: [{ sample: 'invoices/northlight-invoices.csv', inbox: 'invoices' }],
    routes: ['invoices-in', 'invoices-out'],
  },
  {
    title: 'The same orders once more under another name, and every route again: nothing is sent twice',
    drops: [{ sample: 'orders/harbor-vine-week.csv', inbox: 'orders', as: 'harbor-vine-week-again.csv' }],
    routes: [],
  },
]

/** Line, record, code and message of every refused record of a result file. */
export async function readRefusedRows(path: string): Promise<string[][]> {
  const reading = await createCsvFormat().read(readFileBytes(path), { format: 'csv' })
  if (isUnreadable(reading)) return []
  const columns = reading.layouts[0]?.columns ?? []
  const at = (name: string) => columns.indexOf(name)
  const [line, status, code, message] = [at('_line'), at('_status'), at('_code'), at('_message')]
  const rows: string[][] = []
  for await (const batch of reading.batches) {
    for (const { values } of batch) {
      const cell = (index: number) => values[index] ?? ''
      if (cell(status) === 'rejected') rows.push([cell(line), cell(0), cell(code), cell(message)])
    }
  }
  return rows
}

// The work folder: configuration, keys, mappings and an exchange folder

/** The sample retailer and supplier. */
export const RETAILER = 1000

export const BRAND = 2000

export async function createWorkFolder(
  { folder, now }: { readonly folder: string; readonly now: number },
  baseUrl: string,
  parties: readonly StartupParty[],
) {
  await mkdir(join(folder, 'keys'), { recursive: true })
  await mkdir(join(folder, 'exchange'), { recursive: true })
  await copyFromPackage('mappings', join(folder, 'mappings'))
  await copyFromPackage('samples', join(folder, 'samples'))
  for (const [kind, id] of [['retailer', RETAILER] as const, ['brand', BRAND] as const]) {
    const party = parties.find((each) => each.kind === kind && each.id === id)
    await writeFile(join(folder, 'keys', `${kind}.id`), party?.clientId ?? '')
    await writeFile(join(folder, 'keys', `${kind}.secret`), party?.clientSecret ?? '', { mode: 0o600 })
  }
  await writeFile(join(folder, DEFAULT_CONFIGURATION), formatConfiguration(baseUrl, expectSoon(now)))
}

interface Expectation {
  readonly zone: string
  readonly by: string
}

/** The file of orders is expected within the next two hours of this machine's day, so that it comes in time. */
function expectSoon(now: number): Expectation {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  const local = DateTime.fromMillis(now, { zone })
  const soon = local.plus({ hours: 2 }).startOf('hour')
  return { zone, by: soon.hasSame(local, 'day') ? soon.toFormat('HH:mm') : '23:59' }
}

export async function dropSample(folder: string, sample: string, inbox: string, name = basename(sample)) {
  const target = join(folder, 'exchange', 'inbox', inbox)
  await mkdir(target, { recursive: true })
  await copyFile(resolvePackagePath(`samples/${sample}`), join(target, name))
}

/** What the reader of delivered files does: it moves them out of the outbox. */
async function takeDelivered(folder: string, beginning: string): Promise<void> {
  const exchange = join(folder, 'exchange')
  await mkdir(join(exchange, 'warehouse'), { recursive: true })
  for (const name of await readdir(join(exchange, 'outbox')))
    if (name.startsWith(beginning))
      await rename(join(exchange, 'outbox', name), join(exchange, 'warehouse', name))
}

function formatConfiguration(baseUrl: string, { zone, by }: Expectation): string {
  return `# The demo's configuration: a retailer and its supplier in one bridge, each with credentials of its own.
zone: ${zone}

api:
  baseUrl: ${baseUrl}
  clientId: \${file:./keys/retailer.id}
  clientSecret: \${file:./keys/retailer.secret}

journal: sqlite:./state/journal.db

mailboxes:
  exchange: { type: directory, path: ./exchange }

# X12 comes to an inbox of interchanges, whose partner is answered with a 997.
edi:
  partners:
    haven:
      title: Haven Retail
      ids: [{ qualifier: ZZ, id: HAVENRETAIL }]
      to: { mailbox: exchange, folder: ${ANSWERS_FOLDER} }
  inboxes:
    van:
      from: { mailbox: exchange, folder: inbox/edi, stableFor: 300ms }
      results: { mailbox: exchange, folder: results }

routes:
${DEMO_ROUTES.map((route) => formatRoute(route, by)).join('\n')}`
}

type Party = 'retailer' | 'brand'

type DemoRoute = readonly [name: string, party: Party, operation: string, folder: string, mapping: string]

/** Where the answers to partners of interchanges are left. */
const ANSWERS_FOLDER = 'outbox/edi'

/** Routes that take sets of the inbox of interchanges. */
const DEMO_INBOX_ROUTES: ReadonlySet<string> = new Set(['edi-orders-in'])

/** Their records are acknowledged when the reader has taken the file. */
const PICKED_UP_ROUTES: ReadonlySet<string> = new Set(['orders-out', 'invoices-out'])

const PICKED_UP = '    acknowledge: picked-up\n    overdue: { within: 4h }\n'

/** A text is a comment on the routes that follow it. */
const DEMO_ROUTES: readonly (DemoRoute | string)[] = [
  "The retailer's orders, from four systems that write them differently; the X12 of the last one comes through the inbox.",
  ['orders-in', 'retailer', 'create-order', 'orders', 'retailer-orders'],
  ['shopify-in', 'retailer', 'create-order', 'shopify', 'shopify-orders'],
  ['dropstream-in', 'retailer', 'create-order', 'dropstream', 'dropstream-orders'],
  ['edi-orders-in', 'retailer', 'create-order', 'edi', 'x12/850-orders'],
  "The supplier's side: new orders out; shipments and invoices in.",
  ['orders-out', 'brand', 'export-orders', 'orders', 'orders-export'],
  ['shipments-in', 'brand', 'create-shipment', 'shipments', 'supplier-shipments'],
  ['invoices-in', 'brand', 'create-invoice', 'invoices', 'supplier-invoices'],
  'The retailer receives what the supplier shipped and invoiced.',
  ['shipments-out', 'retailer', 'export-shipments', 'shipments', 'shipments-export'],
  ['invoices-out', 'retailer', 'export-invoices', 'invoices', 'invoices-export'],
]

/** The API's own credentials are the retailer's; the brand's routes have their own. */
function formatPartyLines(party: Party): string {
  if (party === 'retailer') return `    retailer: ${RETAILER}\n`
  const own =
    '    api: { clientId: "${file:./keys/brand.id}", clientSecret: "${file:./keys/brand.secret}" }\n'
  return `    brand: ${BRAND}\n${own}`
}

function formatRoute(route: DemoRoute | string, by: string): string {
  if (typeof route === 'string') return `  # ${route}`
  const [name, party, operation, folder, mapping] = route
  const head = `  ${name}:\n${formatPartyLines(party)}    operation: ${operation}`
  if (operation.startsWith('export-'))
    return `${head}
    mapping: mappings/${mapping}.yaml
    to: { mailbox: exchange, folder: outbox, name: "${folder}-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
${PICKED_UP_ROUTES.has(name) ? PICKED_UP : ''}`
  const from = DEMO_INBOX_ROUTES.has(name)
    ? 'inbox: van, partner: haven, document: 850'
    : `mailbox: exchange, folder: inbox/${folder}, stableFor: 300ms${name === 'orders-in' ? `, expectFile: { by: "${by}" }` : ''}`
  return `${head}
    from: { ${from} }
    mapping: mappings/${mapping}.yaml
    results: { mailbox: exchange, folder: results }
    rules: { dates: off }   # the samples are of November 2026
`
}
