/** How the numbers of a leaf are written. */
import type { BodyLeaf } from '../options.ts'
import type { NumberOptions } from '../values/number-text.ts'

/** What the leaf says, else what is said for the file. */
export function numberOptions(
  { decimal, implied, round, table }: BodyLeaf,
  ofFile: '.' | ',' | undefined,
): NumberOptions {
  // The numbers of a table stand in the mapping and not in the file.
  const mark = decimal ?? (implied === undefined && table === undefined ? ofFile : undefined)
  return {
    ...(mark === undefined ? {} : { decimal: mark }),
    ...(implied === undefined ? {} : { implied }),
    ...(round === undefined ? {} : { round }),
  }
}
