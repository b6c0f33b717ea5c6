/** Reads the API's refusals, in any form, as a flat list of messages with their places in the body. */

export interface ApiError {
  /** `order_lines[0].quantity`; empty when the message is about the whole request. */
  readonly path: string
  readonly message: string
}

/** Deeper nesting and further messages are left out: a body comes from outside and may be anything. */
const MAX_DEPTH = 20
const MAX_MESSAGES = 200
const MAX_MESSAGE_LENGTH = 200
/** How much of an HTML page is searched for text. */
const MAX_SEARCHED_TEXT = 16_384

/** Keys that hold messages and name no field; they add nothing to the path. */
const ENVELOPE = new Set(['detail', 'message', 'error', 'error_description', 'errors', 'non_field_errors'])

/**
 * Spec: not shown. Reads `detail`, `error` with `error_description`, `message`, a tree of `field: [messages]`, and as a
 * last resort the text as one line. Empty only for a blank answer.
 */
export function readApiErrors(body: unknown, text: string): ApiError[] {
  const found: ApiError[] = []
  collect(body, { path: '', depth: 0 }, found)
  if (found.length > 0) return found
  const line = toOneLine(text)
  return line === '' ? [] : [{ path: '', message: line }]
}

interface Position {
  readonly path: string
  readonly depth: number
}

function collect(value: unknown, at: Position, found: ApiError[]): void {
  if (at.depth > MAX_DEPTH || found.length >= MAX_MESSAGES) return
  if (typeof value === 'string') return addMessage(at.path, value, found)
  if (Array.isArray(value)) return collectItems(value, at, found)
  if (typeof value === 'object' && value !== null) collectFields(new Map(Object.entries(value)), at, found)
}

/** A list of texts is many messages for one place; in a list of anything else the index is part of the place. */
function collectItems(items: readonly unknown[], { path, depth }: Position, found: ApiError[]): void {
  items.forEach((item, index) => {
    collect(item, { path: typeof item === 'string' ? path : `${path}[${index}]`, depth: depth + 1 }, found)
  })
}

function collectFields(fields: ReadonlyMap<string, unknown>, { path, depth }: Position, found: ApiError[]) {
  const oauth = oauthMessage(fields)
  if (oauth !== undefined) addMessage(path, oauth, found)
  const hasEnvelope = [...fields.keys()].some((key) => ENVELOPE.has(key))
  for (const [key, value] of fields) {
    if (ENVELOPE.has(key)) {
      const isReported = oauth !== undefined && (key === 'error' || key === 'error_description')
      if (!isReported) collect(value, { path, depth: depth + 1 }, found)
      continue
    }
    // beside a message, a bare text such as `code` or `request_id` describes the message and names no field
    if (hasEnvelope && typeof value === 'string') continue
    collect(value, { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 }, found)
  }
}

/** RFC 6749: `error` is a code, `error_description` a text. */
function oauthMessage(fields: ReadonlyMap<string, unknown>): string | undefined {
  const error = fields.get('error')
  const description = fields.get('error_description')
  if (typeof error !== 'string' || typeof description !== 'string') return undefined
  return `${description} (${error})`
}

function addMessage(path: string, text: string, found: ApiError[]): void {
  const message = toOneLine(text)
  if (message !== '' && found.length < MAX_MESSAGES) found.push({ path, message })
}

/** Makes one shortened line of plain text, without HTML tags. */
function toOneLine(text: string): string {
  const start = text.slice(0, MAX_SEARCHED_TEXT)
  const visibleText = looksLikeHtml(start)
    ? start.replace(/<(style|script)\b[^<>]*>[^<]*<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ')
    : start
  const line = visibleText.replace(/\s+/g, ' ').trim()
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : line
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|h1|center|\?xml)/i.test(text)
}
