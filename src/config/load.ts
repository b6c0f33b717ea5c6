/** Loads `dropbridge.yaml`: substitutes variables, checks it, and reports every error at once with its place. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Document, isAlias, isMap, isNode, isScalar, type Node, visit } from 'yaml'
import { BridgeError, hasCode } from '../support/errors.ts'
import { parseYaml } from '../support/yaml.ts'
import { checkAcrossParts } from './checks.ts'
import { type Configuration, toConfiguration } from './configuration.ts'
import { checkShape, type ConfigError } from './errors.ts'
import { getSecretPlaceholder, isReference, listSecrets, readKept, removeSecrets } from './kept.ts'
import { configurationJsonSchema } from './schema.ts'
import { substituteVariables } from './variables.ts'

/**
 * Throws `configuration-invalid` with the single errors as details, in the order of the file. With `withoutApi` the address
 * and credentials of the API may be missing; placeholders replace them, and a call would fail.
 */
export async function loadConfiguration(
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions = {},
): Promise<Configuration> {
  return parseConfiguration(await readText(path), path, env, options)
}

interface LoadOptions {
  readonly withoutApi?: boolean
}

/**
 * For commands that only read: where the file has errors, the last configuration that was at work takes its place, with
 * the errors in `broken`. Throws them where none is kept.
 */
export async function loadConfigurationToRead(path: string, env: NodeJS.ProcessEnv): Promise<Configuration> {
  try {
    return await loadConfiguration(path, env, { withoutApi: true })
  } catch (error) {
    if (!hasCode(error, 'configuration-invalid')) throw error
    const kept = await loadKeptConfiguration(path, env)
    if (kept === undefined) throw error
    return { ...kept.configuration, broken: { failure: error, keptAt: kept.keptAt } }
  }
}

/** The last configuration that was at work, without secrets; undefined where none is kept that can be read. */
export async function loadKeptConfiguration(path: string, env: NodeJS.ProcessEnv) {
  const kept = await readKept(path, await readText(path).catch(() => ''), env)
  if (kept === undefined) return undefined
  const options = { withoutApi: true, withoutSecrets: true }
  const configuration = await parseConfiguration(kept.text, path, env, options).catch(() => undefined)
  return configuration && { configuration, keptAt: kept.keptAt }
}

async function parseConfiguration(
  text: string,
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions & { readonly withoutSecrets?: boolean },
): Promise<Configuration> {
  const folder = dirname(resolve(path))
  const source = parseSource(text)
  if (source.hasFatalErrors) throw createLoadError(path, source.errors)

  const places = locateSecrets(source, path)
  const files = listSecretFiles(source, folder)
  const written = source.document.clone()
  const standIn = (place: readonly string[]) =>
    (options.withoutApi === true ? getApiPlaceholder(place) : undefined) ??
    (options.withoutSecrets === true ? getSecretPlaceholder(place) : undefined)
  const unfilled = await substituteVariables(source.document, configurationJsonSchema(), {
    env,
    folder,
    standIn,
  })
  const raw = toPlainData(source, path)
  const shape = checkShape(raw)
  const inShape = 'errors' in shape ? shape.errors : []
  const found = excludeEchoes([...unfilled, ...inShape, ...checkAcrossParts(raw, folder)], unfilled)
  const errors = [...source.errors, ...found.map((error) => locateError(source, error))]
  if ('file' in shape && errors.length === 0) {
    return {
      ...toConfiguration(shape.file, folder),
      mappingPlaces: locateMappings(source, path),
      ...(places.length + files.length > 0 && { secretPlaces: { file: resolve(path), places, files } }),
      source: {
        path: resolve(path),
        sha256: hash('sha256', text),
        withoutSecrets: removeSecrets(source.document, written),
        load: () => loadConfiguration(path, env, options),
      },
    }
  }
  throw createLoadError(path, errors)
}

/** Returns a placeholder for settings of `api`, and of `api` of a route. */
function getApiPlaceholder(path: readonly string[]): string | undefined {
  if (path.at(-2) !== 'api') return undefined
  return path.at(-1) === 'baseUrl' ? 'https://unknown.invalid' : 'unknown'
}

const CONFIGURATION_CHARACTERS_MAX = 1 << 20

async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const fix = 'Name the configuration file with --config, or write a new one: `dropbridge init`.'
    const message = `The configuration file ${path} cannot be read.`
    throw new BridgeError('configuration-invalid', message, { cause, fix })
  })
  if (text.length <= CONFIGURATION_CHARACTERS_MAX) return text
  throw new BridgeError('configuration-invalid', `The configuration file ${path} is larger than a megabyte.`)
}

function toPlainData({ document }: ConfigSource, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new BridgeError('configuration-invalid', `${path} uses too many aliases.`, { cause })
  }
}

/** Drops errors at the places of unset variables, which are reported already. */
function excludeEchoes(errors: readonly ConfigError[], unfilled: readonly ConfigError[]): ConfigError[] {
  const places = new Set(unfilled.map(({ path }) => path.join('\0')))
  return errors.filter((error) => unfilled.includes(error) || !places.has(error.path.join('\0')))
}

/** Maps the path of each mapping to the place that names it. */
function locateMappings({ document, locate }: ConfigSource, path: string): Map<string, string> {
  const places = new Map<string, string>()
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== 'mapping' || !isScalar(value)) return
      const { line, column } = locate(getStart(value) ?? 0)
      places.set(resolve(dirname(path), String(value.value)), `${path}:${line}:${column}`)
    },
  })
  return places
}

/** Secrets that stand in the file, before variables are substituted: `dropbridge.yaml:4:17 clientSecret`. */
function locateSecrets({ document, locate }: ConfigSource, path: string): string[] {
  return listSecrets(document)
    .filter(({ value }) => !isReference(value.value))
    .map(({ key, value }) => {
      const { line, column } = locate(getStart(value) ?? 0)
      return `${path}:${line}:${column} ${key.value}`
    })
}

/** The files that `${file:PATH}` names, before variables are substituted. */
function listSecretFiles({ document }: ConfigSource, folder: string): string[] {
  const files = new Set<string>()
  visit(document, {
    Scalar: (_, { value }) => {
      if (typeof value !== 'string') return
      for (const [, path = ''] of value.matchAll(/(?<!\$)\$\{file:([^}]+)\}/g))
        files.add(resolve(folder, path))
    },
  })
  return [...files]
}

interface LocatedError {
  readonly line: number
  readonly column: number
  /** The path in the file, when there is one, and the message. */
  readonly text: string
}

function locateError({ document, locate }: ConfigSource, { path, at, message }: ConfigError): LocatedError {
  const dotted = path.map(String).join('.')
  const text = dotted === '' ? `the file ${message}` : `${dotted}: ${message}`
  return { ...locate(findOffset(document, path, at)), text }
}

function createLoadError(path: string, errors: readonly LocatedError[]): BridgeError {
  const details = errors
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, text }) => `${path}:${line}:${column} ${text}`)
  const count = details.length === 1 ? 'an error' : `${details.length} errors`
  return new BridgeError('configuration-invalid', `${path} has ${count} in it.`, { details })
}

// The text of the file, with lines and columns.

type ConfigSource = ReturnType<typeof parseSource>

function parseSource(text: string) {
  const { document, counter, errors, hasFatalErrors } = parseYaml(text, { stringKeys: true })
  const locate = (offset: number) => {
    const { line, col: column } = counter.linePos(offset)
    return { line, column }
  }
  const located = errors.map(({ offset, message }) => ({ ...locate(offset), text: message }))
  return { document, locate, errors: located, hasFatalErrors }
}

function findOffset(document: Document, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node: Node | null | undefined = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    const pair = findPair(document, node, String(step))
    if (pair === undefined) break
    offset = getStart(pair.key) ?? offset
    node = isNode(pair.value) ? pair.value : undefined
    if (depth === path.length - 1 && at === 'value') offset = getStart(node) ?? offset
  }
  return offset
}

function findPair(document: Document, node: unknown, key: string) {
  const target = isAlias(node) ? node.resolve(document) : node
  if (!isMap(target)) return undefined
  // of a repeated key, the last one counts
  return target.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key)
}

function getStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
