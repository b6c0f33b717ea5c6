/** Files that are read for their header only, or not to their end, must not stay open: a service runs for months. */
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Api } from '../../src/domain/api.ts'
import { aSequenceWorld, parcelsFile } from '../fixtures/sequence.ts'
import type { World } from '../fixtures/world.ts'

/** The folder in which Linux shows the open files of a process. */
const OPEN = '/proc/self/fd'

async function openFiles({ folder }: World): Promise<string[]> {
  const targets = await Promise.all(
    (await readdir(OPEN)).map((name) => readlink(`${OPEN}/${name}`).catch(() => '')),
  )
  return targets.filter((target) => target.startsWith(folder) && target.includes('/spool/'))
}

/** Much more than is read of a file to see its header. */
const withRemarks = (text: string) =>
  text
    .trimEnd()
    .split('\r\n')
    .map((line, index) => `${line},${index === 0 ? 'Remarks' : 'x'.repeat(50_000)}\r\n`)
    .join('')

test.runIf(existsSync(OPEN)).each([
  ['reported with a refused record', 'day.csv.results.csv', (text: string) => text],
  [
    'found to lack a column of its last step',
    'day.csv.rejects.csv',
    (text: string) => text.replace('Invoice Number', 'Number'),
  ],
])('a file that was %s does not stay open', async (_what, report, change) => {
  const { world, rows } = await aSequenceWorld({ orders: 2 })
  await world.drop('inbox/shipments', 'day.csv', withRemarks(change(parcelsFile(rows))))
  const refusing = (api: Api): Api => ({
    ...api,
    send: (call) =>
      call.body?.includes('"T1-1"') === true
        ? Promise.resolve({
            certainty: 'answered',
            status: 400,
            body: { tracking_number: ['Not this one.'] },
            text: '',
          })
        : api.send(call),
  })
  const bridge = await world.open({ api: refusing })

  await bridge.run(['shipments'], new AbortController().signal)

  expect(await world.list('results')).toContain(report)
  await expect.poll(() => openFiles(world)).toEqual([])
  await bridge.close()
})
