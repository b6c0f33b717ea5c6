/** Folders that routes share: no file may be meant for two of them, and none be taken for what it is not. */
import type { Mistake } from './mistakes.ts'
import { nameOfBoth } from './patterns-meet.ts'
import { whereIs } from './whereabouts.ts'

/** What is there of a route, however broken the rest is. */
export interface FoldersGlance {
  readonly name: string
  readonly from?: (Glanced & { readonly match: string; readonly archive?: string | undefined }) | undefined
  readonly results?: Glanced | undefined
  readonly to?: (Glanced & { readonly name?: string | undefined }) | undefined
  readonly receipt?: (Glanced & { readonly archive?: string | undefined }) | undefined
  readonly documents?: Glanced | undefined
}

interface Glanced {
  readonly mailbox?: string | undefined
  readonly folder?: string | undefined
}

/** Tells folders apart; undefined where one is not said. */
type PlaceOf = (glanced: Glanced | undefined) => string | undefined

/** Paths that are not absolute are relative to `base`. */
export function checkFolders(
  routes: readonly FoldersGlance[],
  mailboxes: Readonly<Record<string, unknown>>,
  base: string,
): Mistake[] {
  const placeOf: PlaceOf = (glanced) => {
    const { mailbox, folder } = glanced ?? {}
    if (mailbox === undefined || folder === undefined) return undefined
    return whereIs(mailboxes, { mailbox, folder }, base)
  }
  return [
    ...checkSources(routes, placeOf),
    ...checkOwnFiles(routes, placeOf),
    ...checkTargets(routes, placeOf),
  ]
}

/** Two routes that take the same files would take them from each other. */
function checkSources(routes: readonly FoldersGlance[], placeOf: PlaceOf): Mistake[] {
  const known: { readonly route: string; readonly place: string; readonly match: string }[] = []
  return routes.flatMap(({ name, from }) => {
    const place = placeOf(from)
    if (from === undefined || place === undefined) return []
    const { match } = from
    const others = known.filter((other) => other.place === place)
    known.push({ route: name, place, match })
    const path = ['routes', name, 'from']
    const same = others.find((other) => other.match.toLowerCase() === match.toLowerCase())
    if (same !== undefined) {
      const message = `takes the same files as the route ${same.route}: the same folder and match.`
      return [{ path, at: 'key' as const, message }]
    }
    for (const other of others) {
      const example = nameOfBoth(match, other.match)
      if (example === undefined) continue
      const message = `takes files that the route ${other.route} takes, too, such as ${example}: let no name match both, or give one of them its own folder.`
      return [{ path, at: 'key' as const, message }]
    }
    return []
  })
}

/** The files of two routes would meet under one name, and the later one could never be delivered. */
function checkTargets(routes: readonly FoldersGlance[], placeOf: PlaceOf): Mistake[] {
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
    return [{ path: ['routes', name, 'to', 'name'], at: 'key' as const, message }]
  })
}

/** A bridge that leaves results or done files in a folder it takes files from would take its own files. */
function checkOwnFiles(routes: readonly FoldersGlance[], placeOf: PlaceOf): Mistake[] {
  const takers = new Map<string, string>()
  for (const { name, from } of routes) {
    const place = placeOf(from)
    if (place !== undefined && !takers.has(place)) takers.set(place, name)
  }
  return routes.flatMap(({ name, from, results, to, receipt, documents }) => {
    const archive = `archive/${name}`
    const left = [
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
    ]
    return left.flatMap(({ path, what, place }) => {
      const taker = place === undefined ? undefined : takers.get(place)
      if (taker === undefined) return []
      const message = `${what} would be left where the route ${taker} takes files from; use another folder.`
      return [{ path: ['routes', name, ...path], at: 'value' as const, message }]
    })
  })
}
