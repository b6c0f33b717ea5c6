/** `dropbridge late`: orders that must be acknowledged or shipped soon, by the hours that are left. */
import { withExistingJournal } from '../../app/journal-access.ts'
import { listLiveLate, listSeenLate, listUnseenParties } from '../../app/late.ts'
import { withPartyApis } from '../../app/party-apis.ts'
import { toMs, WaitTime } from '../../config/time-values.ts'
import type { Journal } from '../../domain/journal.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { VERSION } from '../../support/process.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG, text } from '../command.ts'
import { readConfiguration, readConfigurationToShow } from '../context.ts'
import { formatLate, lateToJson } from '../format/orders.ts'

export const lateCommand = defineCommand({
  options: {
    config: CONFIG_FLAG,
    within: {
      type: 'string',
      default: '24h',
      describe: 'Up to this time from now, such as 4h or 2d; past ones too',
    },
    live: flag('Ask the API, instead of what the bridge has seen'),
    party: text('Only this retailer or brand: brand/2000, or its id'),
    json: JSON_FLAG,
  },
  async run(terminal, { config, within, live, party, json }) {
    if (!WaitTime.safeParse(within).success)
      throw usageError(
        `--within "${within}" must be a time such as 30m, 4h or 2d, at most 30 days`,
        'Write such as `--within 4h`.',
      )
    const read = live ? readConfiguration : readConfigurationToShow
    const configuration = await read(terminal, config)
    const { clock } = terminal
    const now = clock.now()
    const request = { until: now + toMs(within), ...omitUndefined({ wanted: party }) }
    let unseen: readonly string[] = []
    const readSeen = async (journal: Journal) => {
      unseen = await listUnseenParties(journal, configuration, party)
      return listSeenLate(journal, configuration, request)
    }
    const asked = { clock, random: Math.random, version: VERSION, ...request }
    const late = live
      ? await withPartyApis(configuration, asked, (apis) => listLiveLate(apis, clock, request))
      : await withExistingJournal(configuration, clock, readSeen)
    if (json) terminal.out(JSON.stringify(lateToJson(late ?? [], now), null, 2))
    else for (const line of formatLate(late ?? [], within, now)) terminal.out(line)
    if (live || json) return EXIT.ok
    terminal.say('As the bridge last saw the orders; --live asks the API.')
    if (unseen.length > 0) terminal.say(`It has seen no open orders of ${unseen.join(' and ')}.`)
    return EXIT.ok
  },
})
