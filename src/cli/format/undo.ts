/** Formats what can be undone, with the commands for it. */
import type { PlannedStep, UndoAnswer, UndoOrder } from '../../app/undo.ts'
import { isoTime } from '../../support/clock.ts'
import { toOneLine } from '../../support/text.ts'
import { formatCount } from './text.ts'

const CHANCES = { yes: 'can', elsewhere: 'outside the API', no: 'cannot' } as const

export function formatUndo({ at, accounts, orders, records }: UndoAnswer): string[] {
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
      : [`no route reads such a file; add this one to \`routes\`${like}, then:`, ...newRoute.lines]
  return [
    line,
    ...[...added, ...(note === undefined ? [] : [note]), ...commands].map((each) => `    ${each}`),
  ]
}

const WIDTH = Math.max(...Object.values(CHANCES).map(({ length }) => length))
