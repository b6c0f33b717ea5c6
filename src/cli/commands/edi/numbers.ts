/** `dropbridge edi numbers`: the last control numbers that partners were given, and how to change them. */
import {
  type FirstNumber,
  listFirstNumbers,
  listNumbers,
  type NumbersOf,
  setNumbers,
} from '../../../app/edi/partners.ts'
import { withExistingJournal } from '../../../app/journal-access.ts'
import { EXIT, usageError } from '../../../support/errors.ts'
import { omitUndefined } from '../../../support/object-paths.ts'
import { CONFIG_FLAG, defineCommand, flag, JSON_FLAG, text } from '../../command.ts'
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
    from: text('With --set: your address, where the partner has several pairs'),
    to: text('With --set: its address, where the partner has several pairs'),
    repeat: flag(
      'With --set: also a lower number. Numbers are used twice then, and the partner may refuse those files',
    ),
    by: text('With --set: who decided it'),
    why: text('With --set: why'),
    json: JSON_FLAG,
  },
  async run(terminal, { config, partner, set, group, usage, from, to, repeat, by = '', why = '', json }) {
    if (set !== undefined && (partner === undefined || by.trim() === '' || why.trim() === ''))
      throw usageError(
        '--set needs a partner, --by and --why',
        'Write `dropbridge edi numbers PARTNER --set N --by NAME --why TEXT`.',
      )
    const configuration = await readConfigurationToShow(terminal, config)
    const numbers =
      (await withExistingJournal(configuration, terminal.clock, async (journal) => {
        if (set !== undefined && partner !== undefined) {
          const change = {
            partner,
            usage,
            interchange: set,
            mayRepeat: repeat,
            by: by.trim(),
            why: why.trim(),
          }
          await setNumbers(configuration, journal, { ...change, ...omitUndefined({ group, from, to }) })
        }
        return listNumbers(configuration, journal, partner)
      })) ?? []
    const first = listFirstNumbers(configuration, numbers, partner)
    if (json) terminal.out(JSON.stringify([...numbers.map(toJson), ...first], null, 2))
    else if (numbers.length + first.length === 0) terminal.say('No number was given yet.')
    else for (const line of formatNumbers(numbers, first)) terminal.out(line)
    return EXIT.ok
  },
})

function formatNumbers(numbers: readonly NumbersOf[], first: readonly FirstNumber[]): string[] {
  const given = numbers.map(({ partner = '', counter: { sender, receiver, usage, interchange, group } }) => [
    partner,
    sender,
    receiver,
    usage,
    String(interchange),
    String(group),
  ])
  const none = first.map(({ partner, first: begin }) => {
    return [partner, '', '', '', `none yet, begins with ${begin}`, '']
  })
  return formatTable(
    ['partner', 'from', 'to', 'usage', 'last interchange', 'last group'],
    [...given, ...none],
  )
}

function toJson({ partner, counter }: NumbersOf): object {
  return { partner, ...counter }
}
