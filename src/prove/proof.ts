/** The proof: each route passes a run without faults, crashes at every effect, and killed processes. */
import { dirname, resolve } from 'node:path'
import { listMappedSteps, loadMappings } from '../app/context.ts'
import { assertRoutesExist } from '../config/routes.ts'
import type { Configuration } from '../config/configuration.ts'
import { buildInboxKey, type EdiConfiguration, type InterchangeInbox } from '../config/edi.ts'
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
import type { Format } from '../domain/format.ts'
import { createFormats, createInterchangeFormat } from '../formats/formats.ts'
import type { InboundMapping, Mapping } from '../mapping/load.ts'
import { buildOutgoingInterchanges } from '../pipeline/route-settings.ts'
import { assert } from '../support/errors.ts'
import { createFixture, type FileContents, type Fixture } from './fixture.ts'
import { createInboundCases, type InboundCaseInput } from './inbound-case.ts'
import { narrowInbox } from './inbox-answers.ts'
import { createOutboundCase, type OutboundCaseInput } from './outbound-case.ts'
import {
  type ProofOptions,
  READER_CHOICES,
  type RouteProof,
  runBaselines,
  runProcessTrials,
  runSweeps,
} from './phases.ts'
import {
  createResults,
  DEFAULT_TRIALS,
  PROCESS_TRIALS,
  type ProcessTrial,
  type RouteVerdict,
} from './results.ts'
import type { ProofCase } from './rounds.ts'
import type { NextNumber } from './document-sample.ts'
import { createSample } from './sample.ts'
import { canFillList } from './staging.ts'
import { createMarket, type WorldSetup } from './world.ts'

export interface Proof {
  readonly seed: number
  readonly routes: readonly RouteVerdict[]
  /** False when it was stopped before its end. */
  readonly whole: boolean
}

export async function prove(options: ProofOptions): Promise<Proof> {
  const until = performance.now() + options.forMs
  const { configuration, seed, signal, sabotage } = options
  const routes = selectRoutes(options)
  let numbers = 100_000
  const serial = () => ++numbers
  const { cases, fixture } = await createCases(configuration, routes, options.files, serial)
  const names = routes.map(({ name }) => name)
  const results = createResults(names, options.failuresMax)
  const market = await createMarket(fixture)
  const shared = {
    fixture,
    market,
    serial,
    ...(sabotage?.wrap && { sabotage: sabotage.wrap }),
    configuration,
  }
  const calmed: RouteProof[] = []
  for (const each of cases) {
    if (signal.aborted) break
    const { route, proof } = each
    if (typeof proof === 'string') {
      results.markUnproven(route.name, proof)
      continue
    }
    const provable = { proof, ...createWorldSetups(each, shared), options, results }
    const why = await runBaselines(provable)
    if (why === undefined) calmed.push(provable)
    else results.markUnproven(route.name, why)
  }
  const { only = DEFAULT_TRIALS } = options
  for (const each of calmed) await runSweeps(each, only)
  // Windows cannot stop a process.
  const isPossible = (kind: ProcessTrial) => kind !== 'stopped' || process.platform !== 'win32'
  const kinds = PROCESS_TRIALS.filter((kind) => only.includes(kind) && isPossible(kind))
  await runProcessTrials(calmed, kinds, only.includes('readers') ? READER_CHOICES : ['none'], until)
  return { seed, routes: results.verdicts(), whole: !signal.aborted }
}

/** A world has only one route, or it and its twin: more routes would only take time to open. */
function createWorldSetups({ route, edi, beside }: RouteCase, shared: Omit<WorldSetup, 'loadMappings'>) {
  const { edi: _, ...whole } = shared.configuration
  const groundFor = (routes: readonly Route[], own: EdiConfiguration | undefined): WorldSetup => {
    const configuration = { ...whole, routes, ...(own && { edi: own }) }
    let mappings: ReturnType<typeof loadMappings> | undefined
    return { ...shared, configuration, loadMappings: () => (mappings ??= loadMappings(configuration)) }
  }
  const twins = beside && { proof: beside.proof, setup: groundFor(beside.routes, beside.edi) }
  return { setup: groundFor([route], edi), ...(twins && { beside: twins }) }
}

function selectRoutes({ configuration: { routes }, routes: names, files }: ProofOptions) {
  assertRoutesExist(routes, [...names, ...files.keys()])
  return routes.filter(({ name }) => names.length === 0 || names.includes(name))
}

// Turns the routes of a configuration into cases, or says why a route cannot be proven.

interface RouteCase {
  readonly route: Route
  /** The case, or why there is none. */
  readonly proof: ProofCase | string
  /** The inbox of interchanges that feeds the route, or the partners that it may write to. */
  readonly edi?: EdiConfiguration
  /**
   * The route beside its twin, or beside another one to the same partner; left out for other exports, routes of an inbox, and
   * files that are the same each time.
   */
  readonly beside?: Pick<RouteCase, 'edi'> & { readonly proof: ProofCase; readonly routes: readonly Route[] }
}

async function createCases(
  configuration: Configuration,
  routes: readonly Route[],
  files: ProofOptions['files'],
  serial: NextNumber,
): Promise<{ readonly cases: readonly RouteCase[]; readonly fixture: Fixture }> {
  const mappings = await loadMappings(configuration)
  const format = createFormats()
  const cases: RouteCase[] = []
  const wanted: FileContents[] = []
  for (const route of routes) {
    if (route.direction === 'outbound') {
      cases.push(createExportCase(route, { configuration, mappings, format }))
      continue
    }
    const path = files.get(route.name)
    const found = await createInboundInput(route, { configuration, mappings, format, path, serial })
    if (typeof found === 'string') {
      cases.push({ route, proof: found })
      continue
    }
    const { alone, beside: proof } = createInboundCases(found.parts)
    const { twin, edi } = found.parts
    if (edi !== undefined) cases.push({ route, proof: alone, edi })
    else {
      const beside = !alone.hasFixedRecords && { beside: { proof, routes: [route, twin] } }
      cases.push({ route, proof: alone, ...beside })
    }
    wanted.push(found.wanted)
  }
  return { cases, fixture: createFixture(configuration.routes, wanted) }
}

interface CaseContext {
  readonly configuration: Configuration
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly format: Format
}

/** A route that writes interchanges is proven beside another one to the same partner too: both take the same control numbers. */
function createExportCase(route: OutboundRoute, context: CaseContext): RouteCase {
  const { edi } = context.configuration
  const input = createOutboundInput(route, context)
  const why = findReasonUnprovable(input)
  if (why !== undefined || input.interchanges === undefined || edi === undefined)
    return { route, proof: why ?? createOutboundCase([input]) }
  const answers = route.acknowledge === 'answered' ? createAnswersInbox(route, edi) : undefined
  const other = findOtherExport(input, context)
  // Both would run the inbox of answers at the same moment, and one of them would find it taken.
  const pair = other && ([acknowledgeDelivered(input), acknowledgeDelivered(other)] as const)
  const besideEdi = { ...edi, inboxes: [] }
  return {
    route,
    proof: createOutboundCase([{ ...input, ...(answers && { answers }) }]),
    edi: { ...edi, inboxes: answers === undefined ? [] : [answers] },
    ...(pair && {
      beside: { proof: createOutboundCase(pair), routes: pair.map((each) => each.route), edi: besideEdi },
    }),
  }
}

/** The first inbox of the user, which takes each file that is there; a route may have none in its configuration. */
function createAnswersInbox({ to }: OutboundRoute, { inboxes: [own] }: EdiConfiguration): InterchangeInbox {
  const { mailbox } = to
  const made = { mailbox, folder: 'proof-answers', match: '*', archive: 'proof-answers-archive' }
  const { folder, match, archive } = own?.from ?? made
  const name = own?.name ?? 'proof-answers'
  return {
    name,
    key: buildInboxKey(name),
    from: {
      mailbox: own?.from.mailbox ?? mailbox,
      folder,
      match,
      archive,
      stableForMs: 0,
      lastLineEnd: 'optional',
    },
    results: own?.results ?? { mailbox, folder: 'proof-answers-results' },
  }
}

function acknowledgeDelivered({ route, ...input }: OutboundCaseInput): OutboundCaseInput {
  const { acknowledge } = route
  return {
    ...input,
    route: { ...route, acknowledge: acknowledge === 'answered' ? 'delivered' : acknowledge },
  }
}

function createOutboundInput(
  route: OutboundRoute,
  { configuration, mappings, format }: CaseContext,
): OutboundCaseInput {
  const mapping = mappings.get(route.name)
  assert(mapping?.direction === 'outbound', 'a route and its mapping go the same way')
  const { write } = mapping.composer
  const interchanges = buildOutgoingInterchanges(configuration, route, write, createInterchangeFormat())
  return { route, mapping, format, ...(interchanges && { interchanges }) }
}

/** The next route that writes other documents under the same control numbers. */
function findOtherExport(
  { route, interchanges, mapping }: OutboundCaseInput,
  context: CaseContext,
): OutboundCaseInput | undefined {
  const { routes } = context.configuration
  const at = routes.findIndex(({ name }) => name === route.name)
  const scope = JSON.stringify(interchanges?.scope)
  return [...routes.slice(at + 1), ...routes.slice(0, at)]
    .filter((each) => each.direction === 'outbound' && each.partner === route.partner)
    .map((each) => createOutboundInput(each as OutboundRoute, context))
    .find((other) => {
      const { edi } = other.mapping.composer.write
      const isOther = edi?.document !== mapping.composer.write.edi?.document
      const isSame = JSON.stringify(other.interchanges?.scope) === scope
      return isOther && isSame && canFillList(other.route) && findReasonUnprovable(other) === undefined
    })
}

/** Why only the bridge can know what the files must contain. */
function findReasonUnprovable({
  route: { report },
  mapping: { composer },
}: OutboundCaseInput): string | undefined {
  if (composer.takesKept === true) {
    return 'its files hold values that were kept beside the orders when those came in, by another route'
  }
  const isMoving =
    report !== undefined && (report.select.windows.length > 0 || report.select.named !== undefined)
  return isMoving ? 'it is a report of a window of time, or of records named one by one' : undefined
}

interface InboundCaseContext extends CaseContext {
  /** A file to prove with; the example of the mapping when left out. */
  readonly path: string | undefined
  readonly serial: NextNumber
}

async function createInboundInput(
  route: InboundRoute,
  { configuration, mappings, format, path: given, serial }: InboundCaseContext,
): Promise<{ readonly parts: InboundCaseInput; readonly wanted: FileContents } | string> {
  const steps = listMappedSteps(route).flatMap(({ key }) => {
    const mapping = mappings.get(key)
    return mapping?.direction === 'inbound' ? [{ operation: mapping.operation, mapping }] : []
  })
  const [first, ...rest] = steps.map(({ mapping }) => mapping)
  assert(first, `route ${route.name} has a mapping`)
  const path = given ?? resolveExample(route, first)
  if (path === undefined) {
    return 'its mapping carries no example to make files of; name a file with --file ROUTE=PATH'
  }
  const sample = await createSample({ mappings: [first, ...rest], path, format, serial })
  if (typeof sample === 'string') return sample
  const bytes = sample.file(2)
  const drafts = await Promise.all([first, ...rest].map((mapping) => sample.drafts(bytes, mapping)))
  const edi = await narrowInbox(configuration.edi, route, bytes)
  return {
    parts: { route, twin: createTwinRoute(route), steps, sample, ...(edi && { edi }) },
    wanted: { party: route.party, drafts: drafts.flat() },
  }
}

/** The same route with another inbox. */
function createTwinRoute(route: InboundRoute): InboundRoute {
  const { name, from } = route
  return { ...route, name: `${name}-twin`, from: { ...from, folder: `${from.folder}-twin` } }
}

function resolveExample({ mappingPath }: InboundRoute, { examples }: InboundMapping): string | undefined {
  const [example] = examples
  return example === undefined ? undefined : resolve(dirname(mappingPath), example.input)
}
