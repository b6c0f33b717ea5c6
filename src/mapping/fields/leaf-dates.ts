/** Compiles the `format` and `zone` of a leaf. */
import type { Mistakes, SourceNode } from '../source/source.ts'
import { compileDateFormat, type DateFormat } from '../values/date-format.ts'
import type { DateOptions } from '../values/dates.ts'
import { UTC, zoneNamed } from '../values/zone.ts'

/** What is wrong with the options is noted; the rest can be used. */
export function compileDates(
  node: SourceNode,
  options: { readonly format?: string | string[] | undefined; readonly zone?: string | undefined },
  mistakes: Mistakes,
  use: 'read' | 'write',
): DateOptions {
  const names = typeof options.format === 'string' ? [options.format] : (options.format ?? [])
  const place = (name: string) => (node.kind === 'map' ? (node.entries.get(name)?.node ?? node) : node)
  const formats: DateFormat[] = []
  for (const name of names) {
    const format = compileDateFormat(name)
    if (typeof format === 'string') {
      mistakes.add(place('format'), format)
      continue
    }
    formats.push(format)
    if (use === 'write' || format.missing.length === 0) continue
    mistakes.add(place('format'), `"${name}" names no ${format.missing.join(' and no ')}, so it is no date`)
  }
  const zone = options.zone === undefined ? UTC : zoneNamed(options.zone)
  if (zone === undefined) {
    mistakes.add(place('zone'), `there is no time zone "${options.zone}"; write one such as America/New_York`)
  }
  return { formats, names, zone: zone ?? UTC }
}
