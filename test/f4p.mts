import { existsSync } from 'node:fs'
import { writeInterchange } from './bench/edi-files.ts'
import { bodiesOf, orderTranslator } from './bench/order-file.ts'
import { interchangeMappedByHand, splitByHand } from './bench/edi-by-hand.ts'
import { createEdiFormat } from '../src/formats/edi/format.ts'
import { cutSegments, isSegment } from '../src/formats/edi/cut.ts'
import { EnvelopeTracker } from '../src/formats/edi/envelopes.ts'
import { inspectInterchanges } from '../src/formats/edi/inspection.ts'
import { readFileBytes } from '../src/support/files.ts'
import { createReadStream } from 'node:fs'
const USED = new Set('BEG REF DTM TD5 N9 MSG N1 N2 N3 N4 PER PO1 CTP'.split(' '))
const mb = Number(process.env.MB ?? 10)
const path = `/tmp/f4.${mb}.x12`
if (!existsSync(path)) await writeInterchange(path, { bytes: mb * 1e6 })
const tr = await orderTranslator('mappings/x12/850-orders.yaml')
const csv = await orderTranslator()
const all: Record<string, () => Promise<number>> = {
  floor: async () => { let n = 0; for await (const p of splitByHand(path)) n += p.length; return n },
  cut: async () => { let n = 0; for await (const p of cutSegments(readFileBytes(path))) for (const i of p) if (isSegment(i)) n++; return n },
  track: async () => { let n = 0; const t = new EnvelopeTracker({}); for await (const p of cutSegments(readFileBytes(path))) { n += p.length; for (const i of p) t.take(i) } t.end(); return n },
  checked: async () => {
    let n = 0, e = 0
    let set: any[] = []
    const t = new EnvelopeTracker({ onSet: () => (set = []), onSegment: (s) => set.push(s), onSetEnd: () => { for (const s of set) if (USED.has(s.id)) e += s.size } })
    for await (const p of cutSegments(readFileBytes(path))) { n += p.length; for (const i of p) t.take(i) } t.end(); return n },
  inspect: async () => (await inspectInterchanges(readFileBytes(path))).sets,
  hand: async () => { let n = 0; for await (const b of interchangeMappedByHand(path)) n += b.length > 0 ? 1 : 0; return n },
  ours: async () => { let n = 0; for await (const b of bodiesOf(path, tr, createEdiFormat('x12'))) n += b.length > 0 ? 1 : 0; return n },
}
const names = process.argv[2]!.split(',')
const rounds = Number(process.argv[3] ?? 5)
const times: Record<string, number[]> = {}
for (let r = -1; r < rounds; r++) for (const name of names) {
  const c = process.cpuUsage()
  const n = await all[name]!()
  const u = process.cpuUsage(c)
  if (r >= 0) (times[name] ??= []).push((u.user + u.system) / 1000)
  else console.log(name, n)
}
for (const name of names) { const s = times[name]!.sort((a, b) => a - b); console.log(name.padEnd(8), 'median', s[s.length >> 1]!.toFixed(0), 'min', s[0]!.toFixed(0), 'ms cpu', (mb / s[0]! * 1000).toFixed(1), 'MB/s') }
