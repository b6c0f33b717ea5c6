/** Compiles where a document says how many lines it has. */
import type { Grammar } from './grammar.ts'
import { compileLoopTest, compilePlace } from './paths.ts'

/** Adds the total of the definition; a grammar of a partner may have taken it away. */
export function addLineTotal(grammar: Grammar): Grammar {
  const { total } = grammar.definition
  if (total === undefined) return grammar
  const context = { grammar, dictionary: grammar.dictionary }
  const place = compilePlace(total.place, context)
  const loops = total.loops
    .map((loop) => compileLoopTest(loop, context))
    .filter((loop) => typeof loop !== 'string')
  if (typeof place === 'string' || loops.length === 0) return grammar
  return { ...grammar, total: { place, loops } }
}
