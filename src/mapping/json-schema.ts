/** Builds the JSON Schema of mapping files for editors: frames as the compiler checks them, bodies from the contract. */
import { z } from 'zod'
import { isOperation, type OperationName, OPERATIONS } from '../contract/operations.ts'
import { GrammarFile } from '../edi/grammar-file.ts'
import { ColumnLeaf, TotalLeaf } from './export/column-options.ts'
import { listPaths } from './export/paths.ts'
import { WriteFrame } from './export/write-options.ts'
import { BodyLeaf, ColumnNames, KEPT_NAME } from './fields/options.ts'
import { OrderLinesFrame } from './fields/order-lines.ts'
import { COMMON_KEYS, ExampleFrame, INBOUND_KEYS, OUTBOUND_KEYS, TableFrame } from './file.ts'
import { ReadFrame } from './reading/read-keys.ts'
import { CheckFrame, ConditionFrame, HoldFrame } from './rows/conditions.ts'
import { TotalsFrame } from './rows/control-totals.ts'
import { GroupFrame } from './rows/grouping.ts'
import { LinesFrame } from './rows/lines.ts'
import type { KeyRow } from './source/schema.ts'
import { describeRule, type ListShape, type ObjectShape, type Shape, toShape } from './shape.ts'

type JsonSchema = Record<string, unknown>

const LEAF = createReference('leaf')
const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The schema of mappings of one operation, or of all. */
export function createMappingSchema(operation?: OperationName): JsonSchema {
  const names = operation === undefined ? Object.keys(OPERATIONS).filter(isOperation) : [operation]
  const schemas = names.map(createOperationSchema)
  const [only] = schemas
  return {
    $schema: DRAFT,
    title: 'A dropbridge mapping file',
    ...(schemas.length === 1 ? only : { oneOf: [...schemas, createExtendingSchema(schemas)] }),
    definitions: createDefinitions(),
  }
}

/** The schema of the grammar of a partner. */
export function createGrammarSchema(): JsonSchema {
  return { $schema: DRAFT, title: 'A dropbridge grammar file', ...toDraft07(GrammarFile) }
}

function createDefinitions(): JsonSchema {
  return {
    read: toDraft07(ReadFrame),
    write: toDraft07(WriteFrame),
    group: toDraft07(GroupFrame),
    condition: toDraft07(ConditionFrame),
    check: toDraft07(z.array(CheckFrame)),
    hold: toDraft07(z.array(HoldFrame)),
    lines: toDraft07(LinesFrame),
    totals: toDraft07(TotalsFrame),
    tables: toDraft07(z.record(z.string(), TableFrame)),
    examples: toDraft07(z.array(ExampleFrame)),
    orderLines: toDraft07(OrderLinesFrame),
    leaf: { anyOf: [toDraft07(ColumnNames), toDraft07(BodyLeaf)] },
    columnLeaf: toDraft07(ColumnLeaf),
    totalLeaf: toDraft07(TotalLeaf),
  }
}

function createOperationSchema(name: OperationName): JsonSchema {
  const operation = OPERATIONS[name]
  const inbound = operation.direction === 'inbound'
  const parts: JsonSchema = inbound
    ? createInboundSchema(toShape(operation.body))
    : { write: createReference('write'), ...createExportSchema(toShape(operation.record)) }
  return {
    type: 'object',
    description: operation.summary,
    properties: {
      operation: { const: name },
      ...describeKeys({ ...parts, tables: createReference('tables'), examples: createReference('examples') }),
    },
    required: inbound ? ['operation', 'body'] : ['operation'],
    ...(inbound ? {} : { anyOf: [{ required: ['columns'] }, { required: ['records'] }] }),
    additionalProperties: false,
  }
}

/**
 * Schema of a mapping that extends another: it holds only the differences, with null for a removed key. Only the compiler
 * knows all its fields, because they depend on the base.
 */
function createExtendingSchema(schemas: readonly JsonSchema[]): JsonSchema {
  const keys = schemas.flatMap((schema) => Object.keys(schema['properties'] as JsonSchema))
  return {
    type: 'object',
    description: 'A mapping that extends another one.',
    properties: {
      extends: { type: 'string', minLength: 1, description: COMMON_KEYS.extends.summary },
      ...describeKeys(Object.fromEntries([...new Set(keys)].map((key) => [key, {}]))),
      operation: { enum: Object.keys(OPERATIONS) },
      examples: createReference('examples'),
    },
    required: ['extends'],
    additionalProperties: false,
  }
}

/** Adds the summaries of the tables to the keys. */
function describeKeys(properties: JsonSchema): JsonSchema {
  const keys: Readonly<Record<string, KeyRow>> = { ...COMMON_KEYS, ...INBOUND_KEYS, ...OUTBOUND_KEYS }
  const described = Object.entries(properties).map(([name, schema]) => {
    const isReference = typeof schema === 'object' && schema !== null && '$ref' in schema
    // Beside $ref, draft-07 ignores everything else.
    const described = isReference ? { allOf: [schema] } : schema
    return [name, { description: keys[name]?.summary, ...(described as JsonSchema) }]
  })
  return Object.fromEntries(described) as JsonSchema
}

function createShapeSchema(shape: Shape): JsonSchema {
  if (shape.kind === 'object') return createObjectSchema(shape)
  if (shape.kind === 'list') return createListSchema(shape)
  const description =
    shape.kind === 'field' && shape.rule !== undefined ? describeRule(shape.rule) : undefined
  // Beside $ref, draft-07 ignores everything else.
  return { ...(description === undefined ? {} : { description }), allOf: [LEAF] }
}

function createInboundSchema(body: Shape): JsonSchema {
  return {
    read: createReference('read'),
    group: createReference('group'),
    only: createReference('condition'),
    check: createReference('check'),
    hold: createReference('hold'),
    lines: createReference('lines'),
    totals: createReference('totals'),
    keep: { type: 'object', propertyNames: { pattern: KEPT_NAME }, additionalProperties: LEAF },
    body: body.kind === 'object' ? createObjectSchema(body, {}) : createShapeSchema(body),
  }
}

function createObjectSchema(
  { fields }: ObjectShape,
  ownProperties: JsonSchema = { when: createReference('condition') },
): JsonSchema {
  const properties = Object.fromEntries([...fields].map(([name, field]) => [name, createShapeSchema(field)]))
  return {
    type: 'object',
    properties: { ...ownProperties, ...properties },
    required: [...fields].filter(([, field]) => field.required).map(([name]) => name),
    additionalProperties: false,
  }
}

function createListSchema({ item }: ListShape): JsonSchema {
  if (item.kind !== 'object') return { description: 'a list of texts', allOf: [LEAF] }
  const description = 'Filled once per row of the record: write one item.'
  const rows = { type: 'array', description, minItems: 1, maxItems: 1, items: createObjectSchema(item) }
  return { anyOf: [rows, createReference('orderLines')] }
}

function toDraft07(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return rest
}

function createReference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

// The schema of exports: rows, columns and the paths they may name.

function createExportSchema(record: Shape): JsonSchema {
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
    additionalProperties: { anyOf: [createPathSchema(record, names), createReference('columnLeaf')] },
  }
  const type = { type: 'string', minLength: 1, description: 'The first cell of such a row.' }
  const totals = { type: 'object', minProperties: 1, additionalProperties: createReference('totalLeaf') }
  const kind = createClosedObject({ type, each, columns }, ['type', 'columns'])
  return {
    each,
    parts: { enum: ['first', 'all'] },
    columns,
    records: { type: 'array', minItems: 1, items: kind },
    keep: { type: 'object', additionalProperties: createPathSchema(record, []) },
    trailer: createClosedObject({ type, columns: totals }, ['columns']),
    file: createClosedObject({ records: { type: 'integer', minimum: 1 } }, ['records']),
  }
}

function createClosedObject(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Lists paths without positions; gives a pattern for paths with positions and paths into open objects. */
function createPathSchema(record: Shape, each: readonly string[]): JsonSchema {
  const paths = [...new Set([undefined, ...each].flatMap((name) => listPaths(record, name)))]
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
