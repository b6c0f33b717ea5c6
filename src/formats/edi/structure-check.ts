/** Checks the segments of each set against the grammar of its document, while they are placed in their loops. */
import type { FindGrammar } from '../../edi/documents.ts'
import type { Fault, FaultName } from '../../edi/faults.ts'
import type { Grammar, LoopPlace } from '../../edi/grammar.ts'
import type { Segment } from '../../edi/segment.ts'
import { type FaultOwner, showText, type TransactionSet } from './envelopes.ts'
import { type Loop, LoopPlacer, MAX_DEPTH } from './loops.ts'
import { LineTotal } from './line-total.ts'
import { type CheckFinding, PartnerChecks } from './partner-checks.ts'

/** The largest record: a set, or a part of one where the document's records are smaller. */
export const MAX_RECORD_SEGMENTS = 100_000

const MAX_ELEMENTS = 1000

/** Sets without a grammar are not checked. */
export function createStructureCheck(report: (fault: Fault, of: FaultOwner) => void, find: FindGrammar) {
  let open: { readonly set: TransactionSet; readonly placer: LoopPlacer; segments: number } | undefined
  let partner: PartnerChecks | undefined
  let lineTotal: LineTotal | undefined
  /** Records smaller than a set are bounded by the reader. */
  let isWhole = true
  const reportFinding = ({ segment, id = segment.id, ...finding }: CheckFinding) => {
    if (open === undefined) return
    const { set } = open
    const owner: FaultOwner = { interchange: set.group.interchange, group: set.group, set }
    report({ ...finding, segment: segment.number, at: segment.at, id }, owner)
  }
  const reportAt = (kind: FaultName, segment: Segment, message: string) =>
    reportFinding({ kind, segment, message })
  return {
    begin(set: TransactionSet): void {
      const grammar = find(set.segment.delimiters.syntax, set.document, set.ordinal)
      open = undefined
      if (grammar === undefined) return
      const { checks } = grammar
      const isClosed = checks?.isClosed === true
      isWhole = (grammar.definition.records ?? []).every((record) => /[*+]/.test(record))
      const lines = listLineIds(grammar)
      const placer = new LoopPlacer(grammar.root, set.segment, {
        keeps: false,
        onOpened(loop) {
          const { parent, rule, depth } = loop
          if (depth > MAX_DEPTH)
            reportAt('hierarchy-unclear', loop.first, `More than ${MAX_DEPTH} levels are below each other.`)
          if (parent === undefined) return
          const around = rule.tree === undefined ? parent : placer.root
          const total = countPlace(around, around.rule.places.get(rule.id))
          if (total === rule.max + 1) {
            const kind = isClosed ? 'loop-over-limit' : 'segment-too-often'
            reportAt(kind, loop.first, `${rule.id} stands there more than ${rule.max} times.`)
          }
          partner?.onOpened(loop)
          lineTotal?.onOpened(loop)
        },
        onJoined(segment, loop, place) {
          partner?.onJoined(segment, loop)
          lineTotal?.onJoined(segment, loop)
          const { min = 0, max = Infinity } = place.segment ?? {}
          if (min === 0 && max === Infinity) return
          if (countPlace(loop, place) !== max + 1) return
          const kind = isClosed ? 'segment-over-limit' : 'segment-too-often'
          reportAt(kind, segment, `${segment.id} stands there more than ${max} times.`)
        },
        onClosed(loop) {
          for (const { id, index, segment, loop: inner } of loop.rule.required) {
            const count = loop.counts[index] ?? 0
            for (const bounds of [segment, inner]) {
              if ((bounds?.min ?? 0) <= count) continue
              const message = `No ${id} stands in ${describe(loop)}.`
              reportFinding({ kind: 'segment-missing', segment: loop.first, message, missing: id })
            }
          }
          partner?.onClosed(loop)
        },
        onUnplaced(segment, loop) {
          const meant = lines.get(foldId(segment.id))
          if (meant === undefined) {
            const known = grammar.ids.has(segment.id) ? 'segment-misplaced' : 'segment-not-in-document'
            const kind = isClosed ? known : 'segment-unplaced'
            return reportAt(kind, segment, `${segment.id} has no place in ${describe(loop)}.`)
          }
          reportAt(
            'segment-misspelled',
            segment,
            `The document has no ${showText(segment.id)}; ${meant} is nearly the same.`,
          )
        },
        onGuessedParent: (level, parent) =>
          reportAt(
            'parent-guessed',
            level.first,
            `The level ${showText(level.first.value(1))} does not name a level before it; it was taken as part of ${showText(parent.first.value(1))}.`,
          ),
      })
      open = { set, placer, segments: 1 }
      partner = checks && new PartnerChecks(checks, placer.root, reportFinding)
      lineTotal = grammar.total && new LineTotal(grammar.total)
      const { versions = [] } = checks ?? {}
      if (versions.length === 0 || versions.some((version) => set.version.startsWith(version))) return
      const is = set.version === '' ? 'names no version' : `is of version ${showText(set.version)}`
      const message = `The document ${is}; the grammar is for ${versions.join(', ')}.`
      reportAt('version-unexpected', set.segment, message)
    },
    take(segment: Segment): void {
      if (open === undefined) return
      open.segments += 1
      if (segment.text.length > MAX_ELEMENTS && segment.size > MAX_ELEMENTS) {
        reportAt('elements-too-many', segment, `${segment.id} has more than ${MAX_ELEMENTS} elements.`)
      }
      if (isWhole && open.segments > MAX_RECORD_SEGMENTS) {
        if (open.segments === MAX_RECORD_SEGMENTS + 1) {
          reportAt('set-too-large', segment, `The set has more than ${MAX_RECORD_SEGMENTS} segments.`)
        }
        return
      }
      open.placer.place(segment)
    },
    end(): void {
      if (open !== undefined && !(isWhole && open.segments > MAX_RECORD_SEGMENTS)) {
        open.placer.end()
        const differing = lineTotal?.compare()
        if (differing !== undefined) reportFinding(differing)
      }
      open = undefined
    },
  }
}

/** The ids of the loops that make records and lines, by how they look: a misspelled one would be a line that is lost. */
function listLineIds({ definition: { lines, records = [] } }: Grammar): ReadonlyMap<string, string> {
  const ids = [lines, ...records].map((loop) => /^[A-Z0-9]+/.exec(loop)?.[0] ?? '')
  return new Map(ids.map((id) => [foldId(id), id]))
}

/** Ids that people and scanners take for each other are the same: `PO1`, `P01`, `po1`. */
function foldId(id: string): string {
  return id.trim().toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I')
}

/** Counts what stands at a place of the loop. Returns how many there are so far. */
function countPlace({ counts }: Loop, place: LoopPlace | undefined): number {
  if (place === undefined) return 0
  const count = (counts[place.index] ?? 0) + 1
  counts[place.index] = count
  return count
}

function describe({ rule, first }: Loop): string {
  return rule.id === 'ST' || rule.id === 'UNH' ? 'the set' : `the loop of ${first.id}`
}
