/** Learns an export from the sample of a document: the ready mapping, kept only where the sample has the segment and element. */
import { basename } from 'node:path'
import type { OutboundOperationName } from '../../contract/operations.ts'
import type { SegmentInfo } from '../../edi/dictionary.ts'
import type { Grammar, LoopRule } from '../../edi/grammar.ts'
import type { Segment } from '../../edi/segment.ts'
import { decodeText } from '../../formats/edi/charset.ts'
import { cutSegments, isSegment } from '../../formats/edi/cut.ts'
import { EnvelopeTracker } from '../../formats/edi/envelopes.ts'
import { ALL_SEGMENTS, isLoop, type Loop, LoopPlacer } from '../../formats/edi/loops.ts'
import { toPlainText } from '../../mapping/export/cell-format.ts'
import type { ElementPlan } from '../../mapping/export/segment-elements.ts'
import {
  type DocumentPlan,
  type EntryPlan,
  listSegmentRows,
  type SegmentPlan,
} from '../../mapping/export/segments.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { toPlain } from '../../mapping/source/source.ts'
import { isObject } from '../../support/object-paths.ts'
import { type Options, toLongForm } from '../mapped-fields.ts'
import { readUnpackedBytes } from '../translate-file.ts'
import type { FoundInterchanges } from './interchanges.ts'
import { formatFlow, type LearnedDocument } from './learn.ts'
import { quoteSample } from './prune.ts'
import { chooseReadyExport, nameDocument } from './ready-mappings.ts'
import { listPlaced } from './set-uses.ts'

export interface LearnedExport extends Pick<LearnedDocument, 'text' | 'ready'> {
  /** Segments and elements of the sample that the mapping does not fill. */
  readonly unfilled: readonly string[]
}

/** Throws `usage-wrong` when the operation has no ready mapping for the documents of the file. */
export async function learnExport(
  path: string,
  found: FoundInterchanges,
  operation: OutboundOperationName,
): Promise<LearnedExport> {
  const { name, mapping, document } = await chooseReadyExport(found, operation)
  const { plan } = document
  const sample = new Sample(await readSets(path, plan.grammar), plan.grammar)
  const { record, frame } = plan
  const written = toLongForm(toPlain(mapping.source))
  const lines = writeEntries(
    toList(written['segments']),
    frame ? [...frame.begin, undefined, ...frame.end] : record,
    {
      sample,
      plan,
      loops: sample.roots,
      rule: plan.grammar.root,
      indent: '  ',
    },
  )
  const unfilled = sample.listUnfilled()
  const elements = listSegmentRows(plan).flatMap(({ cells }) => cells)
  const segments = lines.join('\n')
  const text = [
    ...writeHead({ file: basename(path), found, name }),
    `operation: ${operation}`,
    `write: ${formatFlow({ ...toLongForm(written['write']), ...findVersion(found, plan.grammar) })}`,
    ...['parts', 'file', 'keep'].flatMap((key) =>
      written[key] === undefined ? [] : [`${key}: ${formatFlow(written[key])}`],
    ),
    'segments:',
    segments,
    ...(unfilled.length === 0
      ? []
      : [
          '# The sample has these too, and nothing fills them. Add those that your partner needs:',
          ...unfilled.map((each) => `#   ${each}`),
        ]),
    ...writeTables(mapping, segments),
  ].join('\n')
  return { text: `${text}\n`, ready: { name, paths: elements.length, filled: sample.kept }, unfilled }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

/** More sets say no more about what a partner wants. */
const MAX_SETS = 500

async function readSets(path: string, grammar: Grammar): Promise<Loop[]> {
  const sets: Loop[] = []
  let placer: LoopPlacer | undefined
  const tracker = new EnvelopeTracker({
    onSet({ document, segment }) {
      const isWanted = document === grammar.document && segment.delimiters.syntax === grammar.syntax
      placer =
        isWanted && sets.length < MAX_SETS
          ? new LoopPlacer(grammar.root, segment, {}, ALL_SEGMENTS)
          : undefined
    },
    onSegment: (segment) => placer?.place(segment),
    onSetEnd() {
      const root = placer?.end()
      placer = undefined
      if (root !== undefined) sets.push(root)
    },
  })
  for await (const items of cutSegments(readUnpackedBytes(path))) {
    for (const item of items) {
      if (isSegment(item)) tracker.take(item)
    }
  }
  tracker.end()
  return sets
}

// What the sample has of the mapping.

/** An element of a segment as the file has it: `2`, `4-1`. */
type ElementKey = string

class Sample {
  readonly roots: readonly Loop[]
  /** How many elements of the ready mapping the sample fills. */
  kept = 0
  readonly #grammar: Grammar
  readonly #claimed = new Map<Segment, Set<ElementKey>>()

  constructor(roots: readonly Loop[], grammar: Grammar) {
    this.roots = roots
    this.#grammar = grammar
  }

  /** The occurrences of the segment in these loops, and the loops that they begin. */
  find(
    { id, qualifier, loop: opens }: SegmentPlan,
    loops: readonly Loop[],
  ): { segments: Segment[]; loops: Loop[] } {
    const isWanted = (segment: Segment) =>
      segment.id === id &&
      (qualifier === undefined || segment.value(qualifier.element).trim() === qualifier.text)
    const items = loops.flatMap((loop) => loop.items)
    if (opens === undefined)
      return { segments: items.flatMap((item) => (!isLoop(item) && isWanted(item) ? [item] : [])), loops: [] }
    const inside = items.filter(isLoop).filter(({ first }) => isWanted(first))
    // Levels without kinds, such as CPS, are alike wherever they stand.
    const isAlike = opens.tree !== undefined && opens.tree.level === undefined
    const found = isAlike ? inside.flatMap(listLevels) : inside
    return { segments: found.map(({ first }) => first), loops: found }
  }

  /** The mapping writes these segments: their qualifier, and the numbers of a level. */
  claimSegment({ qualifier, loop }: SegmentPlan, segments: readonly Segment[]): void {
    for (const segment of segments) {
      const { id, parent, level } = loop?.tree ?? {}
      const fixed = [qualifier?.element, id, parent, level, level === undefined ? undefined : level + 1]
      for (const element of fixed) if (element !== undefined) this.#claim(segment, element)
    }
  }

  /** The texts of the element in these segments that are filled; claims them. */
  claimElement({ target }: ElementPlan, segments: readonly Segment[]): string[] {
    return segments.flatMap((segment) => {
      if (target.kind === 'pair') return this.#claimPair(segment, target)
      if (target.kind === 'element') return this.#claimText(segment, target.element, target.component)
      const { date, time } = target.places
      if (time !== undefined) this.#claim(segment, time)
      if (this.#countComponents(segment, date) < 2) return this.#claimText(segment, date)
      this.#claim(segment, date, 3)
      return this.#claimText(segment, date, 2)
    })
  }

  #claimPair(
    segment: Segment,
    { qualifier, pairs }: Extract<ElementPlan['target'], { kind: 'pair' }>,
  ): string[] {
    const isComposite = 'value' in pairs
    for (let element = pairs.from; element <= segment.size; element += isComposite ? 1 : 2) {
      const code = segment.value(element, isComposite ? pairs.qualifier : undefined).trim()
      if (code !== qualifier) continue
      this.#claim(segment, element, isComposite ? pairs.qualifier : undefined)
      return isComposite
        ? this.#claimText(segment, element, pairs.value)
        : this.#claimText(segment, element + 1)
    }
    return []
  }

  #claimText(segment: Segment, element: number, component?: number): string[] {
    const text = decodeText(segment.value(element, component), segment.delimiters.charset).trim()
    if (text === '') return []
    this.#claim(segment, element, component)
    return [text]
  }

  #claim(segment: Segment, element: number, component = 1): void {
    const known = this.#claimed.get(segment) ?? new Set()
    this.#claimed.set(segment, known.add(formatKey(element, component)))
  }

  #countComponents({ id, delimiters: { syntax } }: Segment, element: number): number {
    const { components = [] } = this.#grammar.dictionary.find(id)?.elements[element - 1] ?? {}
    return syntax === 'x12' ? Math.min(1, components.length) : components.length
  }

  /** Describes the segments that no mapping writes, and elements of others that it leaves blank. */
  listUnfilled(): string[] {
    const found = new Map<string, { count: number; readonly example: string }>()
    const add = (place: string, example: string) => {
      const known = found.get(place) ?? { count: 0, example: quoteSample(example) }
      known.count += 1
      found.set(place, known)
    }
    for (const { segment, loop } of this.roots.flatMap(listPlaced)) {
      if (loop.first === segment && loop.parent === undefined) continue
      const claimed = this.#claimed.get(segment)
      const place = this.#namePlace(segment, loop)
      if (claimed === undefined) add(place, decodeText(segment.text, segment.delimiters.charset))
      else
        for (const [element, text] of this.#listUnclaimed(segment, claimed)) add(`${place}.${element}`, text)
    }
    return [...found].map(
      ([place, { count, example }]) => `${place}: ${example}, ${count === 1 ? 'once' : `${count} times`}`,
    )
  }

  #listUnclaimed(segment: Segment, claimed: ReadonlySet<ElementKey>): [name: string, text: string][] {
    const info = this.#grammar.dictionary.find(segment.id)
    const unclaimed: [string, string][] = []
    for (let element = 1; element <= segment.size; element += 1) {
      const components = this.#countComponents(segment, element)
      for (let component = 1; component <= Math.max(1, components); component += 1) {
        const text = segment.value(element, components > 1 ? component : undefined).trim()
        if (text === '' || claimed.has(formatKey(element, component))) continue
        const key = String(element).padStart(2, '0') + (components > 1 ? `-${component}` : '')
        unclaimed.push([
          [key, getElementName(info, element, component)].join(' ').trim(),
          decodeText(text, segment.delimiters.charset),
        ])
      }
    }
    return unclaimed
  }

  #namePlace(segment: Segment, loop: Loop): string {
    const names = [this.#nameSegment(segment)]
    for (let around: Loop | undefined = loop; around?.parent !== undefined; around = around.parent) {
      if (around.first !== segment) names.unshift(this.#nameSegment(around.first))
      if (around.rule.tree !== undefined) break
    }
    return names.join('/')
  }

  #nameSegment(segment: Segment): string {
    const { qualifier } = this.#grammar.dictionary.find(segment.id) ?? {}
    const code = qualifier === undefined ? '' : segment.value(qualifier).trim()
    return code === '' ? segment.id : `${segment.id}${this.#grammar.syntax === 'x12' ? '*' : '+'}${code}`
  }
}

/** The level and those below it. */
function listLevels(level: Loop): Loop[] {
  const below = level.items.filter(isLoop).filter(({ rule }) => rule === level.rule)
  return [level, ...below.flatMap(listLevels)]
}

function formatKey(element: number, component: number): ElementKey {
  return `${element}-${component}`
}

function getElementName(info: SegmentInfo | undefined, element: number, component: number): string {
  const known = info?.elements[element - 1]
  return known?.components[component - 1]?.name ?? known?.name ?? ''
}

// The mapping.

interface Around {
  readonly sample: Sample
  readonly plan: DocumentPlan
  /** The loops of the sample in which the entries stand. */
  readonly loops: readonly Loop[]
  readonly rule: LoopRule
  readonly indent: string
}

/** The lines of the entries that are kept. `plans`: undefined where the segments of the records stand. */
function writeEntries(
  written: readonly unknown[],
  plans: readonly (EntryPlan | undefined)[],
  around: Around,
): string[] {
  return written.flatMap((entry, index) => {
    const options = toLongForm(entry)
    const plan = plans[index]
    const inner = { ...around, indent: `${around.indent}    ` }
    if (plan === undefined || plan.kind === 'each') {
      const inside = plan === undefined ? around.plan.record : plan.inside
      const lines = writeEntries(toList(options['in']), inside, inner)
      const each = plan === undefined ? 'record' : plan.each
      return lines.length === 0
        ? []
        : [`${around.indent}- each: ${formatFlow(each)}`, `${around.indent}  in:`, ...lines]
    }
    const [key = ''] = Object.keys(options)
    return writeSegment(plan, key, toLongForm(options[key]), around)
  })
}

function writeSegment(plan: SegmentPlan, key: string, written: Options, around: Around): string[] {
  const { sample, rule, indent } = around
  const found = sample.find(plan, around.loops)
  const isNeeded = rule.required.some(({ id }) => id === plan.id)
  // Where the sample leaves a level out, what stands in it stands in the level around it.
  const isLevel = plan.loop?.tree !== undefined && rule === plan.loop
  if (found.segments.length === 0 && isLevel) return writeEntries(toList(written['in']), plan.inside, around)
  if (found.segments.length === 0 && !isNeeded) return []
  sample.claimSegment(plan, found.segments)
  const elements = plan.elements.flatMap((element) => {
    const name = element.path.slice(plan.path.length + 1)
    return writeElement(element, { name, leaf: written[name], plan, found: found.segments, around })
  })
  const inside = writeEntries(toList(written['in']), plan.inside, {
    ...around,
    loops: found.loops,
    rule: plan.loop ?? rule,
    indent: `${indent}      `,
  })
  const when = written['when'] === undefined ? [] : [`${indent}    when: ${formatFlow(written['when'])}`]
  if (elements.length === 0 && inside.length === 0) return []
  const note = found.segments.length === 0 ? ' # the document needs it; the sample has none' : ''
  return [
    `${indent}- ${formatFlow(key)}:${note}`,
    ...when,
    ...elements,
    ...(inside.length === 0 ? [] : [`${indent}    in:`, ...inside]),
  ]
}

interface WrittenElement {
  readonly name: string
  readonly leaf: unknown
  readonly plan: SegmentPlan
  readonly found: readonly Segment[]
  readonly around: Around
}

function writeElement(element: ElementPlan, { name, leaf, plan, found, around }: WrittenElement): string[] {
  const { sample, indent } = around
  const texts = sample.claimElement(element, found)
  const [first] = texts
  const { target } = element
  const isNeeded =
    target.kind !== 'pair' &&
    plan.mandatory.some(
      (each) => each.element === (target.kind === 'date' ? target.places.date : target.element),
    )
  if (first === undefined && !isNeeded) return []
  if (first !== undefined) sample.kept += 1
  const key = `${indent}    ${/^\d/.test(name) ? `'${name}'` : formatFlow(name)}`
  if (first === undefined)
    return [`${key}: ${formatFlow(leaf)} # ${element.path} must be there; the sample has none`]
  const constant = isObject(leaf) ? leaf['const'] : undefined
  const isOther =
    constant !== undefined && texts.every((text) => text === first) && toPlainText(constant) !== first
  if (isOther)
    return [
      `${key}: { const: ${JSON.stringify(first)} } # as the sample has it; the ready mapping writes ${JSON.stringify(constant)}`,
    ]
  return [`${key}: ${formatFlow(leaf)} # ${quoteSample(first)}`]
}

function writeHead({
  file,
  found,
  name,
}: {
  file: string
  found: FoundInterchanges
  name: string
}): string[] {
  const { syntax, documents } = found
  const held = documents.map(({ document, sets }) => `${sets} × ${nameDocument(syntax, document)}`).join('; ')
  return [
    `# Learned from ${file}: ${syntax === 'x12' ? 'X12' : 'EDIFACT'}, ${held}.`,
    `# From the ready mapping ${name}, without the segments and elements that the sample never fills.`,
    '# Behind # stands the first value of the sample: compare what the field of the API holds.',
  ]
}

/** The first version of the sample that a mapping can write. */
function findVersion({ documents }: FoundInterchanges, { syntax, document }: Grammar): { version?: string } {
  const form = syntax === 'x12' ? /^\d{6}[A-Z0-9]{0,6}$/ : /^[A-Z]\.\d\d[A-Z](?:\.[A-Z0-9]{1,6})?$/
  const own = documents.find((each) => each.document === document)
  const version = own?.versions.find((each) => form.test(each))
  return version === undefined ? {} : { version }
}

/** The tables that the segments use. */
function writeTables({ source }: OutboundMapping, segments: string): string[] {
  const tables = Object.entries(toLongForm(toLongForm(toPlain(source))['tables'] ?? {}))
  const used = tables.filter(([name]) => segments.includes(`table: ${formatFlow(name)}`))
  return used.length === 0
    ? []
    : ['tables:', ...used.map(([name, table]) => `  ${formatFlow(name)}: ${formatFlow(table)}`)]
}
