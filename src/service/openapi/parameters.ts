/** The parameters of endpoints: the ids in their paths, the filters of lists, and how to ask for a page. */
import { type Filter, type Filters, MAX_PAGE_SIZE, TIME_OPERATORS } from '../../contract/filters.ts'
import { DEFAULT_PAGE_SIZE } from '../http/lists.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import type { JsonSchema, Parameter } from './json-schema.ts'

export function createParameters(endpoint: Endpoint): Parameter[] {
  const { path, kind, filters = {} } = endpoint
  return [
    ...[...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, owner = '', name = '']) =>
      pathParameter(name, owner),
    ),
    ...(kind === 'list' ? [...filterParameters(filters), ...pageParameters(filters)] : []),
  ]
}

const ID: JsonSchema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 }

/** The path segment before an id names its owner. */
function pathParameter(name: string, owner: string): Parameter {
  const isId = name !== 'name'
  return {
    name,
    in: 'path',
    required: true,
    description:
      PATH_DESCRIPTIONS.get(name) ??
      `The ${isId ? 'id' : 'name'} of the ${RESOURCE_NAMES.get(owner) ?? owner}.`,
    schema: isId ? ID : { type: 'string', minLength: 1 },
  }
}

const PATH_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['retailer_id', "The id of a retailer of the caller's account."],
  ['brand_id', "The id of a brand of the caller's account."],
  ['carrier_id', 'The id of the carrier.'],
])

const RESOURCE_NAMES: ReadonlyMap<string, string> = new Map([
  ['orders', 'order'],
  ['cancels', 'cancel'],
  ['shipments', 'shipment'],
  ['invoices', 'invoice'],
  ['credits', 'credit'],
  ['rmas', 'return'],
  ['variants', 'variant'],
  ['connections', 'connection'],
  ['accounts', 'account'],
  ['clients', 'client'],
])

function filterParameters(filters: Filters): Parameter[] {
  return Object.entries(filters).flatMap(([name, filter]) =>
    filter.kind === 'time'
      ? TIME_OPERATORS.map((operator) => timeParameter(name, operator))
      : [filterParameter(name, filter)],
  )
}

const COMPARISON_WORDS = { lt: 'before', lte: 'at or before', gt: 'after', gte: 'at or after' } as const

function timeParameter(field: string, operator: (typeof TIME_OPERATORS)[number]): Parameter {
  return queryParameter(
    `${field}_${operator}`,
    `\`${field}\` ${COMPARISON_WORDS[operator]} this epoch timestamp, UTC, in seconds.`,
    { type: 'number', minimum: 0, examples: [1_763_683_200] },
  )
}

function filterParameter(name: string, filter: Exclude<Filter, { kind: 'time' }>): Parameter {
  switch (filter.kind) {
    case 'text':
      return queryParameter(name, 'Exactly this text.', { type: 'string' })
    case 'flag':
    case 'view':
      return queryParameter(
        name,
        FLAG_DESCRIPTIONS.get(name) ?? '1 or true for those that are, 0 or false for those that are not.',
        { type: 'string', enum: ['1', '0', 'true', 'false'] },
      )
    case 'choice':
      return {
        ...queryParameter(name, 'May be repeated: any of the values.', {
          type: 'array',
          items: { type: 'string', enum: [...filter.values] },
        }),
        style: 'form',
        explode: true,
      }
    case 'attributes':
      return queryParameter(
        name,
        'A free-text search of the form `code[value1||value2]`; several codes are joined with `::`. All codes must match, each with one of its values. Searchable: Color, Size, Category, Material, Finish, Collection.',
        { type: 'string', examples: ['color[red||blue]::size[large]'] },
      )
  }
}

const FLAG_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['is_acknowledged', '1 acknowledged, 0 not yet.'],
  ['is_picked_up', '1 picked up, 0 awaiting pickup.'],
  ['in_stock', '1 inventory above 0, 0 inventory of 0.'],
  ['meets_publish_rules', '1 meets merchandising specifications, 0 does not.'],
  ['short', '1 limited attribute set, 0 all.'],
  ['has_images', '1 with images, 0 without.'],
  ['has_shipping', '1 with package sizes and weights, 0 without.'],
])

/** Lists without filters are short and have only numbered pages. */
function pageParameters(filters: Filters): Parameter[] {
  const limit = queryParameter(
    'limit',
    `How many to answer at most; more than ${MAX_PAGE_SIZE} is taken for ${MAX_PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  )
  const page = queryParameter('page', 'The number of the page, from 1. The links of an answer have it.', {
    type: 'integer',
    minimum: 1,
    default: 1,
  })
  if (Object.keys(filters).length === 0) return [limit, page]
  return [limit, page, anchorParameter('after', 'next'), anchorParameter('before', 'previous')]
}

function anchorParameter(name: string, link: string): Parameter {
  const description = `Only what comes ${name} this id. The link \`${link}\` has it, so that nothing is missed or seen twice when the list changes in between.`
  return queryParameter(name, description, { type: 'integer', minimum: 0 })
}

function queryParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}
