/** The rules of a mapping for the page of its partner: what is refused or held, and what the last row says. */
import type { InboundMapping } from '../../mapping/load.ts'
import { toPlain } from '../../mapping/source/source.ts'

/** Markdown, with a blank line at its end; nothing for a mapping without rules. */
export function ruleLines(mapping: InboundMapping): string[] {
  const written = toPlain(mapping.source) as Readonly<Record<string, unknown>>
  const lines = objectOf(written['lines'])
  const said = [
    ...sayings(written['check']),
    ...sayings(lines['check']),
    ...sayings(written['hold']).map((say) => `${say} (a person looks at it)`),
    ...sayings(lines['hold']).map((say) => `${say} (a person looks at it)`),
    ...totalsSaying(objectOf(written['totals'])),
  ]
  return said.length === 0 ? [] : ['## Rules', '', ...said.map((say) => `- ${say}`), '']
}

/** The user's own words for each rule. */
function sayings(rules: unknown): string[] {
  if (!Array.isArray(rules)) return []
  return (rules as unknown[]).flatMap((rule) => {
    const { say } = objectOf(rule)
    return typeof say === 'string' ? [say] : []
  })
}

function totalsSaying(totals: Readonly<Record<string, unknown>>): string[] {
  if (Object.keys(totals).length === 0) return []
  const { when, rows, records, sum } = totals
  const cells = [
    ...Object.entries(objectOf(when)).map(([column, is]) => `"${String(is)}" in ${column}`),
    ...(typeof rows === 'string' ? [`the number of rows in ${rows}`] : []),
    ...(typeof records === 'string' ? [`the number of records in ${records}`] : []),
    ...Object.entries(objectOf(sum)).map(([of, column]) => `the sum of ${of} in ${String(column)}`),
  ]
  return [
    `The last row has ${cells.join(', ')}. A file with another count, or without that row, is refused whole.`,
  ]
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
