/** What a leaf may name instead of a column: things known of every row without looking at its cells. */
import { didYouMean } from '../../support/nearest.ts'
import type { BindContext } from '../binding/building.ts'

/** `docs/mapping.md` lists them. */
export const KNOWN_NAMES = {
  $file: 'the name of the file',
  $folder: 'the name of the folder it came from',
  $record: 'the number of the record in the file, from 1',
  $row: 'the number of the row in its record, from 1',
  $line: 'the line of the file in which the row, or the record, begins',
} as const

export type KnownName = keyof typeof KNOWN_NAMES

/** Whether the name is meant as one of these: a dollar sign and small letters. `$ Amount` is a column. */
export function looksKnown(name: string): boolean {
  return /^\$[a-z]+$/.test(name)
}

export function isKnown(name: string): name is KnownName {
  return Object.hasOwn(KNOWN_NAMES, name)
}

/** Why a leaf cannot have it; undefined when it can. */
export function knownMistake(name: string, perRow: boolean): string | undefined {
  const names = Object.keys(KNOWN_NAMES)
  if (!isKnown(name))
    return `there is no ${name}.${didYouMean(name, names) || ` There are ${names.join(', ')}.`}`
  return name === '$row' && !perRow
    ? '$row is the number of a row, and stands in the array that is filled once per row'
    : undefined
}

/** What it is for the row, or the record, being built. */
export function knownText(name: KnownName, perRow: boolean, { building, source }: BindContext): () => string {
  switch (name) {
    case '$file':
      return () => source?.file ?? ''
    case '$folder':
      return () => source?.folder ?? ''
    case '$record':
      return () => String(building.number)
    case '$row':
      return () => String(building.index + 1)
    case '$line':
      return () => String((perRow ? building.row : building.headerRows[0])?.line ?? '')
  }
}
