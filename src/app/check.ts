/** Checks a configuration, on request also credentials and servers. It sends and changes nothing. */
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { FolderRef } from '../alerts/context.ts'
import { findMistypedInboxes } from '../alerts/misplaced.ts'
import { findStrandedRoutes } from '../alerts/stalled-work.ts'
import { createClient } from '../client/client.ts'
import type { Configuration } from '../config/configuration.ts'
import { DEFAULT_MATCH } from '../config/folders.ts'
import { type InboundRoute, listScannedInboxes, type Route } from '../config/routes.ts'
import type { Api } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { formatAccount } from '../domain/route.ts'
import { createFormats } from '../formats/formats.ts'
import { isJournalWritten } from '../journal/connection.ts'
import { openJournal } from '../journal/open.ts'
import { NOT_A_FOLDER_FIX } from '../mailboxes/staged.ts'
import type { Mapping } from '../mapping/load.ts'
import { findExampleFailures } from '../mapping-tools/examples.ts'
import { hasOpenLastLine } from '../mapping-tools/translate-file.ts'
import { readId } from '../operations/operation.ts'
import { createGoneInboxError, getInboxPlace } from '../pipeline/inbound/inbox.ts'
import { groupBy, rememberByArguments } from '../support/collections.ts'
import { BridgeError, EXIT, FAILURES } from '../support/errors.ts'
import { findClosedFolder, findOpenToOthers, isMountPoint } from '../support/files.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { quoteForShell } from '../support/text.ts'
import {
  type BridgeOptions,
  listMappedSteps,
  allowMissingLineEnds,
  listRoutesWithoutLineEnds,
  loadMappings,
  type MailboxOptions,
  openMailbox,
  openMailboxes,
} from './context.ts'
import { findAbsentJournalFailure, findJournalFailure, unlessAway } from './journal-access.ts'

interface CheckResult {
  readonly routes: readonly { readonly route: string; readonly mapping: string; readonly examples: number }[]
  /** Inboxes of interchanges, and the routes that take sets of them. */
  readonly inboxes: readonly CheckedInbox[]
  readonly warnings: readonly string[]
  /** Everything that would go wrong, one line each. */
  readonly failures: readonly string[]
}

export interface CheckedInbox {
  readonly inbox: string
  /** `van:in`. */
  readonly from: string
  readonly routes: readonly { readonly route: string; readonly document: string; readonly partner?: string }[]
}

export interface CheckFinding {
  readonly message: string
  readonly fix?: string | undefined
}

/** Throws `mapping-invalid` when a mapping does not compile; every other finding is in the result. Sends and changes nothing. */
export async function checkConfiguration(written: Configuration): Promise<CheckResult> {
  const mappings = await loadMappings(written)
  const configuration = allowMissingLineEnds(written, listRoutesWithoutLineEnds(written, mappings))
  const format = createFormats()
  const failures: string[] = []
  const warnings: string[] = []
  const routes: { route: string; mapping: string; examples: number }[] = []
  // Many routes share a mapping, and its examples are tried once.
  const tried = new Set<Mapping>()
  const isOpen = rememberByArguments(hasOpenLastLine)
  for (const { key, name, mappingPath } of configuration.routes.flatMap(listMappedSteps)) {
    const mapping = mappings.get(key)
    if (!mapping) continue
    routes.push({ route: name, mapping: mappingPath, examples: mapping.examples.length })
    if (!tried.has(mapping)) failures.push(...(await findExampleFailures(mapping, mappingPath, format)))
    tried.add(mapping)
    warnings.push(...mapping.warnings.map((warning) => `${mappingPath}: ${warning}`))
  }
  for (const route of configuration.routes) {
    warnings.push(
      ...(await warnAboutOpenExamples(route, mappings, isOpen)),
      ...warnAboutMatch(route, mappings),
    )
  }
  warnings.push(...warnAboutIdlePartners(configuration), ...warnAboutTwoAcknowledgers(configuration))
  warnings.push(...warnAboutLateAnswers(configuration))
  warnings.push(...(await warnAboutOpenFiles(configuration)))
  const folders = await checkFolders(configuration)
  warnings.push(...folders.warnings)
  failures.push(...folders.failures)
  return { routes, inboxes: listInboxes(configuration), warnings, failures: [...new Set(failures)] }
}

function listInboxes(configuration: Configuration): CheckedInbox[] {
  return (configuration.edi?.inboxes ?? []).map(({ name, from }) => ({
    inbox: name,
    from: `${from.mailbox}:${from.folder}`,
    routes: listTakers(configuration).flatMap(({ name: route, from: { interchanges } }) =>
      interchanges?.inbox === name
        ? [
            {
              route,
              document: interchanges.document,
              ...omitUndefined({ partner: interchanges.partner }),
            },
          ]
        : [],
    ),
  }))
}

/** The routes that take sets of an inbox. */
function listTakers({ routes }: Configuration): InboundRoute[] {
  return routes
    .filter((route) => route.direction === 'inbound')
    .filter(({ from }) => from.interchanges !== undefined)
}

/** Whatever such a partner sends is held. */
function warnAboutIdlePartners(configuration: Configuration): string[] {
  const { edi } = configuration
  const takers = listTakers(configuration).map(({ from }) => from.interchanges?.partner)
  if (edi === undefined || edi.inboxes.length === 0 || takers.includes(undefined)) return []
  return edi.partners
    .filter(({ name }) => !takers.includes(name))
    .map(
      ({ name }) =>
        `edi.partners.${name}: no route takes what it sends, so that each of its sets is held: add a route with \`partner: ${name}\`, or take the partner away.`,
    )
}

/**
 * A route that acknowledges what it delivers, beside one that takes acknowledgements from files: the order is acknowledged
 * before the file (such as an 855) says whether it will be filled.
 */
function warnAboutTwoAcknowledgers({ routes }: Configuration): string[] {
  const acknowledgers = routes.filter(({ operation }) => operation.startsWith('acknowledge-'))
  return acknowledgers.flatMap(({ name, operation, party }) =>
    routes
      .filter((route) => route.direction === 'outbound')
      .filter((route) => route.operation === `${operation.replace('acknowledge', 'export')}s`)
      .filter((route) => formatAccount(route.party) === formatAccount(party))
      .filter((route) => route.acknowledge !== 'never')
      .map(
        (route) =>
          `routes.${route.name} acknowledges what it delivers, before the files of ${name} do: write \`acknowledge: never\` at routes.${route.name}, and leave \`receipt\` out.`,
      ),
  )
}

/** Files of EDI rarely end with .csv, which is what a route takes where nothing else is said. */
function warnAboutMatch(route: Route, mappings: Awaited<ReturnType<typeof loadMappings>>): string[] {
  if (route.direction === 'outbound' || route.from.match !== DEFAULT_MATCH) return []
  const readsEdi = listMappedSteps(route).some(({ key }) => {
    const mapping = mappings.get(key)
    return mapping?.direction === 'inbound' && mapping.translator.read.edi !== undefined
  })
  if (!readsEdi) return []
  return [
    `routes.${route.name}.from takes only ${DEFAULT_MATCH}, and its mapping reads EDI: write \`match: "*"\` there.`,
  ]
}

/** Examples without a line end at their end: of a file that ends so, `run` holds the last record. */
async function warnAboutOpenExamples(
  route: Route,
  mappings: Awaited<ReturnType<typeof loadMappings>>,
  isOpen: typeof hasOpenLastLine,
): Promise<string[]> {
  if (route.direction === 'outbound' || route.from.lastLineEnd === 'optional') return []
  const warnings: string[] = []
  for (const { key, mappingPath } of listMappedSteps(route)) {
    for (const { input } of mappings.get(key)?.examples ?? []) {
      if (!(await isOpen(resolve(dirname(mappingPath), input)))) continue
      const message = `${mappingPath}: the last line of the example ${input} has no line end; of a file that ends so, run holds the last record.`
      warnings.push(
        `${message} If all files of the route end so, set \`lastLineEnd: optional\` under \`from\`.`,
      )
    }
  }
  return warnings
}

/** The system still sends for an ended process or a closed connection for some 100 seconds; measured on Linux. */
const SENDING_AFTER_CLOSE_MS = 120_000

/** The timeouts of gateways are unknown; this assumes that they are no longer than the configured one. */
function warnAboutLateAnswers({ api: { lateAnswerMs, timeoutMs } }: Configuration): string[] {
  const least = SENDING_AFTER_CLOSE_MS + timeoutMs
  if (lateAnswerMs >= least) return []
  const message = `api.lateAnswer is ${lateAnswerMs / 1000}s: a request whose answer was lost may take effect later than that, and would be sent again.`
  return [`${message} Set it to ${least / 1000}s or more: two minutes and the longest timeout of a gateway.`]
}

/** What holds orders, addresses and secrets, and can be read by other users of this machine. */
async function warnAboutOpenFiles(configuration: Configuration): Promise<string[]> {
  const { journal, stateFolder, mailboxes, secretPlaces } = configuration
  const archives = listScannedInboxes(configuration).flatMap(({ from }) => {
    const mailbox = mailboxes[from.mailbox]
    return mailbox?.type === 'directory' ? [join(mailbox.path, from.archive)] : []
  })
  const files = ['', '-wal', '-shm'].map((suffix) => journal.path + suffix)
  const folders = [stateFolder, join(stateFolder, 'spool'), ...new Set(archives)]
  const open = await findOpenToOthers([...files, ...folders, ...(secretPlaces?.files ?? [])])
  const secrets = secretPlaces?.places ?? []
  const isReadable = secrets.length > 0 && (await findOpenToOthers([secretPlaces?.file ?? ''])).length > 0
  const close = (path: string) =>
    `${folders.includes(path) ? 'chmod 700' : 'chmod 600'} ${quoteForShell(path)}`
  return [
    ...open.map((path) => `Other users of this machine can read or change ${path}. Close it: ${close(path)}`),
    ...(isReadable ? secrets : []).map(
      (place) =>
        `${place} is a secret in a file that others can read. Write \${NAME} or \${file:PATH}, or: chmod 600 ${quoteForShell(secretPlaces?.file ?? '')}`,
    ),
  ]
}

/** Checks the folders on this machine; `--online` checks the servers. Never throws. */
export async function checkFolders({
  mailboxes,
  statusPage,
}: Pick<Configuration, 'mailboxes' | 'statusPage'>): Promise<Pick<CheckResult, 'warnings' | 'failures'>> {
  const warnings: string[] = []
  const failures: string[] = []
  for (const [name, mailbox] of Object.entries(mailboxes)) {
    if (mailbox.type !== 'directory') continue
    const { path, mounted = false } = mailbox
    const here = await inspectPath(path)
    if (here === 'nothing')
      failures.push(
        `mailbox ${name}: the folder ${path} is not there: make it, mount it, or correct \`path\``,
      )
    if (here === 'a folder' && mounted)
      failures.push(`mailbox ${name}: nothing is mounted at ${path}: mount it`)
    if (here === 'a mount' && !mounted) {
      warnings.push(
        `mailbox ${name}: ${path} is where something is mounted; with "mounted: true" it counts as away, and not as empty, when that is gone`,
      )
    }
  }
  if (statusPage !== undefined) {
    const folder = dirname(statusPage)
    if ((await inspectPath(folder)) === 'nothing')
      failures.push(`status page: the folder ${folder} is not there: make it, or correct \`status.page\``)
  }
  return { warnings, failures }
}

async function inspectPath(path: string): Promise<'nothing' | 'a folder' | 'a mount'> {
  try {
    return (await isMountPoint(await realpath(path))) ? 'a mount' : 'a folder'
  } catch {
    return 'nothing'
  }
}

// The journal, and the inboxes that it knows. A check creates no journal.

/** `isNew`: whether there is no journal yet. `missing`: the inboxes that the first run makes. */
export async function checkJournal(configuration: Configuration, options: MailboxOptions) {
  const { path } = configuration.journal
  if (path === ':memory:') return { isNew: false, missing: [], failures: [], warnings: [] }
  const local = Object.entries(configuration.mailboxes).filter(([, { type }]) => type === 'directory')
  const mailboxes = await openMailboxes({ ...configuration, mailboxes: Object.fromEntries(local) }, options)
  let journal: Journal | undefined
  try {
    if (isJournalWritten(path)) journal = await openJournal({ path, clock: options.clock, isCheck: true })
    const failure =
      journal === undefined
        ? await findAbsentJournalFailure({ configuration, mailboxes })
        : await findJournalFailure({ configuration, mailboxes, journal, clock: options.clock })
    const { gone, missing } = await findMissingInboxes(configuration, journal, mailboxes)
    const failures = [
      ...[...(failure ? [failure] : []), ...gone].map(toFinding),
      ...(await findUnusableFolders(configuration, mailboxes)),
    ]
    const mistyped = await findMistypedInboxes({ configuration, mailboxes })
    const stranded = journal === undefined ? [] : await findStrandedRoutes({ journal, configuration })
    const warnings = [...mistyped, ...stranded].map(({ message, fix }) => `${message}. ${fix}`)
    return { isNew: journal === undefined, missing, failures, warnings }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { isNew: false, missing: [], failures: [toFinding(error)], warnings: [] }
  } finally {
    await journal?.close()
  }
}

function toFinding({ message, fix }: BridgeError): CheckFinding {
  return { message, fix }
}

const CLOSED_FOLDER_FIX = 'Let that user write there, or run the bridge as one who may.'

/** Folders that routes and inboxes use, and that are files or cannot be written. */
async function findUnusableFolders(
  configuration: Configuration,
  mailboxes: ReadonlyMap<string, Mailbox>,
): Promise<CheckFinding[]> {
  const inboxes = listScannedInboxes(configuration)
  const places = [
    ...inboxes.flatMap(({ from }) => [from, { mailbox: from.mailbox, folder: from.archive }]),
    ...(configuration.edi?.inboxes ?? []).map(({ results }) => results),
    ...configuration.routes.flatMap((route): FolderRef[] =>
      route.direction === 'outbound' ? [route.to] : [route.results, route.documents ?? route.results],
    ),
  ]
  const fixes = new Map<string, string>()
  for (const { mailbox, folder } of places) {
    const settings = configuration.mailboxes[mailbox]
    if (settings?.type === 'directory') {
      const closed = await findClosedFolder(settings.path, folder)
      if (closed !== undefined)
        fixes.set(`${closed} cannot be written by the user that runs this check.`, CLOSED_FOLDER_FIX)
    }
    await mailboxes
      .get(mailbox)
      ?.hasFolder(folder)
      .catch((error: unknown) => {
        if (!(error instanceof BridgeError)) throw error
        if (error.fix === NOT_A_FOLDER_FIX) fixes.set(error.message, error.fix)
      })
  }
  return [...fixes].map(([message, fix]) => ({ message, fix }))
}

/** Inboxes on this machine that do not exist: gone if files came from them before, else made by the first run. */
async function findMissingInboxes(
  configuration: Configuration,
  journal: Journal | undefined,
  mailboxes: ReadonlyMap<string, Mailbox>,
) {
  const gone: BridgeError[] = []
  const missing: { readonly route: string; readonly path: string }[] = []
  for (const { key: name, from } of listScannedInboxes(configuration)) {
    const mailbox = mailboxes.get(from.mailbox)
    const isThere = await unlessAway(async () => mailbox?.hasFolder(from.folder))
    const settings = configuration.mailboxes[from.mailbox]
    if (mailbox === undefined || isThere !== false || settings?.type !== 'directory') continue
    const wasUsed = await journal?.isPlaceKnown(getInboxPlace(mailbox, from.folder))
    if (wasUsed === true) gone.push(createGoneInboxError({ name, folder: from.folder }))
    else missing.push({ route: name, path: join(settings.path, from.folder) })
  }
  return { gone, missing }
}

// Credentials: the API says which parties each account may act for.

/** The list that shows which ids an account may act for. Spec: "What the service does", 5. */
const PARTY_LIST_ENDPOINTS = { retailer: 'listRetailers', brand: 'listBrands' } as const

interface OnlineCheck {
  /** Errors in the ids of the routes or in the settings. */
  readonly errors: CheckFinding[]
  /** Credentials that were refused, and servers that are not the trusted ones. */
  readonly refused: CheckFinding[]
  /** Checks that are open because the API gave no answer. */
  readonly unanswered: CheckFinding[]
}

export async function checkOnline(
  { api, routes }: Configuration,
  options: Pick<BridgeOptions, 'clock' | 'random' | 'version'>,
): Promise<OnlineCheck> {
  const found: OnlineCheck = { errors: [], refused: [], unanswered: [] }
  const keyOf = ({ credentials }: Route) => JSON.stringify([credentials.clientId, credentials.clientSecret])
  for (const own of groupBy(routes, keyOf).values()) {
    const [{ credentials }] = own
    const { baseUrl, timeoutMs, connections } = api
    const client = createClient({ baseUrl, timeoutMs, connections, ...options, ...credentials })
    try {
      found.errors.push(...(await findForbiddenRoutes(client, own)))
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const names = `${own.length === 1 ? 'route' : 'routes'} ${own.map(({ name }) => name).join(', ')}`
      const kind = classifyFailure(error)
      const who = kind === 'unanswered' ? '' : `${credentials.clientId} at `
      found[kind].push({ message: `${names}: ${who}${baseUrl}: ${error.message}`, fix: error.fix })
    } finally {
      await client.close()
    }
  }
  return found
}

/** Whether the failure is a missing answer, a refused login or host key, or another error. */
function classifyFailure({ code, exit }: BridgeError): keyof OnlineCheck {
  if (code === 'api-unreachable' || code === 'mailbox-unreachable') return 'unanswered'
  return exit === EXIT.refusedCredentials ? 'refused' : 'errors'
}

/** The routes whose party the account may not act for. */
async function findForbiddenRoutes(client: Api, routes: readonly Route[]): Promise<CheckFinding[]> {
  const failures: CheckFinding[] = []
  for (const kind of new Set(routes.map(({ party }) => party.kind))) {
    const allowed = new Set<string>()
    for await (const page of client.list({ endpoint: PARTY_LIST_ENDPOINTS[kind] })) {
      for (const party of page) allowed.add(readId(party) ?? '')
    }
    const known = allowed.size === 0 ? `nor for any ${kind}` : `only for ${kind} ${[...allowed].join(', ')}`
    for (const { name, party, credentials } of routes) {
      if (party.kind !== kind || allowed.has(String(party.id))) continue
      failures.push({
        message: `route ${name}: ${credentials.clientId} may not act for ${kind} ${party.id}, ${known}`,
        fix: `Correct ${kind} of the route, or the clientId and clientSecret that it uses.`,
      })
    }
  }
  return failures
}

// SFTP servers: connect, verify the host key, log in, list.

export async function checkMailboxes({ mailboxes }: Configuration, options: MailboxOptions) {
  const found: OnlineCheck = { errors: [], refused: [], unanswered: [] }
  for (const [name, settings] of Object.entries(mailboxes)) {
    if (settings.type === 'directory') continue
    const mailbox = await openMailbox(name, settings, options)
    try {
      await mailbox.list('.', [PROBE_NAME])
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      const kind = classifyFailure(error)
      const fix = error.fix === FAILURES['mailbox-unreachable'].fix ? CHECK_SERVER : error.fix
      found[kind].push({ message: `mailbox ${name}: ${error.message}`, fix })
    } finally {
      await mailbox.close()
    }
  }
  return found
}

/** The common fix of the failure is to run the check that found it. */
const CHECK_SERVER =
  'Check what the message names: its path, or its host, port and proxy. If they are right, check again later.'

/** The name to ask for where listing is forbidden, so that such a server is tried as well. */
const PROBE_NAME = 'dropbridge-check'
