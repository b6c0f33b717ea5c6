/** Reads the folder with one YAML file for each partner. A file may extend another, so that partners share settings. */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { describeUnreadable } from '../support/errors.ts'
import { isObject } from '../support/object-paths.ts'
import { type ConfigError, keyError, toFields, valueError } from './errors.ts'
import { Name } from './folders.ts'
import { partnerJsonSchema } from './schema.ts'
import {
  type ConfigSource,
  locateError,
  type LocatedError,
  measureDepth,
  parseSource,
  toPlainData,
} from './source.ts'
import { substituteVariables } from './variables.ts'

export interface PartnerFiles {
  /** The settings by the name of the file without extension, with those that it takes over from the file it extends. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly errors: readonly LocatedError[]
  /** Places an error of the settings, whose path begins with the partner; undefined where its file has other errors. */
  readonly locate: (error: ConfigError) => LocatedError | undefined
  /** The folder, absolute. */
  readonly folder: string
  /** SHA-256 of each file that was read, by its absolute path. */
  readonly files: ReadonlyMap<string, string>
}

interface ReadContext {
  readonly env: NodeJS.ProcessEnv
  /** The folder of the configuration, the base of `${file:PATH}`. */
  readonly base: string
}

/** One file, which may have errors. */
interface PartnerFile {
  readonly path: string
  readonly source: ConfigSource
  /** The settings with variables filled in. */
  readonly data: unknown
  readonly errors: readonly LocatedError[]
  readonly sha256: string
}

/** A file, and behind it those that it extends. */
type PartnerChain = readonly [PartnerFile, ...PartnerFile[]]

type ReadPartnerFile = (shown: string) => Promise<PartnerFile | string>

const CHARACTERS_MAX = 1 << 20
const BASES_MAX = 8

/** The names of the files in a folder of partners. Rejects when it cannot be listed. */
export async function listPartnerFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).toSorted()
}

/** `folder` is as the user names it. */
export async function readPartnerFiles(
  folder: string,
  names: readonly string[],
  context: ReadContext,
): Promise<PartnerFiles> {
  const known = new Map<string, Promise<PartnerFile | string>>()
  const read: ReadPartnerFile = (shown) => {
    const path = resolve(shown)
    const file = known.get(path) ?? readPartnerFile(shown, context)
    known.set(path, file)
    return file
  }
  const errors: LocatedError[] = []
  const chains: PartnerChain[] = []
  for (const name of names) {
    const shown = join(folder, name)
    const first = await read(shown)
    if (typeof first === 'string')
      errors.push({ file: shown, line: 1, column: 1, text: `the file ${first}.` })
    else chains.push(await readChain(first, read, errors))
  }
  const files = new Map(chains.flatMap((chain) => chain.map((file) => [file.path, file])))
  errors.push(...[...files.values()].flatMap((file) => file.errors))
  const bases = new Set(chains.flatMap(([, base]) => base?.path ?? []))
  const partners = new Map<string, PartnerChain>()
  for (const chain of chains) {
    const [{ path, data, source }] = chain
    // A file that others extend and that has no ids is no partner.
    if (bases.has(path) && !('ids' in toFields(data))) continue
    const name = basename(path, extname(path))
    const fault = findNameFault(name, partners.has(name))
    if (fault === undefined) partners.set(name, chain)
    else errors.push({ file: source.file, line: 1, column: 1, text: fault })
  }
  return {
    settings: Object.fromEntries([...partners].map(([name, chain]) => [name, mergeChain(chain) ?? null])),
    errors: uniqueErrors(errors),
    locate: (error) => locateInChain(error, partners),
    folder: resolve(folder),
    files: new Map([...files.values()].map(({ path, sha256 }) => [path, sha256])),
  }
}

function findNameFault(name: string, isKnown: boolean): string | undefined {
  if (isKnown) return `there is another file of the partner ${name}, with another extension.`
  if (Name.safeParse(name).success) return undefined
  return 'its name is that of the partner: it holds lower-case letters, digits and hyphens only.'
}

/** Returns why it cannot be read, where it cannot. */
async function readPartnerFile(shown: string, { env, base }: ReadContext): Promise<PartnerFile | string> {
  const path = resolve(shown)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    return describeUnreadable(error)
  }
  if (text.length > CHARACTERS_MAX) return 'is larger than a megabyte'
  const source = parseSource(shown, text)
  const whole = { path, source, sha256: hash('sha256', text) }
  if (source.hasFatalErrors) return { ...whole, data: undefined, errors: source.errors }
  const unfilled = await substituteVariables(source.document, partnerJsonSchema, { env, folder: base })
  const errors = [...source.errors, ...unfilled.map((error) => locateError(source, error))]
  return { ...whole, data: toPlainData(source), errors }
}

/** Reads the files that a file extends, one after the other; notes what is wrong with `extends`. */
async function readChain(
  first: PartnerFile,
  read: ReadPartnerFile,
  errors: LocatedError[],
): Promise<PartnerChain> {
  const chain: [PartnerFile, ...PartnerFile[]] = [first]
  for (let last = first; 'extends' in toFields(last.data);) {
    const base = await readBase(last, chain, read)
    if (typeof base === 'string') {
      errors.push(locateError(last.source, valueError(['extends'], `${base}.`)))
      break
    }
    chain.push(base)
    last = base
  }
  return chain
}

async function readBase({ source, data }: PartnerFile, chain: PartnerChain, read: ReadPartnerFile) {
  const named = toFields(data)['extends']
  if (typeof named !== 'string' || named === '') return 'must be the path of a file, such as ./base.yaml'
  const shown = join(dirname(source.file), named)
  if (chain.some(({ path }) => path === resolve(shown))) return 'a file cannot extend itself'
  if (chain.length > BASES_MAX) return `at most ${BASES_MAX} files may extend one another`
  const base = await read(shown)
  return typeof base === 'string' ? `the file ${shown} ${base}` : base
}

/** The settings of the first file over those of the files behind it. Lists replace each other. */
function mergeChain(chain: PartnerChain): unknown {
  const settings = chain.map(({ data }) => (isObject(data) ? omitExtends(data) : data))
  return settings.reduceRight<unknown>((base, own) => mergeOver(base, own), undefined)
}

function omitExtends(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'extends'))
}

function mergeOver(base: unknown, own: unknown): unknown {
  if (!isObject(base) || !isObject(own)) return own
  const merged = Object.entries(own).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? mergeOver(base[key], value) : value,
  ])
  return { ...base, ...(Object.fromEntries(merged) as Record<string, unknown>) }
}

/** Finds the file that has what is wrong: the first one, or the one that it takes it over from. */
function locateInChain(
  { path: [partner, ...path], at, message }: ConfigError,
  partners: ReadonlyMap<string, PartnerChain>,
): LocatedError | undefined {
  const chain = partners.get(String(partner))
  if (chain === undefined || chain.some(({ errors }) => errors.length > 0)) return undefined
  const depths = chain.map(({ source }) => measureDepth(source, path))
  const { source } = chain[depths.indexOf(Math.max(...depths))] ?? chain[0]
  return locateError(source, at === 'key' ? keyError(path, message) : valueError(path, message))
}

function uniqueErrors(errors: readonly LocatedError[]): LocatedError[] {
  const unique = new Map(errors.map((error) => [JSON.stringify(error), error]))
  return [...unique.values()]
}
