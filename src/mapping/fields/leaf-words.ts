/** What a leaf does to its texts in the words of the mapping, for those who show it step by step. */
import type { BodyLeaf } from '../options.ts'

/** How texts are put together before anything is done to them; empty where there is one. */
export function gatheringWords({ all, calc, with: separator }: BodyLeaf): string {
  if (calc !== undefined) return `calc ${calc}`
  if (all === undefined) return ''
  return separator === undefined ? 'all' : `all with ${JSON.stringify(separator)}`
}

/** Options by which a text becomes the value of its field; of a calculation some say how its columns are read. */
const VALUE_WORDS = ['format', 'zone', 'decimal', 'implied', 'round', 'long', 'find'] as const

/** How the text becomes the value; empty where no option says it. */
export function valueWords(options: BodyLeaf, isList: boolean): string {
  const names = [...(isList ? (['split', 'wrap'] as const) : []), ...VALUE_WORDS]
  const given = names.filter((name) => options[name] !== undefined)
  return given.map((name) => `${name} ${optionText(options[name])}`).join(', ')
}

/** What stands for a blank. */
export function fallbackWords({ const: constant, default: fallback }: BodyLeaf): string {
  return constant === undefined ? `default ${optionText(fallback)}` : 'const'
}

function optionText(option: unknown): string {
  if (Array.isArray(option)) return option.map(String).join(' or ')
  return typeof option === 'string' && /^[\w:/.-]+(?: [\w:/.-]+)*$/.test(option)
    ? option
    : JSON.stringify(option)
}
