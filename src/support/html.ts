/** HTML in which everything that comes from elsewhere is escaped. */
import { escapeBidiControls } from './text.ts'

/** Text that is HTML already. */
export interface Html {
  readonly html: string
}

type HtmlPart = string | number | Html | readonly Html[] | undefined

/** A template whose values are escaped unless they are HTML; nothing for undefined. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return { html: texts.reduce((before, text, index) => before + renderPart(parts[index - 1]) + text) }
}

/** Renders text between backticks as code. */
export function renderInlineCode(text: string): Html {
  const parts = text.split('`')
  return {
    html: parts
      .map((part, index) => (index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
      .join(''),
  }
}

/** Joins pieces of HTML with a separator. */
export function joinHtml(parts: readonly Html[], between: string): Html {
  return { html: parts.map((part) => part.html).join(escapeHtml(between)) }
}

function renderPart(part: HtmlPart): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'html' in part ? part.html : part.map((one) => one.html).join('')
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
