/** Keeps the last configuration that a bridge worked with, without its secrets: commands that read need one that is right. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Document, isScalar, type Scalar } from 'yaml'
import { z } from 'zod'
import { ignoreCodes, makeFolderDurably, PRIVATE_FILE, replaceFile, syncFolder } from '../support/files.ts'
import { VERSION } from '../support/process.ts'
import type { Configuration } from './configuration.ts'
import { walkDocument } from './source.ts'

/** In the folder of the state. */
const KEPT_NAME = 'configuration.json'

const KeptFile = z.object({
  /** The absolute path of the file that it was read from. */
  from: z.string(),
  keptAt: z.int(),
  /** The journal that was at work: another one in its place would be a new one. */
  journal: z.object({ path: z.string(), id: z.string() }),
  configuration: z.record(z.string(), z.unknown()),
  /** The files whose mappings compiled, as a version of the program found. */
  accepted: z
    .object({
      program: z.string(),
      files: z.record(z.string(), z.string()),
      withoutLineEnds: z.array(z.string()),
    })
    .optional(),
})

/** Mappings that compiled: a later start of the same program needs not compile them again before they are used. */
export interface AcceptedMappings {
  /** The SHA-256 of the configuration and of the files of its partners and mappings, as in a `BridgeVersion`. */
  readonly files: Readonly<Record<string, string>>
  /** The routes whose files may end without a line end, because their mappings read interchanges. */
  readonly withoutLineEnds: readonly string[]
}

/** Writes it where it differs from what is kept. A failure is no failure of the work: the copy only helps readers. */
export async function keepConfiguration(
  { source, stateFolder, journal: { path: journalPath } }: Configuration,
  journalId: string,
  now: number,
  mappings?: AcceptedMappings,
): Promise<void> {
  if (source === undefined) return
  const accepted = mappings && { program: VERSION, ...mappings }
  const journal = { path: journalPath, id: journalId }
  const path = join(stateFolder, KEPT_NAME)
  const { withoutSecrets: configuration } = source
  const isSame = (text: string) => {
    const known = parseKept(text)
    if (known?.from !== source.path || known.journal.path !== journalPath || known.journal.id !== journalId)
      return false
    return isEqual(known.configuration, configuration) && isEqual(known.accepted, accepted)
  }
  try {
    const known = await readFile(path, 'utf8').catch(ignoreCodes('ENOENT'))
    if (known !== undefined && isSame(known)) return
    makeFolderDurably(stateFolder)
    const text = JSON.stringify({ from: source.path, keptAt: now, journal, configuration, accepted })
    // Flushed: after a power cut a bridge must still know which journal was at work, to refuse another one in its place.
    await replaceFile(path, text, PRIVATE_FILE)
    await syncFolder(stateFolder)
  } catch {
    // The next start tries again.
  }
}

/**
 * The mappings that an earlier start of this program accepted with this configuration, with the same values of variables.
 * The caller compares the files with those on the disk.
 */
export async function readAcceptedMappings({
  source,
  stateFolder,
}: Configuration): Promise<AcceptedMappings | undefined> {
  if (source === undefined) return undefined
  const known = parseKept(await readFile(join(stateFolder, KEPT_NAME), 'utf8').catch(() => ''))
  if (known?.accepted?.program !== VERSION || known.from !== source.path) return undefined
  return isEqual(known.configuration, source.withoutSecrets) ? known.accepted : undefined
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The id of the journal that a bridge with this state last worked with at `path`; undefined where none is known. */
export async function readKeptJournalId(stateFolder: string, path: string): Promise<string | undefined> {
  const known = parseKept(await readFile(join(stateFolder, KEPT_NAME), 'utf8').catch(() => ''))
  return known?.journal.path === path ? known.journal.id : undefined
}

/** The copy of the configuration at `path`, as the text of a file, and since when it is kept. `text`: of the broken file. */
export async function readKept(path: string, text: string, env: NodeJS.ProcessEnv) {
  for (const folder of listStateFolders(text, env)) {
    const kept = await readFile(join(resolve(dirname(path), folder), KEPT_NAME), 'utf8').catch(() => '')
    const known = parseKept(kept)
    if (known?.from === resolve(path))
      return { text: JSON.stringify(known.configuration), keptAt: known.keptAt }
  }
  return undefined
}

function parseKept(text: string): z.output<typeof KeptFile> | undefined {
  try {
    return KeptFile.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The folder of the state as the broken file still names it, and the default. */
function listStateFolders(text: string, env: NodeJS.ProcessEnv): string[] {
  const [, quoted, bare] = /^state:[ \t]*(?:["']([^"'\n]+)["']|([^\s#"'][^#\n]*))/m.exec(text) ?? []
  const named = (quoted ?? bare ?? '').trim().replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')
  return [...(named === '' ? [] : [named]), './state']
}

// What is secret, and what takes its place.

const SECRET_KEYS = ['clientSecret', 'password', 'passphrase', 'secret']

/** What takes the place of a secret in the copy. */
const REMOVED = 'removed'

/** A setting with a text. */
interface TextPair {
  readonly key: Scalar<string>
  readonly value: Scalar<string>
}

/** The settings of the file that are secrets, or hold one, before variables are substituted. */
export function listSecrets(document: Document): TextPair[] {
  return listTextPairs(document).filter((pair) => isSecretKey(pair) || hasProxyLogin(pair))
}

export function isReference(text: string): boolean {
  return /\$\{[^}]+\}/.test(text)
}

/** Returns a placeholder for a secret whose variable is not set. */
export function getSecretPlaceholder(path: readonly string[]): string | undefined {
  return SECRET_KEYS.includes(path.at(-1) ?? '') ? REMOVED : undefined
}

/** The texts of the settings as they are written, by their places. */
export function listWrittenTexts(document: Document): ReadonlyMap<number | undefined, string> {
  return new Map(listTextPairs(document).map((pair) => [pair.key.range?.[0], pair.value.value]))
}

/**
 * The document with variables substituted, except those of secrets, which stay names. Secrets themselves are removed. Changes the
 * document: a copy of a large one takes long.
 */
export function removeSecrets(
  filled: Document,
  written: ReturnType<typeof listWrittenTexts>,
): Record<string, unknown> {
  walkDocument(filled, {
    value: (node) => {
      // A dollar and a brace that came from a variable are text.
      if (typeof node.value === 'string') node.value = node.value.replaceAll('${', '$${')
    },
  })
  for (const pair of listTextPairs(filled)) {
    const { key, value } = pair
    if (isSecretKey(pair)) {
      const text = written.get(key.range?.[0]) ?? ''
      value.value = /^\$\{[^}]+\}$/.test(text) ? text : REMOVED
    } else if (key.value === 'proxy') value.value = removeLogin(value.value)
    // The address of a webhook may hold a token.
    else if (key.value === 'url') value.value = 'https://removed.invalid/'
  }
  return removeCommandArguments(filled.toJS({ maxAliasCount: 100 }) as Record<string, unknown>)
}

/** An address may be written in ways that only its own parser understands. */
function removeLogin(address: string): string {
  if (!URL.canParse(address)) return REMOVED
  return Object.assign(new URL(address), { username: '', password: '' }).href
}

/** Arguments of a notification command may hold a token. */
function removeCommandArguments({ notifications, ...file }: Record<string, unknown>) {
  const known = z.record(z.string(), z.record(z.string(), z.unknown())).safeParse(notifications)
  if (!known.success) return file
  const each = Object.entries(known.data).map(([name, channel]) => [
    name,
    'run' in channel ? { ...channel, run: [REMOVED] } : channel,
  ])
  return { ...file, notifications: Object.fromEntries(each) as unknown }
}

function listTextPairs(document: Document): TextPair[] {
  const found: TextPair[] = []
  walkDocument(document, {
    setting: (key, value) => {
      if (isText(key) && isText(value)) found.push({ key, value })
    },
  })
  return found
}

function isText(node: unknown): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string'
}

function isSecretKey({ key }: TextPair): boolean {
  return SECRET_KEYS.includes(key.value)
}

function hasProxyLogin({ key, value }: TextPair): boolean {
  return key.value === 'proxy' && URL.canParse(value.value) && new URL(value.value).password !== ''
}
