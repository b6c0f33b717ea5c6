/**
 * Exports records in a process of its own, because a process keeps its peak until it ends: from lines of JSON to an interchange in
 * a spool, with its check. Plain JavaScript over the built program. Its arguments are a mapping, a folder, and a file of
 * records.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createExampleEnvelope } from '../../dist/domain/format.js'
import { createFormats, createInterchangeFormat } from '../../dist/formats/formats.js'
import { loadMapping } from '../../dist/mapping/load.js'
import { spoolFile } from '../../dist/pipeline/outbound/compose.js'
import { writeRows } from '../../dist/pipeline/outbound/file-rows.js'
import { limitHeap } from '../../dist/support/process.js'
import { openSpool } from '../../dist/support/spool.js'
import { peakMb } from './peak.mjs'

/** As many records as the bridge composes at once. */
const PAGE = 250

async function* readPages(path) {
  let page = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    page.push(JSON.parse(line))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

// As the program itself does.
limitHeap()
const [mapping, folder, file] = process.argv.slice(2)
const { composer } = await loadMapping(mapping)
const envelope = createExampleEnvelope('x12')
const spool = await openSpool(folder)
const baseMb = peakMb()
const startedAt = performance.now()
const found = { records: 0, rows: 0 }
const rows = { composer, format: createFormats(), operation: 'export-orders', envelope }
const lines = writeRows(rows, readPages(file), found, (unwritten) => {
  throw new Error(JSON.stringify(unwritten))
})
const interchanges = { format: createInterchangeFormat() }
await spoolFile(
  { composer, spool, interchanges, route: { name: 'bench' } },
  { name: 'exported', lines, found },
)
process.once('disconnect', () => process.exit())
process.send({ records: found.records, ms: performance.now() - startedAt, peakMb: peakMb(), baseMb })
