/** Compares a file with its manifest before the first record is planned. */
import type { FileEntry } from '../../domain/file.ts'
import { type FileReading, isUnreadable, type Row, type UnreadableFile } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
} from '../../support/decimal.ts'
import type { IntakeContext } from '../context.ts'
import { manifestSpoolName } from './intake.ts'
import { isObject } from '../../support/object-paths.ts'

/** Returns all mismatches; none where the file came without a manifest. `read` opens the rows. May be repeated. */
export async function checkManifest(
  { spool, route }: IntakeContext,
  file: FileEntry,
  read: ReceivedFile['read'],
): Promise<readonly Problem[]> {
  const name = manifestSpoolName(file.id)
  if (route.ready?.when !== 'manifest' || !(await spool.list()).includes(name)) return []
  const chunks: Uint8Array[] = []
  for await (const chunk of spool.read(name)) chunks.push(chunk)
  const { size, sha256 = '' } = file
  const sidecar = route.ready.sidecarNameOf(file.name)
  return compareWithManifest({ manifestFile: sidecar, bytes: Buffer.concat(chunks) }, { size, sha256, read })
}

/** The file as it arrived; its rows are read only if the manifest gives their number or sums. */
interface ReceivedFile {
  readonly size: number
  readonly sha256: string
  readonly read: () => Promise<FileReading | UnreadableFile>
}

export async function compareWithManifest(
  { manifestFile, bytes }: { readonly manifestFile: string; readonly bytes: Uint8Array },
  file: ReceivedFile,
): Promise<readonly Problem[]> {
  const manifest = parseManifest(bytes)
  if ('error' in manifest)
    return [problem('manifest-unusable', {}, `The manifest ${manifestFile} ${manifest.error}.`)]
  return [...compareWhole(manifest, file), ...(await compareRows(manifest, file))]
}

function compareWhole(manifest: Manifest, file: ReceivedFile): Problem[] {
  const { bytes = file.size, sha256 = file.sha256 } = manifest
  const problems: Problem[] = []
  if (bytes !== file.size) problems.push(createMismatch(`${bytes} bytes`, `${file.size}`))
  if (sha256 !== file.sha256) problems.push(createMismatch(`the SHA-256 ${sha256}`, file.sha256))
  return problems
}

function createMismatch(claimed: string, found: string): Problem {
  return problem('manifest-differs', {}, `The manifest says ${claimed}, and the file has ${found}.`)
}

async function compareRows({ rows, sums }: Manifest, { read }: ReceivedFile): Promise<readonly Problem[]> {
  if (rows === undefined && sums.size === 0) return []
  const reading = await read()
  // Planning reports why the file is unreadable.
  if (isUnreadable(reading)) return []
  try {
    const columnSums = [...sums].map(([column, claimed]) => createColumnSum(reading, column, claimed))
    let counted = 0
    for await (const batch of reading.batches) {
      counted += batch.length
      for (const sum of columnSums) sum.add(batch)
    }
    const count = rows === undefined || rows === counted ? [] : [createMismatch(`${rows} rows`, `${counted}`)]
    return [...count, ...columnSums.flatMap((sum) => sum.compare())]
  } finally {
    await reading.close()
  }
}

/** Adds up one column; blank cells count as nothing. */
function createColumnSum({ layouts }: FileReading, column: string, claimed: Decimal) {
  const places = layouts.map(({ columns }) => columns.findIndex((name) => name.trim() === column))
  let found: Decimal = { units: 0n, scale: 0 }
  let unreadable: Problem | undefined
  const add = ({ layout, values, line }: Row) => {
    const cell = (values[places[layout] ?? -1] ?? '').trim()
    if (cell === '' || unreadable !== undefined) return
    const number = parseDecimal(cell)
    if (number !== undefined) found = addDecimals(found, number)
    else {
      const message = `The manifest sums the column, and ${JSON.stringify(cell)} is no plain number.`
      unreadable = problem('manifest-differs', { line, column }, message)
    }
  }
  return {
    add: (rows: readonly Row[]) => rows.forEach(add),
    compare(): Problem[] {
      if (unreadable !== undefined) return [unreadable]
      if (places.every((place) => place === -1)) {
        const message = `The manifest sums the column "${column}", which the file does not have.`
        return [problem('manifest-differs', {}, message)]
      }
      if (compareDecimals(claimed, found) === 0) return []
      return [createMismatch(`that "${column}" sums up to ${formatDecimal(claimed)}`, formatDecimal(found))]
    },
  }
}

// Parses a manifest: JSON, lines of `key: value`, or the output of `sha256sum`.

/** The expected contents of the file; at least one of the values is given. */
interface Manifest {
  readonly rows?: number
  readonly bytes?: number
  /** In lower case. */
  readonly sha256?: string
  /** Expected sums by column name. */
  readonly sums: ReadonlyMap<string, Decimal>
}

/** Ignores keys that do not describe the contents of the file, such as its name or date. */
function parseManifest(bytes: Uint8Array): Manifest | { readonly error: string } {
  const text = new TextDecoder().decode(bytes).trim()
  if (text === '') return { error: 'is empty' }
  const entries = text.startsWith('{') ? parseJsonEntries(text) : parseLineEntries(text)
  if (entries === undefined) return { error: 'begins with "{" and is no JSON object' }
  const sums = new Map<string, Decimal>()
  const manifest: { rows?: number; bytes?: number; sha256?: string } = {}
  for (const [key, value] of entries) {
    const start = `says ${key}: ${JSON.stringify(value.slice(0, 80))}, which is`
    const word = key.toLowerCase()
    if (word === 'rows' || word === 'bytes') {
      if (!/^\d{1,15}$/.test(value)) return { error: `${start} no whole number` }
      manifest[word] = Number(value)
    } else if (word === 'sha256') {
      if (!/^[0-9a-f]{64}$/i.test(value)) return { error: `${start} no SHA-256 of 64 hexadecimal digits` }
      manifest.sha256 = value.toLowerCase()
    } else if (word.startsWith('sum.')) {
      const sum = parseDecimal(value)
      if (sum === undefined) return { error: `${start} no plain number` }
      sums.set(key.slice('sum.'.length).trim(), sum)
    }
  }
  if (Object.keys(manifest).length + sums.size === 0) {
    return { error: 'says nothing of rows, bytes, sha256 or a sum' }
  }
  return { ...manifest, sums }
}

type ManifestEntries = readonly (readonly [key: string, value: string])[]

function parseJsonEntries(text: string): ManifestEntries | undefined {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(read)) return undefined
  return Object.entries(read).flatMap(([key, value]) =>
    key.toLowerCase() === 'sum' && isObject(value)
      ? Object.entries(value).map(([column, sum]) => [`sum.${column}`, String(sum)] as const)
      : [[key, String(value)] as const],
  )
}

const SUM_LINE = /^([0-9a-f]{64})(?:\s+\*?\S.*)?$/i

const KEY_LINE = /^([^:=]+?)\s*[:=]\s*(.*)$/

function parseLineEntries(text: string): ManifestEntries {
  return text.split(/\r\n|\n|\r/).flatMap((line) => {
    const sum = SUM_LINE.exec(line.trim())?.[1]
    if (sum !== undefined) return [['sha256', sum] as const]
    const [, key, value] = KEY_LINE.exec(line.trim()) ?? []
    return key === undefined || value === undefined ? [] : [[key, value] as const]
  })
}
