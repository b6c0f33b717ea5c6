/** The document as a page for people: every endpoint, every field, every refusal. Without a script. */
import type { JsonSchema } from '../json-schema.ts'
import type { OpenApi, Response } from '../shape.ts'
import { fieldTable } from './fields.ts'
import { html, type Html, prose } from '../../../support/html.ts'
import { exampleBlock, operationSection, operationsOf } from './operations.ts'
import { STYLE_ELEMENT } from './style.ts'

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
        <nav aria-label="Contents">${contents(document)}</nav>
        <main>
          <h1>${info.title} ${info.version}</h1>
          <p>${prose(info.description)}</p>
          <p>For programs: <a href="../openapi.json">openapi.json</a>, in OpenAPI ${document.openapi}.</p>
          ${tags.map(({ name, description }) => tagSection(name, description, document))}
          <h2 id="answers">Refusals</h2>
          ${Object.entries(components.responses).map(([name, response]) => refusalSection(name, response))}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
        </main>
      </body>
    </html>`.html
}

function contents(document: OpenApi): Html {
  const { tags, components } = document
  return html`${tags.map(
      ({ name }) =>
        html`<b><a href="#tag-${name}">${name}</a></b>
          <ul>
            ${operationsOf(document, name).map(({ operation: { operationId, summary } }) => link(`op-${operationId}`, summary))}
          </ul>`,
    )}
    <b><a href="#answers">Refusals</a></b>
    <ul>
      ${Object.keys(components.responses).map((name) => link(`answer-${name}`, name))}
    </ul>
    <b><a href="#schemas">Schemas</a></b>
    <ul>
      ${Object.keys(components.schemas).map((name) => link(`schema-${name}`, name))}
    </ul>`
}

function link(anchor: string, text: string): Html {
  return html`<li><a href="#${anchor}">${text}</a></li>`
}

function tagSection(name: string, description: string, document: OpenApi): Html {
  return html`<h2 id="tag-${name}">${name}</h2>
    <p>${prose(description)}</p>
    ${operationsOf(document, name).map((listed) => operationSection(listed, document))}`
}

function refusalSection(name: string, { description, headers = {}, content = {} }: Response): Html {
  return html`<section id="answer-${name}">
    <h3>${name}</h3>
    <p>${prose(description)}</p>
    ${Object.entries(headers).map(
      ([header, { description: words }]) => html`<p>Header <code>${header}</code>: ${prose(words)}</p>`,
    )}
    ${Object.values(content).flatMap(({ examples = {} }) => Object.values(examples).map(exampleBlock))}
  </section>`
}

function schemaSection(name: string, schema: JsonSchema): Html {
  return html`<section id="schema-${name}">
    <h3>${name}</h3>
    <p>${prose(schema.description ?? '')}</p>
    ${fieldTable(schema)}
  </section>`
}
