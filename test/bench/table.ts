/** What the bench prints: one table of ratios, one of memory. */

export interface Row {
  readonly what: string
  readonly beside: string
  readonly floor: string
  readonly ours: string
  readonly ratio: number
  /** A row without a figure to reach is for information. */
  readonly reach?: { readonly atLeast: number } | { readonly atMost: number }
}

export interface MemoryRow {
  readonly what: string
  readonly records: number
  readonly peakMb: number
  readonly baseMb: number
  readonly microsecondsPerRecord: number
}

export function printRows(rows: readonly Row[]): string {
  const head = ['what', 'beside', 'floor', 'ours', 'ratio', 'reach', '']
  return layOut([
    head,
    ...rows.map((row) => [
      row.what,
      row.beside,
      row.floor,
      row.ours,
      row.ratio.toFixed(2),
      reachText(row),
      verdict(row),
    ]),
  ])
}

export function printMemory(rows: readonly MemoryRow[]): string {
  const head = ['memory', 'records', 'peak MB', 'of which before the file', 'us a record']
  return layOut([
    head,
    ...rows.map((row) => [
      row.what,
      String(row.records),
      row.peakMb.toFixed(0),
      row.baseMb.toFixed(0),
      row.microsecondsPerRecord.toFixed(0),
    ]),
  ])
}

function reachText({ reach }: Row): string {
  if (reach === undefined) return '-'
  return 'atLeast' in reach ? `>= ${reach.atLeast}` : `<= ${reach.atMost}`
}

/** Compares the ratio as it is printed, so that a row that reads 0.60 beside a reach of 0.6 is not called short. */
function verdict({ reach, ratio }: Row): string {
  if (reach === undefined) return ''
  const shown = Number(ratio.toFixed(2))
  const reached = 'atLeast' in reach ? shown >= reach.atLeast : shown <= reach.atMost
  return reached ? 'reached' : 'short'
}

function layOut(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '))
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('-|-'))
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** `12.3k/s` */
export function speed(perSecond: number): string {
  return perSecond >= 1000 ? `${(perSecond / 1000).toFixed(1)}k/s` : `${perSecond.toFixed(0)}/s`
}
