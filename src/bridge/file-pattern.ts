/** Which file names belong to a route. */

/**
 * A test for names: `*` stands for any letters, `?` for one, case is ignored, all else stands for itself. Some systems
 * write a letter with its accent as one character and some as two: both are the same name.
 */
export function filePattern(pattern: string): (name: string) => boolean {
  const source = pattern
    .normalize('NFC')
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${source}$`, 'isu')
  return (name) => expression.test(name.normalize('NFC'))
}
