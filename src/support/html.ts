/** HTML in which everything that comes from elsewhere is escaped, and links that stay on the own server. */
import { escapeBidiControls } from './text.ts'

let create: (text: string) => Html
let isHtml: (value: unknown) => value is Html

/** Text that is HTML already. Only the functions of this module make one: no data from elsewhere can pass for it. */
export class Html {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  get html(): string {
    return this.#text
  }

  static {
    create = (text) => new Html(text)
    isHtml = (value): value is Html => typeof value === 'object' && value !== null && #text in value
  }
}

type HtmlPart = string | number | Html | readonly Html[] | undefined

/** A template whose values are escaped unless they are HTML; nothing for undefined. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return create(texts.reduce((before, text, index) => before + renderPart(parts[index - 1]) + text))
}

/** A template without values, for style sheets: tools take it for no HTML that they could lay out anew. */
export function literalHtml(texts: TemplateStringsArray): Html {
  return create(texts.join(''))
}

/** Renders text between backticks as code. */
export function renderInlineCode(text: string): Html {
  const parts = text.split('`')
  const rendered = parts.map((part, index) =>
    index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part),
  )
  return create(rendered.join(''))
}

/** Joins pieces of HTML with a separator. */
export function joinHtml(parts: readonly Html[], between: string): Html {
  return create(parts.map(renderPart).join(escapeHtml(between)))
}

function renderPart(part: HtmlPart): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  if (isHtml(part)) return part.html
  if (Array.isArray(part)) return part.map(renderPart).join('')
  // JSON from elsewhere may have any property: it is never HTML.
  throw new TypeError('A value of a template is neither text nor HTML.')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return escapeBidiControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Such as `/` and `/files/:id`: neither another scheme nor another server, which `//` and `/\` begin. */
const OWN_PATH = /^\/(?:[\w:.~-]+(?:\/[\w:.~-]+)*)?$/

/**
 * A link to an own page: `href('/files/:id', { id, after })`. Values fill the named parts of the path, and the others
 * become the query; undefined is left out. Throws for anything that is not an own path.
 */
export function href(
  path: string,
  values: Readonly<Record<string, string | number | undefined>> = {},
): string {
  if (!OWN_PATH.test(path)) throw new TypeError(`No own path: ${path}`)
  const rest = new Map(Object.entries(values))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    if (value === undefined) throw new TypeError(`The path ${path} needs ${name}.`)
    rest.delete(name)
    return encodePathPart(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? filled : `${filled}?${query.toString()}`
}

/** Browsers take `.` and `..` out of a path, also when they are encoded. Half a surrogate pair has no encoding. */
function encodePathPart(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError(`No part of a path: ${value}`)
  return encodeURIComponent(Buffer.from(value).toString())
}
