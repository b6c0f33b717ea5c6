/** Checks folders that routes share: no file matches two routes, and no output lands in an inbox. */
import { getDefaultArchive } from './defaults.ts'
import { PLACEHOLDER } from './file-name.ts'
import { type ConfigError, keyError, valueError } from './errors.ts'
import { resolvePlace } from './mailboxes.ts'
import type { RawRoute } from './raw-route.ts'

/** Returns the identity of a folder; undefined where none is given. */
type ResolveRawPlace = (
  raw: { mailbox?: string | undefined; folder?: string | undefined } | undefined,
) => string | undefined

/** Relative paths are relative to `base`. */
export function checkFolders(
  routes: readonly RawRoute[],
  mailboxes: Readonly<Record<string, unknown>>,
  base: string,
): ConfigError[] {
  const placeOf: ResolveRawPlace = ({ mailbox, folder } = {}) => {
    if (mailbox === undefined || folder === undefined) return undefined
    return resolvePlace(mailboxes, { mailbox, folder }, base)
  }
  return [
    ...checkSources(routes, placeOf),
    ...checkOutputsAvoidInboxes(routes, placeOf),
    ...checkTargets(routes, placeOf),
    ...checkExportsAvoidInboxes(routes, placeOf),
  ]
}

function checkSources(routes: readonly RawRoute[], placeOf: ResolveRawPlace): ConfigError[] {
  const known: { readonly route: string; readonly place: string; readonly match: string }[] = []
  return routes.flatMap(({ name, from }) => {
    const place = placeOf(from)
    if (from === undefined || place === undefined) return []
    const { match } = from
    const neighbours = known.filter((other) => other.place === place)
    known.push({ route: name, place, match })
    const path = ['routes', name, 'from']
    const same = neighbours.find((other) => other.match.toLowerCase() === match.toLowerCase())
    if (same !== undefined) {
      return [keyError(path, `takes the same files as the route ${same.route}: the same folder and match.`)]
    }
    for (const other of neighbours) {
      const example = findCommonName(match, other.match)
      if (example === undefined) continue
      const message = `takes files that the route ${other.route} takes, too, such as ${example}: let no name match both, or give one of them its own folder.`
      return [keyError(path, message)]
    }
    return []
  })
}

/** Finds routes whose files would get the same name, so that the later file could never be delivered. */
function checkTargets(routes: readonly RawRoute[], placeOf: ResolveRawPlace): ConfigError[] {
  const known = new Map<string, string>()
  return routes.flatMap(({ name, to }) => {
    const place = placeOf(to)
    if (to?.name === undefined || place === undefined || to.name.includes('{route}')) return []
    const key = JSON.stringify([place, to.name])
    const other = known.get(key)
    if (other === undefined) {
      known.set(key, name)
      return []
    }
    const message = `gives files the same names as the route ${other}; put {route} into the name.`
    return [keyError(['routes', name, 'to', 'name'], message)]
  })
}

/** Finds folders of results or archived files that are also inboxes: the bridge would take its own files. */
function checkOutputsAvoidInboxes(routes: readonly RawRoute[], placeOf: ResolveRawPlace): ConfigError[] {
  const takers = new Map<string, string>()
  for (const { name, from } of routes) {
    const place = placeOf(from)
    if (place !== undefined && !takers.has(place)) takers.set(place, name)
  }
  return routes.flatMap(({ name, from, results, to, receipt, documents }) => {
    const archive = getDefaultArchive(name)
    return [
      {
        path: ['from', 'archive'],
        what: 'done files',
        place: placeOf({ mailbox: from?.mailbox, folder: from?.archive ?? archive }),
      },
      { path: ['results', 'folder'], what: 'results', place: placeOf(results) },
      { path: ['documents', 'folder'], what: 'packing slips and labels', place: placeOf(documents) },
      {
        path: ['receipt', 'archive'],
        what: 'read receipts',
        place: placeOf({
          mailbox: receipt && (receipt.mailbox ?? to?.mailbox),
          folder: receipt?.archive ?? archive,
        }),
      },
    ].flatMap(({ path, what, place }) => {
      const taker = place === undefined ? undefined : takers.get(place)
      if (taker === undefined) return []
      const message = `${what} would be left where the route ${taker} takes files from; use another folder.`
      return [valueError(['routes', name, ...path], message)]
    })
  })
}

/** Finds exports that a route would take as input: the folder is its inbox, and it matches their names. */
function checkExportsAvoidInboxes(routes: readonly RawRoute[], placeOf: ResolveRawPlace): ConfigError[] {
  return routes.flatMap(({ name, to }) => {
    const place = placeOf(to)
    if (to === undefined || place === undefined) return []
    const names = (to.name ?? '*').replaceAll(PLACEHOLDER, '*')
    const taker = routes.find(
      ({ from }) =>
        from !== undefined && placeOf(from) === place && findCommonName(names, from.match) !== undefined,
    )
    if (taker === undefined) return []
    const message = `files would be left where the route ${taker.name} takes them; use another folder.`
    return [valueError(['routes', name, 'to', 'folder'], message)]
  })
}

/** A simple name that both patterns match. Names that begin with a dot do not count, because they are never taken. */
export function findCommonName(one: string, other: string): string | undefined {
  const [left = [], right = []] = [one, other].map((pattern) =>
    Array.from(pattern.normalize('NFC').toLowerCase()),
  )
  // The prefixes still to try; each pair of positions in both patterns once.
  const open = [{ at: 0, against: 0, name: '' }]
  const tried = new Set<string>()
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { at, against, name } = next
    const key = `${at} ${against} ${name === ''}`
    if (tried.has(key)) continue
    tried.add(key)
    const [here, there] = [left[at], right[against]]
    if (here === undefined && there === undefined && name !== '') return name
    if (here === '*') open.push({ at: at + 1, against, name })
    if (there === '*') open.push({ at, against: against + 1, name })
    const letter = findCommonLetter(here, there)
    if (letter === undefined || (name === '' && letter === '.')) continue
    // A star stays, because it may match more letters.
    open.push({
      at: here === '*' ? at : at + 1,
      against: there === '*' ? against : against + 1,
      name: name + letter,
    })
  }
  return undefined
}

function findCommonLetter(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  const [letter = 'a', second = letter] = [one, other].filter((each) => each !== '*' && each !== '?')
  return letter === second ? letter : undefined
}
