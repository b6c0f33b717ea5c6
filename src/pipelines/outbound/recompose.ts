/** Composing a delivery again whose file in the spool was lost: from its own records, and only to the very same bytes. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { deliveryLines, deliverySpoolName } from './compose.ts'

const PAGE = 250

/**
 * Other bytes than before would not be known again at the target, where a crash may have left them already; the records
 * would then be in two files. A report has no records of its own, so it cannot be composed again.
 */
export async function assureComposed(parts: OutboundParts, delivery: DeliveryEntry): Promise<void> {
  const { spool } = parts
  const name = deliverySpoolName(delivery.id)
  if (await spool.has(name)) return
  const found = { records: 0, rows: 0, first: {} }
  const progress = { upToRecord: 0, held: [] }
  const lines = deliveryLines(parts, recordPages(parts, delivery), { progress, found })
  const { sha256 } = await spool.put(name, lines)
  if (sha256 === delivery.sha256) return
  await spool.remove(name)
  throw new BridgeError(
    'cannot-write',
    `The file ${delivery.name} of route ${delivery.route} was composed and not left yet, and ${spool.path(name)}, where it was kept, is gone.`,
    { details: CURE },
  )
}

const CURE = [
  'It cannot be made again as it was: it is a report, or the mapping or what is kept beside its orders has changed since. Nothing of it is acknowledged, and nothing of it goes into another file.',
  'Put the file back from a backup, or the mapping as it was, and run again. Other files of the route go on.',
]

async function* recordPages(
  { journal }: OutboundParts,
  { id }: DeliveryEntry,
): AsyncGenerator<readonly OutgoingRecord[], void, undefined> {
  let after = 0
  for (;;) {
    const page = await journal.deliveryRecords(id, after, PAGE)
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.id ?? after
  }
}
