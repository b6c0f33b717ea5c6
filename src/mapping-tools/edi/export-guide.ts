/** Writes the implementation guide of a document that goes out: its envelope, its segments, a sample, and the answer to it. */
import { Readable } from 'node:stream'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Envelope } from '../../domain/format.ts'
import type { ElementInfo, SegmentInfo } from '../../edi/dictionary.ts'
import type { LoopRule } from '../../edi/grammar.ts'
import { createAnswers } from '../../formats/edi/answers/answer.ts'
import { findCodeMeaning } from '../../formats/edi/describe.ts'
import { inspectFile } from '../../formats/edi/findings.ts'
import { judgeFile } from '../../formats/edi/judge.ts'
import { describeEnvelope } from '../../formats/edi/writer.ts'
import type { ElementPlan, ElementTarget } from '../../mapping/export/segment-elements.ts'
import type { TracedFile } from '../../mapping/export/document-composer.ts'
import { type DocumentPlan, type EntryPlan, type SegmentPlan } from '../../mapping/export/segments.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { repeatable } from '../../support/async.ts'
import { describeContents } from '../export-docs.ts'
import { type ApiRecord, type ExportColumn, listExportKinds } from '../exported-rows.ts'
import { formatCondition, toLongForm } from '../mapped-fields.ts'
import { escapeMarkdown, formatCode, formatCodeBlock, formatMarkdownTable } from '../partner-docs.ts'
import type { TableTexts } from '../tables.ts'

export interface GuideElement {
  /** `BIG.02`, `NAD.04-1`; of a pair `IT1.UP`. */
  readonly element: string
  /** The number of the data element; empty where it is not known. */
  readonly number: string
  readonly name: string
  /** Its type and length. */
  readonly form: string
  readonly isMandatory: boolean
  readonly holds: readonly string[]
  /** The fields of the API that it shows. */
  readonly from: readonly string[]
  readonly example: string
}

export interface GuideSegment {
  /** `N1*RI/N3`. */
  readonly segment: string
  readonly name: string
  /** By the grammar, within its loop. */
  readonly isMandatory: boolean
  /** How often it may stand there. */
  readonly max: number
  /** The loop in which it stands; absent in the set itself. */
  readonly loop?: string
  readonly beginsLoop: boolean
  /** The list whose items each make one. */
  readonly each?: string
  readonly when?: string
  readonly elements: readonly GuideElement[]
}

export interface GuideOptions {
  /** The records of the mapping's example, for the examples of elements. */
  readonly records: readonly ApiRecord[]
  readonly tables: TableTexts
  readonly envelope: Envelope
}

/** Lists the segments of the document in their order. Empty for a mapping that writes no document. */
export function listGuideSegments(mapping: OutboundMapping, options: GuideOptions): GuideSegment[] {
  const { document } = mapping
  if (document === undefined) return []
  const { plan } = document
  const find = createExampleFinder(document.trace(options.records, options.envelope))
  const columns = new Map(listExportKinds(mapping).map((kind) => [kind.segment, kind.columns]))
  const describe = (segment: SegmentPlan, rule: LoopRule, { loop, each }: Around): GuideSegment => {
    const { isMandatory, max } = countPlace(segment, rule)
    return {
      segment: segment.path,
      name: plan.grammar.dictionary.find(segment.id)?.name ?? '',
      isMandatory,
      max,
      ...(loop === undefined ? {} : { loop }),
      beginsLoop: segment.loop !== undefined,
      ...(each === undefined ? {} : { each }),
      ...(segment.when === undefined ? {} : { when: formatCondition(toLongForm(segment.when)) }),
      elements: describeElements(segment, columns.get(segment) ?? [], { plan, find, tables: options.tables }),
    }
  }
  const walk = (entry: EntryPlan, rule: LoopRule, around: Around): GuideSegment[] => {
    if (entry.kind === 'each')
      return entry.inside.flatMap((inside) => walk(inside, rule, { ...around, each: entry.each }))
    const inside = entry.inside.flatMap((each) => walk(each, entry.loop ?? rule, { loop: entry.path }))
    return [describe(entry, rule, around), ...inside]
  }
  const { begin = [], end = [] } = plan.frame ?? {}
  return [...begin, ...plan.record, ...end].flatMap((entry) => walk(entry, plan.grammar.root, {}))
}

/** The loop in which a segment stands, and the list whose items make it. */
interface Around {
  readonly loop?: string
  readonly each?: string
}

/** A level of a tree stands in levels of its own kind. */
function countPlace({ id, loop: own }: SegmentPlan, rule: LoopRule): { isMandatory: boolean; max: number } {
  const { segment, loop = rule.id === id ? own : undefined } = rule.places.get(id) ?? {}
  const min = Math.max(segment?.min ?? 0, loop?.min ?? 0)
  return { isMandatory: min > 0, max: (segment?.max ?? 0) + (loop?.max ?? 0) }
}

type FindExample = (element: ElementPlan) => string

/** Finds the first text of an element that the records fill. */
function createExampleFinder({ begin, records, end }: TracedFile): FindExample {
  const examples = new Map<ElementPlan, string>()
  for (const { plan, texts } of [...begin, ...records.flatMap(({ segments }) => segments), ...end]) {
    for (const [at, element] of plan.elements.entries()) {
      const text = texts[at] ?? ''
      if (text !== '' && !examples.has(element)) examples.set(element, text)
    }
  }
  return (element) => examples.get(element) ?? ''
}

interface ElementFacts {
  readonly plan: DocumentPlan
  readonly find: FindExample
  readonly tables: TableTexts
}

/** In the order in which they stand in the segment: the qualifier, what a level says by itself, and what the mapping names. */
function describeElements(
  segment: SegmentPlan,
  columns: readonly ExportColumn[],
  { plan, find, tables }: ElementFacts,
): GuideElement[] {
  const info = plan.grammar.dictionary.find(segment.id)
  const own = segment.elements.map((element, at): [number, GuideElement] => {
    const column = columns[at]
    const { target } = element
    const known = element.info?.components[0] ?? element.info
    const meaningOf = (text: string) => (info === undefined ? '' : findMeaning(info, target, text))
    const sources = column?.sources.flat() ?? []
    const place = getPlace(target)
    const isKnown = known !== undefined && target.kind !== 'date'
    return [
      place,
      {
        element: `${segment.id}.${formatTarget(target, info)}`,
        number: isKnown ? known.number : '',
        name: isKnown ? known.name : target.kind === 'date' ? 'date and time' : '',
        form: isKnown ? formatForm(known) : target.kind === 'date' ? formatDateForm(target, info) : '',
        isMandatory:
          column?.options['required'] === true || segment.mandatory.some((each) => each.element === place),
        holds: describeHolds(element, column, { tables, meaningOf }),
        from: sources.filter((path) => !path.startsWith('$')),
        example: find(element),
      },
    ]
  })
  return [...describeFixed(segment, info), ...own].toSorted(([a], [b]) => a - b).map(([, each]) => each)
}

/** What the segment has without an element of the mapping: its qualifier, and the numbers of a level. */
function describeFixed({ id: name, qualifier, loop }: SegmentPlan, info: SegmentInfo | undefined) {
  const fixed: [number, GuideElement][] = []
  const add = (place: number, holds: string, { example = '', isMandatory = true } = {}) => {
    const element = info?.elements[place - 1]
    const known = element?.components[0] ?? element
    fixed.push([
      place,
      {
        element: `${name}.${formatPlace(place)}${isComposite(info, place) ? '-1' : ''}`,
        number: known?.number ?? '',
        name: known?.name ?? '',
        form: known === undefined ? '' : formatForm(known),
        isMandatory,
        holds: [holds],
        from: [],
        example,
      },
    ])
  }
  if (qualifier !== undefined) {
    const target = { kind: 'element', element: qualifier.element } as const
    const meaning = info === undefined ? '' : findMeaning(info, target, qualifier.text)
    add(qualifier.element, `always ${quoteCode(qualifier.text, meaning)}`, { example: qualifier.text })
  }
  if (loop?.tree === undefined) return fixed
  const { id, parent, level } = loop.tree
  add(id, 'the number of the level, counted in the set')
  add(parent, 'the number of the level around it', { isMandatory: false })
  if (level !== undefined) add(level + 1, '"1" where other levels stand in it, else "0"')
  return fixed
}

function describeHolds(
  { counted, cell, target }: ElementPlan,
  column: ExportColumn | undefined,
  { tables, meaningOf }: { readonly tables: TableTexts; readonly meaningOf: (text: string) => string },
): string[] {
  const pair =
    target.kind === 'pair'
      ? [`behind the qualifier ${quoteCode(target.qualifier, meaningOf(target.qualifier))}`]
      : []
  if (counted !== undefined) return [...pair, `how many segments ${counted} the set has`]
  if (column === undefined) return pair
  const envelope = ENVELOPE_VALUES[cell.field]
  const contents = describeContents(column, tables, {
    meaningOf: target.kind === 'pair' ? () => '' : meaningOf,
    describeRule: () => '',
  })
  return [...pair, ...(envelope === undefined ? [] : [envelope]), ...contents]
}

const ENVELOPE_VALUES: Readonly<Record<string, string>> = {
  $interchange: 'the control number of the interchange',
  $group: 'the control number of the group',
  $date: 'when the file was written',
}

function quoteCode(code: string, meaning: string): string {
  return JSON.stringify(code) + (meaning === '' ? '' : ` (${meaning})`)
}

function findMeaning(info: SegmentInfo, target: ElementTarget, text: string): string {
  if (target.kind === 'date') return ''
  if (target.kind === 'element') return findCodeMeaning(info, target.element, target.component ?? 1, text)
  const { pairs } = target
  return findCodeMeaning(info, pairs.from, 'qualifier' in pairs ? pairs.qualifier : 1, text)
}

function getPlace(target: ElementTarget): number {
  if (target.kind === 'element') return target.element
  return target.kind === 'pair' ? target.pairs.from : target.places.date
}

function formatPlace(element: number): string {
  return String(element).padStart(2, '0')
}

/** `02`, `04-1`; a pair stands where it has room, so that its qualifier names it. */
function formatTarget(target: ElementTarget, info: SegmentInfo | undefined): string {
  if (target.kind === 'pair') return target.qualifier
  if (target.kind === 'element')
    return formatPlace(target.element) + (target.component === undefined ? '' : `-${target.component}`)
  const { date, time } = target.places
  if (isComposite(info, date)) return `${formatPlace(date)}-2`
  return time === undefined ? formatPlace(date) : `${formatPlace(date)}, ${formatPlace(time)}`
}

function isComposite(info: SegmentInfo | undefined, element: number): boolean {
  return (info?.elements[element - 1]?.components.length ?? 0) > 0
}

/** `text, 1 to 22 characters`. */
function formatForm({ type, min, max }: ElementInfo): string {
  const length = min === max ? String(max) : min <= 1 ? `at most ${max}` : `${min} to ${max}`
  const plural = max === 1 ? '' : 's'
  const implied = /^N(\d)$/.exec(type)?.[1]
  if (implied === '0') return `whole number, ${length} digit${plural}`
  if (implied !== undefined) return `number, ${length} digits, the last ${implied} are decimals`
  const [what = 'text', unit = 'character'] = FORMS[type] ?? []
  return Number.isFinite(max) ? `${what}, ${length} ${unit}${plural}` : what
}

const FORMS: Readonly<Record<string, readonly [string, string]>> = {
  ID: ['code', 'character'],
  R: ['number with a point before its decimals', 'digit'],
  DT: ['date', 'digit'],
  TM: ['time', 'digit'],
}

function formatDateForm(
  target: Extract<ElementTarget, { kind: 'date' }>,
  info: SegmentInfo | undefined,
): string {
  if (isComposite(info, target.places.date)) return 'behind it 102 for CCYYMMDD, 203 for CCYYMMDDHHMM'
  return target.places.time === undefined ? 'date, 8 digits' : 'date, 8 digits, and time, 4 digits'
}

// The page.

export interface GuideSample {
  /** The first records of the example as one interchange. */
  readonly file: Uint8Array
  /** The 997 or CONTRL that accepts it. */
  readonly answer: string
}

/** Composes what the receiver answers to the file: the verdict of the checker of incoming files. */
export async function composeGuideAnswer(file: Uint8Array, { at }: Pick<Envelope, 'at'>): Promise<string> {
  const bytes = repeatable(() => Readable.from([file]))
  const findings = await inspectFile(bytes)
  const numbers = { interchange: 1, group: 1 }
  const add = createAnswers({ numbers, kind: '997', ta1: 'asked', echoes: true, at: new Date(at) })
  let answer = ''
  for await (const parts of judgeFile(bytes, findings)) for (const part of parts) answer += add(part)
  return answer
}

/** `isAgreed`: the envelope is that of a partner, and not an example. */
export function writeGuidePage(
  { operation, document, composer }: OutboundMapping,
  segments: readonly GuideSegment[],
  {
    title,
    envelope,
    isAgreed,
    sample,
  }: { title: string; envelope: Envelope; isAgreed: boolean; sample: GuideSample | undefined },
): string {
  const { edi } = composer.write
  if (document === undefined || edi === undefined) return ''
  const { definition, syntax } = document.plan.grammar
  const version = envelope.version ?? edi.version
  const name = `${edi.document} (${definition.title}) of ${syntax === 'x12' ? 'X12' : 'EDIFACT'}, version ${version}`
  const sets =
    document.plan.frame === undefined
      ? 'Each record is a set of its own.'
      : 'One set holds all records of the file.'
  const answer = syntax === 'x12' ? '997' : 'CONTRL'
  return `${[
    `# ${escapeMarkdown(title)}: what you receive`,
    '',
    `${OPERATIONS[operation].summary} They are documents ${name}. One file is one interchange${syntax === 'x12' ? ' with one group' : ''}. ${sets}`,
    '',
    '## Envelope',
    '',
    `${isAgreed ? '' : 'Ids, qualifiers and delimiters are agreed with you; these are examples. '}${describeDelimiters(envelope, syntax)}`,
    '',
    ...formatMarkdownTable([
      ['Element', 'What stands in it', 'Example'],
      ...describeEnvelope(edi, envelope).map(([element, holds, example]) => [
        formatCode(element),
        escapeMarkdown(holds),
        formatCode(example),
      ]),
    ]),
    '',
    '## Segments',
    '',
    'The segments stand in this order. A segment of which the record fills no value is left out, with its loop. Mandatory and optional are those of the document; "needed" elements are never blank where their segment is there.',
    '',
    ...segments.flatMap(writeSegment),
    ...(sample === undefined
      ? []
      : [
          '## A sample',
          '',
          ...formatCodeBlock(Buffer.from(sample.file).toString(syntax === 'x12' ? 'utf8' : 'latin1')),
          '',
          `## The answer to it`,
          '',
          `The sample is answered with this ${answer}, under control numbers of your own.`,
          '',
          ...formatCodeBlock(sample.answer),
        ]),
  ]
    .join('\n')
    .trimEnd()}\n`
}

function writeSegment(segment: GuideSegment): string[] {
  const { segment: path, name, elements } = segment
  const head = [
    'Element',
    'Number',
    'Name',
    'Form',
    'Needed',
    'What stands in it',
    'Field of the API',
    'Example',
  ]
  const rows = elements.map((element) => [
    formatCode(element.element),
    element.number,
    escapeMarkdown(element.name),
    element.form,
    element.isMandatory ? 'yes' : '',
    element.holds.map(escapeMarkdown).join('; '),
    element.from.map(formatCode).join(', '),
    formatCode(element.example),
  ])
  return [
    `### ${escapeMarkdown(path)}${name === '' ? '' : `: ${escapeMarkdown(name)}`}`,
    '',
    describePlace(segment),
    '',
    ...(rows.length === 0 ? [] : [...formatMarkdownTable([head, ...rows]), '']),
  ]
}

/** `Optional, at most 12 times, in the loop N1*RI. One for each of invoice_lines.` */
function describePlace({ isMandatory, max, loop, beginsLoop, each, when }: GuideSegment): string {
  const count = max === 1 ? 'once' : Number.isFinite(max) ? `at most ${max} times` : 'any number of times'
  const place = loop === undefined ? '' : `, in the loop of ${formatCode(loop)}`
  return [
    `${isMandatory ? 'Mandatory' : 'Optional'}, ${count}${place}.`,
    ...(beginsLoop ? ['It begins a loop.'] : []),
    ...(each === undefined ? [] : [`One for each of ${formatCode(each)}.`]),
    ...(when === undefined ? [] : [`Only when ${escapeMarkdown(when)}.`]),
  ].join(' ')
}

function describeDelimiters({ delimiters }: Envelope, syntax: string): string {
  const { element, component, segment, repetition, newline } = delimiters
  const show = (text: string) =>
    formatCode(/[\p{Cc}]/u.test(text) ? `0x${Buffer.from(text).toString('hex').toUpperCase()}` : text)
  const end = newline === '' ? '' : ' and a line break'
  const release = syntax === 'x12' ? '' : ` ${formatCode('?')} before a delimiter makes it data.`
  return `Between elements stands ${show(element)}, between components ${show(component)}, between repetitions ${show(repetition)}; a segment ends with ${show(segment)}${end}.${release}`
}
