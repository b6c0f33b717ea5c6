/** The proof: every route through a calm run, a death at every effect, and storms with kills until the time is over. */
import type { Route } from '../../config/routes.ts'
import { BridgeError } from '../../support/errors.ts'
import { casesOf, type RouteCase } from './cases.ts'
import { isStormKind, triedKinds } from './kinds.ts'
import { openLedger, type RouteVerdict } from './ledger.ts'
import { calmRun, realStorms } from './phases.ts'
import type { ProofOptions, Provable } from './provable.ts'
import { dieEverywhere } from './sweeps.ts'
import type { Ground } from './world.ts'

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
  const shared = { market, serial, ...wrap, configuration }
  const calmed: Provable[] = []
  for (const each of cases) {
    if (signal.aborted) break
    const { route, proof } = each
    if (typeof proof === 'string') {
      ledger.unproven(route.name, proof)
      continue
    }
    const provable = { proof, ...groundsOf(each, shared), options, ledger }
    const why = await calmRun(provable)
    if (why === undefined) calmed.push(provable)
    else ledger.unproven(route.name, why)
  }
  const { only = triedKinds() } = options
  for (const each of calmed) await dieEverywhere(each, only)
  // Windows cannot stop a process.
  const kinds = only.filter(isStormKind).filter((kind) => kind !== 'stopped' || process.platform !== 'win32')
  await realStorms(calmed, { kinds, hasReaders: only.includes('readers'), until })
  return { seed, routes: ledger.verdicts(), whole: !signal.aborted }
}

/** A world has the one route, or it and its twin: the others would only take time to open. */
function groundsOf({ route, beside }: RouteCase, shared: Ground): Pick<Provable, 'ground' | 'beside'> {
  const groundFor = (...routes: Route[]): Ground => ({
    ...shared,
    configuration: { ...shared.configuration, routes },
  })
  const ground = groundFor(route)
  if (beside === undefined) return { ground }
  return { ground, beside: { proof: beside.proof, ground: groundFor(route, beside.twin) } }
}

function chosenRoutes({ configuration: { routes }, routes: names, files }: ProofOptions) {
  const unknown = [...names, ...files.keys()].filter((name) => !routes.some((route) => route.name === name))
  if (unknown.length === 0) return routes.filter(({ name }) => names.length === 0 || names.includes(name))
  const known = routes.map(({ name }) => name).join(', ')
  throw new BridgeError('usage-wrong', `there is no route "${unknown.join('", "')}"; the routes are ${known}`)
}
