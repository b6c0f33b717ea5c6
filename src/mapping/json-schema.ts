/** The JSON Schema of mapping files, for editors: the frame and the leaves as checked, the bodies from the contract. */
import { z } from 'zod'
import { OPERATIONS, type OperationName } from '../contract/operations.ts'
import { ExampleFrame, GroupFrame, ReadFrame, TableFrame, WriteFrame } from './file.ts'
import { BodyLeaf, ColumnLeaf, ColumnNames, LEAF_OPTIONS, type LeafOptionName } from './options.ts'
import { pathsOf } from './paths.ts'
import { describeRule, type ListShape, type ObjectShape, type Shape, shapeOf } from './shape.ts'

type JsonSchema = Record<string, unknown>

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The schema of mappings of one operation, or of all. */
export function mappingJsonSchema(operation?: OperationName): JsonSchema {
  const names = operation === undefined ? Object.keys(OPERATIONS).filter(isOperation) : [operation]
  const schemas = names.map(operationSchema)
  const [only] = schemas
  return {
    $schema: DRAFT,
    title: 'A dropbridge mapping file',
    ...(schemas.length === 1 ? only : { oneOf: schemas }),
    definitions: definitions(),
  }
}

function definitions(): JsonSchema {
  return {
    read: draft07(ReadFrame),
    write: draft07(WriteFrame),
    group: draft07(GroupFrame),
    tables: draft07(z.record(z.string(), TableFrame)),
    examples: draft07(z.array(ExampleFrame)),
    leaf: { anyOf: [draft07(ColumnNames), described(draft07(BodyLeaf))] },
    columnLeaf: described(draft07(ColumnLeaf)),
  }
}

function operationSchema(name: OperationName): JsonSchema {
  const operation = OPERATIONS[name]
  const inbound = operation.direction === 'inbound'
  const parts: JsonSchema = inbound
    ? { read: reference('read'), group: reference('group'), body: shapeSchema(shapeOf(operation.body)) }
    : { write: reference('write'), ...exportParts(shapeOf(operation.record)) }
  return {
    type: 'object',
    description: operation.summary,
    properties: {
      operation: { const: name },
      ...parts,
      tables: reference('tables'),
      examples: reference('examples'),
    },
    required: ['operation', inbound ? 'body' : 'columns'],
    additionalProperties: false,
  }
}

function shapeSchema(shape: Shape): JsonSchema {
  if (shape.kind === 'object') return objectSchema(shape)
  if (shape.kind === 'list') return listSchema(shape)
  const description =
    shape.kind === 'field' && shape.rule !== undefined ? describeRule(shape.rule) : undefined
  // Beside $ref, draft-07 ignores everything else.
  return { ...(description === undefined ? {} : { description }), allOf: [reference('leaf')] }
}

function objectSchema({ fields }: ObjectShape): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, shapeSchema(field)])),
    required: [...fields].filter(([, field]) => field.required).map(([name]) => name),
    additionalProperties: false,
  }
}

function listSchema({ item }: ListShape): JsonSchema {
  if (item.kind !== 'object') return { description: 'a list of texts', allOf: [reference('leaf')] }
  const description = 'Filled once per row of the record: write one item.'
  return { type: 'array', description, minItems: 1, maxItems: 1, items: objectSchema(item) }
}

function exportParts(record: Shape): JsonSchema {
  const lists =
    record.kind === 'object'
      ? [...record.fields].filter(([, field]) => field.kind === 'list' && field.item.kind === 'object')
      : []
  const each = lists.map(([name]) => name)
  const paths = [...new Set([undefined, ...each].flatMap((name) => pathsOf(record, name)))]
  const open = paths
    .filter((path) => path.endsWith('.*'))
    .map((path) => path.slice(0, -2).replaceAll('.', '\\.'))
  const path = {
    anyOf: [
      { enum: paths.filter((known) => !known.endsWith('.*')) },
      { type: 'string', pattern: `^(${open.join('|')})\\..+` },
    ],
  }
  return {
    each: {
      enum: each,
      description: 'The list that makes one row per item; without it a record makes one row.',
    },
    parts: {
      enum: ['first', 'all'],
      description: 'Whether lines for further parcels of one item are printed.',
    },
    columns: {
      type: 'object',
      description: 'The columns of the file, and the path of the API field in each.',
      minProperties: 1,
      additionalProperties: { anyOf: [path, reference('columnLeaf')] },
    },
  }
}

/** The options with what the table says of them. */
function described(schema: JsonSchema): JsonSchema {
  const properties = schema['properties'] as Record<string, JsonSchema>
  const entries = Object.entries(properties).map(([name, option]) => [
    name,
    isOption(name) ? { description: LEAF_OPTIONS[name].summary, ...option } : option,
  ])
  return { ...schema, properties: Object.fromEntries(entries) }
}

function draft07(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return rest
}

function reference(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

function isOption(name: string): name is LeafOptionName {
  return Object.hasOwn(LEAF_OPTIONS, name)
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
