/** The context that every use case works with: options, mailboxes and mappings. */
import type { Configuration } from '../config/configuration.ts'
import type { MailboxConfiguration } from '../config/mailboxes.ts'
import type { EdiConfiguration } from '../config/edi.ts'
import { buildEnvelopeSettings, findEnvelopeErrors } from '../config/envelope.ts'
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
import type { ThreadSettings } from '../client/sending-thread.ts'
import type { Api } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Format } from '../domain/format.ts'
import type { InterchangeFormat } from '../domain/interchange.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox, WorkingFiles } from '../domain/mailbox.ts'
import { createDirectoryMailbox, unownedWorkingFiles } from '../mailboxes/directory/mailbox.ts'
import { createInterchangeFormat } from '../formats/formats.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../mapping/load.ts'
import type { BlockSizes } from '../pipeline/context.ts'
import type { Precedence } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import type { Spool } from '../support/spool.ts'
import type { JournalGuard } from './journal-access.ts'

export interface BridgeContext {
  readonly configuration: Configuration
  readonly options: BridgeOptions
  readonly journal: Journal
  readonly apis: { readonly get: (route: Route) => Api }
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  /** Empty until `loadMappings` was called, where an earlier start accepted the same files. */
  readonly mappings: ReadonlyMap<string, Mapping>
  /** Compiles the mappings, where that is still to be done. Called before work that needs one. */
  readonly loadMappings: () => Promise<void>
  readonly format: Format
  readonly interchanges: InterchangeFormat
  readonly journalGuard: JournalGuard
  /** Among the files of all routes. */
  readonly precedence: Precedence
}

export interface BridgeOptions {
  readonly clock: Clock
  readonly random: () => number
  /** Ids of files and deliveries begin with the journal's tag. */
  readonly newId: (tag?: string) => string
  readonly notify: Observer
  readonly version: string
  /** How long a lease without renewal keeps other bridges out; 15 seconds when left out. */
  readonly leaseMs?: number
  /** A person waits for an answer: a server that does not answer the first try counts as unreachable. */
  readonly isImpatient?: boolean
  /** The mappings of the configuration, where they are loaded already. */
  readonly mappings?: ReadonlyMap<string, Mapping>
  /** Nothing is sent or delivered: a mapping with errors does not matter. */
  readonly isReading?: boolean
  /** For proofs, so that short files are planned in blocks too. Left out: only long ones are. */
  readonly blocks?: BlockSizes
  /** For proofs, so that a thread of its own sends short files, too. */
  readonly thread?: ThreadSettings
  /** Wraps the parts as they are built; the crash tests use it to fail at every effect. */
  readonly wrap?: Partial<Wrappers>
}

interface Wrappers {
  readonly journal: (journal: Journal) => Journal
  readonly mailbox: (mailbox: Mailbox) => Mailbox
  readonly api: (api: Api) => Api
  readonly spool: (spool: Spool) => Spool
}

export type MailboxOptions = Pick<BridgeOptions, 'clock' | 'random' | 'isImpatient'> & {
  readonly newId: () => string
  /** The owner of the working files that a mailbox makes and sweeps. When left out, a mailbox sweeps none. */
  readonly working?: WorkingFiles
}

export async function openMailboxes(
  { mailboxes }: Configuration,
  { wrap, ...options }: MailboxOptions & Pick<BridgeOptions, 'wrap'>,
): Promise<Map<string, Mailbox>> {
  const opened = new Map<string, Mailbox>()
  for (const [name, settings] of Object.entries(mailboxes)) {
    const mailbox = await openMailbox(name, settings, options)
    opened.set(name, wrap?.mailbox?.(mailbox) ?? mailbox)
  }
  return opened
}

export async function openMailbox(
  name: string,
  settings: MailboxConfiguration,
  { clock, random, newId, isImpatient = false, working = unownedWorkingFiles() }: MailboxOptions,
): Promise<Mailbox> {
  if (settings.type === 'directory') {
    const { path: root, mounted = false } = settings
    return createDirectoryMailbox({ root, mounted, clock, working })
  }
  const { type: _, ...sftp } = settings
  // Loaded only for such a mailbox: loading it takes a fifth of a start.
  const { createSftpMailbox } = await import('../mailboxes/sftp/mailbox.ts')
  return createSftpMailbox({ ...sftp, mailbox: name, clock, random, newId, isImpatient, working })
}

/** Loads the mapping of every route; throws the errors of all of them together. */
export async function loadMappings({
  routes,
  mappingPlaces,
  edi,
}: Configuration): Promise<Map<string, Mapping>> {
  // Most short commands compile no mapping, and loading the compiler is a part of their time.
  const { loadMapping } = await import('../mapping/load.ts')
  const mappings = new Map<string, Mapping>()
  // A mapping has no state of its own, so routes share it: bridges with hundreds of routes have a few mappings.
  const compiled = new Map<string, Mapping>()
  const errors: string[] = []
  for (const route of routes.flatMap(listMappedSteps)) {
    try {
      const { name, operation, mappingPath: path } = route
      const id = `${operation} ${path}`
      const mapping = compiled.get(id) ?? (await loadMapping(path, { route: name, operation }))
      compiled.set(id, mapping)
      mappings.set(route.key, mapping)
      const isSplit = mapping.direction === 'outbound' && mapping.composer.recordsPerFile !== undefined
      if (isSplit && route.direction === 'outbound' && route.report !== undefined)
        errors.push(`route ${name} is a report, which is one file; take \`file\` out of ${path}`)
      if (mapping.direction === 'outbound' && route.direction === 'outbound')
        errors.push(...listEnvelopeErrors(route, mapping, edi))
      if (mapping.direction === 'inbound' && route.direction === 'inbound')
        errors.push(...findDocumentMismatch(route, mapping), ...listConditionErrors(route, mapping))
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'mapping-invalid') throw error
      const place = mappingPlaces?.get(route.mappingPath) ?? `route ${route.name}`
      errors.push(...(error.details.length > 0 ? error.details : [`${place} ${error.message}`]))
    }
  }
  if (errors.length === 0) return mappings
  const details = [...new Set(errors)]
  const several = `there are ${details.length} errors in the mappings`
  const message = details.length === 1 ? 'there is an error in a mapping' : several
  throw new BridgeError('mapping-invalid', message, { details })
}

/** A mapping that writes X12 or EDIFACT needs a partner whose envelope fits, and no other one takes a partner. */
function listEnvelopeErrors(
  { name, partner, usage = 'production', mappingPath: path }: OutboundRoute,
  { composer: { write } }: OutboundMapping,
  edi: EdiConfiguration | undefined,
): string[] {
  const { format, edi: document } = write
  if (partner === undefined)
    return document ? [`route ${name} needs a \`partner\`, because ${path} writes ${format}`] : []
  if (document === undefined)
    return [`route ${name} has a \`partner\`, but ${path} writes ${format}, which has no envelope`]
  const known = edi?.partners.find((each) => each.name === partner)
  const envelope = edi && known && buildEnvelopeSettings(edi, known, { ...document, usage })
  if (envelope === undefined)
    return [
      `route ${name}: partner ${partner} has no id for ${usage} under \`ids\`, or no \`we\` of several addresses under \`edi.us\``,
    ]
  return findEnvelopeErrors(envelope, document.syntax).map(
    (error) => `route ${name}, partner ${partner}: ${error}`,
  )
}

/** Paths of `when` by which a route takes sets of an inbox, and that lead nowhere in the document. */
function listConditionErrors(route: InboundRoute, mapping: InboundMapping): string[] {
  const { document = '', when = {} } = route.from.interchanges ?? {}
  const { format: syntax } = mapping.translator.read
  if (syntax !== 'x12' && syntax !== 'edifact') return []
  const format = createInterchangeFormat()
  return Object.keys(when).flatMap((path) => {
    const error = format.findPathError({ syntax, document, path })
    return error === undefined ? [] : [`route ${route.name}: \`from.when\` names ${path}: ${error}`]
  })
}

/** The routes that read interchanges, which say themselves where they end; many have no line ends. */
export function listRoutesWithoutLineEnds(
  { routes }: Configuration,
  mappings: ReadonlyMap<string, Mapping>,
): string[] {
  return routes.flatMap(({ name }) => {
    const mapping = mappings.get(name)
    return mapping?.direction === 'inbound' && mapping.translator.read.edi !== undefined ? [name] : []
  })
}

/** The files of these routes may end without a line end. */
export function allowMissingLineEnds(configuration: Configuration, names: readonly string[]): Configuration {
  const allowed = new Set(names)
  const routes = configuration.routes.map((route): Route =>
    route.direction === 'inbound' && allowed.has(route.name)
      ? { ...route, from: { ...route.from, lastLineEnd: 'optional' } }
      : route,
  )
  return { ...configuration, routes }
}

/** A route that takes sets of an inbox needs a mapping that reads them. */
function findDocumentMismatch(
  { name, from: { interchanges }, mappingPath: path }: InboundRoute,
  { translator: { read } }: InboundMapping,
): string[] {
  if (interchanges === undefined) return []
  const { document, inbox } = interchanges
  if (read.edi?.document === document) return []
  const reads = read.edi === undefined ? `files of the format ${read.format}` : read.edi.document
  return [
    `route ${name} takes ${document} of the inbox ${inbox}, but ${path} reads ${reads}; its \`read\` must say \`document: ${document}\``,
  ]
}

type MappedStep = Route & {
  /** The key of its mapping. */
  readonly key: string
}

/** Each step of a route that has a mapping, as if it were a route of its own. */
export function listMappedSteps(route: Route): MappedStep[] {
  const first = { ...route, key: route.name }
  if (route.direction === 'outbound') return [first]
  const further = (route.next ?? []).flatMap(({ operation, mappingPath }) => {
    const key = buildStepKey(route.name, operation)
    return mappingPath === undefined ? [] : [{ ...route, operation, mappingPath, key }]
  })
  return [first, ...further]
}

/** Names of routes have no slash, so the key is unique. */
export function buildStepKey(route: string, operation: string): string {
  return `${route}/${operation}`
}
