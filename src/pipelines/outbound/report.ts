/** Composing a report: all that the list shows right now, in a file of its own; no record of it is remembered. */
import type { Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/journal.ts'
import { BridgeError } from '../../support/errors.ts'
import { numberedName } from '../names.ts'
import type { OutboundParts } from '../parts.ts'
import { keptPages } from '../references/kept.ts'
import { deliverySpoolName } from './compose.ts'
import { emptyTally, reportLines, type ReportTally } from './report-lines.ts'
import { readSelected } from './selected.ts'

export interface ComposedReport {
  /** Left out when there was nothing to write. */
  readonly delivery?: DeliveryEntry
  readonly tally: ReportTally
  /** What was named and is not there. */
  readonly missing: readonly string[]
}

export type Report = NonNullable<OutboundParts['route']['report']>

/**
 * Until the journal has the delivery, a crash only leaves a file in the spool, and the next pass asks anew; after that the
 * file is delivered as it is, whatever the list shows by then.
 */
export async function composeReport(parts: OutboundParts, report: Report): Promise<ComposedReport> {
  const { api, journal, lease, spool, route, clock } = parts
  const id = parts.newId()
  const tally = emptyTally()
  const { pages, missing } = readSelected(api, route, await report.select(clock.now()))
  const blob = await spool.put(
    deliverySpoolName(id),
    reportLines({ ...parts, operation: route.operation }, keptPages(parts, watched(parts, pages)), tally),
  )
  if (tally.records === 0 && report.empty === 'skip') {
    await spool.remove(deliverySpoolName(id))
    return { tally, missing: missing() }
  }
  const composedAt = clock.now()
  const delivery = await journal.reportComposed(lease, {
    id,
    nameFor: (sequence, turn) => numberedName(route.nameFor(sequence, composedAt, {}), turn),
    folder: route.folder,
    sha256: blob.sha256,
    rows: tally.rows,
    records: tally.records,
    ...(parts.turn === undefined ? {} : { turn: parts.turn.name }),
  })
  return { delivery, tally, missing: missing() }
}

/** Tells how far the reading is, and ends it at a signal. */
export async function* watched(
  {
    signal,
    notify,
    route,
  }: Pick<OutboundParts, 'signal' | 'notify'> & { readonly route: { readonly name: string } },
  pages: AsyncIterable<readonly Resource[]>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  let done = 0
  for await (const page of pages) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    done += page.length
    notify({ kind: 'progress', route: route.name, file: '', phase: 'collecting', done })
    yield page
  }
}
