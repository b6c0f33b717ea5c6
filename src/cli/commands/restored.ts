/** `dropbridge restored`: a person says that the journal was restored from a backup, or that what followed is over. */
import type { Restored } from '../../domain/restoring.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfigurationToLook, withBridge } from '../context.ts'
import { assertSaid } from '../decision.ts'
import type { Terminal } from '../terminal.ts'

export interface RestoredOptions {
  readonly config: string
  readonly by: string
  readonly why: string
  readonly skip: number
  readonly dryRun: boolean
  readonly end: boolean
  readonly json: boolean
}

/** More than any outgoing route counts in a year of files, and still a number that names have room for. */
const SKIP_MAX = 1_000_000_000

export async function restored(terminal: Terminal, options: RestoredOptions): Promise<ExitCode> {
  const { config, by, why, skip, dryRun, end, json } = options
  // Nothing is kept of a rehearsal.
  if (!dryRun) assertSaid({ by, why })
  if (!Number.isInteger(skip) || skip < 0 || skip > SKIP_MAX)
    throw new BridgeError('usage-wrong', `--skip is no whole number from 0 to ${SKIP_MAX}`)
  if (end && dryRun) throw new BridgeError('usage-wrong', 'say --end or --dry-run, not both')
  const configuration = await readConfigurationToLook(terminal, config)
  const said = { by: by.trim(), why: why.trim() }
  const silent = () => undefined
  return withBridge(terminal, { configuration, notify: silent }, async (bridge) => {
    if (end) {
      const routes = await bridge.journal.endDoubt(said)
      if (json) terminal.out(JSON.stringify({ routes }, null, 2))
      else terminal.say(endInWords(routes))
      return routes === 0 ? EXIT.rejects : EXIT.ok
    }
    const result = await bridge.restored({ ...said, skip, dryRun })
    if (json) terminal.out(JSON.stringify({ dryRun, ...result, asOf: isoTime(result.asOf) }, null, 2))
    else for (const line of inWords(result, dryRun)) terminal.say(line)
    return EXIT.ok
  })
}

function endInWords(routes: number): string {
  return routes === 0
    ? 'no route looks its new records up; there is nothing to end'
    : 'new records are sent without being looked up from now on'
}

function inWords(result: Restored, dryRun: boolean): string[] {
  const { asOf, uncertain, held, deliveries, removed, documents, sequences } = result
  const counts = [
    [uncertain, 'records without an outcome are looked up before anything of them is sent'],
    [held, 'changes may have been overtaken and wait for a person'],
    [deliveries, 'composed files wait for a person'],
    [removed, 'outgoing records are listed again before they go out'],
    [documents, 'documents are not fetched by themselves any more: see dropbridge labels'],
  ] as const
  return [
    `${dryRun ? 'Would be declared' : 'Declared'}: the journal knows nothing of what happened after ${isoTime(asOf)}.`,
    ...counts.flatMap(([count, what]) => (count === 0 ? [] : [`    ${count} ${what}`])),
    ...sequences.map(({ route, next }) => `    ${route}: the next file has the number ${next}`),
    '    the first files of every outgoing route wait for a person: see dropbridge status',
    '    new records are looked up before they are first sent, until dropbridge restored --end',
  ]
}
