/** The reports that came of the files of a round: each file must come to one set, whose parts are its own. */
import { partSuffix } from '../../domain/file-parts.ts'
import { type Finding, finding } from './findings.ts'
import { type DeliveredFile, textOf } from './outlet.ts'
import { readResults, type ResultLine } from './results-file.ts'

/** A file that was put into the inbox of a route. */
export interface Drop {
  readonly route: string
  readonly name: string
  /** One character for each byte. */
  readonly text: string
}

/** What came of one drop. */
export interface ReportSet {
  readonly drop: Drop
  /** Of its result file, or of the first of several; undefined where there is none that can be read. */
  readonly lines: readonly ResultLine[] | undefined
  /** How many reports of each kind there are, by their suffix. */
  readonly kinds: ReadonlyMap<string, number>
}

interface Report {
  readonly kind: string
  readonly file: DeliveredFile
  readonly lines: readonly ResultLine[] | undefined
}

const RESULTS = '.results.csv'
const SUMMARY = '.summary.json'

/** All reports among the files, each with the drop that it speaks of; those that speak of none come back as well. */
export async function reportSets(
  drops: readonly Drop[],
  files: readonly DeliveredFile[],
): Promise<{ readonly sets: readonly ReportSet[]; readonly strays: readonly string[] }> {
  const found = new Map<Drop, Report[]>(drops.map((drop) => [drop, []]))
  const strays: string[] = []
  for (const file of files) {
    const kind = kindOf(file, drops)
    if (kind === undefined) continue
    const report = { kind, file, lines: kind === RESULTS ? await readResults(file.path) : undefined }
    const reports = found.get(ownerOf(report, drops) ?? NOBODY)
    if (reports === undefined) strays.push(file.name)
    else reports.push(report)
  }
  const sets = [...found].map(([drop, reports]): ReportSet => ({
    drop,
    lines: reports.find(({ lines }) => lines !== undefined)?.lines,
    kinds: countsOf(reports),
  }))
  return { sets, strays }
}

const NOBODY: Drop = { route: '', name: '', text: '' }

function countsOf(reports: readonly Report[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of reports) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Undefined for what is no report, such as a packing slip. */
function kindOf({ name }: DeliveredFile, drops: readonly Drop[]): string | undefined {
  const parts = drops.flatMap((drop) => [
    partSuffix('rejects', drop.name),
    partSuffix('exceptions', drop.name),
  ])
  return [RESULTS, SUMMARY, ...parts].find((kind) => name.endsWith(kind))
}

/** The drop that has most in common with what the report says; of files of one name the report's name tells nothing. */
function ownerOf(report: Report, drops: readonly Drop[]): Drop | undefined {
  const [only, ...others] = drops
  if (others.length === 0) return only
  const shares = drops.map((drop) => ({ drop, share: sharedWith(report, drop) }))
  const [most, second] = shares.toSorted((one, other) => other.share - one.share)
  return most === undefined || most.share === second?.share ? undefined : most.drop
}

function sharedWith({ kind, file, lines }: Report, { route, text }: Drop): number {
  if (kind === SUMMARY) return (JSON.parse(textOf(file)) as { route?: unknown }).route === route ? 1 : 0
  // Of two bytes for a letter one is zero, in the texts of most.
  const plain = text.replaceAll('\0', '')
  if (kind === RESULTS) {
    const cells = (lines ?? []).flatMap(({ keys }) => keys)
    return cells.filter((cell) => /^[ -~]+$/.test(cell) && plain.includes(cell)).length
  }
  const rows = textOf(file)
    .replaceAll('\0', '')
    .split(/[\r\n]+/)
  return rows.filter((row) => row !== '' && plain.includes(row)).length
}

/**
 * What is missing or too much, by what a file comes to when nothing goes wrong. A kind that does not come then, as the rows of
 * records that are held, may come once. A result file that is missing is told of with its records.
 */
export function setsAgainst({ drop, kinds }: ReportSet, usual: ReadonlyMap<string, number>): Finding[] {
  const names = [...new Set([...usual.keys(), ...kinds.keys()])]
  return names.flatMap((kind) => {
    const count = kinds.get(kind) ?? 0
    const file = `${drop.name} of ${drop.route}`
    if (count > 1) return [finding('twice', file, `its ${kind} was delivered ${count} times`)]
    const isMissing = count === 0 && usual.has(kind) && kind !== RESULTS
    return isMissing ? [finding('lost', file, `it has no ${kind}`)] : []
  })
}
