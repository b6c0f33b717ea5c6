/** Commands that drop a file which undoes something: into a route that reads it, or into one to be added. Drops nothing. */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { InboundRoute } from '../config/routes.ts'
import type { Draft } from '../domain/translator.ts'
import type { Journal } from '../domain/journal.ts'
import { formatAccount, type Party } from '../domain/route.ts'
import { createFormats } from '../formats/formats.ts'
import { createCsvWriter } from '../formats/writer.ts'
import { readRecordsFrom } from '../mapping-tools/translate-file.ts'
import { type InboundMapping, loadMapping } from '../mapping/load.ts'
import { toExampleBody } from '../mapping/examples.ts'
import type { UndoFile } from '../operations/undo.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { resolvePackagePath } from '../support/process.ts'
import { quoteForShell } from '../support/text.ts'
import { previewFile } from './outcome-preview.ts'
import { toStream } from '../support/async.ts'

/** What a person does to have a file undo something. */
export interface UndoCommands {
  /** For a POSIX shell, one after the other. */
  readonly commands: readonly string[]
  /** Where no route of the party reads the file: the lines to add to `routes` first. */
  readonly newRoute?: { readonly lines: readonly string[]; readonly apiOf?: string }
  /** What the route waits for besides the file, or where a person has to put it. */
  readonly note?: string
}

export interface UndoTarget {
  readonly configuration: Pick<Configuration, 'api' | 'edi' | 'mailboxes' | 'routes' | 'source'>
  readonly journal: Journal | undefined
  readonly party: Party
  /** How to call the program with this configuration: `dropbridge run`, then the name of a route. */
  readonly runCommand: string
}

/** Of the file's versions, the first that the bridge did not send before. */
export async function planUndoFile(target: UndoTarget, file: UndoFile, stem: string): Promise<UndoCommands> {
  const ready = await loadInbound(resolvePackagePath(join('mappings', file.mapping)))
  const lines = await chooseVersion(target, file, ready)
  const route = await findReadingRoute(target, file, { lines, ready })
  const { name, folder, prepare, newRoute, note } =
    route === undefined ? await planNewRoute(target, file, stem) : planOldRoute(target, route, stem)
  const path = join(folder, name)
  const write = `printf '%s\\n' ${lines.map(quoteForShell).join(' ')} > ${quoteForShell(path)}`
  const run = `${target.runCommand} ${quoteForShell(route?.name ?? newRouteName(target, file))}`
  return {
    commands: [...prepare, write, run],
    ...(newRoute === undefined ? {} : { newRoute }),
    ...(note === undefined ? {} : { note }),
  }
}

async function loadInbound(path: string): Promise<InboundMapping> {
  const mapping = await loadMapping(path)
  if (mapping.direction === 'outbound') throw new Error(`${path} is no mapping for files that come in`)
  return mapping
}

function formatLines({ header }: UndoFile, rows: readonly (readonly string[])[]): string[] {
  const writer = createCsvWriter([], { format: 'csv', newline: '\n', header: false })
  return Buffer.from(writer.formatRows([header, ...rows]))
    .toString()
    .split('\n')
    .slice(0, -1)
}

async function chooseVersion(
  { journal, party }: UndoTarget,
  file: UndoFile,
  ready: InboundMapping,
): Promise<string[]> {
  const versions = file.versions.map((rows) => formatLines(file, rows))
  for (const lines of versions) {
    const known = journal && { journal, account: formatAccount(party) }
    if (((await readDrafts(lines, ready, known))?.known ?? 0) === 0) return lines
  }
  return versions[0] ?? []
}

/** The records that a mapping makes of the lines; undefined where it does not read them, or refuses one. */
async function readDrafts(
  lines: readonly string[],
  mapping: InboundMapping,
  known?: { readonly journal: Journal; readonly account: string },
) {
  const source = { file: 'undo.csv', folder: 'undo' }
  const from = { bytes: toStream(Buffer.from(`${lines.join('\n')}\n`)), source }
  const reading = await readRecordsFrom(from, createFormats(), mapping)
  if ('problems' in reading) return undefined
  const drafts: Draft[] = []
  for await (const { draft } of reading.records) drafts.push(draft)
  const isWhole = drafts.every(
    ({ problems, skipped, held }) => problems.length === 0 && skipped === undefined && held === undefined,
  )
  if (!isWhole) return undefined
  const preview = previewFile({ operation: mapping.operation, bound: reading.bound, reading, known })
  await preview.add(drafts)
  const said = drafts.map((draft) => [toExampleBody(draft), draft.references])
  return { known: preview.end().counts.known, said: JSON.stringify(said) }
}

/** A route of the party whose mapping makes the same records of the file as the ready mapping does. */
async function findReadingRoute(
  { configuration, party }: UndoTarget,
  { operation }: UndoFile,
  { lines, ready }: { readonly lines: readonly string[]; readonly ready: InboundMapping },
): Promise<InboundRoute | undefined> {
  const meant = await readDrafts(lines, ready)
  for (const route of configuration.routes) {
    if (route.direction === 'outbound' || route.operation !== operation || route.next !== undefined) continue
    if (formatAccount(route.party) !== formatAccount(party)) continue
    if (fitName(route.from.match, 'undo') === undefined || route.from.sequence !== undefined) continue
    const read = await readDrafts(lines, await loadInbound(route.mappingPath))
    if (read !== undefined && read.said === meant?.said) return route
  }
  return undefined
}

/** A name that the pattern takes; undefined where none with the stem does. */
function fitName(pattern: string, stem: string): string | undefined {
  const [before = '', ...after] = pattern.split('*')
  const filled = `${before}${stem}${after.join('')}`.replaceAll('?', '1')
  const names = [`${stem}.csv`, filled]
  return names.find((name) => compileFilePattern(pattern)(name))
}

interface Place {
  readonly name: string
  /** Of this machine, or empty: the working folder. */
  readonly folder: string
  readonly prepare: readonly string[]
  readonly newRoute?: UndoCommands['newRoute']
  readonly note?: string
}

function planOldRoute({ configuration }: UndoTarget, { from }: InboundRoute, stem: string): Place {
  const name = fitName(from.match, stem) ?? `${stem}.csv`
  const notes = from.ready === undefined ? [] : [describeReady(from.ready, name)]
  const mailbox = configuration.mailboxes[from.mailbox]
  if (mailbox?.type === 'directory') return { name, ...inFolder(mailbox, from.folder), ...joinNotes(notes) }
  notes.push(`put ${name} into folder ${from.folder} of mailbox ${from.mailbox} before the run`)
  return { name, folder: '', prepare: [], ...joinNotes(notes) }
}

function describeReady(ready: NonNullable<InboundRoute['from']['ready']>, name: string): string {
  if (ready.when === 'renamed') return `write ${name} under a working name first, as the route's files come`
  return `the route waits for the ${ready.when} of ${name} too: ${ready.sidecar.replace('{name}', name)}`
}

function joinNotes(notes: readonly string[]): Pick<Place, 'note'> {
  return notes.length === 0 ? {} : { note: notes.join('; ') }
}

/** A folder must not be made where a mount is missing. */
function inFolder(
  { path, mounted = false }: { readonly path: string; readonly mounted?: boolean },
  within: string,
): Pick<Place, 'folder' | 'prepare'> {
  const folder = join(path, within)
  return { folder, prepare: mounted ? [] : [`mkdir -p ${quoteForShell(folder)}`] }
}

function newRouteName({ configuration, party }: UndoTarget, { operation }: UndoFile): string {
  const name = `undo-${operation}`
  return configuration.routes.some((route) => route.name === name)
    ? `${name}-${party.kind}-${party.id}`
    : name
}

/** A directory where there is one. Partners read the mailboxes of interchanges, and results are not for them. */
function chooseMailbox({ mailboxes, edi }: UndoTarget['configuration']) {
  const ofPartners = new Set([
    ...(edi?.inboxes ?? []).map(({ from }) => from.mailbox),
    ...(edi?.partners ?? []).map(({ to }) => to?.mailbox),
  ])
  const all = Object.entries(mailboxes)
  const own = all.filter(([name]) => !ofPartners.has(name))
  const isDirectory = ([, { type }]: (typeof all)[number]) => type === 'directory'
  return own.find(isDirectory) ?? all.find(isDirectory) ?? own[0] ?? all[0]
}

/** Relative to the configuration: its own copy of the ready mapping, or that of a program installed below it. */
async function locateMapping({ configuration: { source } }: UndoTarget, name: string): Promise<string> {
  const ready = resolvePackagePath(join('mappings', name))
  if (source === undefined) return ready
  const folder = dirname(source.path)
  const own = await readFile(join(folder, 'mappings', name), 'utf8').catch(() => undefined)
  if (own === (await readFile(ready, 'utf8'))) return `mappings/${name}`
  const near = relative(folder, ready)
  return near.startsWith('..') ? ready : near
}

async function planNewRoute(target: UndoTarget, file: UndoFile, stem: string): Promise<Place> {
  const { configuration, party } = target
  const name = newRouteName(target, file)
  const [mailbox, settings] = chooseMailbox(configuration) ?? []
  const folder = `inbox/${name}`
  const lines = [
    `  ${name}:`,
    `    ${party.kind}: ${party.id}`,
    `    operation: ${file.operation}`,
    `    mapping: ${JSON.stringify(await locateMapping(target, file.mapping))}`,
    `    from: { mailbox: ${mailbox ?? ''}, folder: ${folder} }`,
    `    results: { mailbox: ${mailbox ?? ''} }`,
  ]
  const own = configuration.routes.find((route) => formatAccount(route.party) === formatAccount(party))
  const hasOwnApi = own !== undefined && own.credentials.clientId !== configuration.api.credentials.clientId
  const newRoute = { lines, ...(hasOwnApi ? { apiOf: own.name } : {}) }
  if (settings?.type === 'directory') return { name: `${stem}.csv`, ...inFolder(settings, folder), newRoute }
  const note = `put ${stem}.csv into folder ${folder} of mailbox ${mailbox ?? ''} before the run`
  return { name: `${stem}.csv`, folder: '', prepare: [], newRoute, note }
}
