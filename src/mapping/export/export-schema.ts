/** The part of the JSON Schema that is for exports: rows, columns and the paths they may name. */
import { OUTBOUND_KEYS } from '../file.ts'
import { pathsOf } from './paths.ts'
import type { Shape } from '../shape.ts'

type JsonSchema = Record<string, unknown>

/** What may stand under the keys of an export; `leaf` and `total` are what a column and one of the trailer may hold. */
export function exportParts(
  record: Shape,
  { leaf, total }: { readonly leaf: JsonSchema; readonly total: JsonSchema },
): JsonSchema {
  const lists =
    record.kind === 'object'
      ? [...record.fields].filter(([, field]) => field.kind === 'list' && field.item.kind === 'object')
      : []
  const names = lists.map(([name]) => name)
  const each = { enum: names, description: OUTBOUND_KEYS.each.summary }
  const columns = {
    type: 'object',
    description: OUTBOUND_KEYS.columns.summary,
    minProperties: 1,
    additionalProperties: { anyOf: [pathSchema(record, names), leaf] },
  }
  const type = { type: 'string', minLength: 1, description: 'The first cell of such a row.' }
  const totals = { type: 'object', minProperties: 1, additionalProperties: total }
  return {
    each,
    parts: { enum: ['first', 'all'] },
    columns,
    records: {
      type: 'array',
      minItems: 1,
      items: closed({ type, each, columns }, ['type', 'columns']),
    },
    keep: { type: 'object', additionalProperties: pathSchema(record, []) },
    trailer: closed({ type, columns: totals }, ['columns']),
    file: closed({ records: { type: 'integer', minimum: 1 } }, ['records']),
  }
}

function closed(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Paths without positions are listed; the others, and those into open objects, are told by their form. */
function pathSchema(record: Shape, each: readonly string[]): JsonSchema {
  const paths = [...new Set([undefined, ...each].flatMap((name) => pathsOf(record, name)))]
  const open = paths
    .filter((path) => path.endsWith('.*'))
    .map((path) => path.slice(0, -2).replaceAll('.', '\\.'))
  return {
    anyOf: [
      { enum: paths.filter((known) => !known.endsWith('.*')) },
      ...(open.length === 0 ? [] : [{ type: 'string', pattern: `^(${open.join('|')})\\..+` }]),
      { type: 'string', pattern: '\\[\\d+\\]' },
    ],
  }
}
