/** The mapping file that a command names. */
import { type InboundMapping, loadMapping } from '../../../mapping/load.ts'
import { BridgeError } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'

/** Refuses the mapping of an export: it translates records, not files. */
export async function inboundMapping(terminal: Terminal, path: string): Promise<InboundMapping> {
  const mapping = await loadMapping(pathFrom(terminal, path))
  if (mapping.direction === 'inbound') return mapping
  throw new BridgeError(
    'usage-wrong',
    `${path} is for an export, which makes a file of records; to see it: dropbridge translate RECORDS.json -m ${path}`,
  )
}
