/** Schemas as tables of fields. */
import { type JsonSchema, refName } from '../json-schema.ts'
import { html, type Html, joined, prose } from '../../../support/html.ts'

/** A row for each field, and for the fields of objects that have no name of their own. */
export function fieldTable(schema: JsonSchema): Html {
  const rows = fieldRows(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return html`<table>
    <thead>
      <tr>
        <th>Field</th>
        <th>Type</th>
        <th>Required</th>
        <th>Allowed</th>
        <th>Description</th>
        <th>Example</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

/** Five cells: type, required, allowed, description, example. */
export function schemaCells(schema: JsonSchema, required: boolean): Html {
  return html`<td>${typeOf(schema)}</td>
    <td>${required ? 'yes' : ''}</td>
    <td>${allowedBy(schema)}</td>
    <td>
      ${schema.deprecated === true ? html`<em>Deprecated.</em> ` : undefined}${prose(schema.description ?? '')}
    </td>
    <td>${exampleOf(schema)}</td>`
}

/** A link to the schema of that name. */
export function schemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`
}

function fieldRows({ properties = {}, required = [] }: JsonSchema, path: string): Html[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    html`<tr>
      <td><code>${path}${name}</code></td>
      ${schemaCells(schema, required.includes(name))}
    </tr>`,
    ...fieldRows(schema, `${path}${name}.`),
    ...(schema.items === undefined ? [] : fieldRows(schema.items, `${path}${name}[].`)),
  ])
}

function typeOf(schema: JsonSchema): Html {
  const { type, anyOf, items, format, additionalProperties } = schema
  const name = refName(schema)
  if (name !== undefined) return schemaLink(name)
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ')
  if (type === undefined)
    return html`${schema.enum === undefined && schema.const === undefined ? 'anything' : 'value'}`
  const [first, ...others] = typeof type === 'string' ? [type] : type
  const last = others.map((other) => ` or ${other}`).join('')
  if (first === 'array') return html`list of ${typeOf(items ?? {})}${last}`
  if (first === 'object' && typeof additionalProperties === 'object') {
    return html`object by key, of ${typeOf(additionalProperties)}${last}`
  }
  return html`${first}${format === undefined ? '' : ` (${format})`}${last}`
}

function allowedBy(schema: JsonSchema): Html {
  const { minItems, maxLength, minLength, pattern, items } = schema
  const values = schema.enum ?? items?.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return joined(values.map(codeOf), ', ')
  const notes = [
    maxLength === undefined ? undefined : html`${minLength ?? 0}–${maxLength} characters`,
    maxLength === undefined && minLength !== undefined ? html`not empty` : undefined,
    pattern === undefined ? undefined : html`<code>${pattern}</code>`,
    rangeOf(schema),
    minItems === undefined ? undefined : html`at least ${minItems}`,
    items === undefined ? undefined : textSizeOf(items),
  ]
  return joined(
    notes.filter((note) => note !== undefined),
    '; ',
  )
}

function rangeOf({ minimum, maximum }: JsonSchema): Html | undefined {
  if (minimum !== undefined && maximum !== undefined) return html`${minimum} to ${maximum}`
  return minimum === undefined ? undefined : html`from ${minimum}`
}

function textSizeOf({ maxLength }: JsonSchema): Html | undefined {
  return maxLength === undefined ? undefined : html`each up to ${maxLength} characters`
}

function exampleOf(schema: JsonSchema): Html {
  const [example] = schema.examples ?? []
  if (example !== undefined) return codeOf(example)
  return schema.default === undefined ? html`` : html`${codeOf(schema.default)} unless told`
}

function codeOf(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`
}
