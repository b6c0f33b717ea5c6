/** Telling why a name in a file leads to no id: nobody knows it, several things have it, or it belongs to somebody else. */
import { type ReferenceKind, REFERENCES } from '../../contract/references.ts'
import { type Place, type Problem, problem } from '../../domain/problem.ts'
import { accountOf } from '../../domain/route.ts'
import type { Reference } from '../../domain/translator.ts'
import { nearestName } from '../../support/nearest.ts'
import type { FinderParts } from './finder.ts'

/** For so many names of a file it is found out what was meant; a file of which every name is wrong is the wrong file. */
const ASKED_MAX = 500

/** How many ids a message names. */
const IDS_MAX = 5

/** Tells of a name that stands in the journal's index, or should. */
export function unresolvedTeller(
  parts: FinderParts,
): (reference: Reference, ids: readonly string[]) => Promise<Problem> {
  let asked = 0
  return async (reference, ids) => {
    if (ids.length > 1) return ambiguous(reference, ids)
    asked++
    if (asked > ASKED_MAX) return unknown(reference, 'is known to this account')
    const { kind, key } = reference
    const others = await parts.journal.accountsKnowing(kind, key)
    const [owner] = others.filter((account) => account !== accountOf(parts.route.party))
    if (owner !== undefined) {
      const message = `the ${words(kind)} "${key}" is one of ${owner}; this route is for ${accountOf(parts.route.party)}`
      return problem('reference-elsewhere', placeOf(reference), message)
    }
    const [meant] = await likeSpellings(parts, reference)
    return unknown(reference, 'is known to this account', meant)
  }
}

/** The same name, written another way, that is known: numbers next to a wrong one are others, so no near ones are guessed. */
async function likeSpellings({ journal, route }: FinderParts, { kind, key }: Reference): Promise<string[]> {
  const bare = key.replace(/^[\s#'"]+|[\s'"]+$/g, '')
  const spellings = [bare, key.toUpperCase(), key.toLowerCase(), bare.replace(/^0+(?=.)/, ''), `0${key}`]
  const others = [...new Set(spellings)].filter((spelling) => spelling !== key && spelling !== '')
  const found = await journal.findResources(accountOf(route.party), kind, others)
  return found.map((each) => each.key)
}

/** Of those there are none by the name, or several. `among` says where they were looked for: `of carrier UPS`. */
export function unpicked(
  reference: Reference,
  {
    ids,
    names,
    among,
  }: { readonly ids: readonly string[]; readonly names: readonly string[]; readonly among: string },
): Problem {
  if (ids.length > 1) return ambiguous(reference, ids)
  return unknown(reference, among, nearestName(reference.key, names), names)
}

function unknown(
  reference: Reference,
  among: string,
  meant?: string,
  names: readonly string[] = [],
): Problem {
  const { kind, key } = reference
  const code = kind === 'order' ? 'order-unknown' : 'reference-unknown'
  const message = `no ${words(kind)} "${key}" ${among}`
  return problem(code, placeOf(reference), message, hintOf(kind, meant, names))
}

/** How many names a hint lists. */
const NAMES_MAX = 12

function hintOf(kind: string, meant: string | undefined, names: readonly string[]): string | undefined {
  if (meant !== undefined) return `Did you mean "${meant}"?`
  if (names.length === 0) return undefined
  const more = names.length > NAMES_MAX ? ', …' : ''
  return `There are ${names.slice(0, NAMES_MAX).join(', ')}${more}. Name the ${words(kind)} by one of these.`
}

function ambiguous(reference: Reference, ids: readonly string[]): Problem {
  const { kind, key } = reference
  const shown = `${ids.slice(0, IDS_MAX).join(', ')}${ids.length > IDS_MAX ? ', …' : ''}`
  const code = kind === 'order' ? 'order-ambiguous' : 'reference-ambiguous'
  const message = `"${key}" is ${called(kind)} of ${ids.length} ${words(kind)}s: ${shown}`
  return problem(code, placeOf(reference), message)
}

/** The place as far as it is known; a constant stands in no column. */
export function placeOf({ line, column, field }: Reference): Place {
  return { ...(line === 0 ? {} : { line }), ...(column === '' ? {} : { column }), field }
}

function words(kind: string): string {
  return kind.replace('-', ' ')
}

/** `the number`, `the code or name` */
function called(kind: string): string {
  const { called: text } = REFERENCES[kind as ReferenceKind]
  return kind === 'order' ? 'the number' : text.replace(/^its/, 'the')
}
