/** The `select` of a report: a readable choice of records of a list, and the API query for it. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { ATTRIBUTES } from '../contract/attributes.ts'
import type { Filter } from '../contract/filters.ts'
import { filtersOf, OPERATIONS, type OutboundOperationName } from '../contract/operations.ts'
import type { Selection } from '../domain/route.ts'
import { assert } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { didYouMean } from '../support/text.ts'
import { type DatedRun, isTimeZone, MOMENT_RULE, parseMoment, PREVIOUS } from './time-values.ts'

/** How many records the configuration may name; more need their own file. */
const NAMED_MAX = 1000
const Text = z.string().min(1).max(200)

const Moment = z
  .string(MOMENT_RULE)
  .refine(
    (text) => text === PREVIOUS || parseMoment(text, { now: 0, zone: 'UTC' }) !== undefined,
    MOMENT_RULE,
  )

const Window = z
  .strictObject({
    since: Moment.optional().describe('From this moment on.'),
    until: Moment.optional().describe('Up to this moment, and without it.'),
  })
  .refine(({ since, until }) => (since ?? until) !== undefined, {
    error: 'says no time: name since, until or both, such as { since: 24h }',
    when: isWhole,
  })

const Flag = z.boolean()

/** Values from a file, as text: YAML would drop the leading zeros of numbers. */
const FromFile = z.strictObject({ file: Text.describe('A file with one on each line.') })

const NumbersOrFile = z.union([Text, z.array(Text).min(1).max(NAMED_MAX), FromFile], {
  error: `must be a text in quotes, a list of at most ${NAMED_MAX} of them, or { file: … } with one on each line`,
})

const Id = z.union([
  z.int().min(1),
  z.string().regex(/^[1-9]\d{0,14}$/, 'must be an id of the API, such as 4711'),
])
const IdsOrFile = z.union([Id, z.array(Id).min(1).max(NAMED_MAX), FromFile], {
  error: `must be an id, a list of at most ${NAMED_MAX} ids, or { file: … } with one on each line`,
})

const AttributeValue = Text.regex(/^(?!.*::)[^[\]|]+$/, 'cannot hold [, ], | or ::')
const Attributes = z
  .strictObject(
    Object.fromEntries(
      Object.entries(ATTRIBUTES)
        .filter(([, { isSearchable }]) => isSearchable)
        .map(([code]) => [
          code,
          z
            .union([AttributeValue, z.array(AttributeValue).min(1).max(50)])
            .optional()
            .describe('One value, or several of which one is enough.'),
        ]),
    ),
  )
  .refine((values) => Object.keys(values).length > 0, { error: 'names no attribute', when: isWhole })

/** Whether the value has no issue yet, so that a missing key is not reported twice. */
function isWhole({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0
}

function Choice(values: readonly string[]) {
  const one = z.enum(values)
  return z.union([one, z.array(one).min(1)], {
    error: ({ input }) => {
      const given: unknown[] = Array.isArray(input) ? input : [input]
      const wrong = given.find((value) => typeof value === 'string' && !values.includes(value))
      const suggestion = typeof wrong === 'string' ? didYouMean(wrong, values) : ''
      return `must be one of ${values.join(', ')}, or a list of them.${suggestion}`
    },
  })
}

function toFilterSchema(filter: Filter): z.ZodType {
  switch (filter.kind) {
    case 'text':
      return NumbersOrFile
    case 'flag':
    case 'view':
      return Flag
    case 'choice':
      return Choice(filter.values)
    case 'time':
      return Window
    case 'attributes':
      return Attributes
  }
}

/** The schema of each filter; a name means the same on every list. */
const FILTERS = new Map(
  Object.entries(OPERATIONS).flatMap(([name, { direction }]) =>
    direction === 'outbound' ? Object.entries(filtersOf(name as OutboundOperationName)) : [],
  ),
)

const SUMMARIES: Readonly<Record<Filter['kind'], string>> = {
  text: 'Records with this number.',
  flag: 'true or false.',
  view: 'true or false: how much of each record is shown.',
  choice: 'One of the values, or a list of them.',
  time: 'A window of time: { since: 24h }, { since: 2026-11-01, until: 2026-12-01 }.',
  attributes: 'A search by attributes: { color: [Red, Blue], size: M }.',
}

export const SelectSettings = z.strictObject({
  ...Object.fromEntries(
    [...FILTERS].map(([name, filter]) => [
      name,
      toFilterSchema(filter).optional().describe(SUMMARIES[filter.kind]),
    ]),
  ),
  purchase_order_number: NumbersOrFile.optional().describe(
    'The records of these purchase orders: a number, a list of them, or { file: … } with one on each line.',
  ),
  ids: IdsOrFile.optional().describe('These records and no others, by their ids at the API.'),
  zone: z
    .string()
    .refine(isTimeZone, 'must be the name of a time zone, such as America/New_York')
    .optional()
    .describe('The zone of dates, and of times that name none; UTC when left out.'),
})
export type SelectSettings = z.output<typeof SelectSettings>

/** The selection of a report, before the time of its run is known. */
export interface SelectRule {
  readonly zone: string
  /** The part of the query that does not depend on the time. */
  readonly fixed: Selection['query']
  /** Windows of time by the name of the filter. */
  readonly windows: readonly (z.output<typeof Window> & { readonly filter: string })[]
  readonly named?: {
    readonly by: NonNullable<Selection['named']>['by']
    /** The file has one value on each line. */
    readonly values: readonly string[] | { readonly file: string }
  }
}

/** Converts the checked settings to a rule. Relative paths are relative to `folder`. */
export function toSelect(operation: OutboundOperationName, file: SelectSettings, folder: string): SelectRule {
  const { zone = 'UTC', ids, purchase_order_number: numbers, ...asked } = file
  const fixed: Record<string, Selection['query'][string]> = {}
  const windows: SelectRule['windows'][number][] = []
  const filters = filtersOf(operation)
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined) continue
    const kind = filters[name]?.kind
    assert(kind !== undefined, `${operation} cannot be asked for ${name}, and the checks let it pass`)
    if (kind === 'time') windows.push({ ...Window.parse(value), filter: name })
    else fixed[name] = toFilterValue(kind, value)
  }
  const named = toNamedRecords('id', ids, folder) ?? toNamedRecords('purchase_order_number', numbers, folder)
  return { zone, fixed, windows, ...omitUndefined({ named }) }
}

function toFilterValue(kind: Exclude<Filter['kind'], 'time'>, value: unknown): Selection['query'][string] {
  if (kind === 'flag' || kind === 'view') return Flag.parse(value)
  if (kind === 'attributes') return formatAttributeSearch(Attributes.parse(value))
  return z.array(z.string()).parse(Array.isArray(value) ? value : [value])
}

/** Spec: `attribute=code[value1||value2]`, several codes joined with `::`. */
function formatAttributeSearch(values: z.output<typeof Attributes>): string {
  return Object.entries(values)
    .map(([code, wanted]) => `${code}[${(Array.isArray(wanted) ? wanted : [wanted]).join('||')}]`)
    .join('::')
}

function toNamedRecords(
  by: NonNullable<SelectRule['named']>['by'],
  given: z.output<typeof IdsOrFile> | undefined,
  folder: string,
): SelectRule['named'] {
  if (given === undefined) return undefined
  if (typeof given === 'object' && 'file' in given)
    return { by, values: { file: resolve(folder, given.file) } }
  return { by, values: [...new Set((Array.isArray(given) ? given : [given]).map(String))] }
}

/** Spec: times are epoch seconds. Both ends drop their fractions, so that successive windows have no gap and no overlap. */
export function buildQuery({ zone, fixed, windows }: SelectRule, now: number, run?: DatedRun) {
  const query = { ...fixed }
  const toEpochSeconds = (text: string) => {
    const ms = parseMoment(text, { now, zone, ...omitUndefined({ run }) })
    assert(ms !== undefined, 'a text that is no moment passed the checks')
    return Math.floor(ms / 1000)
  }
  for (const { filter, since, until } of windows) {
    if (since !== undefined) query[`${filter}_gte`] = toEpochSeconds(since)
    if (until !== undefined) query[`${filter}_lt`] = toEpochSeconds(until)
  }
  return query
}
