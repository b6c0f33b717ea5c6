/** Runs a compiled inbound mapping: gathers rows into records and turns records into bodies or problems. */
import { isPartFile } from '../domain/file.ts'
import type { Layout, ReadOptions, Row } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, FileSource, RecordScan, ScannedRecord } from '../domain/translator.ts'
import { bindPlan } from './binding/bind-body.ts'
import { bindTotalChecks } from './binding/bind-totals.ts'
import type { TraceableTranslator, TranslationTrace } from './binding/explained.ts'
import type { BindContext, BoundNode, BoundObject, RecordBuilder } from './binding/record-builder.ts'
import { createTextReader } from './binding/text-source.ts'
import type { LineRules } from './fields/line-rules.ts'
import type { ColumnAlternatives, Grouping, ObjectPlan, TotalCheck } from './fields/plan.ts'
import { bindChecks, bindCondition, bindHolds } from './rows/bind-condition.ts'
import {
  type Column,
  describeWrongFile,
  foldColumnName,
  indexColumns,
  type MissingColumn,
  missingColumnProblem,
} from './rows/columns.ts'
import { type Check, type Condition, formatCondition } from './rows/conditions.ts'
import {
  bindTotals,
  type BoundTotals,
  checkRecordTotals,
  type TotalsColumns,
  type TotalsPlan,
} from './rows/control-totals.ts'
import {
  gatherByHeader,
  gatherByKeys,
  type KeyColumn,
  type RecordGatherer,
  type RecordRows,
} from './rows/grouping.ts'
import {
  bindUnpack,
  extendLayout,
  listNumberedColumns,
  type PackedLines,
  packsKey,
  type Unpacking,
  unpackRecord,
} from './rows/lines.ts'
import {
  createDraft,
  type DraftContext,
  removeRepeats,
  scanRecord,
  type SharedColumn,
} from './rows/record-draft.ts'

export interface InboundPlan {
  readonly operation: string
  readonly read: ReadOptions
  readonly grouping: Grouping
  /** Texts that mean blank, unless a value says otherwise. */
  readonly blanks: ReadonlySet<string>
  readonly body: ObjectPlan
  readonly only: Condition | undefined
  readonly checks: readonly Check[]
  /** Totals that the records state. Those of rows are in the rules of the lines. */
  readonly totalChecks: readonly TotalCheck[]
  /** Which records wait for a person. Rules for which one row is enough are in those of the lines. */
  readonly holds: readonly Check[]
  readonly lines: LineRules
  readonly packed: PackedLines | undefined
  readonly totals: TotalsPlan | undefined
  readonly recordTotals: TotalsPlan | undefined
  readonly keep: ObjectPlan | undefined
}

/** The fields by which people know a record, where the mapping groups no rows. */
const KEY_FIELDS = ['purchase_order_number', 'order_id', 'invoice_number']

export function createTranslator(plan: InboundPlan): TraceableTranslator {
  const { operation, read } = plan
  return { operation, read, bind: (layouts, source, trace) => bindFile(plan, layouts, { source, trace }) }
}

function bindFile(
  plan: InboundPlan,
  layouts: readonly Layout[],
  { source, trace }: Pick<TranslatorContext, 'trace'> & { readonly source: FileSource | undefined },
): BoundTranslator | readonly Problem[] {
  const { grouping, packed, blanks } = plan
  const problems: Problem[] = []
  const missing: MissingColumn[] = []
  const indexOf = (type: string | undefined) => layouts.findIndex(({ recordType }) => recordType === type)
  const typed = grouping.kind === 'records'
  const headerLayout = typed ? Math.max(0, indexOf(grouping.header)) : 0
  const hasDetails = typed && grouping.detail !== undefined
  const itemLayout = hasDetails ? Math.max(0, indexOf(grouping.detail)) : headerLayout
  const layoutAt = (index: number) => layouts[index] ?? { recordType: '', columns: [] }
  const columnsAt = (index: number) => {
    const layout = layoutAt(index)
    return indexColumns(packed && index === itemLayout ? extendLayout(layout, packed) : layout, problems)
  }
  const header = columnsAt(headerLayout)
  const items = hasDetails ? columnsAt(itemLayout) : header
  const builder = createRecordBuilder(grouping)
  const bindContext: BindContext = { builder, source, header, items, typed: hasDetails, missing, blanks }
  const body = bindPlan(plan.body, bindContext)
  const keys =
    grouping.kind === 'keys'
      ? bindKeys(grouping.keys, bindContext)
      : findBodyKeys(body, plan.read.edi !== undefined)
  const createTotalsColumns = (type: string | undefined, counted?: number): TotalsColumns => {
    const isPart = source?.isPart === true || isPartFile(source?.file ?? '')
    if (grouping.kind === 'keys') {
      return { layout: undefined, totals: header, added: [[0, header]], missing, isPart, blanks }
    }
    const layout = indexOf(type)
    const added = [[itemLayout, items] as const, [headerLayout, header] as const]
    return { layout, totals: columnsAt(layout), added, missing, isPart, blanks, counted }
  }
  const context: TranslatorContext = {
    trace,
    grouping,
    headerLayout,
    builder,
    body,
    orderField: plan.operation === 'create-invoice' ? 'purchase_order_number' : 'order_id',
    keys,
    lines: [...body.fields.values()].find((node) => node.kind === 'rows'),
    ...bindRules(plan, bindContext),
    keep: plan.keep && bindPlan(plan.keep, bindContext),
    details: hasDetails
      ? {
          layout: itemLayout,
          shared: listSharedColumns(plan.read, keys, bindContext, layoutAt(headerLayout)),
        }
      : undefined,
    unpack: packed && {
      layout: itemLayout,
      unpack: bindUnpack(packed, layoutAt(itemLayout), bindContext),
      isFirst: grouping.kind === 'keys' && packsKey(packed, grouping.keys),
    },
    totals: plan.totals && bindTotals(plan.totals, createTotalsColumns(typed ? grouping.totals : '')).start(),
    recordTotals:
      plan.recordTotals &&
      bindTotals(plan.recordTotals, createTotalsColumns(typed ? grouping.recordTotals : '', itemLayout)),
  }
  const wrongFile = describeWrongFile(missing, typed ? [] : header.unused(), layoutAt(headerLayout).columns)
  const found = removeRepeats([...problems, ...(wrongFile ?? missing.map(missingColumnProblem))])
  if (found.length > 0) return found
  const numbered =
    packed === undefined ? undefined : listNumberedColumns(packed.columns, layoutAt(itemLayout))
  // In files of typed rows a name that the header row lacks may be in the other rows.
  const absentColumns = typed ? [] : header.absent()
  const unusedColumns = typed ? [] : header.unused().filter((name) => numbered?.has(name) !== true)
  const checkedTotals = [...plan.totalChecks, ...plan.lines.totals].map(({ written }) => written.total)
  return { ...createBoundTranslator(context), absentColumns, unusedColumns, checkedTotals }
}

function createRecordBuilder(grouping: Grouping): RecordBuilder {
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
    warnings: [],
    dateOrders: [],
    references: [],
    deferred: [],
    firstCounts: grouping.kind === 'keys' && grouping.firstCounts,
  }
}

function bindRules({ only, checks, totalChecks, holds, lines }: InboundPlan, context: BindContext) {
  const check = checks.length === 0 ? undefined : bindChecks(checks, false, context)
  const checkTotals = totalChecks.length === 0 ? undefined : bindTotalChecks(totalChecks, context)
  return {
    only: only && {
      condition: bindCondition(only, { perRow: false, needed: 'only' }, context),
      description: formatCondition(only),
    },
    hold: bindHolds({ ofRecord: holds, ofRows: lines.holds }, context),
    check() {
      check?.()
      checkTotals?.()
    },
  }
}

const FIX_GROUP = 'Add the column, or correct `group` and the values that name it in the mapping.'

function bindKeys(keys: readonly ColumnAlternatives[], { header, missing, blanks }: BindContext) {
  return keys.flatMap((alternatives) => {
    const columns = alternatives.flatMap((names) => header.find(names) ?? [])
    const [first] = columns
    if (first === undefined) {
      // First, so that its fix stands where a value of the body lacks the same column.
      missing.unshift({ names: alternatives.flat(), field: 'group', columns: header, fix: FIX_GROUP })
      return []
    }
    const positions = columns.map(({ position }) => position)
    return [{ name: first.name, read: createTextReader(columns, blanks), positions }]
  })
}

/** Paths mean little to people, so documents name the keys by their fields. */
function findBodyKeys(body: BoundObject, byField: boolean): KeyColumn[] {
  return KEY_FIELDS.flatMap((field) => {
    const node = body.fields.get(field)
    const [first] = node?.kind === 'leaf' ? node.columns : []
    if (node?.kind !== 'leaf' || first === undefined) return []
    const positions = node.columns.map(({ position }) => position)
    const name = byField ? field : first.name
    return [{ name, read: createTextReader(node.columns, new Set()), positions }]
  })
}

/**
 * Lists the columns in which a detail row must agree with its header row: the key, and where the mapping names the
 * columns of both, each of one name that is no value of the lines.
 */
function listSharedColumns(
  { records }: ReadOptions,
  keys: readonly KeyColumn[],
  { header, items }: BindContext,
  headerLayout: Layout,
): SharedColumn[] {
  const isNamed = records?.every(({ columns, ignored }) => ignored === true || columns !== undefined) === true
  const ofLines = new Set(items.used().map(foldColumnName))
  const others = isNamed ? headerLayout.columns.filter((name) => !ofLines.has(foldColumnName(name))) : []
  const names = new Map(
    [...others, ...keys.map(({ name }) => name)].map((name) => [foldColumnName(name), name]),
  )
  return [...names.values()].flatMap((name) => {
    if (!header.has(name) || !items.has(name)) return []
    const isKey = keys.some((key) => key.name === name)
    return { header: toKeyColumn(header.find([name], 1)), detail: toKeyColumn(items.find([name], 1)), isKey }
  })
}

function toKeyColumn(column: Column = { name: '', position: -1 }): KeyColumn {
  const { name, position } = column
  return { name, read: createTextReader([column], new Set()), positions: [position] }
}

interface TranslatorContext extends DraftContext {
  readonly trace: TranslationTrace | undefined
  readonly unpack: Unpacking | undefined
  readonly totals: ReturnType<BoundTotals['start']> | undefined
  readonly recordTotals: BoundTotals | undefined
}

function createBoundTranslator(context: TranslatorContext) {
  const { grouping, keys, unpack, recordTotals, trace } = context
  const drafts = gatherRecords(context, (gathered, number): Draft => {
    const counted = recordTotals === undefined ? gathered : checkRecordTotals(gathered, recordTotals)
    const whole = unpack === undefined || unpack.isFirst ? counted : unpackRecord(counted, unpack)
    const draft = createDraft(whole, number, context)
    trace?.({ draft, rows: whole.rows, fields: () => context.body.explain() })
    return draft
  })
  return {
    keyColumns: keys.map(({ name }) => name),
    groupsByKeys: grouping.kind === 'keys',
    findColumn: (field: string) => findFirstColumn(findFieldNode(context.body, field)),
    findOrigin(field: string) {
      const node = findFieldNode(context.body, field)
      return node?.kind === 'leaf' ? node.origin : undefined
    },
    translateRows: (rows: readonly Row[]) => drafts.take(rows),
    finish: () => drafts.finish(),
    listMismatches: () => drafts.listMismatches(),
    scan(field: string): RecordScan | undefined {
      const node = context.body.fields.get(field)
      // A value without columns may come from elsewhere, such as the order of the record.
      if (node?.kind !== 'leaf' || node.columns.length === 0) return undefined
      return gatherRecords(context, (record): ScannedRecord => scanRecord(record, node, context))
    },
  }
}

/** Gathers the rows of a file into records, and makes something of each; `number` counts them from 1. */
function gatherRecords<Made>(
  { grouping, headerLayout, keys, unpack, totals }: TranslatorContext,
  make: (gathered: RecordRows, number: number) => Made,
) {
  let number = 0
  let made: Made[] = []
  const emit = (gathered: RecordRows) => {
    number += 1
    made.push(make(gathered, number))
  }
  const gatherer: RecordGatherer =
    grouping.kind === 'keys'
      ? gatherByKeys(keys, grouping.blankContinues, emit)
      : gatherByHeader(headerLayout, grouping.header, emit)
  const takeMade = () => {
    const completed = made
    made = []
    return completed
  }
  return {
    take(rows: readonly Row[]) {
      for (const row of rows) {
        if (totals?.take(row) === true) continue
        if (unpack?.isFirst === true) for (const each of unpack.unpack(row)) gatherer.push(each)
        else gatherer.push(row)
      }
      return takeMade()
    },
    finish() {
      gatherer.end()
      return takeMade()
    },
    listMismatches: () => totals?.listMismatches(number) ?? [],
  }
}

// Finds the column of the file behind a field, for messages of the API about that field.

function findFieldNode(body: BoundObject, field: string): BoundNode | undefined {
  let node: BoundNode | undefined = body
  for (const name of field.replace(/\[\d*\]/g, '').split('.')) {
    const object: BoundNode | undefined = node?.kind === 'rows' ? node.item : node
    node = object?.kind === 'object' ? object.fields.get(name) : undefined
  }
  return node
}

/** The column of the field, or of the first fed field of an object. */
function findFirstColumn(node: BoundNode | undefined): string | undefined {
  if (node === undefined) return undefined
  if (node.kind === 'leaf') return node.columns[0]?.name
  if (node.kind === 'rows') return findFirstColumn(node.item)
  return [...node.fields.values()].map(findFirstColumn).find((column) => column !== undefined)
}
