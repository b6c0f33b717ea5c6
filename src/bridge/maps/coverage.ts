/** What the examples of a mapping leave untried: columns nobody uses, fields never filled, options and keys never taken. */
import { dirname, resolve } from 'node:path'
import type { Format } from '../../domain/format.ts'
import type { ExplainedField } from '../../mapping/binding/explained.ts'
import { exampleBody } from '../../mapping/example-records.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { mappedBody, type MappingLeaf } from './leaves.ts'
import { type FileRead, readRecords } from './records.ts'
import { recordTrials } from './record-trials.ts'
import { tableKeys, type UntakenKeys } from './table-keys.ts'
import { tableWords } from './table-words.ts'
import { type TableWords, textInto, type Trial, trialsOf } from './trials.ts'

export interface Coverage {
  /** Columns of the examples that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  /** Columns that the mapping names and no example has. */
  readonly absentColumns: readonly string[]
  /** Fields of the mapping that no example fills. */
  readonly unfilledFields: readonly string[]
  /** Options and conditions that make no difference to any example, each as `field: option`. */
  readonly untakenOptions: readonly string[]
  readonly untakenKeys: readonly UntakenKeys[]
}

export async function coverageOf(mapping: InboundMapping, path: string, format: Format): Promise<Coverage> {
  const { leaves } = mappedBody(mapping)
  const words = await tableWords(mapping, path)
  const unfilled = new Set(leaves.map(({ field }) => field))
  const fieldTrials = trialsByField(leaves, words)
  const ofRecords = recordTrials(mapping)
  const byName = new Map(leaves.map((leaf) => [leaf.field, leaf]))
  const asked = leaves.flatMap(({ branches }) => branches.map(({ options }) => options['table']))
  const keys = tableKeys(words, asked)
  const columns = columnCounts()
  for (const { input } of mapping.examples) {
    const read = await readRecords(resolve(dirname(path), input), format, mapping, () => true)
    if ('problems' in read) continue
    columns.add(read)
    for await (const record of read.records) {
      ofRecords.take(record, read)
      if (record.draft.body === undefined) continue
      for (const field of filledPaths(exampleBody(record.draft), '')) unfilled.delete(field)
      for (const field of record.fields) {
        const name = leafName(field)
        fieldTrials.take(name, field)
        const table = byName.get(name)?.branches[field.branch ?? 0]?.options['table']
        keys.take(table, textInto(field, 'table'))
      }
    }
  }
  return {
    ...columns.result(mapping.examples.length),
    unfilledFields: [...unfilled],
    untakenOptions: [...fieldTrials.untaken(), ...ofRecords.untaken()],
    untakenKeys: keys.untaken(),
  }
}

/** The path of the leaf that makes a field: `order_lines[].quantity` of `order_lines[1].quantity`. */
function leafName({ field }: ExplainedField): string {
  return field.replace(/\[\d+\]/g, '[]')
}

/** The paths of the values in a body, with `[]` for each item of a list. */
function filledPaths(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => filledPaths(item, `${path}[]`))]
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, item]) =>
    filledPaths(item, path === '' ? name : `${path}.${name}`),
  )
  return [path, ...below]
}

function trialsByField(leaves: readonly MappingLeaf[], words: TableWords) {
  const open = new Map(leaves.map((leaf): [string, Trial[]] => [leaf.field, trialsOf(leaf, words)]))
  return {
    take(name: string, field: ExplainedField) {
      const left = open.get(name)?.filter(({ isTried }) => !isTried(field))
      if (left !== undefined) open.set(name, left)
    },
    untaken: () => [...open.values()].flatMap((trials) => trials.map(({ name }) => name)),
  }
}

function columnCounts() {
  const unused = new Set<string>()
  const absent = new Map<string, number>()
  return {
    add({ bound }: FileRead) {
      for (const name of bound.unusedColumns) unused.add(name)
      for (const name of bound.absentColumns) absent.set(name, (absent.get(name) ?? 0) + 1)
    },
    result: (examples: number): Pick<Coverage, 'unusedColumns' | 'absentColumns'> => ({
      unusedColumns: [...unused],
      absentColumns: [...absent].filter(([, count]) => count === examples).map(([name]) => name),
    }),
  }
}
