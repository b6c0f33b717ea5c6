/** How files name the columns that feed a field: the spellings seen, the most telling first. */
import { foldedName } from '../../../mapping/rows/columns.ts'
import { ADDRESS, FIELDS, PARTIES } from './field-names.ts'

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
  const names = [column, ...(behind === undefined ? [] : [behind])].map(foldedName)
  for (const [penalty, name] of names.entries()) {
    const rank = spelled.findIndex((each) => each.name === name)
    if (rank !== -1) return { rank: rank + penalty * 50, isSure: spelled[rank]?.isSure === true }
  }
  return undefined
}

const FIRST_NAMES = ['firstname', 'fname', 'givenname', 'forename']
const LAST_NAMES = ['lastname', 'lname', 'surname', 'familyname']

/** The spellings of a first and a last name that make the name of a party; none for other fields. */
export function namePairs(field: string): readonly (readonly [first: string, last: string])[] {
  const [, party = ''] = /^(ship_to|sold_to|ship_from)[._]name1$/.exec(field) ?? []
  return (PARTIES[party] ?? []).flatMap((prefix) =>
    FIRST_NAMES.flatMap((first) => LAST_NAMES.map((last) => [prefix + first, prefix + last] as const)),
  )
}

/** What stands for a field under this path, folded as column names are; `?` marks names that may mean other things. */
function spellingsOf(field: string): readonly string[] {
  const path = field.replaceAll('[]', '')
  const own = FIELDS[path]
  if (own !== undefined) return own
  const [, party = '', part = ''] = /^(ship_to|sold_to|ship_from)[._](\w+)$/.exec(path) ?? []
  const prefixes = PARTIES[party]
  const parts = ADDRESS[part]
  if (prefixes === undefined || parts === undefined) return []
  return prefixes.flatMap((prefix) => parts.map((name) => (prefix === '' ? name : prefix + name)))
}
