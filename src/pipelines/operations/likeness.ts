/** Whether a resource in a list is what a record has made: by its names, and as far as its lines are shown. */
import type { Resource } from '../../domain/api.ts'
import { type Body, type Finding, idOf } from './operation.ts'
import { describeItem, itemsOf } from './order-lines.ts'

export interface Likeness {
  /** What the resource is called in messages: `order`. */
  readonly what: string
  /** What both are known by, each as the resource shows it and as the record has it. */
  readonly names: readonly (readonly [shown: unknown, ours: string])[]
  /** The lists of lines to compare, of what comes back as it was sent; left out where it may be changed later. */
  readonly lines?: { readonly list: string; readonly body: Body }
  /** What else is sent and shown as it was sent. */
  readonly values?: readonly ComparedValue[]
  /** In words, that it was made before the record was sent. */
  readonly isOlder?: string | undefined
}

export interface ComparedValue {
  /** What it is called in messages. */
  readonly name: string
  readonly shown: unknown
  readonly ours: unknown
  /** Of two that are given; they are compared as texts where it is left out. */
  readonly isSame?: (shown: string, ours: string) => boolean
}

/** Undefined for what the record has certainly not made. */
export function likenessFinding(
  resource: Resource,
  { what, names, lines, values, isOlder }: Likeness,
): Exclude<Finding, { found: 'absent' }> | undefined {
  const found = names.map(([shown, ours]) => isNamed(shown, ours))
  if (found.includes(false)) return undefined
  const apiId = idOf(resource)
  const named = apiId === undefined ? what : `${what} ${apiId}`
  if (found.includes(undefined)) {
    const ours = names.map(([, name]) => name).join(' and ')
    return { found: 'unclear', why: `${named}, as the API shows it, may be ${ours} or not` }
  }
  const contrary = isOlder ?? (lines && contradiction(resource, lines)) ?? differenceIn(values ?? [])
  if (contrary !== undefined) {
    return { found: 'unclear', why: `${named} has its number at the API, but ${contrary}` }
  }
  return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
}

/** The first value that differs, in words. What one of both leaves out tells nothing. */
function differenceIn(values: readonly ComparedValue[]): string | undefined {
  for (const { name, shown, ours, isSame = isSameText } of values) {
    if (!isText(shown) || !isText(ours)) continue
    if (!isSame(String(shown), String(ours))) {
      return `has the ${name} ${String(shown)}, and the record ${String(ours)}`
    }
  }
  return undefined
}

function isText(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
}

/** In whatever letters and with however many blanks. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase())
  return left === right
}

/** What may be meant by the same name has the same key: digits are one number, however exactly they are shown. */
export function looseName(name: unknown): string {
  const text = String(name).trim().toLowerCase()
  return /^\d+$/u.test(text) ? String(Number(text)) : text
}

/** Undefined where it cannot be told: a number has lost its leading zeros, and its last digits where it is long. */
function isNamed(shown: unknown, ours: string): boolean | undefined {
  if (shown === undefined) return undefined
  if (typeof shown === 'string') {
    const [theirs, own] = [shown.trim(), ours.trim()]
    if (theirs === own) return true
    return theirs.toLowerCase() === own.toLowerCase() ? undefined : false
  }
  if (Number.isSafeInteger(shown) && looseName(shown) === ours.trim()) return true
  return looseName(shown) === looseName(ours) ? undefined : false
}

/** What tells, in words, that the lines shown are not those of the body; undefined where nothing does. */
function contradiction(resource: Resource, { list, body }: NonNullable<Likeness['lines']>) {
  const theirs = itemsOf(resource, list)
  const ours = itemsOf(body, list)
  if (theirs.length === 0 || ours.length === 0) return undefined
  const foreign = theirs.find((line) => ours.every((item) => isItem(line, item) === false))
  if (foreign !== undefined) return `has ${describeItem(foreign)}, which is not in the record`
  for (const item of ours) {
    const fits = theirs.map((line) => isItem(line, item))
    if (fits.every((fit) => fit === false)) return `has no ${describeItem(item)}`
    const quantities = fitting(theirs, fits, item, ours)
    if (quantities !== undefined && quantities.there !== quantities.here) {
      return `has ${quantities.there} of ${describeItem(item)}, and the record ${quantities.here}`
    }
  }
  return contraryQuantities(theirs.map(unitsOf), ours.map(unitsOf))
}

/** The quantities of an item that is on one line here and on one there. */
function fitting(
  theirs: readonly Body[],
  fits: readonly (boolean | undefined)[],
  item: Body,
  ours: readonly Body[],
): { readonly there: number; readonly here: number } | undefined {
  const [line, another] = theirs.filter((_, index) => fits[index] === true)
  if (line === undefined || another !== undefined) return undefined
  if (ours.filter((each) => isItem(line, each) === true).length !== 1) return undefined
  const [there, here] = [unitsOf(line), unitsOf(item)]
  return there === undefined || here === undefined ? undefined : { there, here }
}

/** Whichever items they are of: the quantities are the same ones, or together as many where lines were split. */
function contraryQuantities(
  theirs: readonly (number | undefined)[],
  ours: readonly (number | undefined)[],
): string | undefined {
  if (!areKnown(theirs) || !areKnown(ours)) return undefined
  const [there, here] = [theirs, ours].map((units) =>
    theirs.length === ours.length
      ? units.toSorted((one, other) => one - other).join(', ')
      : String(units.reduce((sum, each) => sum + each, 0)),
  )
  return there === here ? undefined : `has the quantities ${there}, and the record ${here}`
}

function areKnown(units: readonly (number | undefined)[]): units is readonly number[] {
  return !units.includes(undefined)
}

/**
 * Undefined where it cannot be told. Spec: the priority is id, identifier, upc. An identifier is the retailer's or the
 * brand's, and the one that is not shown may be the one that was sent.
 */
function isItem(line: Body, item: Body): boolean | undefined {
  const [shown, named] = [variantOf(line), variantOf(item)]
  if (isGiven(named['id']))
    return isGiven(shown['id']) ? looseName(shown['id']) === looseName(named['id']) : undefined
  if (isGiven(named['identifier'])) {
    const names = [shown['identifier'], shown['brand_identifier']].filter(isGiven).map(looseName)
    return names.includes(looseName(named['identifier'])) ? true : undefined
  }
  return isGiven(named['upc']) && isGiven(shown['upc']) ? isUpc(shown['upc'], named['upc']) : undefined
}

/** With or without leading zeros, dashes and check digit. */
export function isUpc(shown: unknown, ours: unknown): boolean | undefined {
  const [one = '', other = ''] = [shown, ours].map((upc) => looseName(String(upc).replaceAll(/[\s-]/gu, '')))
  if (one === other) return true
  return one.includes(other) || other.includes(one) ? undefined : false
}

function variantOf(line: Body): Body {
  const { variant } = line
  return typeof variant === 'object' && variant !== null ? (variant as Body) : {}
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A quantity may be shown as text. */
function unitsOf({ quantity }: Body): number | undefined {
  const isText = typeof quantity === 'string' && /^\d{1,15}(?:\.0+)?$/u.test(quantity)
  return typeof quantity === 'number' ? quantity : isText ? Number(quantity) : undefined
}
