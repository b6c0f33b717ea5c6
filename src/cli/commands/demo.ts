/** `dropbridge demo`: the whole life of the sample orders, against a service of its own, in a folder of its own. */
import { mkdir, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { RunResult } from '../../bridge/outcome.ts'
import type { Summary } from '../../pipelines/inbound/summary.ts'
import { sampleSeed } from '../../service/sample-seed.ts'
import { createService, type Service } from '../../service/service.ts'
import { assert, BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { DEFAULT_CONFIGURATION, pathFrom, readConfiguration, withBridge } from '../context.ts'
import { refusedRows } from '../demo/refused-rows.ts'
import { type Chapter, STORY } from '../demo/story.ts'
import { dropSample, makeWorkFolder } from '../demo/work-folder.ts'
import { progressBar } from '../progress.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { countsInWords } from '../counts-in-words.ts'
import { runInWords } from '../run-in-words.ts'

/** How many refused records of a file are shown. */
const REFUSED_SHOWN = 12

export async function demo(terminal: Terminal, folder: string | undefined): Promise<ExitCode> {
  const root = await newFolder(terminal, folder)
  const service = await createService({
    data: join(root, 'service'),
    clock: terminal.clock,
    seed: sampleSeed(),
  })
  try {
    await service.listen()
    await makeWorkFolder(root, service.baseUrl, service.seeded)
    terminal.out(`The order-fulfilment service listens on ${service.baseUrl}; the work folder is ${root}.`)
    for (const [index, chapter] of STORY.entries()) {
      await tellChapter(terminal, { root, chapter, number: index + 1, service })
      if (terminal.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    }
    for (const line of ending(terminal, root, service)) terminal.out(line)
    return EXIT.ok
  } finally {
    await service.close()
  }
}

/** The folder asked for, which must be new or empty; else `demo`, or `demo-2` and so on when there is one. */
async function newFolder(terminal: Terminal, folder: string | undefined): Promise<string> {
  if (folder !== undefined) {
    const root = pathFrom(terminal, folder)
    await mkdir(root, { recursive: true })
    if ((await readdir(root)).length === 0) return root
    throw new BridgeError('usage-wrong', `${root} is not empty; name a new folder`)
  }
  for (let turn = 1; ; turn++) {
    const root = pathFrom(terminal, turn === 1 ? 'demo' : `demo-${turn}`)
    await mkdir(root, { recursive: true })
    if ((await readdir(root)).length === 0) return root
  }
}

interface Telling {
  readonly root: string
  readonly chapter: Chapter
  readonly number: number
  readonly service: Service
}

async function tellChapter(terminal: Terminal, { root, chapter, number, service }: Telling): Promise<void> {
  const { title, drops, routes } = chapter
  terminal.out('')
  terminal.out(`${number}. ${title}`)
  for (const { sample, inbox, as } of drops) await dropSample(root, sample, inbox, as)
  const before = createdAt(service)
  const configuration = await readConfiguration(terminal, join(root, DEFAULT_CONFIGURATION))
  const bar = progressBar(terminal)
  const result = await withBridge(terminal, { configuration, notify: bar.observe }, (bridge) =>
    bridge.run(routes, terminal.signal),
  )
  bar.clear()
  for (const line of resultLines(result)) terminal.out(`   ${line}`)
  for (const line of await refusedLines(root, result)) terminal.out(`   ${line}`)
  terminal.out(`   The service has ${createdInWords(service)} (${createdAt(service) - before} new).`)
}

/** One table of what the chapter's files and routes came to. */
function resultLines(result: RunResult): string[] {
  const rows: string[][] = []
  const talk: string[] = []
  for (const each of result.routes) {
    if (each.kind === 'failed') talk.push(...runInWords({ ...result, routes: [each] }))
    if (each.kind === 'inbound') rows.push(...each.pass.summaries.map(summaryRow))
    if (each.kind === 'outbound') {
      for (const { delivery, records } of each.pass.deliveries) {
        rows.push([
          each.route,
          delivery.name,
          String(delivery.records),
          String(delivery.rows),
          countsInWords(records, 'acknowledged'),
        ])
      }
    }
  }
  if (rows.length === 0 && talk.length === 0) return ['nothing to do']
  return [...table(['route', 'file', 'records', 'rows', 'what happened'], rows), ...talk]
}

function summaryRow({ route, file, records, rows, outcome, duplicateOf }: Summary): string[] {
  const what =
    outcome === 'duplicate'
      ? `same bytes as ${duplicateOf?.file ?? 'another file'}: nothing sent`
      : countsInWords(records)
  return [route, file, String(records.total), String(rows.total), what]
}

/** What was refused and why, as the sender reads it in the result file. */
async function refusedLines(root: string, result: RunResult): Promise<string[]> {
  const lines: string[] = []
  for (const each of result.routes) {
    if (each.kind !== 'inbound') continue
    for (const { file, records } of each.pass.summaries) {
      if ((records.rejected ?? 0) === 0) continue
      const rows = await refusedRows(join(root, 'exchange', 'results', `${file}.results.csv`))
      lines.push(
        '',
        `Refused in ${file}, and why:`,
        ...table(['line', 'record', 'code', 'why'], rows.slice(0, REFUSED_SHOWN), 100),
      )
      if (rows.length > REFUSED_SHOWN)
        lines.push(`… and ${rows.length - REFUSED_SHOWN} more in exchange/results/${file}.results.csv`)
    }
  }
  return lines.length > 0 ? [...lines, ''] : lines
}

function createdAt(service: Service): number {
  const { orders, shipments, invoices } = service.counts()
  return orders + shipments + invoices
}

function createdInWords(service: Service): string {
  const { orders, shipments, invoices } = service.counts()
  return `${orders} orders, ${shipments} shipments and ${invoices} invoices`
}

function ending(terminal: Terminal, root: string, service: Service): string[] {
  const shown = relative(terminal.folder, root)
  assert(shown !== '', 'the demo has a folder of its own')
  const rejects = `${shown}/exchange/results/harbor-vine-week.csv.rejects.csv`
  return [
    '',
    `Everything is in ${shown}/:`,
    '  exchange/results/   what became of every record: *.results.csv, *.rejects.csv, *.summary.json',
    '  exchange/outbox/    the exported orders, shipments and invoices',
    '  exchange/archive/   the files that were dropped, byte for byte',
    '  mappings/           the mapping files; dropbridge.yaml is the configuration',
    '',
    `To send the refused orders after all, correct them in ${rejects} and:`,
    `  ${terminal.program} service --data ${shown}/service --port ${new URL(service.baseUrl).port}   # in a second terminal`,
    `  cp ${rejects} ${shown}/exchange/inbox/orders/corrected.csv`,
    `  ${terminal.program} run orders-in -c ${shown}/dropbridge.yaml`,
  ]
}
