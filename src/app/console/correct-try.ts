/** Tries corrected rows with the code that would send them, and composes the file with those that would be accepted. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createNumberReader } from '../../config/inbox.ts'
import type { InboundRoute } from '../../config/routes.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import { findCorrectedName, partSuffix } from '../../domain/file.ts'
import { isUnreadable } from '../../domain/format.ts'
import { addNameSuffix, NAMES_MAX } from '../../domain/mailbox.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { formatAccount } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { addLine } from '../../pipeline/inbound/report.ts'
import { judgeBody } from '../../pipeline/rules/check.ts'
import { compileFilePattern } from '../../support/name-pattern.ts'
import { buildStepKey } from '../context.ts'
import { type FilePreview, previewFile } from '../outcome-preview.ts'
import { type CellChange, type CellError } from './correct-cells.ts'
import { normalizeTyped } from './correct-rows.ts'
import type { ComposedFile, CorrectionContext, CorrectionUnit, OpenCorrection } from './correct-source.ts'
import { toStream } from '../../support/async.ts'

/** What a person chose. */
export interface CorrectionDraft {
  readonly changes: readonly CellChange[]
  /** The units that are sent again although no cell was changed, by their first lines. */
  readonly asTheyAre: readonly number[]
}

/** What would become of a unit. */
export interface UnitVerdict {
  /** `known`: its key was sent before. `left-out`: it was not touched. */
  readonly what: 'sent' | 'known' | 'refused' | 'held' | 'skipped' | 'left-out'
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Cells that cannot hold what was typed. */
  readonly errors: readonly CellError[]
}

export interface CheckedCorrection {
  /** By the first line of the unit. */
  readonly verdicts: ReadonlyMap<number, UnitVerdict>
  /** The units that would be sent. */
  readonly ready: readonly CorrectionUnit[]
  /** Left out where none would be sent. */
  readonly file?: CorrectedFile
}

/** The file with the corrected rows, as it would be left in the inbox. */
export interface CorrectedFile {
  readonly bytes: Uint8Array
  readonly sha256: string
  /** The first name that is tried. */
  readonly name: string
}

/** Changes of cells that are there, to texts that differ from those that were shown. */
export function listRealChanges(
  { units }: Pick<OpenCorrection, 'units'>,
  changes: readonly CellChange[],
): CellChange[] {
  const texts = new Map<string, string>(
    units.flatMap(({ rows }) =>
      rows.flatMap(({ line, cells }) => cells.map(({ cell, text }) => [`${line} ${cell}`, text] as const)),
    ),
  )
  const last = new Map(
    changes.map(({ line, cell, text }) => [`${line} ${cell}`, { line, cell, text: normalizeTyped(text) }]),
  )
  return [...last].flatMap(([key, change]) => {
    const shown = texts.get(key)
    return shown === undefined || shown === change.text ? [] : [change]
  })
}

/** Units that are part of an unfinished correction are left out, but for the one that is `continued`. */
export async function checkCorrection(
  context: CorrectionContext,
  opened: OpenCorrection,
  draft: CorrectionDraft,
  continued?: number,
): Promise<CheckedCorrection> {
  const changes = listRealChanges(opened, draft.changes)
  const touched = new Set(changes.map(({ line }) => line))
  const asTheyAre = new Set(draft.asTheyAre)
  const verdicts = new Map<number, UnitVerdict>()
  const chosen = opened.units.filter((unit) => {
    const isFree = unit.correction === undefined || unit.correction === continued
    const isChosen = asTheyAre.has(unit.line) || unit.rows.some(({ line }) => touched.has(line))
    if (!isFree || !isChosen) verdicts.set(unit.line, LEFT_OUT)
    return isFree && isChosen
  })
  const name = await chooseName(context, opened)
  let ready: readonly CorrectionUnit[] = chosen
  // Records are judged beside each other, so those that are left are tried again without the others.
  for (
    let composed = opened.compose(ready, changes);
    ready.length > 0;
    composed = opened.compose(ready, changes)
  ) {
    const found = await judgeUnits(context, opened, { name, composed, units: ready })
    for (const [line, verdict] of found) verdicts.set(line, verdict)
    const good = ready.filter(({ line }) => found.get(line)?.what === 'sent')
    if (good.length === ready.length) return { verdicts, ready, file: toCorrectedFile(composed.bytes, name) }
    ready = good
  }
  return { verdicts, ready: [] }
}

const LEFT_OUT: UnitVerdict = { what: 'left-out', problems: [], warnings: [], errors: [] }

function toCorrectedFile(plain: Buffer, name: string): CorrectedFile {
  const bytes = /\.gz$/i.test(name) ? gzipSync(plain) : plain
  return { bytes, name, sha256: createHash('sha256').update(bytes).digest('hex') }
}

// Names: that of a rejects file where the route takes it, else that of the file itself.

/** The first name that no file had yet. Where a file in the inbox has it, sending chooses the next one. */
async function chooseName({ journal }: CorrectionContext, opened: OpenCorrection): Promise<string> {
  const names = chooseNames(opened)
  for (const name of names) if ((await journal.findFilesByName(name, 1)).length === 0) return name
  return names[0] ?? opened.file.name
}

/** The names that the route takes, in the order in which they are tried. */
export function chooseNames({ file, route }: Pick<OpenCorrection, 'file' | 'route'>): readonly string[] {
  const suffix = partSuffix('rejects', file.name)
  const stem =
    findCorrectedName(file.name) ?? file.name.replace(/\.gz$/i, '').replace(/\.[A-Za-z0-9]{1,8}$/, '')
  const isTaken = createNameFilter(file.name, route)
  const names: string[] = []
  for (let tries = 1; tries < NAMES_MAX; tries++) {
    const part = `${tries === 1 ? stem : `${stem}~${tries}`}${suffix}`
    names.push(part, `${part}.gz`)
  }
  const parts = names.filter(isTaken)
  // Both a plain and a packed name may fit: the plain one is enough.
  const plain = parts.filter((each) => !/\.gz$/i.test(each))
  if (parts.length > 0) return plain.length > 0 ? plain : parts
  const own = Array.from({ length: NAMES_MAX }, (_, index) => addNameSuffix(file.name, index + 1))
  return own.filter(isTaken)
}

/** The route takes a file of this name, and at once where its files are numbered. */
function createNameFilter(source: string, { from }: InboundRoute): (name: string) => boolean {
  const matches = compileFilePattern(from.match)
  const numberIn = from.sequence && createNumberReader(from.sequence.name)
  return (name) => matches(name) && (numberIn === undefined || numberIn(name) === numberIn(source))
}

// Judging: each step of the route translates the file, and its records are compared with each other and with the journal.

interface JudgedFile {
  readonly name: string
  readonly composed: ComposedFile
  readonly units: readonly CorrectionUnit[]
}

async function judgeUnits(
  context: CorrectionContext,
  opened: OpenCorrection,
  judged: JudgedFile,
): Promise<ReadonlyMap<number, UnitVerdict>> {
  const { composed, units } = judged
  const found = new Map<number, JudgedDraft[]>()
  const unitOf = new Map(
    units.flatMap((unit) =>
      unit.ranges.flatMap(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, index) => [first + index, unit.line] as const),
      ),
    ),
  )
  let unusable: readonly Problem[] = []
  for (const step of listSteps(context, opened)) {
    const result = await judgeStep(context, opened, { step, judged })
    if (result.unusable.length > 0) unusable = result.unusable
    for (const each of result.drafts) {
      const lines = each.draft.lines.flatMap(([first]) => composed.lines[first - 1] ?? [])
      for (const unit of new Set(lines.flatMap((line) => unitOf.get(line) ?? [])))
        found.set(unit, [...(found.get(unit) ?? []), each])
    }
  }
  return new Map(
    units.map((unit) => {
      const errors = composed.errors.filter(({ line }) => unit.rows.some((row) => row.line === line))
      return [unit.line, toVerdict(found.get(unit.line) ?? [], { errors, unusable, line: unit.line })]
    }),
  )
}

interface JudgedStep {
  readonly operation: InboundOperationName
  readonly mapping: InboundMapping
}

/** The steps that read rows; a step without a mapping has the orders of the one before. */
function listSteps({ mappings }: CorrectionContext, { route, mapping }: OpenCorrection): JudgedStep[] {
  const later = (route.next ?? []).flatMap(({ operation }): JudgedStep[] => {
    const own = mappings.get(buildStepKey(route.name, operation))
    return own?.direction === 'inbound' ? [{ operation, mapping: own }] : []
  })
  return [{ operation: route.operation, mapping }, ...later]
}

interface JudgedDraft {
  readonly draft: Draft
  readonly what: keyof FilePreview['counts']
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

async function judgeStep(
  context: CorrectionContext,
  { route }: OpenCorrection,
  { step, judged }: { readonly step: JudgedStep; readonly judged: JudgedFile },
): Promise<{ readonly drafts: readonly JudgedDraft[]; readonly unusable: readonly Problem[] }> {
  const { operation, mapping } = step
  const { translator } = mapping
  const { name, composed } = judged
  const reading = await createFormats().read(toStream(composed.bytes), translator.read)
  if (isUnreadable(reading)) return { drafts: [], unusable: reading.problems }
  try {
    const source = { file: name, folder: basename(route.from.folder), isPart: true as const }
    const bound = translator.bind(reading.layouts, source)
    if (!('keyColumns' in bound)) return { drafts: [], unusable: bound }
    const known = { journal: context.journal, account: formatAccount(route.party) }
    const preview = previewFile({ operation, bound, reading, known })
    const judge = createJudge({ context, route, step, bound, composed, preview })
    const drafts: JudgedDraft[] = []
    for await (const batch of reading.batches)
      for (const draft of bound.translateRows(batch)) drafts.push(await judge(draft, drafts))
    for (const draft of bound.finish()) drafts.push(await judge(draft, drafts))
    return { drafts, unusable: bound.listMismatches() }
  } finally {
    await reading.close()
  }
}

interface Judging {
  readonly context: CorrectionContext
  readonly route: InboundRoute
  readonly step: JudgedStep
  readonly bound: BoundTranslator
  readonly composed: ComposedFile
  readonly preview: ReturnType<typeof previewFile>
}

function createJudge({ context, route, step, bound, composed, preview }: Judging) {
  const { operation, mapping } = step
  const detailRows = mapping.translator.read.records !== undefined
  const rules = { name: route.name, operation, rules: route.rules }
  const toSource = (draft: Draft) => (found: Problem) => {
    const { place, ...rest } = addLine(found, draft, { detailRows })
    const line = place.line === undefined ? undefined : composed.lines[place.line - 1]
    return { ...rest, place: { ...place, ...(line === undefined ? {} : { line }) } }
  }
  /** Marks the earlier record of the same key, too, where both are refused for it. */
  return async (draft: Draft, earlier: JudgedDraft[]): Promise<JudgedDraft> => {
    const now = context.clock.now()
    const checked = judgeBody(draft, { context: { route: rules }, bound, now })
    const own: Draft = { ...checked, references: draft.references }
    const before = preview.end()
    const counted = { ...before.counts }
    const seen = before.conflicts.length
    await preview.add([own])
    const after = preview.end()
    const names = Object.keys(counted) as (keyof typeof counted)[]
    const what = names.find((each) => after.counts[each] > counted[each]) ?? 'refused'
    const conflicts = after.conflicts.slice(seen)
    if (what === 'conflicting' && after.counts.conflicting - counted.conflicting > 1) {
      const key = JSON.stringify(draft.keyValues)
      const at = earlier.findIndex(
        (each) => JSON.stringify(each.draft.keyValues) === key && each.what === 'sent',
      )
      const first = earlier[at]
      if (first !== undefined) earlier[at] = { ...first, what: 'conflicting', problems: conflicts }
    }
    const show = toSource(draft)
    const problems = [...own.problems, ...conflicts].map(show)
    return { draft: own, what, problems, warnings: (own.warnings ?? []).map(show) }
  }
}

function toVerdict(
  drafts: readonly JudgedDraft[],
  { errors, unusable, line }: Pick<UnitVerdict, 'errors'> & { unusable: readonly Problem[]; line: number },
): UnitVerdict {
  const problems = [...unusable, ...drafts.flatMap((each) => each.problems)]
  const warnings = drafts.flatMap((each) => each.warnings)
  const has = (...kinds: JudgedDraft['what'][]) => drafts.some(({ what }) => kinds.includes(what))
  if (errors.length > 0) return { what: 'refused', problems: [], warnings: [], errors }
  if (drafts.length === 0 && unusable.length === 0) {
    const none = problem(
      'row-short',
      { line },
      'These rows make no record.',
      'Fill the row in, or leave it out.',
    )
    return { what: 'refused', problems: [none], warnings, errors }
  }
  if (unusable.length > 0 || has('refused', 'conflicting'))
    return { what: 'refused', problems, warnings, errors }
  if (has('held')) return { what: 'held', problems, warnings, errors }
  if (has('sent')) return { what: 'sent', problems, warnings, errors }
  return { what: has('known', 'repeated') ? 'known' : 'skipped', problems, warnings, errors }
}
