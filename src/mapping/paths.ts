/** Paths into an API record, such as `order_lines.variant.upc`: checked against the contract, compiled once. */
import { didYouMean } from '../support/nearest.ts'
import type { Shape } from './shape.ts'

/** What a path leads to, or why it leads nowhere. */
export function followPath(
  shape: Shape,
  path: string,
): { readonly found: Shape } | { readonly mistake: string } {
  let here = shape
  const walked: string[] = []
  for (const name of path.split('.')) {
    if (here.kind === 'open') return { found: here }
    if (here.kind === 'list')
      return {
        mistake: `${walked.join('.')} is a list: name it under \`each\` to have a row for each of its items`,
      }
    const next = here.kind === 'object' ? here.fields.get(name) : undefined
    if (next === undefined) {
      const known = here.kind === 'object' ? [...here.fields.keys()] : []
      const where = walked.length === 0 ? 'the record' : walked.join('.')
      return { mistake: `${where} has no field "${name}".${didYouMean(name, known)}` }
    }
    walked.push(name)
    here = next
  }
  return { found: here }
}

/** Reads the value at the path; undefined where the record does not have it. */
export function pathReader(path: string): (record: unknown) => unknown {
  const names = path.split('.')
  return (record) => {
    let value = record
    for (const name of names) {
      if (typeof value !== 'object' || value === null) return undefined
      value = (value as Readonly<Record<string, unknown>>)[name]
    }
    return value
  }
}

/** Every path that leads to something a cell can show; those into open objects end in `.*`. */
export function pathsOf(shape: Shape, each: string | undefined): string[] {
  const walk = (here: Shape, path: string): string[] => {
    if (here.kind === 'field') return [path]
    if (here.kind === 'open') return [`${path}.*`]
    if (here.kind === 'object') {
      return [...here.fields].flatMap(([name, field]) => walk(field, path === '' ? name : `${path}.${name}`))
    }
    if (here.item.kind === 'field') return [path]
    return path === each ? walk(here.item, path) : []
  }
  return walk(shape, '')
}
