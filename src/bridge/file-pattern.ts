/** Which file names belong to a route. */

/** A test for names: `*` stands for any letters, `?` for one, case is ignored, all else stands for itself. */
export function filePattern(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${source}$`, 'isu')
  return (name) => expression.test(name)
}
