/** Checks folders that routes and inboxes share: no file matches two of them, and no output lands where files are taken. */
import { getDefaultArchive } from './folders.ts'
import { PLACEHOLDER } from './file-name.ts'
import { type ConfigError, keyError, valueError } from './errors.ts'
import { resolvePlace } from './mailboxes.ts'
import type { RawConfiguration, RawRoute } from './raw-route.ts'
import { groupBy } from '../support/collections.ts'

interface RawFolder {
  readonly mailbox?: string | undefined
  readonly folder?: string | undefined
}

/** A place that files are taken from. */
interface Taker {
  /** `the route orders-in`. */
  readonly who: string
  readonly path: readonly string[]
  /** The identity of the folder. */
  readonly place: string
  readonly match: string
}

/** A place that the bridge leaves files in. */
interface Output {
  readonly path: readonly string[]
  readonly what: string
  readonly at: RawFolder | undefined
  /** The pattern of the names; any when left out. */
  readonly names?: string
}

/** Relative paths are relative to `base`. */
export function checkFolders({ routes, mailboxes, edi }: RawConfiguration, base: string): ConfigError[] {
  const places = new Map<string, ReturnType<typeof resolvePlace>>()
  const placeOf = ({ mailbox, folder }: RawFolder = {}) => {
    if (mailbox === undefined || folder === undefined) return undefined
    const key = JSON.stringify([mailbox, folder])
    if (!places.has(key)) places.set(key, resolvePlace(mailboxes, { mailbox, folder }, base))
    return places.get(key)
  }
  const takers = listTakers({ routes, edi }).flatMap(({ from, ...taker }): Taker[] => {
    const place = placeOf(from)
    return from === undefined || place === undefined ? [] : [{ ...taker, place, match: from.match }]
  })
  const outputs = [...routes.flatMap(listRouteOutputs), ...listInterchangeOutputs(edi)]
  const isResultOf = (taker: Taker, output: Output) =>
    output.path.slice(0, 2).join('.') !== taker.path.slice(0, 2).join('.')
  const results = groupBy(
    outputs.filter(({ what }) => what === 'results'),
    ({ at }) => placeOf(at) ?? '',
  )
  const listResults = (taker: Taker) =>
    (results.get(taker.place) ?? []).filter((each) => isResultOf(taker, each))
  // Where several others leave results, the folder of the one that takes files there is the wrong one.
  const misplaced = takers.filter((taker) => listResults(taker).length > 1)
  const isExplained = (output: Output) =>
    output.what === 'results' && misplaced.some(({ place }) => place === placeOf(output.at))
  return [
    ...checkSources(takers),
    ...misplaced.map((taker) => {
      const names = listResults(taker).map(({ path }) => path.slice(0, -2).join('.'))
      const message = `is where the results of ${names.join(', ')} are left, so no files may be taken from there; use another folder.`
      return valueError([...taker.path, 'folder'], message)
    }),
    ...outputs.flatMap((output) => {
      if (isExplained(output)) return []
      const taker = findTaker(takers, placeOf(output.at), output.names)
      if (taker === undefined) return []
      const message = `${output.what} would be left where ${taker.who} takes ${output.names === undefined ? 'files from' : 'them'}; use another folder.`
      return [valueError(output.path, message)]
    }),
    ...checkTargets(routes, placeOf),
  ]
}

/** Whatever takes files from a folder, for messages. */
export function listTakers({ routes, edi }: Pick<RawConfiguration, 'routes' | 'edi'>) {
  return [
    ...routes.map(({ name, from }) => ({
      who: `the route ${name}`,
      path: ['routes', name, 'from'],
      from: from?.inbox === undefined ? from : undefined,
    })),
    ...Object.entries(edi?.inboxes ?? {}).map(([name, { from }]) => ({
      who: `the inbox ${name}`,
      path: ['edi', 'inboxes', name, 'from'],
      from,
    })),
  ]
}

/** The one that would take a file there. */
function findTaker(takers: readonly Taker[], place: string | undefined, names = '*'): Taker | undefined {
  return takers.find((each) => each.place === place && findCommonName(names, each.match) !== undefined)
}

function checkSources(takers: readonly Taker[]): ConfigError[] {
  return takers.flatMap(({ path, place, match }, index) => {
    const neighbours = takers.slice(0, index).filter((other) => other.place === place)
    const same = neighbours.find((other) => other.match.toLowerCase() === match.toLowerCase())
    if (same !== undefined) {
      return [
        keyError(
          path,
          `takes the same files as ${same.who}: give one of them another folder, or another match.`,
        ),
      ]
    }
    for (const other of neighbours) {
      const example = findCommonName(match, other.match)
      if (example === undefined) continue
      const message = `takes files that ${other.who} takes, too, such as ${example}: let no name match both, or give one of them its own folder.`
      return [keyError(path, message)]
    }
    return []
  })
}

/** Finds routes whose files would get the same name, so that the later file could never be delivered. */
function checkTargets(
  routes: readonly RawRoute[],
  placeOf: (at: RawFolder | undefined) => string | undefined,
): ConfigError[] {
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

/** Where a route leaves files: where files are taken, the bridge would take its own. */
function listRouteOutputs({ name, from, results, to, documents, ...route }: RawRoute): Output[] {
  const receipt = route.receipt?.by === undefined ? route.receipt : undefined
  const archive = getDefaultArchive(name)
  const within = (...path: string[]) => ['routes', name, ...path]
  return [
    {
      path: within('from', 'archive'),
      what: 'done files',
      at: from && { mailbox: from.mailbox, folder: from.archive ?? archive },
    },
    { path: within('results', 'folder'), what: 'results', at: results },
    { path: within('documents', 'folder'), what: 'packing slips and labels', at: documents },
    {
      path: within('receipt', 'archive'),
      what: 'read receipts',
      at: receipt && { mailbox: receipt.mailbox ?? to?.mailbox, folder: receipt.archive ?? archive },
    },
    {
      path: within('receipt', 'folder'),
      what: 'receipts',
      at: receipt && { mailbox: receipt.mailbox ?? to?.mailbox, folder: receipt.folder },
      names: toPattern(receipt?.match),
    },
    { path: within('to', 'folder'), what: 'files', at: to, names: toPattern(to?.name) },
  ]
}

/** Where inboxes of interchanges leave files, and where answers to partners go. */
function listInterchangeOutputs(edi: RawConfiguration['edi']): Output[] {
  const ofInboxes = Object.entries(edi?.inboxes ?? {}).flatMap(([name, { from, results }]): Output[] => {
    const within = (...path: string[]) => ['edi', 'inboxes', name, ...path]
    const archive = from?.archive ?? getDefaultArchive(name)
    return [
      { path: within('from', 'archive'), what: 'done files', at: from && { ...from, folder: archive } },
      { path: within('results', 'folder'), what: 'results', at: results },
    ]
  })
  const ofPartners = Object.entries(edi?.partners ?? {}).map(([name, { to }]) => ({
    path: ['edi', 'partners', name, 'to', 'folder'],
    what: 'answers',
    at: to,
    names: toPattern(to?.name),
  }))
  return [...ofInboxes, ...ofPartners]
}

function toPattern(name: string | undefined): string {
  return (name ?? '*').replaceAll(PLACEHOLDER, '*')
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
