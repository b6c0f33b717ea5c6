/** Whether a record holds its key as the event says by which it came to its state: what lets go may be posted again. */
import type { Findings } from './findings.ts'
import type { EventTable } from './schema.ts'

interface Keyed {
  readonly id: number
  readonly direction: 'incoming' | 'outgoing'
  readonly state: string
  readonly holds_key: number
}

export function checkKey(found: Findings, event: EventTable, record: Keyed): void {
  const { id, holds_key } = record
  const held = holdsKey(record, event)
  if (held === (holds_key === 1)) return
  const message = held
    ? `record ${id}: it holds its key no longer, so that the same may be sent again`
    : `record ${id}: it holds its key, and had let go of it`
  found.add('record', id, message, event)
}

/** As all that bring records to their states set it. */
function holdsKey({ direction, state }: Keyed, { kind }: EventTable): boolean {
  if (direction === 'outgoing') return false
  switch (state) {
    case 'planned':
    case 'sending':
    case 'uncertain':
    case 'deferred':
    case 'accepted':
      return true
    case 'held':
    case 'duplicate':
      // What was sent keeps its key whatever came of it; what was not sent has none.
      return kind === 'records-answered' || kind === 'records-settled'
    default:
      return false
  }
}
