/** How long a bridge takes until it could take a file, with years of old files in its journal and with none. */
import { interleave, timed, type Round } from './measure.ts'
import type { Scale } from './scale.ts'
import { configurationIn, inFolder, openBridgeIn, passOf } from './setting.ts'
import type { Row } from './table.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

/** No server listens at this address, and the bridge calls none: the inbox is empty. */
const API = { baseUrl: 'http://127.0.0.1:9', connections: 1 }

export function readyRow({ oldFiles: { files, rounds } }: Scale): Promise<Row> {
  return inFolder((empty) =>
    inFolder(async (old) => {
      for (const folder of [empty, old]) await getReady(folder)
      rememberFiles(configurationIn(old, API).journal.path, files)
      const paces = await interleave(
        { rounds, count: 1 },
        { empty: () => getReady(empty), old: () => getReady(old) },
      )
      return {
        what: `time to ready, ${files} old files in the journal`,
        beside: 'an empty journal',
        floor: `${paces.empty.ms.toFixed(0)} ms`,
        ours: `${paces.old.ms.toFixed(0)} ms`,
        ratio: paces.old.ms / paces.empty.ms,
        reach: { atMost: 1.5 },
      }
    }),
  )
}

/** Opens a bridge and makes one pass over its empty inbox. */
async function getReady(folder: string): Promise<Round> {
  let bridge: Awaited<ReturnType<typeof openBridgeIn>> | undefined
  const measurement = await timed(async () => {
    bridge = await openBridgeIn(folder, API)
    await passOf(bridge, 'orders')
    return 1
  })
  await bridge?.close()
  return measurement
}

/** Files that were closed long ago, with two accepted orders in each. */
function rememberFiles(path: string, files: number): void {
  const database = openDatabase(path)
  const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)'
  database.transaction(() => {
    database
      .prepare(
        `${numbers} insert into files (id, route, folder, name, size, modified_at, state, outcome, sha256,
           key_columns, header_lines, encoding, report_name, archived_as, claimed_at, received_at, planned_at,
           submitted_at, reported_at, closed_at)
         select 'old-' || n, 'orders', 'inbox', 'orders-' || n || '.csv', 400, n, 'closed', 'processed',
           lower(hex(randomblob(32))), '["PO Number"]', 1, 'utf-8', 'orders-' || n || '.csv',
           'archive/orders-' || n || '.csv', n, n, n, n, n, n from numbers`,
      )
      .run(files)
    database
      .prepare(
        `${numbers} insert into records (direction, route, file_id, number, operation, account, natural_key, owns_key,
           body_hash, lane, lines, key_values, state, http, api_id, problems, attempts, changed_at)
         select 'incoming', 'orders', 'old-' || ((n + 1) / 2), 1 + n % 2, 'create-order', 'retailer/1000', 'OLD-' || n,
           1, lower(hex(randomblob(32))), 'OLD-' || n, '[[2,2]]', '["OLD-' || n || '"]', 'accepted', 201, n, '[]', 1, n
         from numbers`,
      )
      .run(files * 2)
  })()
  database.close()
}
