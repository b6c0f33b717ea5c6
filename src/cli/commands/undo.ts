/** `dropbridge undo KEY`: what the API still allows for an order or a record, with the command for each. */
import { withExistingJournal } from '../../app/journal-access.ts'
import { withPartyApis } from '../../app/party-apis.ts'
import { findUndo, type PlannedStep, type UndoAnswer, type UndoOrder } from '../../app/undo.ts'
import type { Journal } from '../../domain/journal.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT, usageError } from '../../support/errors.ts'
import { VERSION } from '../../support/process.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { quoteForShell, toOneLine } from '../../support/text.ts'
import {
  CONFIG_FLAG,
  DEFAULT_CONFIGURATION,
  defineCommand,
  JSON_FLAG,
  REQUIRED_TEXT,
  text,
} from '../command.ts'
import { readConfiguration } from '../context.ts'
import { formatCount } from '../format/text.ts'

export const undoCommand = defineCommand({
  argument: 'KEY',
  positionals: { key: REQUIRED_TEXT },
  options: {
    config: CONFIG_FLAG,
    party: text('Ask only as this retailer or brand: brand/2000, or its id'),
    json: JSON_FLAG,
  },
  async run(terminal, { config, key: given, party, json }) {
    const key = given.trim()
    if (key === '') throw usageError('name an order or a record')
    const configuration = await readConfiguration(terminal, config)
    const { clock } = terminal
    const options = config === DEFAULT_CONFIGURATION ? '' : ` -c ${quoteForShell(config)}`
    const asked = { clock, random: Math.random, version: VERSION, ...omitUndefined({ wanted: party }) }
    const answer = await withPartyApis(configuration, asked, async (apis) => {
      const request = { key, now: clock.now(), options }
      const find = (journal?: Journal) => findUndo(configuration, apis, journal, request)
      return (await withExistingJournal(configuration, clock, find)) ?? find()
    })
    if (json) terminal.out(JSON.stringify(answer, null, 2))
    else for (const line of formatUndo(answer)) terminal.out(line)
    if (answer.orders.length + answer.records.length > 0) return EXIT.ok
    if (json) return EXIT.rejects
    const near = await withExistingJournal(configuration, clock, (journal) =>
      journal.findSimilarNames(key, 5),
    )
    const others = near?.filter((name) => name !== key) ?? []
    const isKnown = near !== undefined && others.length < near.length
    terminal.say(
      isKnown
        ? `The journal knows "${key}" as a file or by another name, and not as an order.`
        : `Neither the API nor the journal shows "${key}".`,
    )
    if (others.length > 0) terminal.say(`Similar names: ${others.join(', ')}.`)
    terminal.say(
      `Give the number or the id of an order. Files and records: dropbridge trace ${quoteForShell(key)}.`,
    )
    return EXIT.rejects
  },
})

const CHANCES = { yes: 'can', elsewhere: 'outside the API', no: 'cannot' } as const

function formatUndo({ at, accounts, orders, records }: UndoAnswer): string[] {
  const head = `at the API on ${isoTime(at)}, asked as ${accounts.join(' and ')}: ${formatCount(orders.length, 'order')}`
  const own = records.flatMap(({ record, route, ...step }) => [
    '',
    toOneLine(`${record} of route ${route}`),
    ...formatStep(step),
  ])
  return [head, ...orders.flatMap(formatOrder), ...own]
}

function formatOrder({ account, id, purchaseOrder, status, isAcknowledged, steps }: UndoOrder): string[] {
  const acknowledged = isAcknowledged ? 'acknowledged' : 'not acknowledged'
  const title = `order ${id} (${purchaseOrder}) as ${account} sees it: ${status}, ${acknowledged}`
  return ['', toOneLine(title), ...steps.flatMap(formatStep)]
}

function formatStep({ what, chance, text, commands, newRoute, note }: PlannedStep): string[] {
  const line = toOneLine(`${CHANCES[chance].padEnd(WIDTH)}  ${what}: ${text}`)
  const like = newRoute?.apiOf === undefined ? '' : `, with the \`api\` of route ${newRoute.apiOf}`
  const added =
    newRoute === undefined
      ? []
      : [
          `    no route reads such a file; paste this one under \`routes\`${like}:`,
          ...newRoute.lines,
          '    then:',
        ]
  const own = [...(note === undefined ? [] : [note]), ...commands]
  return [line, ...added, ...own.map((each) => `    ${each}`)]
}

const WIDTH = Math.max(...Object.values(CHANCES).map(({ length }) => length))
