/** How files name the columns that feed a field: the spellings seen, the most telling first. */
import { foldedName } from '../../../mapping/rows/columns.ts'
import { ADDRESS, FIELDS, PARTIES } from './field-names.ts'
import {
  FOREIGN_ADDRESS,
  FOREIGN_FIELDS,
  FOREIGN_FIRST_NAMES,
  FOREIGN_LAST_NAMES,
  FOREIGN_PARTIES,
  inPlainLetters,
} from './foreign-names.ts'

export interface Spelling {
  /** Smaller is more telling. */
  readonly rank: number
  /** Whether a column of that name is nearly always this field. */
  readonly isSure: boolean
}

/** The rank of a column's name among the spellings of a field; undefined when it is none of them. */
export function spellingOf(field: string, column: string): Spelling | undefined {
  const spelled = [...spellingsOf(field)].map((text) => ({
    name: text.replace('?', ''),
    isSure: !text.startsWith('?'),
  }))
  // ShipStation and the like write a section before the name: `Item - SKU`.
  const [, behind] = column.split(' - ')
  const names = [column, ...(behind === undefined ? [] : [behind])].map(plainName)
  for (const [penalty, name] of names.entries()) {
    const rank = spelled.findIndex((each) => each.name === name)
    if (rank !== -1) return { rank: rank + penalty * 50, isSure: spelled[rank]?.isSure === true }
  }
  return undefined
}

/** The name as the tables spell it; in numbered columns `{n}` stands for the number. */
export function plainName(column: string): string {
  return inPlainLetters(foldedName(column.replaceAll('{n}', '')))
}

const FIRST_NAMES = ['firstname', 'fname', 'givenname', 'forename']
const LAST_NAMES = ['lastname', 'lname', 'surname', 'familyname']

/** The spellings of a first and a last name that make the name of a party; none for other fields. */
export function namePairs(field: string): readonly (readonly [first: string, last: string])[] {
  const [, party = ''] = /^(ship_to|sold_to|ship_from)[._]name1$/.exec(field) ?? []
  const pairs = (prefixes: readonly string[], firsts: readonly string[], lasts: readonly string[]) =>
    prefixes.flatMap((prefix) =>
      firsts.flatMap((first) => lasts.map((last) => [prefix + first, prefix + last] as const)),
    )
  return [
    ...pairs(PARTIES[party] ?? [], FIRST_NAMES, LAST_NAMES),
    ...pairs(FOREIGN_PARTIES[party] ?? [], FOREIGN_FIRST_NAMES, FOREIGN_LAST_NAMES),
  ]
}

/** What stands for a field under this path, folded as column names are; `?` marks names that may mean other things. */
function spellingsOf(field: string): readonly string[] {
  const path = field.replaceAll('[]', '')
  const own = FIELDS[path]
  if (own !== undefined) return [...own, ...(FOREIGN_FIELDS[path] ?? [])]
  const [, party = '', part = ''] = /^(ship_to|sold_to|ship_from)[._](\w+)$/.exec(path) ?? []
  return [
    ...prefixed(PARTIES[party], ADDRESS[part]),
    ...prefixed(FOREIGN_PARTIES[party], FOREIGN_ADDRESS[part]),
  ]
}

function prefixed(prefixes: readonly string[] = [], parts: readonly string[] = []): string[] {
  return prefixes.flatMap((prefix) => parts.map((name) => prefix + name))
}
