/** The JSON Schema of mapping files, for editors: the frame and the leaves as checked, the bodies from the contract. */
import { z } from 'zod'
import { OPERATIONS, type OperationName } from '../contract/operations.ts'
import { CheckFrame, ConditionFrame } from './rows/conditions.ts'
import { TotalsFrame } from './rows/control-totals.ts'
import { COMMON_KEYS, ExampleFrame, INBOUND_KEYS, OUTBOUND_KEYS, TableFrame } from './file.ts'
import { GroupFrame } from './rows/group-forms.ts'
import { LinesFrame } from './rows/lines.ts'
import { KEPT_NAME } from './fields/origin-options.ts'
import { OrderLinesFrame } from './fields/order-lines.ts'
import { BodyLeaf, ColumnNames } from './options.ts'
import { ColumnLeaf, TotalLeaf } from './export/column-options.ts'
import { exportParts } from './export/export-schema.ts'
import { ReadFrame } from './reading/reading.ts'
import { describeRule, type ListShape, type ObjectShape, type Shape, shapeOf } from './shape.ts'
import { WriteFrame } from './export/write-frame.ts'

type JsonSchema = Record<string, unknown>

/** What stands in the columns of an export. */
const LEAVES = { leaf: reference('columnLeaf'), total: reference('totalLeaf') }

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The schema of mappings of one operation, or of all. */
export function mappingJsonSchema(operation?: OperationName): JsonSchema {
  const names = operation === undefined ? Object.keys(OPERATIONS).filter(isOperation) : [operation]
  const schemas = names.map(operationSchema)
  const [only] = schemas
  return {
    $schema: DRAFT,
    title: 'A dropbridge mapping file',
    ...(schemas.length === 1 ? only : { oneOf: [...schemas, extendingSchema(schemas)] }),
    definitions: definitions(),
  }
}

function definitions(): JsonSchema {
  return {
    read: draft07(ReadFrame),
    write: draft07(WriteFrame),
    group: draft07(GroupFrame),
    condition: draft07(ConditionFrame),
    check: draft07(z.array(CheckFrame)),
    lines: draft07(LinesFrame),
    totals: draft07(TotalsFrame),
    tables: draft07(z.record(z.string(), TableFrame)),
    examples: draft07(z.array(ExampleFrame)),
    orderLines: draft07(OrderLinesFrame),
    leaf: { anyOf: [draft07(ColumnNames), draft07(BodyLeaf)] },
    columnLeaf: draft07(ColumnLeaf),
    totalLeaf: draft07(TotalLeaf),
  }
}

function operationSchema(name: OperationName): JsonSchema {
  const operation = OPERATIONS[name]
  const inbound = operation.direction === 'inbound'
  const parts: JsonSchema = inbound
    ? inboundParts(shapeOf(operation.body))
    : { write: reference('write'), ...exportParts(shapeOf(operation.record), LEAVES) }
  return {
    type: 'object',
    description: operation.summary,
    properties: {
      operation: { const: name },
      ...describedKeys({ ...parts, tables: reference('tables'), examples: reference('examples') }),
    },
    required: inbound ? ['operation', 'body'] : ['operation'],
    ...(inbound ? {} : { anyOf: [{ required: ['columns'] }, { required: ['records'] }] }),
    additionalProperties: false,
  }
}

/**
 * A mapping that extends another says only what is different, and takes away with null: which fields there are depends
 * on the mapping behind it, so that only the compiler can tell.
 */
function extendingSchema(schemas: readonly JsonSchema[]): JsonSchema {
  const keys = schemas.flatMap((schema) => Object.keys(schema['properties'] as JsonSchema))
  const open = describedKeys(Object.fromEntries([...new Set(keys)].map((key) => [key, {}])))
  return {
    type: 'object',
    description: 'A mapping that extends another one.',
    properties: {
      extends: { type: 'string', minLength: 1, description: COMMON_KEYS.extends.summary },
      ...open,
      operation: { enum: Object.keys(OPERATIONS) },
      examples: reference('examples'),
    },
    required: ['extends'],
    additionalProperties: false,
  }
}

/** The keys with what the tables say of them. */
function describedKeys(properties: JsonSchema): JsonSchema {
  const keys: Readonly<Record<string, { readonly summary: string }>> = {
    ...COMMON_KEYS,
    ...INBOUND_KEYS,
    ...OUTBOUND_KEYS,
  }
  const described = Object.entries(properties).map(([name, schema]) => {
    const isReference = typeof schema === 'object' && schema !== null && '$ref' in schema
    // Beside $ref, draft-07 ignores everything else.
    const told = isReference ? { allOf: [schema] } : schema
    return [name, { description: keys[name]?.summary, ...(told as JsonSchema) }]
  })
  return Object.fromEntries(described) as JsonSchema
}

function shapeSchema(shape: Shape): JsonSchema {
  if (shape.kind === 'object') return objectSchema(shape)
  if (shape.kind === 'list') return listSchema(shape)
  const description =
    shape.kind === 'field' && shape.rule !== undefined ? describeRule(shape.rule) : undefined
  // Beside $ref, draft-07 ignores everything else.
  return { ...(description === undefined ? {} : { description }), allOf: [reference('leaf')] }
}

function inboundParts(body: Shape): JsonSchema {
  return {
    read: reference('read'),
    group: reference('group'),
    only: reference('condition'),
    check: reference('check'),
    hold: reference('check'),
    lines: reference('lines'),
    totals: reference('totals'),
    keep: { type: 'object', propertyNames: { pattern: KEPT_NAME }, additionalProperties: reference('leaf') },
    body: body.kind === 'object' ? objectSchema(body, {}) : shapeSchema(body),
  }
}

function objectSchema(
  { fields }: ObjectShape,
  others: JsonSchema = { when: reference('condition') },
): JsonSchema {
  const properties = Object.fromEntries([...fields].map(([name, field]) => [name, shapeSchema(field)]))
  return {
    type: 'object',
    properties: { ...others, ...properties },
    required: [...fields].filter(([, field]) => field.required).map(([name]) => name),
    additionalProperties: false,
  }
}

function listSchema({ item }: ListShape): JsonSchema {
  if (item.kind !== 'object') return { description: 'a list of texts', allOf: [reference('leaf')] }
  const description = 'Filled once per row of the record: write one item.'
  const rows = { type: 'array', description, minItems: 1, maxItems: 1, items: objectSchema(item) }
  return { anyOf: [rows, reference('orderLines')] }
}

function draft07(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return rest
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
