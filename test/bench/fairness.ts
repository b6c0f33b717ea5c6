/** How long a small file takes until its results are there, while the same program works on a large one of another route. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './children.ts'
import { median, WrongCount } from './measure.ts'
import { ORDERS_MAPPING, purchaseOrderNumbers, writeOrders } from './order-file.ts'
import type { Scale } from './scale.ts'
import { inFolder } from './setting.ts'
import type { StubGreeting } from './stub-server.ts'
import type { Row } from './table.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SMALL_ORDERS = 10
const POLL_MS = 2
const PATIENCE_MS = 120_000

/** The first files are slow: Node compiles hot code while it runs. */
const WARM_UPS = 5

export async function fairnessRow({ fairness: { rows, files } }: Scale): Promise<Row> {
  const stub = await startChild<StubGreeting>('./stub-server.ts')
  try {
    return await inFolder(async (folder) => {
      await writeFile(join(folder, 'dropbridge.yaml'), configurationText(stub.greeting.atOnce))
      const numbers = purchaseOrderNumbers()
      const drop = async (route: string, name: string, size: Parameters<typeof writeOrders>[1]) => {
        await mkdir(join(folder, 'exchange', route), { recursive: true })
        await writeOrders(join(folder, name), size, numbers)
        await rename(join(folder, name), join(folder, 'exchange', route, name))
      }
      const isReported = (name: string) => existsSync(join(folder, `exchange/results/${name}.summary.json`))
      let dropped = 0
      /** The milliseconds from the drop of a small file to its results. */
      const passSmall = async (): Promise<number> => {
        const name = `small-${++dropped}.csv`
        await drop('small', name, { orders: SMALL_ORDERS })
        const droppedAt = performance.now()
        await until(`${name} is reported`, () => isReported(name))
        return performance.now() - droppedAt
      }
      const passMany = async (count: number): Promise<number> => {
        const times: number[] = []
        for (let file = 0; file < count; file++) times.push(await passSmall())
        return median(times)
      }

      const watch = spawn(process.execPath, [MAIN, 'watch'], { cwd: folder, stdio: 'ignore' })
      try {
        await passMany(WARM_UPS)
        const alone = await passMany(files)
        await drop('large', 'large.csv', { rows })
        const inbox = join(folder, 'exchange/large/large.csv')
        await until('the large file is claimed', () => !existsSync(inbox))
        const beside = await passMany(files)
        if (isReported('large.csv')) throw new WrongCount(`${rows} rows were done before the small files`)
        return {
          what: `a small file beside one of ${rows} rows of another route, until it is reported`,
          beside: 'alone',
          floor: `${alone.toFixed(0)} ms`,
          ours: `${beside.toFixed(0)} ms`,
          ratio: beside / alone,
          reach: { atMost: 3 },
        }
      } finally {
        watch.kill('SIGKILL')
      }
    })
  } finally {
    await stub.stop()
  }
}

/** A file counts as stable at once, so that the bench measures work and no waiting. */
function configurationText(baseUrl: string): string {
  const route = (name: string) => `  ${name}:
    retailer: 1000
    operation: create-order
    from: { mailbox: exchange, folder: ${name}, stableFor: 0s }
    mapping: ${ORDERS_MAPPING}
    results: { mailbox: exchange }
`
  return `api: { baseUrl: "${baseUrl}", clientId: bench, clientSecret: bench, connections: 32 }
mailboxes:
  exchange: { type: directory, path: ./exchange }
routes:
${route('small')}${route('large')}`
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await sleep(POLL_MS)
  }
}
