/** The names of outgoing files: a text with the placeholders `{date:FORMAT}`, `{seq}` and `{route}`. */
import { DateTime } from 'luxon'

export interface FileNameValues {
  readonly route: string
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The zone of the dates in the name; the one of this machine when left out. */
  readonly zone?: string
}

/** The name of one file; the template is one without mistakes. */
export function fileNameOf(template: string, { route, sequence, at, zone }: FileNameValues): string {
  const time = DateTime.fromMillis(at, { zone: zone ?? 'local', locale: 'en-US' })
  return template.replace(PLACEHOLDER, (_, name: string, format: string | undefined) => {
    if (name === 'date') return time.toFormat(format ?? '')
    return name === 'seq' ? String(sequence) : route
  })
}

const PLACEHOLDER = /\{([^{}:]*)(?::([^{}]*))?\}/g
const DATE_FORMAT = /^(?:yyyy|yy|MM|dd|HH|mm|ss|SSS|[-_.])+$/
/** What no name may hold on Windows, the separators of both worlds, and what cannot be seen. */
const NOT_IN_NAMES = /[<>:"/\\|?*\p{Cc}]/u
const WORKING_NAME = /^(?:\.|~\$)|\.(?:tmp|part|partial|filepart|writing|crdownload)$/i

/** Everything that is wrong with a template, in words. */
export function fileNameMistakes(template: string): string[] {
  const found = [...template.matchAll(PLACEHOLDER)].map(([whole, name = '', format]) => ({
    whole,
    name,
    format,
  }))
  const mistakes = found.flatMap(({ whole, name, format }) => placeholderMistakes(whole, name, format))
  const plain = template.replace(PLACEHOLDER, '')
  if (/[{}]/.test(plain)) mistakes.push('has a brace without its partner')
  if (NOT_IN_NAMES.test(plain)) mistakes.push('is the name of a file: it cannot hold / \\ < > : " | ? *')
  if (WORKING_NAME.test(template))
    mistakes.push('looks like a file still being written, which readers pass over')
  if (!found.some(({ name }) => name === 'seq' || name === 'date')) {
    mistakes.push('needs {seq} or {date:…}, or every file would have the same name')
  }
  return mistakes
}

function placeholderMistakes(whole: string, name: string, format: string | undefined): string[] {
  if (name === 'date') {
    if (format !== undefined && DATE_FORMAT.test(format)) return []
    return [
      `has ${whole}: write yyyy, MM, dd, HH, mm, ss or SSS with - _ . between, such as {date:yyyyMMdd-HHmmss}`,
    ]
  }
  if ((name === 'seq' || name === 'route') && format === undefined) return []
  return [`has ${whole}, which is not a placeholder: use {date:…}, {seq} or {route}`]
}
