/** Loads `dropbridge.yaml`: reads, fills in variables, checks, and reports every mistake at once with its place. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { BridgeError } from '../support/errors.ts'
import { checkTogether } from './checks.ts'
import { type Configuration, toConfiguration } from './configuration.ts'
import { configurationJsonSchema } from './json-schema.ts'
import { checkShape, type Mistake } from './mistakes.ts'
import { type Position, readSource, type Source } from './source.ts'
import { substitute } from './substitute.ts'

export interface LoadOptions {
  /** The API is not called, so that its address and credentials need not be at hand; a call would find nobody. */
  readonly withoutApi?: boolean
}

/** Throws `configuration-invalid` whose details are the single mistakes, in the order of the file. */
export async function loadConfiguration(
  path: string,
  env: NodeJS.ProcessEnv,
  { withoutApi = false }: LoadOptions = {},
): Promise<Configuration> {
  const folder = dirname(resolve(path))
  const source = readSource(await textOf(path))
  const textFaults = source.errors.map(({ position, message }) => ({ position, text: message }))
  if (source.errors.some(({ fatal }) => fatal)) throw refusal(path, textFaults)

  const unfilled = await substitute(source.document, configurationJsonSchema(), {
    env,
    folder,
    ...(withoutApi ? { standIn: apiStandIn } : {}),
  })
  const raw = asPlainData(source, path)
  const shape = checkShape(raw)
  const mistakes = [
    ...unfilled,
    ...('mistakes' in shape ? shape.mistakes : []),
    ...checkTogether(raw, folder),
  ]
  const faults = [
    ...textFaults,
    ...withoutEchoes(mistakes, unfilled).map((mistake) => toFault(source, mistake)),
  ]
  if ('file' in shape && faults.length === 0) return toConfiguration(shape.file, folder)
  throw refusal(path, faults)
}

/** Of `api`, and of `api` of a route. */
function apiStandIn(path: readonly string[]): string | undefined {
  if (path.at(-2) !== 'api') return undefined
  return path.at(-1) === 'baseUrl' ? 'http://unknown.invalid' : 'unknown'
}

const CONFIGURATION_CHARACTERS_MAX = 1 << 20

async function textOf(path: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new BridgeError(
      'configuration-invalid',
      `The configuration file ${path} cannot be read; name another with --config, or write one with: dropbridge init`,
      {
        cause,
      },
    )
  }
  if (text.length <= CONFIGURATION_CHARACTERS_MAX) return text
  throw new BridgeError('configuration-invalid', `The configuration file ${path} is larger than a megabyte.`)
}

function asPlainData({ document }: Source, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new BridgeError('configuration-invalid', `${path} uses too many aliases.`, { cause })
  }
}

/** A variable that is not set is one mistake; that its place holds no valid value either is only its echo. */
function withoutEchoes(mistakes: readonly Mistake[], unfilled: readonly Mistake[]): Mistake[] {
  const places = new Set(unfilled.map(({ path }) => path.join('\0')))
  return mistakes.filter((mistake) => unfilled.includes(mistake) || !places.has(mistake.path.join('\0')))
}

interface Fault {
  readonly position: Position
  /** The path in the file, when there is one, and the message. */
  readonly text: string
}

function toFault(source: Source, { path, at, message }: Mistake): Fault {
  const dotted = path.map(String).join('.')
  return {
    position: source.position(path, at),
    text: dotted === '' ? `the file ${message}` : `${dotted}: ${message}`,
  }
}

function refusal(path: string, faults: readonly Fault[]): BridgeError {
  const details = faults
    .toSorted((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .map(({ position, text }) => `${path}:${position.line}:${position.column} ${text}`)
  const count = details.length === 1 ? 'a mistake' : `${details.length} mistakes`
  return new BridgeError('configuration-invalid', `${path} has ${count} in it.`, { details })
}
