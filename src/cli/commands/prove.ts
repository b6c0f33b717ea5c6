/** `dropbridge prove`: the user's own routes against the built-in service, with faults, killed again and again. */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durationMs } from '../../config/duration.ts'
import { loadConfiguration } from '../../config/load.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { pathFrom } from '../context.ts'
import { hasFailed, isProven, proofAsData, proofLines } from '../prove/in-words.ts'
import { type Proof, prove as proveRoutes } from '../prove/proof.ts'
import type { Terminal } from '../terminal.ts'

export interface ProveOptions {
  readonly config: string
  readonly routes: readonly string[]
  /** `ROUTE=PATH`. */
  readonly files: readonly string[]
  readonly seed: number | undefined
  /** A length of time. */
  readonly duration: string
  readonly kills: number
  readonly keep: boolean
  readonly json: boolean
}

const SEED_MAX = 1_000_000_000

export async function prove(terminal: Terminal, options: ProveOptions): Promise<ExitCode> {
  const seed = wholeNumber('seed', options.seed ?? randomInt(1, SEED_MAX))
  const kills = wholeNumber('kills', options.kills)
  const files = filesIn(terminal, options.files)
  const forMs = durationMs(options.duration)
  if (forMs === undefined) {
    throw new BridgeError('usage-wrong', '--for takes a length of time such as 30s, 10m or 2h')
  }
  const configuration = await loadConfiguration(pathFrom(terminal, options.config), withUnset(terminal.env))
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-prove-'))
  let keeps = true
  try {
    const { signal } = terminal
    const say = (line: string) => terminal.say(line)
    say(`The seed is ${seed}; the work folder is ${folder}. Nothing else is touched.`)
    const { routes } = options
    const proof = await proveRoutes({ configuration, routes, files, seed, forMs, kills, folder, signal, say })
    keeps = options.keep || hasFailed(proof)
    if (options.json) terminal.out(JSON.stringify(proofAsData(proof, keeps ? folder : undefined), null, 2))
    else for (const line of proofLines(proof)) terminal.out(line)
    if (hasFailed(proof)) say(`To repeat it: ${again(terminal, options, proof)}`)
    return exitOf(proof)
  } catch (error) {
    // What is wrong with the command line or the configuration has nothing to show in the folder.
    if (error instanceof BridgeError && error.exit !== EXIT.bug) keeps = false
    throw error
  } finally {
    if (!keeps) await rm(folder, { recursive: true, force: true })
  }
}

function exitOf(proof: Proof): ExitCode {
  if (hasFailed(proof)) return EXIT.bug
  if (!proof.whole) return EXIT.interrupted
  return proof.routes.every((verdict) => isProven(verdict, proof)) ? EXIT.ok : EXIT.rejects
}

/** Every random choice follows from the seed, the route and the number of the round. */
function again(
  { program }: Terminal,
  { config, files, duration, kills }: ProveOptions,
  proof: Proof,
): string {
  const failed = proof.routes.filter(({ failures }) => failures.length > 0)
  return [
    `${program} prove -c ${config} --seed ${proof.seed} --for ${duration} --kills ${kills}`,
    ...failed.map(({ route }) => `--route ${route}`),
    ...files.map((file) => `--file ${file}`),
  ].join(' ')
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= SEED_MAX) return value
  throw new BridgeError('usage-wrong', `--${name} takes a whole number from 0 to ${SEED_MAX}`)
}

function filesIn(terminal: Terminal, given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((text) => {
      const [, route, path] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (route !== undefined && path !== undefined) return [route, pathFrom(terminal, path)]
      throw new BridgeError('usage-wrong', `--file takes ROUTE=PATH, not ${text}`)
    }),
  )
}

/**
 * The address and the secrets of the real API are not needed, so that they need not be set. What stands in their place
 * passes for an address as well as for a text.
 */
function withUnset(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(env, {
    get: (target, name) => (typeof name === 'string' ? (target[name] ?? 'http://nobody.invalid') : undefined),
  })
}
