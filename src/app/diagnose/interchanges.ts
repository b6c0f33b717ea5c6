/** Previews a file in an inbox of interchanges: which route takes which of its sets, and why some are taken by none. */
import { isUnreadable } from '../../domain/format.ts'
import type { InterchangeEntry } from '../../domain/interchange-journal.ts'
import { countSets, SelectionCursor, type SetSelection } from '../../domain/place.ts'
import { createInterchangeFormat } from '../../formats/formats.ts'
import type { Mapping } from '../../mapping/load.ts'
import { findPartner, listQuestions } from '../../pipeline/interchanges/context.ts'
import { createUnbundler } from '../../pipeline/interchanges/unbundle.ts'
import { openEdiSource } from '../../mapping-tools/translate-file.ts'
import { buildInterchangeRules } from '../run-inbox.ts'
import { createRefusalReasons, type RouteDiagnosis } from './reasons.ts'
import type { DiagnosisContext } from './rules.ts'
import { describeInterchange, formatSets } from './taken-files.ts'

interface PreviewedFile {
  readonly path: string
  /** The name of the inbox. */
  readonly inbox: string
  readonly mappings: ReadonlyMap<string, Mapping>
}

/** So many interchanges of which nothing is taken are named one by one. */
const NAMED_MAX = 5

export async function previewInterchanges(
  { configuration, journal, clock, name }: DiagnosisContext,
  { path, inbox, mappings }: PreviewedFile,
): Promise<Pick<RouteDiagnosis, 'reasons' | 'notes'>> {
  const rules = buildInterchangeRules({ configuration, mappings }, { name: inbox })
  const format = createInterchangeFormat()
  const { bytes } = openEdiSource(path)
  const outline = await format.outline(bytes, listQuestions(rules.takers))
  if (isUnreadable(outline)) return { reasons: createRefusalReasons(outline.problems), notes: [] }
  const left: InterchangeEntry[] = []
  const note = (entries: readonly InterchangeEntry[]) => {
    left.push(...entries.filter(({ verdict }) => verdict !== 'taken').slice(0, NAMED_MAX + 1 - left.length))
    return Promise.resolve()
  }
  const context = { ...rules, journal, clock, newId: () => '' }
  const unbundler = createUnbundler(context, { id: '', name }, note)
  for await (const parts of outline.parts) for (const part of parts) await unbundler.add(part)
  const { parts, unrouted, ambiguous } = await unbundler.finish()
  const lists = async (selection: SetSelection) => listDocuments(bytes, selection, rules.partners)
  const [none, several] = [await lists(unrouted), await lists(ambiguous)]
  const notes = [
    ...parts.map(({ route, sets }) => `${formatSets(countSets(sets))} to route ${route}`),
    ...left.slice(0, NAMED_MAX).map(describeInterchange),
    ...(left.length > NAMED_MAX ? ['further interchanges are not taken either'] : []),
    ...none.map((what) => `no route takes ${what}`),
    ...several.map((what) => `more than one route could take ${what}`),
  ]
  return { reasons: [], notes: notes.length > 0 ? notes : ['it has no sets for a route'] }
}

/** How many sets of which document and partner are selected: `2 sets of 856 from northlight`. Reads the file again. */
async function listDocuments(
  bytes: AsyncIterable<Uint8Array>,
  selection: SetSelection,
  partners: Parameters<typeof findPartner>[0],
): Promise<string[]> {
  if (selection.length === 0) return []
  const outline = await createInterchangeFormat().outline(bytes, [])
  if (isUnreadable(outline)) return []
  const selected = new SelectionCursor(selection)
  const counts = new Map<string, number>()
  let sender = ''
  for await (const parts of outline.parts) {
    for (const part of parts) {
      if (part.kind === 'interchange') sender = part.head.sender
      if (part.kind !== 'set' || !selected.has(part.ordinal)) continue
      const partner = findPartner(partners, sender, part.groupSender)
      const what = `${part.document} from ${partner?.name ?? sender}`
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
  }
  return [...counts].map(([what, count]) => `${formatSets(count)} of ${what}`)
}
