/** What the bench prints: one table of ratios, one of memory. */
import type { Pace } from './measure.ts'

export interface Row {
  readonly what: string
  readonly beside: string
  readonly floor: string
  readonly ours: string
  readonly ratio: number
  /** The same ratio of processor time, where each contender is one process. */
  readonly cpuRatio?: number
  /** A row without a figure to reach is for information. */
  readonly reach?: { readonly atLeast: number; readonly alsoCpu?: true } | { readonly atMost: number }
}

export interface MemoryRow {
  readonly what: string
  readonly records: number
  readonly peakMb: number
  readonly baseMb: number
  readonly microsecondsPerRecord: number
}

export function printRows(rows: readonly Row[]): string {
  const head = ['what', 'beside', 'floor', 'ours', 'ratio', 'cpu', 'reach', '']
  return layOut([
    head,
    ...rows.map((row) => [
      row.what,
      row.beside,
      row.floor,
      row.ours,
      row.ratio.toFixed(2),
      row.cpuRatio?.toFixed(2) ?? '-',
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
  if ('atMost' in reach) return `<= ${reach.atMost}`
  return `>= ${reach.atLeast}${reach.alsoCpu ? ', cpu too' : ''}`
}

/** Compares the ratio as it is printed, so that a row that reads 0.60 beside a reach of 0.6 is not called short. */
function verdict({ reach, ratio, cpuRatio = 0 }: Row): string {
  if (reach === undefined) return ''
  const measured = 'atLeast' in reach && reach.alsoCpu ? Math.min(ratio, cpuRatio) : ratio
  const shown = Number(measured.toFixed(2))
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

/** Of two contenders that do the same work: their speeds, and how the time of the floor compares with ours. */
export function compare(floor: Pace, ours: Pace): Pick<Row, 'floor' | 'ours' | 'ratio' | 'cpuRatio'> {
  return {
    floor: speed(floor.perSecond),
    ours: speed(ours.perSecond),
    ratio: floor.ms / ours.ms,
    cpuRatio: floor.cpuMs / ours.cpuMs,
  }
}

/** `12.3k/s` */
export function speed(perSecond: number): string {
  return perSecond >= 1000 ? `${(perSecond / 1000).toFixed(1)}k/s` : `${perSecond.toFixed(0)}/s`
}
