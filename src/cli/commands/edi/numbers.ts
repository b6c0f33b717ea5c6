/** `dropbridge edi numbers`: the last control numbers that partners were given, and how to change them. */
import { listNumbers, type NumbersOf, setNumbers } from '../../../app/edi/partners.ts'
import { withExistingJournal } from '../../../app/journal-access.ts'
import { EXIT, usageError } from '../../../support/errors.ts'
import { omitUndefined } from '../../../support/object-paths.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, text } from '../../command.ts'
import { readConfigurationToShow } from '../../context.ts'
import { formatTable } from '../../format/text.ts'

export const numbersCommand = defineCommand({
  positionals: { partner: { type: 'string', describe: 'Its name in the configuration; all when left out' } },
  options: {
    config: CONFIG_FLAG,
    set: {
      type: 'number',
      describe: 'The last number of an interchange; the next answer has the one after it',
    },
    group: { type: 'number', describe: 'With --set: the last number of a group, where it is another one' },
    usage: {
      choices: ['production', 'test'] as const,
      default: 'production' as const,
      describe: 'With --set: of which interchanges',
    },
    by: text('With --set: who decided it'),
    why: text('With --set: why'),
    json: JSON_FLAG,
  },
  async run(terminal, { config, partner, set, group, usage, by = '', why = '', json }) {
    if (set !== undefined && (partner === undefined || by.trim() === '' || why.trim() === ''))
      throw usageError('--set needs a partner, --by NAME and --why TEXT')
    const configuration = await readConfigurationToShow(terminal, config)
    const numbers =
      (await withExistingJournal(configuration, terminal.clock, async (journal) => {
        if (set !== undefined && partner !== undefined) {
          const change = { partner, usage, interchange: set, by: by.trim(), why: why.trim() }
          await setNumbers(configuration, journal, { ...change, ...omitUndefined({ group }) })
        }
        return listNumbers(configuration, journal, partner)
      })) ?? []
    if (json) terminal.out(JSON.stringify(numbers.map(toJson), null, 2))
    else if (numbers.length === 0) terminal.say('No number was given yet.')
    else for (const line of formatNumbers(numbers)) terminal.out(line)
    return EXIT.ok
  },
})

function formatNumbers(numbers: readonly NumbersOf[]): string[] {
  return formatTable(
    ['partner', 'from', 'to', 'usage', 'last interchange', 'last group'],
    numbers.map(({ partner = '', counter: { sender, receiver, usage, interchange, group } }) => [
      partner,
      sender,
      receiver,
      usage,
      String(interchange),
      String(group),
    ]),
  )
}

function toJson({ partner, counter }: NumbersOf): object {
  return { partner, ...counter }
}
