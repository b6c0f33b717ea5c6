/** How long short commands take from their start to their end, beside an empty program on the same Node. */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interleave, timed } from './measure.ts'
import type { Scale } from './scale.ts'
import { inFolder } from './setting.ts'
import type { Row } from './table.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../../samples/edi/850-two-orders.x12', import.meta.url))

/** No server listens there, and none of the commands calls the API. */
const ENVIRONMENT = {
  DROPBRIDGE_API_URL: 'http://127.0.0.1:9',
  DROPBRIDGE_CLIENT_ID: 'id',
  DROPBRIDGE_CLIENT_SECRET: 'secret',
}

const MANY_ROUTES = 500

/** Commands over many routes run in a part of the rounds: they take seconds. */
const LONG_SHARE = 5

/** On a machine where an empty program takes 0.055 s, these are 0.15 s and 0.25 s; for many routes 1 s and 1.5 s. */
const REACH = { least: 2.7, short: 4.5, manyRead: 18, manyRun: 27 }

export function startRows({ start: { rounds } }: Scale): Promise<Row[]> {
  return inFolder((folder) =>
    inFolder(async (many) => {
      await makeBridge(folder)
      await makeBridge(many)
      await addRoutes(many)
      const commands: readonly [what: string, folder: string, words: readonly string[], atMost?: number][] = [
        ['--version', folder, ['--version'], REACH.least],
        ['--help', folder, ['--help'], REACH.short],
        ['status', folder, ['status'], REACH.short],
        ['run over an empty inbox', folder, ['run', 'orders-in'], REACH.short],
        ['edi show', folder, ['edi', 'show', SAMPLE]],
        [`status of ${MANY_ROUTES} routes`, many, ['status'], REACH.manyRead],
        [`check of ${MANY_ROUTES} routes`, many, ['check'], REACH.manyRead],
        [`run over ${MANY_ROUTES} empty inboxes`, many, ['run'], REACH.manyRun],
      ]
      const contender = ([what, where, words]: (typeof commands)[number]) =>
        [what, () => timed(() => runNode(where, [MAIN, ...words]))] as const
      const short = commands.filter(([, where]) => where === folder)
      const long = commands.filter(([, where]) => where === many)
      const paces = {
        ...(await interleave(
          { rounds, count: 1 },
          Object.fromEntries([
            ['empty', () => timed(() => runNode(folder, ['-e', '0']))] as const,
            ...short.map(contender),
          ]),
        )),
        ...(await interleave(
          { rounds: Math.ceil(rounds / LONG_SHARE), count: 1 },
          Object.fromEntries(long.map(contender)),
        )),
      }
      const floor = paces['empty']?.ms ?? Number.NaN
      return commands.map(([what, , , atMost]): Row => {
        const ms = paces[what]?.ms ?? Number.NaN
        return {
          what: `start, ${what}`,
          beside: 'an empty program',
          floor: `${floor.toFixed(0)} ms`,
          ours: `${ms.toFixed(0)} ms`,
          ratio: ms / floor,
          ...(atMost === undefined ? {} : { reach: { atMost } }),
        }
      })
    }),
  )
}

/** Ends with 1 for a command that did its work. */
function runNode(folder: string, words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit) => resolve(exit === 0 ? 1 : 0))
  })
}

async function makeBridge(folder: string): Promise<void> {
  await runNode(folder, [MAIN, 'init', '.'])
}

/** In place of the routes that `init` writes: many that read the same mapping, each with an inbox of its own. */
async function addRoutes(folder: string): Promise<void> {
  const path = join(folder, 'dropbridge.yaml')
  const [head = ''] = (await readFile(path, 'utf8')).split('\nroutes:')
  const routes: string[] = []
  for (let route = 1; route <= MANY_ROUTES; route++) {
    await mkdir(join(folder, `exchange/inbox/${route}`), { recursive: true })
    routes.push(
      `  orders-${route}:`,
      '    retailer: 1000',
      '    operation: create-order',
      `    from: { mailbox: exchange, folder: inbox/${route}, match: "*.csv" }`,
      '    mapping: mappings/retailer-orders.yaml',
      '    results: { mailbox: exchange, folder: results }',
    )
  }
  await writeFile(path, `${head}\nroutes:\n${routes.join('\n')}\n`)
}
