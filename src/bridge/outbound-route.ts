/** An outbound route as its pipeline sees it. */
import { readFile, stat } from 'node:fs/promises'
import type { OutboundRoute } from '../config/configuration.ts'
import { fileNameOf, namesRecord } from '../config/file-name.ts'
import { queryAt, type Select } from '../config/select.ts'
import type { Selection } from '../domain/selection.ts'
import type { OutboundParts } from '../pipelines/parts.ts'
import { BridgeError } from '../support/errors.ts'

export function outboundRoute(route: OutboundRoute): OutboundParts['route'] {
  const { name, party, operation, to, acknowledge, reread, report } = route
  return {
    name,
    party,
    operation,
    folder: to.folder,
    nameFor: (sequence, at, record) => fileNameOf(to.name, { route: name, sequence, at, record }),
    namesRecord: namesRecord(to.name),
    acknowledge,
    reread,
    ...(report === undefined
      ? {}
      : { report: { select: (now) => selectionAt(report.select, now), empty: report.empty } }),
  }
}

/** What is selected at this moment; a file of names is read anew each time. */
export async function selectionAt(select: Select, now: number): Promise<Selection> {
  const query = queryAt(select, now)
  const { named } = select
  if (named === undefined) return { query }
  const { by, values } = named
  return { query, named: { by, values: 'file' in values ? await namesIn(values.file, by) : values } }
}

const ID = /^[1-9]\d{0,14}$/

/** Far more names than anybody asks for, in a file that fits into memory. */
const NAMES_BYTES_MAX = 16 * 1024 * 1024

/** One name on each line; blanks around it do not count, nor do blank lines and names that were there before. */
async function namesIn(path: string, by: 'id' | 'purchase_order_number'): Promise<readonly string[]> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > NAMES_BYTES_MAX) {
      throw new BridgeError(
        'configuration-invalid',
        `${path} is larger than 16 MiB: name fewer records in it`,
      )
    }
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof BridgeError) throw cause
    throw new BridgeError('configuration-invalid', `${path}, which names the records, cannot be read`, {
      cause,
    })
  }
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
  const wrong = by === 'id' ? lines.findIndex((line) => line !== '' && !ID.test(line)) : -1
  if (wrong >= 0) throw new BridgeError('configuration-invalid', `line ${wrong + 1} of ${path} is no id`)
  return [...new Set(lines.filter((line) => line !== ''))]
}
