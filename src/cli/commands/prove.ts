/** `dropbridge prove`: runs the user's own routes against the built-in service, with faults and kills. */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfiguration } from '../../config/load.ts'
import { parseDuration } from '../../config/time-values.ts'
import type { Proof } from '../../prove/proof.ts'
import { type DefectKind, DEFECTS, type RouteVerdict } from '../../prove/results.ts'
import { BridgeError, EXIT, type ExitCode, usageError } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import {
  CONFIG_FLAG,
  defineCommand,
  flag,
  JSON_FLAG,
  type OptionValues,
  REPEATABLE,
  text,
} from '../command.ts'
import { resolvePath } from '../context.ts'
import { formatTable } from '../format/text.ts'
import type { Terminal } from '../terminal.ts'

const SEED_MAX = 1_000_000_000

const OPTIONS = {
  config: CONFIG_FLAG,
  route: { ...REPEATABLE, describe: 'Only this route; may be repeated' },
  file: { ...REPEATABLE, describe: 'ROUTE=PATH: a file to prove the route with; may be repeated' },
  seed: { type: 'number', describe: 'Repeats the proof that had this seed' },
  for: { ...text('How long it takes at least: 30s, 10m, 2h'), default: '1m' },
  kills: { type: 'number', default: 0, describe: 'At least so many kills' },
  processes: { type: 'number', default: 0, describe: 'At least so many of them of real processes' },
  keep: flag('Keep the work folder when nothing is wrong too'),
  json: JSON_FLAG,
} as const

export const proveCommand = defineCommand({
  options: OPTIONS,
  async run(terminal, options) {
    const { route: routes, json, keep } = options
    const { signal } = terminal
    const say = (line: string) => terminal.say(line)
    const seed = assertWholeNumber('seed', options.seed ?? randomInt(1, SEED_MAX))
    const kills = assertWholeNumber('kills', options.kills)
    const processes = assertWholeNumber('processes', options.processes)
    const files = parseFiles(terminal, options.file)
    const forMs = parseDuration(options.for)
    if (forMs === undefined)
      throw usageError('--for takes a length of time such as 30s, 10m or 2h', 'Write such as `--for 10m`.')
    const path = resolvePath(terminal, options.config)
    const configuration = await loadConfiguration(path, withPlaceholders(terminal.env))
    // Loaded on demand: it loads a web server too.
    const { prove } = await import('../../prove/proof.ts')
    const folder = await mkdtemp(join(tmpdir(), 'dropbridge-prove-'))
    let keeps = true
    try {
      say(`The seed is ${seed}; the work folder is ${folder}. Nothing else is touched.`)
      const least = { forMs, kills, processes }
      const proof = await prove({ configuration, routes, files, seed, ...least, folder, signal, say })
      keeps = keep || hasFailed(proof)
      if (json) terminal.out(JSON.stringify(proofToJson(proof, keeps ? folder : undefined), null, 2))
      else for (const line of formatProof(proof)) terminal.out(line)
      if (hasFailed(proof)) say(`To repeat it: ${formatRepeatCommand(terminal, options, proof)}`)
      return proofExit(proof)
    } catch (error) {
      // After an error of the command line or the configuration, the folder has nothing to show.
      if (error instanceof BridgeError && error.exit !== EXIT.bug) keeps = false
      throw error
    } finally {
      if (!keeps) await rm(folder, { recursive: true, force: true })
    }
  },
})

function proofExit(proof: Proof): ExitCode {
  if (hasFailed(proof)) return EXIT.bug
  if (!proof.whole) return EXIT.interrupted
  return proof.routes.every((verdict) => isProven(verdict, proof)) ? EXIT.ok : EXIT.rejects
}

/** The seed, the route and the number of the round determine every random choice. */
function formatRepeatCommand(
  { program }: Terminal,
  { config, file, for: duration, kills, processes }: OptionValues<typeof OPTIONS>,
  proof: Proof,
): string {
  return [
    `${program} prove -c ${quoteForShell(config)} --seed ${proof.seed} --for ${duration} --kills ${kills}`,
    ...(processes === 0 ? [] : [`--processes ${processes}`]),
    ...proof.routes.filter(({ failures }) => failures.length > 0).map(({ route }) => `--route ${route}`),
    ...file.map((each) => `--file ${quoteForShell(each)}`),
  ].join(' ')
}

function assertWholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= SEED_MAX) return value
  throw usageError(
    `--${name} takes a whole number from 0 to ${SEED_MAX}`,
    `Write it with digits, such as --${name} 7.`,
  )
}

function parseFiles(terminal: Terminal, given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((text) => {
      const [, route, path] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (route !== undefined && path !== undefined) return [route, resolvePath(terminal, path)]
      throw usageError(
        `--file takes ROUTE=PATH, not ${text}`,
        'Write the route and its sample, such as `--file orders=samples/orders.csv`.',
      )
    }),
  )
}

/** Valid as the address of an API and as a text. */
const PLACEHOLDER = 'https://nobody.invalid'

/** Gives each unset variable a value. A proof calls its own service, so it needs no real address and no real secret. */
function withPlaceholders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(env, {
    get: (target, name) => (typeof name === 'string' ? (target[name] ?? PLACEHOLDER) : undefined),
  })
}

/** The four counts that must be 0, as they are reported. */
const DEFECT_LABELS: Readonly<Record<DefectKind, string>> = {
  lost: 'lost',
  doubled: 'doubled',
  early: 'acknowledged early',
  twice: 'delivered twice',
}

const DEFECT_KINDS = Object.keys(DEFECTS) as readonly DefectKind[]

/** How many failures of a route, and how many records of each, are shown; the folder has them all. */
const FAILURES_SHOWN = 3

const RECORDS_SHOWN = 3

const CELL_MAX = 200

export function formatProof(proof: Proof): string[] {
  // Of interchanges only, so that other reports have no column of zeros.
  const hasNumbers = proof.routes.some(({ numbers }) => numbers > 0)
  const rows = proof.routes.map((verdict) => {
    const { route, records, numbers, kills, faults, wrongs, left } = verdict
    const sizes = hasNumbers ? [records, numbers] : [records]
    const counts = [...sizes, kills, faults, ...DEFECT_KINDS.map((name) => wrongs[name]), left]
    return [route, ...counts.map(String), isProven(verdict, proof) ? 'proven' : 'not proven']
  })
  const labels = DEFECT_KINDS.map((name) => DEFECT_LABELS[name])
  const sizes = hasNumbers ? ['records', 'control numbers'] : ['records']
  const head = ['route', ...sizes, 'kills', 'faults', ...labels, 'left', 'verdict']
  const failures = proof.routes.flatMap(formatFailures)
  return [...formatTable(head, rows, CELL_MAX), '', ...failures, formatTotals(proof)]
}

/** `lost 0, doubled 0, …; 1200 control numbers, 812 kills, 64 of them of real processes, 530 faults, seed 4711` */
function formatTotals({ routes, seed }: Proof): string {
  const sum = (of: (verdict: RouteVerdict) => number) => routes.reduce((total, each) => total + of(each), 0)
  const wrongs = DEFECT_KINDS.map((name) => `${DEFECT_LABELS[name]} ${sum((each) => each.wrongs[name])}`)
  const numbers = sum((each) => each.numbers)
  const checked = numbers === 0 ? '' : `${numbers} control numbers, `
  const kills = `${sum((each) => each.kills)} kills, ${sum(({ processes }) => processes)} of them of real processes`
  return `${wrongs.join(', ')}; ${checked}${kills}, ${sum(({ faults }) => faults)} faults, seed ${seed}`
}

function formatFailures({ route, unproven, failures }: RouteVerdict): string[] {
  if (unproven !== undefined) return [`${route} is not proven: ${unproven}`, '']
  if (failures.length === 0) return []
  const lines: string[] = []
  for (const { step, findings, restless, folder } of failures.slice(0, FAILURES_SHOWN)) {
    lines.push(`${route}: ${step}`, ...(restless === undefined ? [] : [`  ${restless}`]))
    for (const { wrong, record, what } of findings.slice(0, RECORDS_SHOWN))
      lines.push(`  ${DEFECT_LABELS[wrong]}: ${record}: ${what}`)
    lines.push(`  everything is in ${folder}`)
  }
  const more = failures.length - FAILURES_SHOWN
  return [...lines, ...(more > 0 ? [`  and ${more} more such rounds`] : []), '']
}

export function hasFailed({ routes }: Proof): boolean {
  return routes.some(({ failures }) => failures.length > 0)
}

/** A proof that was stopped has proven nothing about the rounds that it did not reach. */
export function isProven({ unproven, failures, kills }: RouteVerdict, { whole }: Proof): boolean {
  return whole && unproven === undefined && failures.length === 0 && kills > 0
}

export function proofToJson(proof: Proof, folder: string | undefined): object {
  return {
    seed: proof.seed,
    whole: proof.whole,
    proven: proof.routes.every((verdict) => isProven(verdict, proof)),
    ...(folder === undefined ? {} : { folder }),
    routes: proof.routes.map((verdict) => ({ ...verdict, proven: isProven(verdict, proof) })),
  }
}
