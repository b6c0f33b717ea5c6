/** Filters of lists: query parameters as conditions on rows. Spec: "List filters". */
import { type RawBuilder, sql } from 'kysely'
import { ATTRIBUTES, type AttributeCode, isAttributeCode } from '../../contract/attributes.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import { type Filter, type Filters, TIME_OPERATORS } from '../../contract/filters.ts'
import { didYouMean } from '../../support/text.ts'
import { foldCase } from '../store/store.ts'
import type { Conditions } from '../store/list-reader.ts'
import { type Answer, type FieldErrors, gatherErrors } from './answers.ts'

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** The parameters that an endpoint reads. Short lists, without filters, have only numbered pages. */
export function listQueryParameters({ kind, filters = {} }: Endpoint): readonly string[] {
  if (kind !== 'list') return []
  const names = Object.entries(filters).flatMap(([name, filter]) =>
    filter.kind === 'time' ? TIME_OPERATORS.map((operator) => `${name}_${operator}`) : [name],
  )
  return [...names, 'limit', 'page', ...(names.length === 0 ? [] : ['after', 'before'])]
}

/** Spec: not shown. A filter with a typing error would be answered with all resources. */
export function refuseUnknownParameters(query: Query, known: readonly string[]): Answer | undefined {
  const unknown = Object.keys(query).filter((name) => !known.includes(name))
  if (unknown.length === 0) return undefined
  const errors = gatherErrors()
  for (const name of unknown.slice(0, MAX_UNKNOWN))
    errors.add([name], `There is no such parameter.${didYouMean(name, known)}`)
  return errors.toAnswer()
}

const MAX_UNKNOWN = 20

/** Reads the known parameters. With errors, the conditions are not to be used. */
export function readConditions(query: Query, filters: Filters, errors: FieldErrors): Conditions {
  const names = Object.keys(filters)
  const acknowledged = names.includes('is_acknowledged')
    ? readFlag('is_acknowledged', query, errors)
    : undefined
  const status = filters['status']
  const statuses = status?.kind === 'choice' ? readChoices('status', status.values, { query, errors }) : []
  return {
    ...(acknowledged === undefined ? {} : { acknowledged }),
    ...(statuses.length === 0 ? {} : { statuses }),
    conditions: names
      .filter((name) => name !== 'is_acknowledged' && name !== 'status')
      .flatMap((name) => toConditions(name, filters[name], { query, errors })),
  }
}

interface FilterRequest {
  readonly query: Query
  readonly errors: FieldErrors
}

type Condition = RawBuilder<unknown>

function toConditions(name: string, filter: Filter | undefined, asked: FilterRequest): Condition[] {
  const value = lastValue(asked.query[name])
  switch (filter?.kind) {
    case 'text':
      return value === undefined ? [] : [sql`${sql.ref(name)} = ${value}`]
    case 'flag': {
      const flag = readFlag(name, asked.query, asked.errors)
      return flag === undefined ? [] : [sql`${sql.ref(name)} = ${flag}`]
    }
    case 'choice': {
      const values = readChoices(name, filter.values, asked)
      return values.length === 0 ? [] : [sql`${sql.ref(name)} in (${sql.join(values)})`]
    }
    case 'time':
      return readTimes(name, asked)
    case 'attributes':
      return value === undefined ? [] : readSearch(name, value, asked.errors)
    case 'view':
      readFlag(name, asked.query, asked.errors)
      return []
    case undefined:
      return []
  }
}

/** Returns 1 or 0; undefined when the parameter is absent or wrong. */
export function readFlag(name: string, query: Query, errors: FieldErrors): 0 | 1 | undefined {
  const value = lastValue(query[name])
  if (value === undefined) return undefined
  const flag = FLAGS.get(value.toLowerCase())
  if (flag === undefined) errors.add([name], `"${value}" is not one of 1, 0, true, false.`)
  return flag
}

const FLAGS: ReadonlyMap<string, 0 | 1> = new Map([
  ['1', 1],
  ['0', 0],
  ['true', 1],
  ['false', 0],
])

/** Spec: "status on order lists may be repeated as separate parameters". */
function readChoices(name: string, allowed: readonly string[], { query, errors }: FilterRequest): string[] {
  const values = new Set<string>()
  for (const asked of allValues(query[name])) {
    const value = asked.toLowerCase()
    if (allowed.includes(value)) values.add(value)
    else errors.add([name], `"${asked}" is not one of ${allowed.join(', ')}.`)
  }
  return [...values]
}

/** Spec: "Epoch timestamp in UTC, passed as {field}_{operator}". */
function readTimes(name: string, { query, errors }: FilterRequest): Condition[] {
  return TIME_OPERATORS.flatMap((operator) => {
    const parameter = `${name}_${operator}`
    const value = lastValue(query[parameter])
    if (value === undefined) return []
    if (!/^\d{1,12}(\.\d{1,6})?$/.test(value)) {
      errors.add([parameter], `"${value}" is not an epoch timestamp in seconds, such as 1763683200.`)
    }
    return [sql`${sql.ref(name)} ${sql.raw(COMPARISONS[operator])} ${Math.round(Number(value) * 1000)}`]
  })
}

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/**
 * Spec: "attribute=code[value1||value2]; several codes are joined with ::", a free-text search. All codes must match, each
 * with one of its values anywhere in the attribute's text, without regard to case.
 */
function readSearch(name: string, text: string, errors: FieldErrors): Condition[] {
  const parts = text.split('::')
  if (parts.length > MAX_PARTS) {
    errors.add([name], `No more than ${MAX_PARTS} attributes can be asked for at once.`)
    return []
  }
  let values = 0
  return parts.flatMap((part) => {
    const [, code = '', list = ''] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(part) ?? []
    const wanted = list.split('||').filter((value) => value !== '')
    if (wanted.length === 0) {
      errors.add([name], `"${part}" is not of the form code[value] or code[value1||value2].`)
      return []
    }
    values += wanted.length
    if (values > MAX_VALUES) {
      errors.add([name], `No more than ${MAX_VALUES} values can be searched for at once.`)
      return []
    }
    const searched = code.trim().toLowerCase()
    if (!isAttributeCode(searched) || !ATTRIBUTES[searched].isSearchable) {
      errors.add([name], `"${code}" is not one of ${SEARCHABLE_CODES.join(', ')}.`)
      return []
    }
    return [containsAny(searched, wanted)]
  })
}

/** Each becomes a condition, and the database takes a limited number of them. */
const MAX_PARTS = 50
/** Each is searched for in each item, and other requests wait meanwhile. */
const MAX_VALUES = 200

const SEARCHABLE_CODES = Object.entries(ATTRIBUTES).flatMap(([code, { isSearchable }]) =>
  isSearchable ? [code] : [],
)

/** The searchable attributes that are columns of the item. */
const SEARCHED_COLUMNS: ReadonlySet<string> = new Set(['size', 'color'])

/** Binds the wanted values as one parameter, in one case, so that the statement is the same for any number of them. */
function containsAny(code: AttributeCode, wanted: readonly string[]): Condition {
  const isColumn = SEARCHED_COLUMNS.has(code)
  const value = isColumn ? sql.ref(`listed.${code}`) : sql.ref('variant_attributes.value')
  const anyOf = sql`exists (select 1 from json_each(${JSON.stringify(wanted.map(foldCase))}) as wanted
    where instr(fold(${value}), wanted.value) > 0)`
  if (isColumn) return anyOf
  return sql`exists (select 1 from variant_attributes
    where variant_id = listed.id and retailer_id = 0 and code = ${code} and ${anyOf})`
}

/** A parameter that is given several times counts as its last. */
export function lastValue(value: Query[string]): string | undefined {
  return allValues(value).at(-1)
}

function allValues(value: Query[string]): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}
