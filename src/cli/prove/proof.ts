/** The proof: every route through a calm run, a death at every effect, and storms with kills until the time is over. */
import { BridgeError } from '../../support/errors.ts'
import { casesOf } from './cases.ts'
import { openLedger, type RouteVerdict } from './ledger.ts'
import { calmRun, dieEverywhere, realStorms } from './phases.ts'
import type { ProofOptions, Provable } from './provable.ts'
import { REAL_KINDS } from './real-rounds.ts'

export interface Proof {
  readonly seed: number
  readonly routes: readonly RouteVerdict[]
  /** False when it was stopped before its end. */
  readonly whole: boolean
}

export async function prove(options: ProofOptions): Promise<Proof> {
  const until = performance.now() + options.forMs
  const { configuration, seed, signal, sabotage } = options
  const routes = chosenRoutes(options)
  let numbers = 100_000
  const serial = () => ++numbers
  const { cases, market } = await casesOf(configuration, { routes, files: options.files, serial })
  const ledger = openLedger(routes.map(({ name }) => name))
  const wrap = sabotage?.wrap === undefined ? {} : { sabotage: sabotage.wrap }
  const calmed: Provable[] = []
  for (const { route, proof } of cases) {
    if (signal.aborted) break
    // A world has the one route: the others would only take time to open.
    const ground = { market, serial, ...wrap, configuration: { ...configuration, routes: [route] } }
    const why = typeof proof === 'string' ? proof : await calmRun({ proof, ground, options, ledger })
    if (why !== undefined) ledger.unproven(route.name, why)
    else if (typeof proof !== 'string') calmed.push({ proof, ground, options, ledger })
  }
  const { only = ['deaths', ...REAL_KINDS] } = options
  if (only.includes('deaths')) for (const each of calmed) await dieEverywhere(each)
  // Windows cannot stop a process.
  const kinds = REAL_KINDS.filter(
    (kind) => only.includes(kind) && (kind !== 'stopped' || process.platform !== 'win32'),
  )
  await realStorms(calmed, { kinds, until })
  return { seed, routes: ledger.verdicts(), whole: !signal.aborted }
}

function chosenRoutes({ configuration: { routes }, routes: names, files }: ProofOptions) {
  const unknown = [...names, ...files.keys()].filter((name) => !routes.some((route) => route.name === name))
  if (unknown.length === 0) return routes.filter(({ name }) => names.length === 0 || names.includes(name))
  const known = routes.map(({ name }) => name).join(', ')
  throw new BridgeError('usage-wrong', `there is no route "${unknown.join('", "')}"; the routes are ${known}`)
}
