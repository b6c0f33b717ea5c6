/** A command line that stops too early, told by the names of what should follow. */

/** What each command wants to be named, as its help calls it. */
const WANTED: Readonly<Record<string, string>> = {
  translate: 'FILE',
  export: 'ROUTE',
  trace: 'KEY',
  'why-not': 'FILE',
  settle: 'KEY',
  release: 'FILE, or ROUTE/KEY of one record,',
  discard: 'FILE, or ROUTE/KEY of one record,',
  'map learn': 'FILE',
  'map docs': 'MAPPING',
  'map try': 'FILE',
  'map diff': 'OLD or NEW mapping',
}

/** yargs counts what is missing; people want to know what it is. Any other message stays as it is. */
export function missingInWords(message: string, words: readonly string[]): string {
  if (!message.startsWith('Not enough non-option arguments')) return message
  const [command = '', below = ''] = words.filter((word) => !word.startsWith('-'))
  const name = WANTED[command] === undefined ? `${command} ${below}`.trim() : command
  return `The ${WANTED[name] ?? 'name that should follow'} is missing after dropbridge ${name}`
}
