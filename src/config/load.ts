/** Loads `dropbridge.yaml`: substitutes variables, checks it, and reports every error at once with its place. */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isScalar } from 'yaml'
import { BridgeError, describeUnreadable, hasCode, hasSystemCode } from '../support/errors.ts'
import { didYouMean } from '../support/text.ts'
import { checkAcrossParts } from './checks.ts'
import { type Configuration, toConfiguration } from './configuration.ts'
import { checkShape, type ConfigError, getRawValue, valueError } from './errors.ts'
import {
  getSecretPlaceholder,
  isReference,
  listSecrets,
  listWrittenTexts,
  readKept,
  removeSecrets,
} from './kept.ts'
import { listPartnerFiles, type PartnerFiles, readPartnerFiles } from './partner-files.ts'
import { configurationJsonSchema } from './schema.ts'
import {
  type ConfigSource,
  getStart,
  locateError,
  type LocatedError,
  parseSource,
  toPlainData,
  walkDocument,
} from './source.ts'
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
  const source = parseSource(path, text)
  if (source.hasFatalErrors) throw createLoadError(path, source.errors)

  const places = locateSecrets(source)
  const files = listSecretFiles(source, folder)
  const written = listWrittenTexts(source.document)
  const standIn = (place: readonly string[]) =>
    (options.withoutApi === true ? getApiPlaceholder(place) : undefined) ??
    (options.withoutSecrets === true ? getSecretPlaceholder(place) : undefined)
  const sources = new Map<string, string>()
  const unfilled = await substituteVariables(source.document, configurationJsonSchema, {
    env,
    folder,
    standIn,
    onFilled: (place, from) => sources.set(joinPlace(place), from),
  })
  const { partners, errors: ofPartners } = await readPartners(source, env)
  const raw = toPlainData(source)
  const shape = checkShape(raw)
  const inShape = ('errors' in shape ? shape.errors : []).map((error) => nameSource(error, sources))
  const found = excludeEchoes([...unfilled, ...inShape, ...checkAcrossParts(raw, folder)], unfilled)
  const errors = [
    ...source.errors,
    ...ofPartners,
    ...found.flatMap((error) => locateAny(source, partners, error)),
  ]
  if ('file' in shape && errors.length === 0) {
    const mappingPlaces = locateMappings(source)
    return {
      ...toConfiguration(shape.file, folder),
      mappingPlaces,
      ...(places.length + files.length > 0 && { secretPlaces: { file: resolve(path), places, files } }),
      source: {
        path: resolve(path),
        sha256: hash('sha256', text),
        ...(partners && { partners }),
        // The last use of the document, which it changes.
        withoutSecrets: removeSecrets(source.document, written),
        load: () => loadConfiguration(path, env, options),
      },
    }
  }
  throw createLoadError(path, errors)
}

/** Reads the folder that `edi.partners` names, where it names one, and puts the partners in its place. */
async function readPartners(
  source: ConfigSource,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly partners?: PartnerFiles; readonly errors: readonly LocatedError[] }> {
  const { document, file } = source
  const named = getRawValue(toPlainData(source), PARTNERS)
  if (typeof named !== 'string' || named === '') return { errors: [] }
  const base = dirname(file)
  const folder = isAbsolute(named) ? named : join(base, named)
  const names = await listPartnerFiles(folder).catch(describeUnreadable)
  if (typeof names === 'string') {
    const message = `the folder with the files of the partners ${names}.`
    return { errors: [locateError(source, valueError(PARTNERS, message))] }
  }
  const partners = await readPartnerFiles(folder, names, { env, base: resolve(base) })
  document.setIn(PARTNERS, document.createNode(partners.settings))
  return { partners, errors: partners.errors }
}

const PARTNERS = ['edi', 'partners']

/** None where it only follows from another error. */
function locateAny(
  source: ConfigSource,
  partners: PartnerFiles | undefined,
  error: ConfigError,
): LocatedError[] {
  const isOfPartner = PARTNERS.every((step, index) => error.path[index] === step) && error.path.length > 2
  if (!isOfPartner || partners === undefined) return [locateError(source, error)]
  const located = partners.locate({ ...error, path: error.path.slice(PARTNERS.length) })
  return located === undefined ? [] : [located]
}

/** Returns a placeholder for settings of `api`, and of `api` of a route. */
function getApiPlaceholder(path: readonly string[]): string | undefined {
  if (path.at(-2) !== 'api') return undefined
  return path.at(-1) === 'baseUrl' ? 'https://unknown.invalid' : 'unknown'
}

const CONFIGURATION_CHARACTERS_MAX = 1 << 20

async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(async (cause: unknown) => {
    const isMissing = hasSystemCode(cause, 'ENOENT', 'ENOTDIR')
    const guess = isMissing ? didYouMean(basename(path), await listConfigurations(dirname(path))) : ''
    const fix = hasSystemCode(cause, 'EACCES', 'EPERM')
      ? 'Let the user that runs dropbridge read the file.'
      : 'Name the configuration file with --config, or write a new one: `dropbridge init`.'
    const message = `The configuration file ${path} cannot be read.${guess}`
    throw new BridgeError('configuration-invalid', message, { cause, fix })
  })
  if (text.length <= CONFIGURATION_CHARACTERS_MAX) return text
  throw new BridgeError('configuration-invalid', `The configuration file ${path} is larger than a megabyte.`)
}

async function listConfigurations(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /\.ya?ml$/.test(name))
}

function joinPlace(path: readonly PropertyKey[]): string {
  return path.join('\0')
}

/** The place in the file shows only the name of a variable, whose value is wrong. */
function nameSource(error: ConfigError, sources: ReadonlyMap<string, string>): ConfigError {
  const source = error.at === 'value' ? sources.get(joinPlace(error.path)) : undefined
  return source === undefined ? error : { ...error, message: `${error.message} It comes from ${source}.` }
}

/** Drops errors at the places of unset variables, which are reported already. */
function excludeEchoes(errors: readonly ConfigError[], unfilled: readonly ConfigError[]): ConfigError[] {
  const places = new Set(unfilled.map(({ path }) => joinPlace(path)))
  return errors.filter((error) => unfilled.includes(error) || !places.has(joinPlace(error.path)))
}

/** Maps the path of each mapping to the place that names it. */
function locateMappings({ document, file, locate }: ConfigSource): Map<string, string> {
  const places = new Map<string, string>()
  walkDocument(document, {
    setting: (key, value) => {
      if (!isScalar(key) || key.value !== 'mapping' || !isScalar(value)) return
      const { line, column } = locate(getStart(value) ?? 0)
      places.set(resolve(dirname(file), String(value.value)), `${file}:${line}:${column}`)
    },
  })
  return places
}

/** Secrets that stand in the file, before variables are substituted: `dropbridge.yaml:4:17 clientSecret`. */
function locateSecrets({ document, file, locate }: ConfigSource): string[] {
  return listSecrets(document)
    .filter(({ value }) => !isReference(value.value))
    .map(({ key, value }) => {
      const { line, column } = locate(getStart(value) ?? 0)
      return `${file}:${line}:${column} ${key.value}`
    })
}

/** The files that `${file:PATH}` names, before variables are substituted. */
function listSecretFiles({ document }: ConfigSource, folder: string): string[] {
  const files = new Set<string>()
  walkDocument(document, {
    value: ({ value }) => {
      if (typeof value !== 'string') return
      for (const [, path = ''] of value.matchAll(/(?<!\$)\$\{file:([^}]+)\}/g))
        files.add(resolve(folder, path))
    },
  })
  return [...files]
}

function createLoadError(path: string, errors: readonly LocatedError[]): BridgeError {
  const ofPartner = ({ file }: LocatedError) => (file === path ? '' : file)
  const details = errors
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .toSorted((a, b) => ofPartner(a).localeCompare(ofPartner(b)))
    .map(({ file, line, column, text }) => `${file}:${line}:${column} ${text}`)
  const [file = path, ...others] = new Set(errors.map((error) => error.file))
  const count = details.length === 1 ? 'an error' : `${details.length} errors`
  const message =
    others.length === 0
      ? `${file} has ${count} in it.`
      : `${path} and the files of its partners have ${count} in them.`
  return new BridgeError('configuration-invalid', message, { details })
}
