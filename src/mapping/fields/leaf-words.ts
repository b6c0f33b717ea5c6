/** What a leaf does to its texts in the words of the mapping, for those who show it step by step. */
import type { BodyLeaf } from '../options.ts'

/** How texts are put together before anything is done to them; empty where there is one. */
export function gatheringWords(options: BodyLeaf): string {
  const { all, calc, with: separator } = options
  if (calc !== undefined) return [`calc ${calc}`, ...wordsOf(options, CALC_WORDS)].join(', ')
  if (all === undefined) return ''
  return separator === undefined ? 'all' : `all with ${JSON.stringify(separator)}`
}

/** Of a calculation these say how its columns are read. */
const CALC_WORDS = ['format', 'decimal', 'implied'] as const

/** Options by which a text becomes the value of its field. */
const VALUE_WORDS = ['format', 'zone', 'decimal', 'implied', 'round', 'long', 'find'] as const

/** How the text becomes the value; empty where no option says it. */
export function valueWords(options: BodyLeaf, isList: boolean): string {
  if (options.calc !== undefined) return wordsOf(options, ['zone', 'round']).join(', ')
  return wordsOf(options, [...(isList ? (['split', 'wrap'] as const) : []), ...VALUE_WORDS]).join(', ')
}

function wordsOf(options: BodyLeaf, names: readonly (keyof BodyLeaf)[]): string[] {
  return names
    .filter((name) => options[name] !== undefined)
    .map((name) => `${name} ${optionText(options[name])}`)
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
