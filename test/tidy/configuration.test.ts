/** docs/configuration.md is printed from the schema that `dropbridge.yaml` is checked against. */
import { expect, test } from 'vitest'
import { configurationJsonSchema, type JsonSchema } from '../../src/config/schema.ts'

const repository = new URL('../..', import.meta.url).pathname

const HEADER = ['| Setting | Value | Default | What it says |', '|---|---|---|---|']

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const propertiesOf = ({ properties = {} }: JsonSchema): [string, JsonSchema][] =>
  Object.entries(properties).flatMap(([name, schema]) => (isSchema(schema) ? [[name, schema]] : []))

const optionsOf = ({ oneOf = [], anyOf = [] }: JsonSchema): JsonSchema[] =>
  [...oneOf, ...anyOf].filter(isSchema)

const PATTERNS: readonly (readonly [begins: string, value: string])[] = [
  ['^\\d{1,8}(ms|s|m|h)$', 'duration'],
  ['^\\d{1,8}(ms|s|m|h|d)$', 'duration'],
]

const TYPES: Readonly<Record<string, string>> = { string: 'text', integer: 'number', boolean: 'yes or no' }

function valueOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``).join(', ')
  const options = optionsOf(schema)
  if (options.length > 0) return [...new Set(options.map(valueOf))].join(' or ')
  const { pattern = '' } = schema
  const known = PATTERNS.find(([begins]) => pattern.startsWith(begins))
  if (known !== undefined) return known[1]
  const [type = ''] = [schema.type].flat()
  if (type === 'array') return isSchema(schema.items) ? `list of ${valueOf(schema.items)}` : 'list'
  return type === 'object' ? 'settings' : (TYPES[type] ?? type)
}

function defaultOf({ default: value }: JsonSchema, isRequired: boolean): string {
  if (isRequired) return '**required**'
  if (value === undefined) return '–'
  return isSchema(value) ? 'see below' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

const inTable = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A setting, and the settings within it. */
function rowsOf(name: string, schema: JsonSchema, isRequired: boolean): string[] {
  if (schema.const !== undefined) return [] // the heading says it
  const row = `| \`${name}\` | ${valueOf(schema)} | ${defaultOf(schema, isRequired)} | ${inTable(schema.description ?? '')} |`
  const inner = [schema, ...optionsOf(schema), schema.items].filter(isSchema)
  const members = inner.map(({ additionalProperties }) => additionalProperties).filter(isSchema)
  return [
    row,
    ...inner.flatMap((each) => innerRows(name, each)),
    ...members.flatMap((each) => innerRows(`${name}.NAME`, each)),
  ]
}

function innerRows(name: string, schema: JsonSchema): string[] {
  const into = schema.type === 'array' || name === '' ? name : `${name}.`
  return propertiesOf(schema).flatMap(([key, value]) =>
    rowsOf(`${into}${key}`, value, schema.required?.includes(key) === true),
  )
}

const isNamed = ({ additionalProperties }: JsonSchema) => isSchema(additionalProperties)

/** The discriminator between the kinds of a part. */
function kindOf(schema: JsonSchema): string {
  const { type, from } = Object.fromEntries(propertiesOf(schema))
  if (type?.const !== undefined) return `type: ${String(type.const)}`
  return from === undefined ? 'outbound: from the API to files' : 'inbound: from files to the API'
}

/** Each kind of a part whose members have names of the user's. */
function kindsOf(part: string, { additionalProperties: member }: JsonSchema): string[] {
  if (!isSchema(member)) return []
  const kinds = optionsOf(member)
  return (kinds.length > 0 ? kinds : [member]).flatMap((kind) => [
    '',
    `### \`${part}.NAME\`, ${kindOf(kind)}`,
    '',
    ...HEADER,
    ...innerRows('', kind),
  ])
}

test('docs/configuration.md shows every setting with its default', async () => {
  const schema = configurationJsonSchema()
  const parts = propertiesOf(schema)
  const single = parts.filter(([, part]) => !isNamed(part))
  const named = parts.filter(([, part]) => isNamed(part))
  const page = [
    '# dropbridge.yaml',
    '',
    'Every setting, printed from the schema the file is checked against; [dropbridge.schema.json](dropbridge.schema.json) is the',
    'same for editors. [routes.md](routes.md) says how the settings work together. A key that is not here is an error, and',
    'is reported with the name that was probably meant.',
    '',
    '- `${NAME}` stands for a variable of the environment, `${file:PATH}` for the contents of a file. Secrets come from nowhere else.',
    '- A duration is `500ms`, `30s`, `15m` or `1h`. Relative paths are relative to the file.',
    '',
    '## The bridge',
    '',
    ...HEADER,
    ...single.flatMap(([name, part]) => rowsOf(name, part, schema.required?.includes(name) === true)),
    ...named.flatMap(([name, part]) => [
      '',
      `## \`${name}\``,
      ...(part.description === undefined ? [] : ['', part.description]),
      ...kindsOf(name, part),
    ]),
    '',
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${repository}docs/configuration.md`)
  expect(page, 'a setting without words').not.toMatch(/\|\s+\|$/m)
})
