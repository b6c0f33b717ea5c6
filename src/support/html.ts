/** HTML in which everything that comes from elsewhere is escaped. */
import { unturned } from './visible.ts'

/** Text that is HTML already. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | readonly Html[] | undefined

/** A template whose values are escaped unless they are HTML; nothing for undefined. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.reduce((before, text, index) => before + toText(parts[index - 1]) + text) }
}

/** Text in which what stands between backticks is code. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return {
    html: parts
      .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
      .join(''),
  }
}

/** Everything between two pieces of HTML. */
export function joined(parts: readonly Html[], between: string): Html {
  return { html: parts.map((part) => part.html).join(escaped(between)) }
}

function toText(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map((one) => one.html).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return unturned(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
