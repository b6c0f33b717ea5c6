/** Endpoints as sections of the page. */
import { type JsonSchema, refName } from '../json-schema.ts'
import type { Content, OpenApi, Operation, Parameter, Response, ResponseRef } from '../shape.ts'
import { fieldTable, schemaCells, schemaLink } from './fields.ts'
import { html, type Html, joined, prose } from '../../../support/html.ts'

export interface Listed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Those of a tag, in the order of the document. */
export function operationsOf({ paths }: OpenApi, tag: string): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )
}

export function operationSection({ method, path, operation }: Listed, document: OpenApi): Html {
  const { operationId, summary, description, parameters, requestBody } = operation
  return html`<section id="op-${operationId}">
    <h3>${summary}</h3>
    <p class="line"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></p>
    <p>${prose(description)} ${scopeNote(operation)}</p>
    ${parameterTable(parameters)}
    ${requestBody === undefined ? undefined : bodyOf(requestBody.content, document)}
    <h4>Answers</h4>
    <table>
      <tbody>
        ${Object.entries(operation.responses).map(([status, response]) => answerRow(status, response, document))}
      </tbody>
    </table>
  </section>`
}

function scopeNote({ security }: Operation): Html {
  const scopes = security.flatMap((one) => Object.values(one).flat())
  return scopes.length === 0
    ? html`Needs no token.`
    : html`Needs a token with the scope <code>${scopes.join(' ')}</code>.`
}

function parameterTable(parameters: readonly Parameter[]): Html | undefined {
  if (parameters.length === 0) return undefined
  return html`<h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>In</th>
          <th>Type</th>
          <th>Required</th>
          <th>Allowed</th>
          <th>Description</th>
          <th>Example</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(parameterRow)}
      </tbody>
    </table>`
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<tr>
    <td><code>${name}</code></td>
    <td>${place}</td>
    ${schemaCells({ ...schema, description }, required)}
  </tr>`
}

function bodyOf(content: Content, document: OpenApi): Html[] {
  return Object.entries(content).map(([type, { schema = {}, examples = {} }]) => {
    const { name, resolved } = resolve(schema, document)
    return html`<h4>Body</h4>
      <p>
        <code>${type}</code>, ${name === undefined ? undefined : schemaLink(name)}:
        ${prose(resolved.description ?? '')}
      </p>
      ${fieldTable(resolved)} ${Object.values(examples).map(exampleBlock)}`
  })
}

/** What is sent form-encoded is shown in JSON too: the names and values are the same. */
export function exampleBlock({
  summary,
  value,
}: {
  readonly summary: string
  readonly value: unknown
}): Html {
  return html`<figure>
    <figcaption>${summary}</figcaption>
    <pre>${JSON.stringify(value, null, 2)}</pre>
  </figure>`
}

function answerRow(status: string, answer: Response | ResponseRef, document: OpenApi): Html {
  const name = '$ref' in answer ? answer.$ref.split('/').at(-1) : undefined
  const response = '$ref' in answer ? document.components.responses[name ?? ''] : answer
  return html`<tr>
    <td><b>${status}</b></td>
    <td>${name === undefined ? contentNote(response) : html`<a href="#answer-${name}">${name}</a>`}</td>
    <td>${prose(response?.description ?? '')}</td>
  </tr>`
}

/** The schema of an answer, or the content types of a file. */
function contentNote(response: Response | undefined): Html {
  const notes = Object.entries(response?.content ?? {}).map(([type, { schema = {} }]) => {
    const name = refName(schema)
    return name === undefined ? html`<code>${type}</code>` : schemaLink(name)
  })
  return joined(notes, ', ')
}

function resolve(
  schema: JsonSchema,
  { components }: OpenApi,
): { name: string | undefined; resolved: JsonSchema } {
  const name = refName(schema)
  return { name, resolved: name === undefined ? schema : (components.schemas[name] ?? {}) }
}
