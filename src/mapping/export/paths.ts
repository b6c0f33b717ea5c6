/** Paths into an API record, such as `order_lines.variant.upc` or `gift_message[0]`: checked by the contract, compiled once. */
import { didYouMean } from '../../support/text.ts'
import type { Shape } from '../shape.ts'

interface PathStep {
  readonly name: string
  /** The position in the list of this name, from 0. */
  readonly at?: number
  /** The step names an attribute of an item and means its value. */
  readonly isAttribute?: true
}

/** Returns the shape at a path, or why the path is wrong. `inLists` lets it go through lists, into every item. */
export function followPath(shape: Shape, path: string, inLists = false) {
  let here = shape
  let crossed = false
  const walked: string[] = []
  for (const { name, at } of parsePath(path)) {
    if (here.kind === 'list' && inLists) {
      here = here.item
      crossed = true
    }
    if (here.kind === 'open') return { found: here, crossed }
    if (here.kind === 'list') return { error: `${walked.join('.')} ${LIST_ERROR}` }
    const next = here.kind === 'object' ? here.fields.get(name) : undefined
    if (next === undefined) {
      const known = here.kind === 'object' ? [...here.fields.keys()] : []
      const where = walked.length === 0 ? 'the record' : walked.join('.')
      return { error: `${where} has no field "${name}".${didYouMean(name, known)}` }
    }
    walked.push(at === undefined ? name : `${name}[${at}]`)
    if (at !== undefined && next.kind !== 'list')
      return { error: `${name} is no list, so it has no positions` }
    here = at !== undefined && next.kind === 'list' ? next.item : next
  }
  return { found: here, crossed }
}

const LIST_ERROR =
  'is a list: name it under `each` to have a row for each of its items, or pack them into one cell with `join`'

/** Reads the value at the path; undefined where the record does not have it. */
export function createPathReader(path: string): (record: unknown) => unknown {
  const steps = parsePath(path)
  if (steps.some(({ at, isAttribute }) => at !== undefined || isAttribute)) {
    return (record) => steps.reduce<unknown>((value, step) => stepInto(value, step), record)
  }
  const names = steps.map(({ name }) => name)
  return (record) => {
    let value = record
    for (const name of names) {
      if (typeof value !== 'object' || value === null) return undefined
      value = (value as Readonly<Record<string, unknown>>)[name]
    }
    return value
  }
}

/** Reads all values at a path through lists, null for a missing one. Skips items for further parcels. */
export function createValuesReader(path: string): (record: unknown) => unknown[] {
  const steps = parsePath(path)
  const collect = (value: unknown, from: number, values: unknown[]): void => {
    if (Array.isArray(value) && steps[from]?.isAttribute === undefined) {
      for (const item of value as unknown[]) if (isFirstPart(item)) collect(item, from, values)
      return
    }
    const step = steps[from]
    if (step === undefined || value === null || value === undefined) values.push(value ?? null)
    else collect(stepInto(value, step), from + 1, values)
  }
  return (record) => {
    const values: unknown[] = []
    collect(record, 0, values)
    return values
  }
}

/** Spec: lines with part above 1 are further packages of one item, carry quantity 1 and do not count. */
export function isFirstPart(item: unknown): boolean {
  const part = typeof item === 'object' && item !== null && 'part' in item ? item.part : undefined
  return typeof part !== 'number' || part <= 1
}

function stepInto(value: unknown, { name, at, isAttribute }: PathStep): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (isAttribute) return readAttribute(value, name)
  const next = (value as Readonly<Record<string, unknown>>)[name]
  if (at === undefined) return next
  return Array.isArray(next) ? (next as readonly unknown[])[at] : undefined
}

/** Spec: the brand view has attributes by their codes, the retailer view has a list of them. */
function readAttribute(attributes: object, code: string): unknown {
  const isList = Array.isArray(attributes)
  const attribute = isList
    ? (attributes as unknown[]).find((each) => readField(each, 'code') === code)
    : readField(attributes, code)
  const values = readField(attribute, 'values')
  if (!Array.isArray(values)) return undefined
  // The API shows a retailer its own values and those for all; it shows a brand the values of every retailer.
  const isForAll = (value: unknown) => isList || (readField(value, 'retailer') ?? null) === null
  return readField((values as unknown[]).find(isForAll), 'value')
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function parsePath(path: string): PathStep[] {
  return path.split('.').map((step, index, all) => {
    const [, name, at] = /^(.+)\[(\d{1,4})\]$/.exec(step) ?? []
    if (name !== undefined) return { name, at: Number(at) }
    return all[index - 1] === 'attributes' ? { name: step, isAttribute: true } : { name: step }
  })
}

/** Lists every path whose value a cell can show; paths into open objects end in `.*`. */
export function listPaths(shape: Shape, each: string | undefined): string[] {
  const walk = (here: Shape, path: string): string[] => {
    if (here.kind === 'field') return [path]
    if (here.kind === 'open') return [`${path}.*`]
    if (here.kind === 'object') {
      return [...here.fields].flatMap(([name, field]) => walk(field, path === '' ? name : `${path}.${name}`))
    }
    if (here.item.kind === 'field') return [path]
    return path === each ? walk(here.item, path) : []
  }
  return walk(shape, '')
}
