import { openJournal } from '/work/main/src/journal/open.ts'
import { systemClock } from '/work/main/src/support/clock.ts'
import { hash } from 'node:crypto'
const path = '/tmp/A/million.db'
const what = process.argv[2]
const journal = await openJournal({ path, clock: systemClock })
const rss = () => Math.round(process.memoryUsage().rss / 1e6)
if (what === 'fill') {
  const lease = await journal.takeLease('orders', 'b', 600_000, () => false)
  await journal.beginClaim(lease, { id: 'a', folder: 'f', name: 'a.csv', size: 1, modifiedAt: 1 })
  await journal.fileReceived(lease, 'a', { sha256: 'a', bytes: 1 })
  await journal.beginPlan(lease, 'a')
  let n = 0
  for (let i = 0; i < 2000; i++) {
    const records = Array.from({ length: 500 }, () => {
      const key = `PO-${++n}`
      const body = JSON.stringify({ purchase_order_number: key, pad: 'x'.repeat(500) })
      return { number: n, lines: [[n, n]] as [number, number][], keyValues: [key], operation: 'create-order', account: 'retailer/1', naturalKey: key, body, bodyHash: hash('sha256', body), problems: [] }
    })
    await journal.addRecords(lease, 'a', records)
  }
  await journal.filePlanned(lease, 'a', { keyColumns: [], headerLines: 1, encoding: 'utf-8' })
  for (;;) {
    const begun = await journal.beginAttempts(lease, { file: 'a' }, 200)
    if (begun.length === 0) break
    await journal.endAttempts(lease, begun.map(({ id }) => ({ id, state: 'accepted' as const, http: 201, apiId: String(7_000_000 + id), problems: [] })))
  }
  await journal.fileSubmitted(lease, 'a')
  await journal.nameReport(lease, 'a', 'a.csv')
  await journal.fileReported(lease, 'a')
  await journal.fileClosed(lease, 'a', 'x')
}
if (what === 'verify') {
  const base = rss()
  let peak = 0
  const t = setInterval(() => { peak = Math.max(peak, rss()) }, 50)
  const s = performance.now(); const c = process.cpuUsage()
  const r = await journal.verifyChain({})
  clearInterval(t)
  console.log(r, Math.round(performance.now() - s), 'ms', Math.round(process.cpuUsage(c).user / 1000), 'cpu', { base, peak, end: rss() })
}
if (what === 'forget') {
  const s = performance.now()
  console.log(await journal.forget({ before: Date.now(), signal: new AbortController().signal }), Math.round(performance.now() - s), 'ms', rss())
}
await journal.close()
