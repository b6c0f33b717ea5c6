/** `dropbridge edi partners`: who sends interchanges, how it is answered, and what it waits for. */
import { listPartners, type PartnerOverview } from '../../../app/edi/partners.ts'
import { withExistingJournal } from '../../../app/journal-access.ts'
import { isoTime } from '../../../support/clock.ts'
import { EXIT } from '../../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG } from '../../command.ts'
import { readConfigurationToShow } from '../../context.ts'
import { formatTable } from '../../format/text.ts'

export const partnersCommand = defineCommand({
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, json }) {
    const configuration = await readConfigurationToShow(terminal, config)
    const partners =
      (await withExistingJournal(configuration, terminal.clock, (journal) =>
        listPartners(configuration, journal),
      )) ?? (await listPartners(configuration))
    if (json) terminal.out(JSON.stringify(partners.map(toJson), null, 2))
    else if (partners.length === 0) terminal.say('There are no partners: see `edi.partners` in docs/edi.md.')
    else for (const line of formatPartners(partners)) terminal.out(line)
    return EXIT.ok
  },
})

function formatPartners(partners: readonly PartnerOverview[]): string[] {
  return formatTable(
    ['partner', 'addresses', 'answer', 'interchanges', 'last', 'not answered'],
    partners.map(({ partner: { name, ids, answer }, kinds, activity, undelivered }) => [
      name,
      ids.map(({ address, group }) => (group === undefined ? address : `${address}/${group}`)).join(', '),
      answer.when === 'none' ? 'none' : `${kinds.join(' and ')}, ${answer.when}`,
      String(activity?.interchanges ?? 0),
      activity === undefined ? 'never' : isoTime(activity.lastAt),
      String(undelivered),
    ]),
  )
}

function toJson({ partner, kinds, activity, undelivered, dueAt }: PartnerOverview): object {
  const { name, title, ids, answer } = partner
  return {
    name,
    title,
    ids,
    answer,
    answeredBy: answer.when === 'none' ? [] : kinds,
    interchanges: activity?.interchanges ?? 0,
    lastAt: activity && isoTime(activity.lastAt),
    undelivered,
    dueAt: dueAt === undefined ? undefined : isoTime(dueAt),
  }
}
