/** `dropbridge restored`: a person says that the journal was restored from a backup, or that what followed is over. */
import type { RestorationResult } from '../../domain/audit.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { CONFIG_FLAG, DECISION_FLAGS, defineCommand, flag, JSON_FLAG } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'
import { assertNotEmpty } from './release.ts'

/** More than any outgoing route counts in years of files, and still a number that fits into names. */
const SKIP_MAX = 1_000_000_000

const DECLARED_FIX =
  'First see `dropbridge restored --dry-run`, then `dropbridge restored --by NAME --why TEXT`.'

export const restoredCommand = defineCommand({
  options: {
    config: CONFIG_FLAG,
    by: { ...DECISION_FLAGS.by, demandOption: false, default: '' },
    why: { ...DECISION_FLAGS.why, demandOption: false, default: '' },
    json: JSON_FLAG,
    skip: { type: 'number', default: 1000, describe: 'How many sequence numbers outgoing routes skip' },
    'dry-run': flag('Only say what would be in doubt'),
    end: flag('Stop looking up new records'),
  },
  async run(terminal, { config, by, why, skip, dryRun, end, json }) {
    // A dry run stores nothing.
    if (!dryRun && by === '' && why === '')
      throw usageError(
        'the decision is stored with who makes it and why: --by and --why',
        end ? 'Write `dropbridge restored --end --by NAME --why TEXT`.' : DECLARED_FIX,
      )
    if (!dryRun) assertNotEmpty({ by, why })
    if (!Number.isInteger(skip) || skip < 0 || skip > SKIP_MAX)
      throw usageError(
        `--skip is no whole number from 0 to ${SKIP_MAX}`,
        'Write it with digits, such as `--skip 100`.',
      )
    if (end && dryRun)
      throw usageError(
        '--end and --dry-run exclude each other',
        'Leave one of the two out; --dry-run changes nothing.',
      )
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const decision = { by: by.trim(), why: why.trim() }
    return withBridge(terminal, configuration, async (bridge) => {
      if (end) {
        const routes = await bridge.journal.endDoubt(decision)
        if (json) terminal.out(JSON.stringify({ routes }, null, 2))
        else if (routes === 0) terminal.say('no route looks its new records up; there is nothing to end')
        else terminal.say('new records are sent without being looked up from now on')
        return routes === 0 ? EXIT.rejects : EXIT.ok
      }
      const result = await bridge.declareRestored({ ...decision, skip, dryRun })
      const { lateAnswerMs } = configuration.api
      const asOf = result.asOf === 0 ? null : isoTime(result.asOf)
      if (json) terminal.out(JSON.stringify({ dryRun, ...result, asOf }, null, 2))
      else for (const line of formatRestored(result, { dryRun, lateAnswerMs })) terminal.say(line)
      return EXIT.ok
    })
  },
})

function formatRestored(
  result: RestorationResult,
  { dryRun, lateAnswerMs }: { readonly dryRun: boolean; readonly lateAnswerMs: number },
): string[] {
  const { asOf, uncertain, held, deliveries, removed, documents, counters, sequences } = result
  const counts = [
    [uncertain, 'records without an outcome are looked up before anything of them is sent'],
    [held, 'changes may have been overtaken and wait for a person'],
    [deliveries, 'composed files wait for a person'],
    [sequences.length, 'outgoing routes hold their first files for a person: see dropbridge status'],
    [removed, 'outgoing records are listed again before they go out'],
    [counters, 'counters of control numbers go on 1000 higher'],
    [documents, 'documents are not fetched by themselves any more: see dropbridge labels'],
  ] as const
  const unknown = asOf === 0 ? 'before it was created; it is new' : `after ${isoTime(asOf)}`
  return [
    `${dryRun ? 'Would be declared' : 'Declared'}: the journal knows nothing of what happened ${unknown}.`,
    ...counts.flatMap(([count, what]) => (count === 0 ? [] : [`    ${count} ${what}`])),
    ...sequences.map(({ route, next }) => `    ${route}: the next file has the number ${next}`),
    `    new records are looked up before they are first sent, until dropbridge restored --end: a run with new ones takes some ${(2 * lateAnswerMs) / 1000} seconds longer, twice api.lateAnswer`,
    ...(dryRun ? ['Nothing was changed. To declare it: dropbridge restored --by NAME --why TEXT'] : []),
  ]
}
