/** Reduces the body of a ready mapping to what a sample fills. */
import { parseColumn } from '../../mapping/calc/calculation.ts'
import { isObject } from '../../support/object-paths.ts'
import type { Confidence } from '../learn/column-matching.ts'
import type { MappedField, Options } from '../mapped-fields.ts'
import type { PathCount, PathCounts } from './interchanges.ts'

/** A field of the learned mapping, or an object or list of them. */
export type Learned =
  | {
      readonly kind: 'leaf'
      readonly field: string
      readonly written: unknown
      readonly confidence: Confidence
      readonly why: string
    }
  | {
      readonly kind: 'object'
      readonly when?: unknown
      readonly entries: readonly (readonly [name: string, Learned])[]
    }
  | { readonly kind: 'list'; readonly item: Learned }

interface Pruning {
  readonly counts: PathCounts
  readonly fields: ReadonlyMap<string, MappedField>
  /** The fields whose table has no entry for a code of the sample. */
  readonly openTables: ReadonlySet<string>
}

/** The options that say where a value comes from; an object without any of them is one of the body. */
const SOURCES = ['from', 'const', 'calc', 'oneOf', 'every', 'sum', 'all', 'order']

/** Undefined where the sample fills nothing of it, and the API does not require it. */
export function prune(written: unknown, field: string, pruning: Pruning): Learned | undefined {
  if (written === null || written === undefined) return undefined
  const isList = Array.isArray(written) && written.some(isObject)
  if (isList) {
    const item = prune(written[0], `${field}[]`, pruning)
    return item && { kind: 'list', item }
  }
  if (isObject(written) && !SOURCES.some((source) => Object.hasOwn(written, source)))
    return pruneObject(written, field, pruning)
  return pruneLeaf(written, field, pruning)
}

function pruneObject({ when, ...fields }: Options, field: string, pruning: Pruning): Learned | undefined {
  const entries = Object.entries(fields).flatMap(([name, written]): [string, Learned][] => {
    const learned = prune(written, field === '' ? name : `${field}.${name}`, pruning)
    return learned === undefined ? [] : [[name, learned]]
  })
  // An object of nothing but defaults says nothing about the sample.
  const hasSample = entries.some(([, learned]) => learned.kind !== 'leaf' || learned.confidence !== 'guess')
  const isNeeded = entries.some(
    ([, learned]) => learned.kind === 'leaf' && pruning.fields.get(learned.field)?.required === true,
  )
  if (entries.length === 0 || (when !== undefined && !hasSample) || !(hasSample || isNeeded)) return undefined
  return { kind: 'object', ...(when === undefined ? {} : { when }), entries }
}

function pruneLeaf(written: unknown, field: string, pruning: Pruning): Learned | undefined {
  const known = pruning.fields.get(field)
  const level = known?.perRow === true ? 'line' : 'record'
  const find = (path: string, gathered = false) => pruning.counts.find(path, level, gathered)
  const kept = keepFilled(written, find)
  if (kept !== undefined) {
    const confidence = judge(kept, pruning.openTables.has(field))
    return { kind: 'leaf', field, written: kept.written, confidence, why: explain(kept) }
  }
  if (isObject(written) && Array.isArray(written['all'])) {
    const why = 'the sample never fills it; without it, such a line of another document would be lost'
    return { kind: 'leaf', field, written, confidence: 'guess', why }
  }
  const fallback = isObject(written) ? written['default'] : undefined
  if (known?.required !== true) return undefined
  const leaf = { kind: 'leaf', field, confidence: 'guess' } as const
  if (fallback !== undefined)
    return { ...leaf, written: { const: fallback }, why: 'the sample does not say it; check this value' }
  return { ...leaf, written, why: 'the API requires this, and the sample never fills it' }
}

interface Kept {
  readonly written: unknown
  readonly counts: readonly (PathCount & { readonly path: string })[]
  /** Where the value does not come from the document. */
  readonly note?: string
  /** What the ready mapping says and the sample does not. */
  readonly assumed?: string
  /** Values of the same segment that the ready mapping prefers, and the sample never fills. */
  readonly unfilled?: readonly string[]
}

/** A time that says its zone: `2026-11-16T09:05:00-05:00`. */
const HAS_ZONE = /T.*(?:Z|[+-]\d\d:\d\d)$/

type Find = (path: string, gathered?: boolean) => PathCount | undefined

/** Keeps the paths that the sample fills; undefined when there is none. */
function keepFilled(written: unknown, find: Find): Kept | undefined {
  if (typeof written === 'string') return keepPaths([written], find)
  if (Array.isArray(written)) return keepPaths(written.map(String), find)
  if (!isObject(written)) return undefined
  const { from, oneOf, every, sum, all, calc } = written
  if (Object.hasOwn(written, 'order'))
    return { written, counts: [], note: 'the lines of the order, as the API has them' }
  if (Object.hasOwn(written, 'const')) return { written, counts: [], note: 'the document does not say it' }
  if (Array.isArray(oneOf)) return keepBranches(oneOf, find)
  const gathered = every ?? sum
  if (typeof gathered === 'string') {
    const count = find(gathered, true)
    return count === undefined || count.filled === 0
      ? undefined
      : { written, counts: [{ path: gathered, ...count }] }
  }
  if (typeof calc === 'string') return keepAll(written, listCalculated(calc), find)
  if (Array.isArray(all)) {
    // Blank ones are skipped, so those that the sample lacks stay: another document may fill them.
    const kept = keepPaths(all.map(String), find)
    return kept && { ...kept, written }
  }
  if (from === undefined) return undefined
  const kept = keepFilled(from, find)
  if (kept === undefined) return undefined
  const { zone } = written
  const isZoneSaid = HAS_ZONE.test(kept.counts[0]?.value ?? '')
  const assumed = typeof zone === 'string' && !isZoneSaid ? { assumed: `is it the time of ${zone}?` } : {}
  return { ...kept, ...assumed, written: { ...written, from: kept.written } }
}

function keepPaths(paths: readonly string[], find: Find): Kept | undefined {
  const counts = paths.flatMap((path) => {
    const count = find(path)
    return count === undefined || count.filled === 0 ? [] : [{ path, ...count }]
  })
  const [first] = counts
  if (first === undefined) return undefined
  const unfilled = paths
    .slice(0, paths.indexOf(first.path))
    .filter((path) => nameSegment(path) === nameSegment(first.path))
  return { written: counts.length === 1 ? first.path : counts.map(({ path }) => path), counts, unfilled }
}

/** `N1*ST/PER.TE` is about PER. */
function nameSegment(path: string): string {
  return /^[A-Z0-9]+/.exec(path.split('/').at(-1) ?? '')?.[0] ?? path
}

function keepAll(written: unknown, paths: readonly string[], find: Find): Kept | undefined {
  const kept = keepPaths(paths, find)
  return kept === undefined || kept.counts.length < new Set(paths).size ? undefined : { ...kept, written }
}

function keepBranches(branches: readonly unknown[], find: Find): Kept | undefined {
  const kept = branches.flatMap((branch) => keepFilled(branch, find) ?? [])
  if (kept.length === 0) return undefined
  return {
    written: { oneOf: kept.map(({ written }) => written) },
    counts: kept.flatMap(({ counts }) => counts),
  }
}

/** The paths that a calculation cannot do without. */
function listCalculated(calc: string): string[] {
  const columns = Array.from(calc.matchAll(/\[([^\]]+)\]/g), ([, text = '']) => parseColumn(text))
  return columns.flatMap(({ name, otherwise }) => (otherwise === undefined ? [name] : []))
}

function judge({ counts, note, assumed, unfilled = [] }: Kept, isOpenTable: boolean): Confidence {
  if (note !== undefined) return counts.length > 0 ? 'likely' : 'guess'
  if (isOpenTable || assumed !== undefined) return 'guess'
  const [first] = counts
  const isOnly = counts.length === 1 && unfilled.length === 0
  return first !== undefined && isOnly && first.filled === first.of ? 'sure' : 'likely'
}

function explain({ counts, note, assumed, unfilled = [] }: Kept): string {
  if (note !== undefined) return note
  const [first, ...others] = counts
  if (first === undefined) return ''
  const one = ({ value, filled, of }: PathCount) => `${quoteSample(value)}, filled in ${filled} of ${of}`
  const said = [one(first), ...others.map((other) => `${other.path} ${one(other)}`)]
  if (unfilled.length > 0) said.push(`the sample never fills ${unfilled.join(', ')}`)
  return [...said, ...(assumed === undefined ? [] : [assumed])].join('; ')
}

/** A value of the sample in a comment; longer ones are cut. */
export function quoteSample(value: string): string {
  const line = value.replace(/[\s\p{Cc}]+/gu, ' ')
  return `"${line.length > 40 ? `${line.slice(0, 40)}…` : line}"`
}
