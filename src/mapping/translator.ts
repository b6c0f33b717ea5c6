/** A compiled inbound mapping at work: rows are gathered into records, records become bodies or lists of problems. */
import type { Layout, Row } from '../domain/document.ts'
import type { Problem } from '../domain/problem.ts'
import type { ReadOptions } from '../domain/format.ts'
import type { BoundTranslator, Draft, LineRange, Translator } from '../domain/translator.ts'
import { bindPlan } from './bind.ts'
import type { BindContext, BoundNode, BoundObject, Building } from './building.ts'
import { textReader } from './bind-leaf.ts'
import { columnMissing, columnsOf, type MissingColumn } from './columns.ts'
import {
  gatherByHeader,
  gatherByKeys,
  type Gathered,
  type Gatherer,
  type KeyColumn,
  opensRecord,
} from './gather.ts'
import type { Alternatives, ObjectPlan } from './plan.ts'

/** How rows are told to belong together. */
export type Grouping =
  | { readonly kind: 'keys'; readonly keys: readonly Alternatives[]; readonly blankContinues: boolean }
  | { readonly kind: 'records'; readonly header: string; readonly detail: string }

export interface InboundPlan {
  readonly operation: string
  readonly read: ReadOptions
  readonly grouping: Grouping
  readonly body: ObjectPlan
}

/** The fields by which people know a record, where no group says it. */
const KEY_FIELDS = ['purchase_order_number', 'order_id', 'invoice_number']

export function createTranslator(plan: InboundPlan): Translator {
  return { operation: plan.operation, read: plan.read, bind: (layouts) => bindFile(plan, layouts) }
}

function bindFile(plan: InboundPlan, layouts: readonly Layout[]): BoundTranslator | readonly Problem[] {
  const { grouping } = plan
  const problems: Problem[] = []
  const missing: MissingColumn[] = []
  const indexOf = (recordType: string) =>
    Math.max(
      0,
      layouts.findIndex((layout) => layout.recordType === recordType),
    )
  const columnsAt = (index: number) => columnsOf(layouts[index] ?? { recordType: '', columns: [] }, problems)
  const headerLayout = grouping.kind === 'records' ? indexOf(grouping.header) : 0
  const header = columnsAt(headerLayout)
  const typed = grouping.kind === 'records'
  const items = typed ? columnsAt(indexOf(grouping.detail)) : header
  const building: Building = {
    headerRows: [],
    itemRows: [],
    row: undefined,
    index: 0,
    filled: 0,
    problems: [],
    references: [],
  }
  const context: BindContext = { building, header, items, typed, missing }
  const body = bindPlan(plan.body, context)
  const keys = grouping.kind === 'keys' ? bindKeys(grouping.keys, context) : keysOfBody(body)
  const found = withoutRepeats([...problems, ...missing.map(columnMissing)])
  if (found.length > 0) return found
  // Where names are looked up in two kinds of row, one that is not in the first may be in the second.
  const absentColumns = typed ? [] : header.absent()
  const unusedColumns = typed ? [] : header.unused()
  return {
    ...runningTranslator({ grouping, headerLayout, building, body, keys }),
    absentColumns,
    unusedColumns,
  }
}

/** A group's columns must be in the file. */
function bindKeys(keys: readonly Alternatives[], { header, missing }: BindContext): KeyColumn[] {
  return keys.flatMap((alternatives) => {
    const columns = alternatives.flatMap((names) => header.find(names) ?? [])
    const [first] = columns
    if (first === undefined) {
      missing.push({ names: alternatives.flat(), field: 'group', columns: header })
      return []
    }
    const positions = columns.map(({ position }) => position)
    return [{ name: first.name, read: textReader(columns, new Set()), positions }]
  })
}

function keysOfBody(body: BoundObject): KeyColumn[] {
  return KEY_FIELDS.flatMap((field) => {
    const node = body.fields.get(field)
    const [first] = node?.kind === 'leaf' ? node.columns : []
    if (node?.kind !== 'leaf' || first === undefined) return []
    const positions = node.columns.map(({ position }) => position)
    return [{ name: first.name, read: textReader(node.columns, new Set()), positions }]
  })
}

/** The column of the field, or of the first fed field of an object. */
function columnBelow(body: BoundObject, field: string): string | undefined {
  let node: BoundNode | undefined = body
  for (const name of field.replace(/\[\d*\]/g, '').split('.')) {
    const object: BoundNode | undefined = node?.kind === 'rows' ? node.item : node
    node = object?.kind === 'object' ? object.fields.get(name) : undefined
  }
  return node === undefined ? undefined : firstColumn(node)
}

function firstColumn(node: BoundNode): string | undefined {
  if (node.kind === 'leaf') return node.columns[0]?.name
  if (node.kind === 'rows') return firstColumn(node.item)
  for (const field of node.fields.values()) {
    const column = firstColumn(field)
    if (column !== undefined) return column
  }
  return undefined
}

interface Running {
  readonly grouping: Grouping
  readonly headerLayout: number
  readonly building: Building
  readonly body: BoundObject
  readonly keys: readonly KeyColumn[]
}

function runningTranslator(running: Running): Omit<BoundTranslator, 'absentColumns' | 'unusedColumns'> {
  const { grouping, headerLayout, keys } = running
  let number = 0
  let drafts: Draft[] = []
  const emit = (gathered: Gathered) => {
    number += 1
    drafts.push(draftOf(gathered, number, running))
  }
  const gatherer: Gatherer =
    grouping.kind === 'keys'
      ? gatherByKeys(keys, grouping.blankContinues, emit)
      : gatherByHeader(headerLayout, grouping.header, emit)
  const taken = () => {
    const completed = drafts
    drafts = []
    return completed
  }
  return {
    keyColumns: keys.map(({ name }) => name),
    columnOf: (field) => columnBelow(running.body, field),
    push(rows) {
      for (const row of rows) gatherer.push(row)
      return taken()
    },
    end() {
      gatherer.end()
      return taken()
    },
  }
}

function draftOf(gathered: Gathered, number: number, running: Running): Draft {
  const { building, body, keys } = running
  const { rows } = gathered
  const isBroken = prepare(rows, running)
  const built = building.headerRows.length > 0 ? body.build() : undefined
  const lines = rows.map((row): LineRange => [row.line, row.lastLine])
  const keyRow = keyRowOf(rows, running)
  const keyValues = keys.map(({ read }) => read(keyRow?.values ?? []))
  const { references, problems: found } = building
  if (built !== undefined && !isBroken && found.length === 0 && gathered.problems.length === 0) {
    return { number, lines, keyValues, body: built, references, problems: [] }
  }
  // A value that seems to be missing may stand in the row that cannot be read.
  const sure = isBroken ? found.filter(({ code }) => code !== 'value-missing') : found
  const ofRows = rows.flatMap((row) => row.problems ?? [])
  const problems = withoutRepeats([...gathered.problems, ...ofRows, ...sure])
  return { number, lines, keyValues, references, problems }
}

/** Makes the rows those of the record being built; tells whether some cannot be used. */
function prepare(rows: readonly Row[], { building, grouping, headerLayout }: Running): boolean {
  const isBroken = rows.some(({ problems }) => problems !== undefined)
  const usable = isBroken ? rows.filter(({ problems }) => problems === undefined) : rows
  const isTyped = grouping.kind === 'records'
  building.headerRows = isTyped ? usable.filter(({ layout }) => layout === headerLayout) : usable
  building.itemRows = isTyped ? rows.filter((row) => row.layout !== headerLayout || row !== rows[0]) : rows
  building.filled = 0
  building.references = []
  building.problems.length = 0
  return isBroken
}

/** The row whose key columns name the record. */
function keyRowOf(rows: readonly Row[], { grouping, headerLayout }: Running): Row | undefined {
  const [first] = rows
  if (grouping.kind === 'keys' || first === undefined) return first
  return first.layout === headerLayout && opensRecord(first) ? first : undefined
}

/** One cell may feed several fields; what is wrong with it is said once. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ code, message, place }) => {
    const sameCell = code === 'value-missing' && place.column !== undefined
    const key = [code, place.line, place.column, sameCell ? '' : message].join('\u0000')
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** All drafts of rows that are all there, as when a mapping is tried; or why the mapping does not fit the columns. */
export function translateRows(
  translator: Translator,
  layouts: readonly Layout[],
  rows: readonly Row[],
): {
  readonly drafts: readonly Draft[]
  readonly problems: readonly Problem[]
} {
  const bound = translator.bind(layouts)
  if (!('keyColumns' in bound)) return { drafts: [], problems: bound }
  return { drafts: [...bound.push(rows), ...bound.end()], problems: [] }
}
