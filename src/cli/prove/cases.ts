/** The routes of a configuration as cases to be proven, and those that cannot be, with the reason. */
import { dirname, resolve } from 'node:path'
import { loadMappings, stepsOf } from '../../bridge/mappings.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { InboundRoute, OutboundRoute, Route } from '../../config/routes.ts'
import type { Format } from '../../domain/format.ts'
import { createFormats } from '../../formats/formats.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../../mapping/load.ts'
import { assert } from '../../support/errors.ts'
import { inboundCases, type InboundParts } from './inbound-case.ts'
import type { Serial } from './keys.ts'
import { type Market, marketFor, type Wanted } from './market.ts'
import { outboundCase } from './outbound-case.ts'
import type { ProofCase } from './rounds.ts'
import { sampleOf } from './sample.ts'

export interface RouteCase {
  readonly route: Route
  /** Or why there is none. */
  readonly proof: ProofCase | string
  /** The route beside its twin; left out for exports, and for files that say the same each time. */
  readonly beside?: { readonly proof: ProofCase; readonly twin: Route }
}

export interface CaseOptions {
  /** The routes to prove. */
  readonly routes: readonly Route[]
  /** Files to prove with, by the name of the route; the examples of the mappings stand for the others. */
  readonly files: ReadonlyMap<string, string>
  readonly serial: Serial
}

export async function casesOf(
  configuration: Configuration,
  options: CaseOptions,
): Promise<{ readonly cases: readonly RouteCase[]; readonly market: Market }> {
  const mappings = await loadMappings(configuration)
  const format = createFormats()
  const cases: RouteCase[] = []
  const wanted: Wanted[] = []
  for (const route of options.routes) {
    const mapping = mappings.get(route.name)
    assert(mapping, `route ${route.name} has a mapping`)
    if (route.direction === 'outbound') {
      assert(mapping.direction === 'outbound', 'a route and its mapping go the same way')
      cases.push({ route, proof: whyNotOut(route, mapping) ?? outboundCase({ route, mapping, format }) })
      continue
    }
    const found = await inboundParts(route, { mappings, format, options })
    if (typeof found === 'string') {
      cases.push({ route, proof: found })
      continue
    }
    const { alone, beside } = inboundCases(found.parts)
    const { twin } = found.parts
    cases.push({ route, proof: alone, ...(alone.saysTheSame ? {} : { beside: { proof: beside, twin } }) })
    wanted.push(found.wanted)
  }
  return { cases, market: marketFor(configuration.routes, wanted) }
}

/** Why nobody but the bridge can know what must stand in the files. */
function whyNotOut({ report }: OutboundRoute, { composer }: OutboundMapping): string | undefined {
  if (composer.takesKept === true) {
    return 'its files hold values that were kept beside the orders when those came in, by another route'
  }
  const isMoving =
    report !== undefined && (report.select.windows.length > 0 || report.select.named !== undefined)
  return isMoving ? 'it is a report of a window of time, or of records named one by one' : undefined
}

interface Around {
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly format: Format
  readonly options: CaseOptions
}

async function inboundParts(
  route: InboundRoute,
  { mappings, format, options }: Around,
): Promise<{ readonly parts: InboundParts; readonly wanted: Wanted } | string> {
  const steps = stepsOf(route).flatMap(({ key }) => {
    const mapping = mappings.get(key)
    return mapping?.direction === 'inbound' ? [{ operation: mapping.operation, mapping }] : []
  })
  const [first, ...rest] = steps.map(({ mapping }) => mapping)
  assert(first, `route ${route.name} has a mapping`)
  const path = options.files.get(route.name) ?? exampleOf(route, first)
  if (path === undefined) {
    return 'its mapping carries no example to make files of; name a file with --file ROUTE=PATH'
  }
  const sample = await sampleOf({ mappings: [first, ...rest], path, format, serial: options.serial })
  if (typeof sample === 'string') return sample
  const bytes = sample.file(2)
  const drafts = await Promise.all([first, ...rest].map((mapping) => sample.drafts(bytes, mapping)))
  return {
    parts: { route, twin: twinOf(route), steps, sample },
    wanted: { party: route.party, drafts: drafts.flat() },
  }
}

/** Only its inbox is another one. */
function twinOf(route: InboundRoute): InboundRoute {
  const { name, from } = route
  return { ...route, name: `${name}-twin`, from: { ...from, folder: `${from.folder}-twin` } }
}

function exampleOf({ mappingPath }: InboundRoute, { examples }: InboundMapping): string | undefined {
  const [example] = examples
  return example === undefined ? undefined : resolve(dirname(mappingPath), example.input)
}
