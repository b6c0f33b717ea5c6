/**
 * Reads interchanges in a process of its own, because a process keeps its peak until it ends: both passes, and bodies of all
 * sets. Plain JavaScript over the built program. Its arguments are a mapping and files; it sends a `ReadReport` of the last.
 */
import { createEdiFormat } from '../../dist/formats/edi/format.js'
import { loadMapping } from '../../dist/mapping/load.js'
import { translateFile } from '../../dist/mapping-tools/translate-file.js'
import { limitHeap } from '../../dist/support/process.js'
import { peakMb } from './peak.mjs'

async function countBodies(file) {
  let count = 0
  const { drafts } = await translateFile(file, createEdiFormat('x12'), translator)
  for await (const piece of drafts) for (const { body } of piece) if (body !== undefined) count += 1
  return count
}

// As the program itself does.
limitHeap()
const [mapping, ...files] = process.argv.slice(2)
const { translator } = await loadMapping(mapping)
const baseMb = peakMb()
let report
for (const file of files) {
  const startedAt = performance.now()
  const records = await countBodies(file)
  report = { records, ms: performance.now() - startedAt }
}
process.once('disconnect', () => process.exit())
process.send({ ...report, peakMb: peakMb(), baseMb })
