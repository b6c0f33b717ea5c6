/**
 * The bench: ratios measured side by side, never times that a machine must keep. It fails only when a contender did not do the
 * whole work. `--quick` measures little, `--json` prints data, `--only NAME` measures one part.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { consoleRows } from './console.ts'
import { ediRows } from './edi.ts'
import { fairnessRow } from './fairness.ts'
import { inboundRows, inboundServiceRow } from './inbound.ts'
import { memoryFindings } from './memory.ts'
import { outboundRows } from './outbound.ts'
import { readyRow } from './ready.ts'
import { FULL, QUICK, type Scale } from './scale.ts'
import { sftpRows } from './sftp.ts'
import { startRows } from './start.ts'
import { serviceScaleRows } from './service-scale.ts'
import { type MemoryRow, printMemory, printRows, type Row } from './table.ts'
import { translateRows } from './translate.ts'

interface Findings {
  readonly rows: readonly Row[]
  readonly memory?: readonly MemoryRow[]
}

const PARTS: Readonly<Record<string, (scale: Scale) => Promise<Findings>>> = {
  translate: async (scale) => ({ rows: await translateRows(scale) }),
  edi: async (scale) => ({ rows: await ediRows(scale) }),
  inbound: async (scale) => ({ rows: [...(await inboundRows(scale)), await inboundServiceRow(scale)] }),
  service: async (scale) => ({ rows: await serviceScaleRows(scale) }),
  outbound: async (scale) => ({ rows: await outboundRows(scale) }),
  fairness: async (scale) => ({ rows: [await fairnessRow(scale)] }),
  ready: async (scale) => ({ rows: [await readyRow(scale)] }),
  start: async (scale) => ({ rows: await startRows(scale) }),
  console: async (scale) => ({ rows: await consoleRows(scale) }),
  sftp: async (scale) => ({ rows: await sftpRows(scale) }),
  memory: memoryFindings,
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const scale = values.quick ? QUICK : FULL
const rows: Row[] = []
const memory: MemoryRow[] = []
const startedAt = performance.now()
for (const [name, measure] of Object.entries(PARTS)) {
  if (values.only !== undefined && values.only !== name) continue
  process.stderr.write(`${name} …\n`)
  const findings = await measure(scale)
  rows.push(...findings.rows)
  memory.push(...(findings.memory ?? []))
}

const machine = `${cpus().length} processors, Node ${process.versions.node}, ${process.platform}`
const seconds = Math.round((performance.now() - startedAt) / 1000)
if (values.json) {
  process.stdout.write(`${JSON.stringify({ machine, scale: scale.name, seconds, rows, memory }, null, 2)}\n`)
} else {
  const tables = [printRows(rows), ...(memory.length > 0 ? [printMemory(memory)] : [])]
  process.stdout.write(`${machine}; ${scale.name}, ${seconds} s\n\n${tables.join('\n\n')}\n`)
}
