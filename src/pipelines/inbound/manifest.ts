/** What a manifest says must be in its file, held against what is in it before the first record is planned. */
import { isUnreadable, type Reading, type Row, type Unreadable } from '../../domain/document.ts'
import type { FileEntry } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
} from '../../support/decimal.ts'
import type { InboundParts } from '../parts.ts'
import { manifestName } from './companions.ts'
import { type Manifest, readManifest } from './manifest-text.ts'
import { spoolName } from './pick-up.ts'

/** All that differs; nothing where the file came without a manifest. May be repeated. */
export async function manifestProblems(parts: InboundParts, file: FileEntry): Promise<readonly Problem[]> {
  const { spool, route, format, translator } = parts
  const name = manifestName(file.id)
  if (route.ready?.when !== 'manifest' || !(await spool.list()).includes(name)) return []
  const chunks: Uint8Array[] = []
  for await (const chunk of spool.read(name)) chunks.push(chunk)
  const read = () => format.read(spool.read(spoolName(file.id)), translator.read)
  const { size, sha256 = '' } = file
  const companion = route.ready.companionOf(file.name)
  return holdAgainst({ companion, bytes: Buffer.concat(chunks) }, { size, sha256, read })
}

/** The file as it came; its rows are read only where the manifest says something of them. */
interface Told {
  readonly size: number
  readonly sha256: string
  readonly read: () => Promise<Reading | Unreadable>
}

export async function holdAgainst(
  { companion, bytes }: { readonly companion: string; readonly bytes: Uint8Array },
  file: Told,
): Promise<readonly Problem[]> {
  const manifest = readManifest(bytes)
  if ('mistake' in manifest)
    return [problem('manifest-unusable', {}, `The manifest ${companion} ${manifest.mistake}.`)]
  return [...differsAsWhole(manifest, file), ...(await differsInRows(manifest, file))]
}

function differsAsWhole({ bytes, sha256 }: Manifest, file: Told): Problem[] {
  return [
    ...(bytes === undefined || bytes === file.size ? [] : [differing(`${bytes} bytes`, `${file.size}`)]),
    ...(sha256 === undefined || sha256 === file.sha256
      ? []
      : [differing(`the SHA-256 ${sha256}`, file.sha256)]),
  ]
}

function differing(said: string, found: string): Problem {
  return problem('manifest-differs', {}, `The manifest says ${said}, and the file has ${found}.`)
}

async function differsInRows({ rows, sums }: Manifest, { read }: Told): Promise<readonly Problem[]> {
  if (rows === undefined && sums.size === 0) return []
  const reading = await read()
  // What makes it unreadable is told when it is planned.
  if (isUnreadable(reading)) return []
  try {
    const adding = [...sums].map(([column, said]) => addUp(reading, column, said))
    let counted = 0
    for await (const batch of reading.batches) {
      counted += batch.length
      for (const sum of adding) sum.add(batch)
    }
    const count = rows === undefined || rows === counted ? [] : [differing(`${rows} rows`, `${counted}`)]
    return [...count, ...adding.flatMap((sum) => sum.differs())]
  } finally {
    await reading.close()
  }
}

/** Adds up one column; cells that are blank count nothing. */
function addUp({ layouts }: Reading, column: string, said: Decimal) {
  const places = layouts.map(({ columns }) => columns.findIndex((name) => name.trim() === column))
  let found: Decimal = { units: 0n, scale: 0 }
  let unreadable: Problem | undefined
  const add = ({ layout, values, line }: Row) => {
    const cell = (values[places[layout] ?? -1] ?? '').trim()
    if (cell === '' || unreadable !== undefined) return
    const number = parseDecimal(cell)
    if (number !== undefined) {
      found = addDecimals(found, number)
      return
    }
    const message = `The manifest sums the column, and ${JSON.stringify(cell)} is no plain number.`
    unreadable = problem('manifest-differs', { line, column }, message)
  }
  return {
    add: (rows: readonly Row[]) => rows.forEach(add),
    differs(): Problem[] {
      if (unreadable !== undefined) return [unreadable]
      if (places.every((place) => place === -1)) {
        const message = `The manifest sums the column "${column}", which the file does not have.`
        return [problem('manifest-differs', {}, message)]
      }
      if (compareDecimals(said, found) === 0) return []
      return [differing(`that "${column}" sums up to ${formatDecimal(said)}`, formatDecimal(found))]
    },
  }
}
