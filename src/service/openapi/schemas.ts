/** The schemas of the document, with a sentence at each of them and at each of their fields. */
import { type Components, gatherComponents } from './components.ts'
import { type JsonSchema, toJsonSchemas } from './json-schema.ts'
import { REFUSAL_SCHEMAS } from './refusals.ts'
import type { ServedEndpoint } from '../http/served.ts'
import { COMPONENT_WORDS, PARTICULAR_WORDS } from './words/components.ts'
import { FIELD_WORDS } from './words/fields.ts'

export interface Schemas extends Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

export function makeSchemas(endpoints: Readonly<Record<string, ServedEndpoint>>): Schemas {
  const components = gatherComponents(endpoints)
  const made = {
    ...toJsonSchemas(components.requests, 'input'),
    ...toJsonSchemas(components.responses, 'output'),
  }
  const described = Object.entries(made).map(
    ([name, schema]) => [name, describe({ ...schema, ...saying(COMPONENT_WORDS.get(name)) }, name)] as const,
  )
  return { ...components, schemas: { ...Object.fromEntries(described), ...REFUSAL_SCHEMAS } }
}

/** The fields, and those of the objects within. */
function describe(schema: JsonSchema, component: string): JsonSchema {
  const { properties, items, ...rest } = schema
  return {
    ...rest,
    ...(items === undefined ? {} : { items: describe(items, component) }),
    ...(properties === undefined ? {} : { properties: describeFields(properties, component) }),
  }
}

function describeFields(properties: Readonly<Record<string, JsonSchema>>, component: string) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const words = PARTICULAR_WORDS.get(`${component}.${name}`) ?? FIELD_WORDS.get(name)
      const description = [words, schema.description].filter((one) => one !== undefined).join(' ')
      const deprecated = DEPRECATED.has(`${component}.${name}`) ? { deprecated: true } : {}
      return [name, { ...describe(schema, component), ...saying(description), ...deprecated }]
    }),
  )
}

function saying(words: string | undefined): { description?: string } {
  return words === undefined || words === '' ? {} : { description: words }
}

/** Spec: "brands is deprecated in favor of brand; order bill_to and ship_from are deprecated". */
const DEPRECATED: ReadonlySet<string> = new Set([
  'RetailerOrder.brands',
  'RetailerOrder.bill_to',
  'RetailerOrder.ship_from',
  'BrandOrder.bill_to',
  'BrandOrder.ship_from',
])
