/** Renders the OpenAPI document as an HTML page without scripts: every endpoint, field and refusal. */
import { html, type Html, joinHtml, literalHtml, renderInlineCode } from '../../support/html.ts'
import {
  type Content,
  type Example,
  type JsonSchema,
  type Parameter,
  refName,
  type Response,
  type ResponseRef,
} from './json-schema.ts'
import type { OpenApi, Operation } from './document.ts'
import { hash } from 'node:crypto'

export function renderPage(document: OpenApi): string {
  const { info, tags, components } = document
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <nav aria-label="Contents">${renderContents(document)}</nav>
        <main>
          <h1>${info.title} ${info.version}</h1>
          <p>${renderInlineCode(info.description)}</p>
          <p>For programs: <a href="../openapi.json">openapi.json</a>, in OpenAPI ${document.openapi}.</p>
          ${tags.map(({ name, description }) => renderTag(name, description, document))}
          <h2 id="answers">Refusals</h2>
          ${Object.entries(components.responses).map(([name, response]) => renderRefusal(name, response))}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}
        </main>
      </body>
    </html>`.html
}

function renderContents(document: OpenApi): Html {
  const { tags, components } = document
  return html`${tags.map(
      ({ name }) =>
        html`<b><a href="#tag-${name}">${name}</a></b>
          <ul>
            ${listOperations(document, name).map(({ operation: { operationId, summary } }) => renderLink(`op-${operationId}`, summary))}
          </ul>`,
    )}
    <b><a href="#answers">Refusals</a></b>
    <ul>
      ${Object.keys(components.responses).map((name) => renderLink(`answer-${name}`, name))}
    </ul>
    <b><a href="#schemas">Schemas</a></b>
    <ul>
      ${Object.keys(components.schemas).map((name) => renderLink(`schema-${name}`, name))}
    </ul>`
}

function renderLink(anchor: string, text: string): Html {
  return html`<li><a href="#${anchor}">${text}</a></li>`
}

function renderTag(name: string, description: string, document: OpenApi): Html {
  return html`<h2 id="tag-${name}">${name}</h2>
    <p>${renderInlineCode(description)}</p>
    ${listOperations(document, name).map((listed) => renderOperation(listed, document))}`
}

function renderRefusal(name: string, { description, headers = {}, content = {} }: Response): Html {
  return html`<section id="answer-${name}">
    <h3>${name}</h3>
    <p>${renderInlineCode(description)}</p>
    ${Object.entries(headers).map(
      ([header, { description: text }]) =>
        html`<p>Header <code>${header}</code>: ${renderInlineCode(text)}</p>`,
    )}
    ${Object.values(content).flatMap(({ examples = {} }) => Object.values(examples).map(renderExampleBlock))}
  </section>`
}

function renderSchema(name: string, schema: JsonSchema): Html {
  return html`<section id="schema-${name}">
    <h3>${name}</h3>
    <p>${renderInlineCode(schema.description ?? '')}</p>
    ${renderFieldTable(schema)}
  </section>`
}

// Endpoints as sections of the page.

interface PageOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function listOperations({ paths }: OpenApi, tag: string): PageOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.some((one) => one === tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )
}

function renderOperation({ method, path, operation }: PageOperation, document: OpenApi): Html {
  const { operationId, summary, description, parameters, requestBody } = operation
  return html`<section id="op-${operationId}">
    <h3>${summary}</h3>
    <p class="line"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></p>
    <p>${renderInlineCode(description)} ${renderScope(operation)}</p>
    ${renderParameters(parameters)}
    ${requestBody === undefined ? undefined : renderBody(requestBody.content, document)}
    <h4>Answers</h4>
    <table>
      <tbody>
        ${Object.entries(operation.responses).map(([status, response]) => renderAnswer(status, response, document))}
      </tbody>
    </table>
  </section>`
}

function renderScope({ security }: Operation): Html {
  const scopes = security.flatMap((one) => Object.values(one).flat())
  return scopes.length === 0
    ? html`Needs no token.`
    : html`Needs a token with the scope <code>${scopes.join(' ')}</code>.`
}

function renderParameters(parameters: readonly Parameter[]): Html | undefined {
  if (parameters.length === 0) return undefined
  return html`<h4>Parameters</h4>
    <table>
      ${renderTableHead('Name', 'In', ...SCHEMA_COLUMNS)}
      <tbody>
        ${parameters.map(renderParameter)}
      </tbody>
    </table>`
}

function renderParameter({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<tr>
    <td><code>${name}</code></td>
    <td>${place}</td>
    ${renderSchemaCells({ ...schema, description }, required)}
  </tr>`
}

function renderBody(content: Content, document: OpenApi): Html[] {
  return Object.entries(content).map(([type, { schema = {}, examples = {} }]) => {
    const { name, resolved } = resolveSchema(schema, document)
    return html`<h4>Body</h4>
      <p>
        <code>${type}</code>, ${name === undefined ? undefined : renderSchemaLink(name)}:
        ${renderInlineCode(resolved.description ?? '')}
      </p>
      ${renderFieldTable(resolved)} ${Object.values(examples).map(renderExampleBlock)}`
  })
}

/** Shows form-encoded bodies as JSON too: the names and values are the same. */
function renderExampleBlock({ summary, value }: Example): Html {
  return html`<figure>
    <figcaption>${summary}</figcaption>
    <pre>${JSON.stringify(value, null, 2)}</pre>
  </figure>`
}

function renderAnswer(status: string, answer: Response | ResponseRef, document: OpenApi): Html {
  const name = '$ref' in answer ? answer.$ref.split('/').at(-1) : undefined
  const response = '$ref' in answer ? document.components.responses[name ?? ''] : answer
  return html`<tr>
    <td><b>${status}</b></td>
    <td>${name === undefined ? renderContent(response) : html`<a href="#answer-${name}">${name}</a>`}</td>
    <td>${renderInlineCode(response?.description ?? '')}</td>
  </tr>`
}

/** The schema of an answer, or the content types of a file. */
function renderContent(response: Response | undefined): Html {
  const notes = Object.entries(response?.content ?? {}).map(([type, { schema = {} }]) => {
    const name = refName(schema)
    return name === undefined ? html`<code>${type}</code>` : renderSchemaLink(name)
  })
  return joinHtml(notes, ', ')
}

function resolveSchema(schema: JsonSchema, { components }: OpenApi) {
  const name = refName(schema)
  return { name, resolved: name === undefined ? schema : (components.schemas[name] ?? {}) }
}

// Schemas as tables of fields.

/** A row for each field, and for the fields of objects that have no name of their own. */
function renderFieldTable(schema: JsonSchema): Html {
  const rows = renderFieldRows(schema, '')
  if (rows.length === 0) return html`<p>${renderType(schema)}</p>`
  return html`<table>
    ${renderTableHead('Field', ...SCHEMA_COLUMNS)}
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

const SCHEMA_COLUMNS = ['Type', 'Required', 'Allowed', 'Description', 'Example']

function renderTableHead(...columns: readonly string[]): Html {
  return html`<thead>
    <tr>
      ${columns.map((column) => html`<th>${column}</th>`)}
    </tr>
  </thead>`
}

function renderSchemaCells(schema: JsonSchema, required: boolean): Html {
  return html`<td>${renderType(schema)}</td>
    <td>${required ? 'yes' : ''}</td>
    <td>${renderAllowed(schema)}</td>
    <td>
      ${schema.deprecated === true ? html`<em>Deprecated.</em> ` : undefined}${renderInlineCode(schema.description ?? '')}
    </td>
    <td>${renderExample(schema)}</td>`
}

function renderSchemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`
}

function renderFieldRows({ properties = {}, required = [] }: JsonSchema, path: string): Html[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    html`<tr>
      <td><code>${path}${name}</code></td>
      ${renderSchemaCells(schema, required.includes(name))}
    </tr>`,
    ...renderFieldRows(schema, `${path}${name}.`),
    ...(schema.items === undefined ? [] : renderFieldRows(schema.items, `${path}${name}[].`)),
  ])
}

function renderType(schema: JsonSchema): Html {
  const { type, anyOf, items, format, additionalProperties } = schema
  const name = refName(schema)
  if (name !== undefined) return renderSchemaLink(name)
  if (anyOf !== undefined) return joinHtml(anyOf.map(renderType), ' or ')
  if (type === undefined)
    return html`${schema.enum === undefined && schema.const === undefined ? 'anything' : 'value'}`
  const [first, ...otherTypes] = typeof type === 'string' ? [type] : type
  const last = otherTypes.map((other) => ` or ${other}`).join('')
  if (first === 'array') return html`list of ${renderType(items ?? {})}${last}`
  if (first === 'object' && typeof additionalProperties === 'object') {
    return html`object by key, of ${renderType(additionalProperties)}${last}`
  }
  return html`${first}${format === undefined ? '' : ` (${format})`}${last}`
}

function renderAllowed(schema: JsonSchema): Html {
  const { minItems, maxLength, minLength, pattern, items } = schema
  const values = schema.enum ?? items?.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return joinHtml(values.map(renderCode), ', ')
  const notes = [
    maxLength === undefined ? undefined : html`${minLength ?? 0}–${maxLength} characters`,
    maxLength === undefined && minLength !== undefined ? html`not empty` : undefined,
    pattern === undefined ? undefined : html`<code>${pattern}</code>`,
    renderRange(schema),
    minItems === undefined ? undefined : html`at least ${minItems}`,
    items?.maxLength === undefined ? undefined : html`each up to ${items.maxLength} characters`,
  ]
  return joinHtml(
    notes.filter((note) => note !== undefined),
    '; ',
  )
}

function renderRange({ minimum, maximum }: JsonSchema): Html | undefined {
  if (minimum !== undefined && maximum !== undefined) return html`${minimum} to ${maximum}`
  return minimum === undefined ? undefined : html`from ${minimum}`
}

function renderExample(schema: JsonSchema): Html {
  const [example] = schema.examples ?? []
  if (example !== undefined) return renderCode(example)
  return schema.default === undefined ? html`` : html`${renderCode(schema.default)} by default`
}

function renderCode(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`
}

// The style of the page, and the content security policy that allows nothing else.

const STYLE = literalHtml`
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8) }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0 }
nav b { display: block }
main { padding: 1rem 2rem 4rem; max-width: 80rem }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem }
h2 { margin-top: 3rem; font-size: 1.6rem }
h3 { margin-bottom: .25rem }
h4 { margin: 1rem 0 .25rem }
table { border-collapse: collapse; width: 100%; font-size: 13px; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
th { white-space: nowrap }
code, pre { font: 12px/1.5 ui-monospace, monospace }
code { overflow-wrap: anywhere }
td:first-child code { overflow-wrap: normal }
pre { background: var(--soft); padding: .75rem; margin: 0; overflow-x: auto }
figure { margin: .75rem 0 }
figcaption { font-size: 13px }
.line code { font-size: 14px }
.line b { font-size: 12px; padding: .1rem .4rem; border-radius: .2rem; color: #fff; background: #5f6368 }
.line .get { background: #1a6b3c }
.line .post { background: #0b57d0 }
.line .put, .line .patch { background: #8a4b00 }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto } }
`

/** The whole element: with one more blank the style would not match the hash in the policy. */
export const STYLE_ELEMENT = joinHtml([literalHtml`<style>`, STYLE, literalHtml`</style>`], '')

/** No script, no frame, no form, nothing from elsewhere: this style and no more. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE.html, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
