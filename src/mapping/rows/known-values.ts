/** Values that a mapping may name instead of a column, such as `$file` and `$line`. */
import { didYouMean } from '../../support/text.ts'
import type { BindContext } from '../binding/record-builder.ts'

/** Reads each value for the row or record being built. `docs/mapping.md` lists them. */
const KNOWN_VALUES = {
  $file: ({ source }: BindContext) => source?.file ?? '',
  $folder: ({ source }: BindContext) => source?.folder ?? '',
  $record: ({ builder }: BindContext) => String(builder.number),
  $row: ({ builder }: BindContext) => String(builder.index + 1),
  $line: ({ builder }: BindContext, perRow: boolean) =>
    String((perRow ? builder.row : builder.headerRows[0])?.line ?? ''),
} as const

export type KnownName = keyof typeof KNOWN_VALUES

/** Whether the name has the form of a known value: a dollar sign and small letters. `$ Amount` is a column. */
export function looksLikeKnownName(name: string): boolean {
  return /^\$[a-z]+$/.test(name)
}

export function isKnownName(name: string): name is KnownName {
  return Object.hasOwn(KNOWN_VALUES, name)
}

/** Returns why a leaf cannot use the value; undefined when it can. */
export function checkKnownName(name: string, perRow: boolean): string | undefined {
  const names = Object.keys(KNOWN_VALUES)
  if (!isKnownName(name))
    return `there is no ${name}.${didYouMean(name, names) || ` There are ${names.join(', ')}.`}`
  return name === '$row' && !perRow
    ? '$row is the number of a row, and stands in the array that is filled once per row'
    : undefined
}

export function bindKnownText(name: KnownName, perRow: boolean, context: BindContext): () => string {
  const read = KNOWN_VALUES[name]
  return () => read(context, perRow)
}
