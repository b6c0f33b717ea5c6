/** The parameters of endpoints: the ids in their paths, the filters of lists, and how to ask for a page. */
import { type Filter, type Filters, LARGEST_PAGE, TIME_OPERATORS } from '../../contract/filters.ts'
import { PAGE_WHEN_NOT_ASKED } from '../http/lists.ts'
import type { ServedEndpoint } from '../http/served.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Parameter } from './shape.ts'

export function parametersOf(endpoint: ServedEndpoint): Parameter[] {
  const { path, kind, filters = {} } = endpoint
  return [
    ...[...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, owner = '', name = '']) =>
      pathParameter(name, owner),
    ),
    ...(kind === 'list' ? [...filterParameters(filters), ...pageParameters(filters)] : []),
  ]
}

const ID: JsonSchema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 }

/** What stands before an id in a path says whose it is. */
function pathParameter(name: string, owner: string): Parameter {
  const isId = name !== 'name'
  return {
    name,
    in: 'path',
    required: true,
    description: PATH_WORDS.get(name) ?? `The ${isId ? 'id' : 'name'} of the ${OWNERS.get(owner) ?? owner}.`,
    schema: isId ? ID : { type: 'string', minLength: 1 },
  }
}

const PATH_WORDS: ReadonlyMap<string, string> = new Map([
  ['retailer_id', "The id of a retailer of the caller's account."],
  ['brand_id', "The id of a brand of the caller's account."],
  ['carrier_id', 'The id of the carrier.'],
])

const OWNERS: ReadonlyMap<string, string> = new Map([
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
      ? TIME_OPERATORS.map((operator) => timeFilter(name, operator))
      : [plainFilter(name, filter)],
  )
}

const COMPARED = { lt: 'before', lte: 'at or before', gt: 'after', gte: 'at or after' } as const

function timeFilter(field: string, operator: (typeof TIME_OPERATORS)[number]): Parameter {
  return query(
    `${field}_${operator}`,
    `\`${field}\` ${COMPARED[operator]} this epoch timestamp, UTC, in seconds.`,
    {
      type: 'number',
      minimum: 0,
      examples: [1_763_683_200],
    },
  )
}

function plainFilter(name: string, filter: Exclude<Filter, { kind: 'time' }>): Parameter {
  switch (filter.kind) {
    case 'text':
      return query(name, 'Exactly this text.', { type: 'string' })
    case 'flag':
    case 'view':
      return query(
        name,
        FLAG_WORDS.get(name) ?? '1 or true for those that are, 0 or false for those that are not.',
        {
          type: 'string',
          enum: ['1', '0', 'true', 'false'],
        },
      )
    case 'choice':
      return {
        ...query(name, 'May be repeated: any of the values.', {
          type: 'array',
          items: { type: 'string', enum: [...filter.values] },
        }),
        style: 'form',
        explode: true,
      }
    case 'attributes':
      return query(
        name,
        'A free-text search of the form `code[value1||value2]`; several codes are joined with `::`. All codes must match, each with one of its values. Searchable: Color, Size, Category, Material, Finish, Collection.',
        { type: 'string', examples: ['color[red||blue]::size[large]'] },
      )
  }
}

const FLAG_WORDS: ReadonlyMap<string, string> = new Map([
  ['is_acknowledged', '1 acknowledged, 0 not yet.'],
  ['is_picked_up', '1 picked up, 0 awaiting pickup.'],
  ['in_stock', '1 inventory above 0, 0 inventory of 0.'],
  ['meets_publish_rules', '1 meets merchandising specifications, 0 does not.'],
  ['short', '1 limited attribute set, 0 all.'],
  ['has_images', '1 with images, 0 without.'],
  ['has_shipping', '1 with package sizes and weights, 0 without.'],
])

/** What has no filters is short, and its pages are cut by their number alone. */
function pageParameters(filters: Filters): Parameter[] {
  const limit = query(
    'limit',
    `How many to answer at most; more than ${LARGEST_PAGE} is taken for ${LARGEST_PAGE}.`,
    {
      type: 'integer',
      minimum: 1,
      maximum: LARGEST_PAGE,
      default: PAGE_WHEN_NOT_ASKED,
    },
  )
  const page = query('page', 'The number of the page, from 1. The links of an answer have it.', {
    type: 'integer',
    minimum: 1,
    default: 1,
  })
  if (Object.keys(filters).length === 0) return [limit, page]
  return [limit, page, anchor('after', 'next'), anchor('before', 'previous')]
}

function anchor(name: string, link: string): Parameter {
  const words = `Only what comes ${name} this id. The link \`${link}\` has it, so that nothing is missed or seen twice when the list changes in between.`
  return query(name, words, { type: 'integer', minimum: 0 })
}

function query(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}
