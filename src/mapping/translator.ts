/** A compiled inbound mapping at work: rows are gathered into records, records become bodies or lists of problems. */
import type { Layout, Row } from '../domain/document.ts'
import { holdsPart } from '../domain/file-parts.ts'
import type { Problem } from '../domain/problem.ts'
import type { ReadOptions } from '../domain/format.ts'
import type { BoundTranslator, Draft, FileSource, Translator } from '../domain/translator.ts'
import { bindChecks, bindHolds, bindWhen } from './rows/bind-condition.ts'
import { bindPlan } from './binding/bind.ts'
import type { BindContext, BoundObject, Building } from './binding/building.ts'
import { columnBelow } from './binding/fed-column.ts'
import { columnMissing, columnsOf, type MissingColumn } from './rows/columns.ts'
import { type Check, type Condition, conditionInWords } from './rows/conditions.ts'
import { gatherByHeader, gatherByKeys, type Gathered, type Gatherer, type KeyColumn } from './rows/gather.ts'
import type { PackedLines } from './rows/lines.ts'
import type { Alternatives, Grouping, ObjectPlan } from './fields/plan.ts'
import { draftOf, type Drafting, withoutRepeats } from './rows/record-draft.ts'
import { textReader } from './binding/text-reader.ts'
import { bindTotals, type BoundTotals, type TotalsColumns } from './rows/bind-totals.ts'
import type { TotalsPlan } from './rows/control-totals.ts'
import type { Watch, WatchedTranslator } from './watched.ts'
import { bindUnpack, numberedColumns, unpackedLayout, type Unpacking, unpackRecord } from './rows/unpack.ts'

export interface InboundPlan {
  readonly operation: string
  readonly read: ReadOptions
  readonly grouping: Grouping
  /** Texts that mean blank, unless a value says otherwise. */
  readonly blanks: ReadonlySet<string>
  readonly body: ObjectPlan
  /** Which records are taken; without it, all are. */
  readonly only?: Condition
  readonly checks: readonly Check[]
  /** Which records wait for a person: by the record as a whole, and by any of its rows. */
  readonly holds: readonly Check[]
  readonly lineHolds: readonly Check[]
  /** Columns whose cells hold several lines of a record. */
  readonly packed?: PackedLines
  readonly totals?: TotalsPlan
  /** What is remembered beside the order that the record creates. */
  readonly keep?: ObjectPlan
}

/** The fields by which people know a record, where no group says it. */
const KEY_FIELDS = ['purchase_order_number', 'order_id', 'invoice_number']

export function createTranslator(plan: InboundPlan): WatchedTranslator {
  const { operation, read } = plan
  return {
    operation,
    read,
    bind: (layouts, source, watch) => bindFile(plan, layouts, { source, watch }),
  }
}

function bindFile(
  plan: InboundPlan,
  layouts: readonly Layout[],
  { source, watch }: Pick<Running, 'watch'> & { readonly source: FileSource | undefined },
): BoundTranslator | readonly Problem[] {
  const { grouping, packed, blanks } = plan
  const problems: Problem[] = []
  const missing: MissingColumn[] = []
  const indexOf = (recordType: string) =>
    Math.max(
      0,
      layouts.findIndex((layout) => layout.recordType === recordType),
    )
  const typed = grouping.kind === 'records'
  const headerLayout = typed ? indexOf(grouping.header) : 0
  const itemLayout = typed ? indexOf(grouping.detail) : 0
  const layoutAt = (index: number) => layouts[index] ?? { recordType: '', columns: [] }
  const columnsAt = (index: number) => {
    const layout = layoutAt(index)
    return columnsOf(packed && index === itemLayout ? unpackedLayout(layout, packed) : layout, problems)
  }
  const header = columnsAt(headerLayout)
  const items = typed ? columnsAt(itemLayout) : header
  const building = emptyBuilding(grouping)
  const context: BindContext = { building, source, header, items, typed, missing, blanks }
  const body = bindPlan(plan.body, context)
  const keys = grouping.kind === 'keys' ? bindKeys(grouping.keys, context) : keysOfBody(body)
  const totalsColumns = (): TotalsColumns => {
    const isPart = holdsPart(source?.file ?? '')
    if (grouping.kind === 'keys') {
      return { layout: undefined, totals: header, added: [[0, header]], missing, isPart, blanks }
    }
    const layout = layouts.findIndex(({ recordType }) => recordType === grouping.totals)
    const added = [[itemLayout, items] as const, [headerLayout, header] as const]
    return { layout, totals: columnsAt(layout), added, missing, isPart, blanks }
  }
  const running: Running = {
    watch,
    grouping,
    headerLayout,
    building,
    body,
    orderField: plan.operation === 'create-invoice' ? 'purchase_order_number' : 'order_id',
    keys,
    lines: [...body.fields.values()].find((node) => node.kind === 'rows'),
    ...bindRules(plan, context),
    keep: plan.keep && bindPlan(plan.keep, context),
    unpack: packed && {
      layout: itemLayout,
      rows: bindUnpack(packed, layoutAt(itemLayout), { found: items, missing, blanks }),
    },
    totals: plan.totals && bindTotals(plan.totals, totalsColumns()),
  }
  const found = withoutRepeats([...problems, ...missing.map(columnMissing)])
  if (found.length > 0) return found
  const numbered = packed === undefined ? undefined : numberedColumns(packed.columns, layoutAt(itemLayout))
  // Where names are looked up in two kinds of row, one that is not in the first may be in the second.
  const absentColumns = typed ? [] : header.absent()
  const unusedColumns = typed ? [] : header.unused().filter((name) => numbered?.has(name) !== true)
  return { ...runningTranslator(running), absentColumns, unusedColumns }
}

function emptyBuilding(grouping: Grouping): Building {
  return {
    number: 0,
    headerRows: [],
    itemRows: [],
    lineRows: [],
    bodyRows: [],
    row: undefined,
    index: 0,
    filled: 0,
    problems: [],
    references: [],
    awaits: [],
    firstCounts: grouping.kind === 'keys' && grouping.firstCounts,
  }
}

function bindRules(
  { only, checks, holds, lineHolds }: InboundPlan,
  context: BindContext,
): Pick<Drafting, 'only' | 'hold' | 'check'> {
  return {
    only: only && {
      condition: bindWhen(only, { perRow: false, needed: 'only' }, context),
      words: conditionInWords(only),
    },
    hold: bindHolds({ ofRecord: holds, ofRows: lineHolds }, context),
    check: checks.length === 0 ? undefined : bindChecks(checks, false, context),
  }
}

/** A group's columns must be in the file. */
function bindKeys(keys: readonly Alternatives[], { header, missing, blanks }: BindContext): KeyColumn[] {
  return keys.flatMap((alternatives) => {
    const columns = alternatives.flatMap((names) => header.find(names) ?? [])
    const [first] = columns
    if (first === undefined) {
      missing.push({ names: alternatives.flat(), field: 'group', columns: header })
      return []
    }
    const positions = columns.map(({ position }) => position)
    return [{ name: first.name, read: textReader(columns, blanks), positions }]
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

interface Running extends Drafting {
  readonly watch: Watch | undefined
  readonly unpack: Unpacking | undefined
  readonly totals: BoundTotals | undefined
}

function runningTranslator(running: Running): Omit<BoundTranslator, 'absentColumns' | 'unusedColumns'> {
  const { grouping, headerLayout, keys, unpack, totals, watch } = running
  let number = 0
  let drafts: Draft[] = []
  const emit = (gathered: Gathered) => {
    number += 1
    const whole = unpack === undefined ? gathered : unpackRecord(gathered, unpack)
    const draft = draftOf(whole, number, running)
    drafts.push(draft)
    watch?.({ draft, rows: whole.rows, fields: () => running.body.explain() })
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
      for (const row of rows) {
        if (totals?.take(row) === true) continue
        gatherer.push(row)
      }
      return taken()
    },
    end() {
      gatherer.end()
      return taken()
    },
    disagreements: () => totals?.disagreements(number) ?? [],
  }
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
  const drafts = [...bound.push(rows), ...bound.end()]
  return { drafts, problems: bound.disagreements() }
}
