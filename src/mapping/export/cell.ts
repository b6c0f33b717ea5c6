/** Compiles one column of an export: the value it shows and how it is written. */
import { compileCellCondition } from './cell-condition.ts'
import { checkTexts } from './characters.ts'
import { optionsOf, placeOf } from './column-checks.ts'
import type { ColumnLeaf } from './column-options.ts'
import { type CellContext, type CellReading, type CellStep, compileReading } from './cell-reading.ts'
import type { ReadText } from './cell-source.ts'
import { type Finish, finishFor } from './cell-text.ts'
import type { SourceNode } from '../source/source.ts'

export interface CellPlan extends Pick<CellReading, 'field' | 'perItem' | 'values' | 'steps'> {
  readonly name: string
  /** The name as it stands in the header line. */
  readonly title: string
  /** What stands in the cell. */
  readonly text: ReadText
}

/** The plan of the column, or undefined after its mistakes were noted. */
export function compileCell(name: string, node: SourceNode, context: CellContext): CellPlan | undefined {
  const { mistakes } = context
  const before = mistakes.count()
  const options = optionsOf(node, mistakes)
  if (options === undefined) return undefined
  const reading = compileReading(node, options, context)
  const holds = compileCellCondition(node, context, mistakes)
  const { text, title, steps, blank } = finished({ node, name, reading }, options, context)
  if (mistakes.count() > before) return undefined
  const { field, perItem, values } = reading
  const column = { name, title, field, perItem, values, steps }
  if (holds === undefined) return { ...column, text }
  return {
    ...column,
    text: (record, item, refuse) => (holds(record, item) ? text(record, item, refuse) : blank),
  }
}

const REQUIRED_CURE = 'Fill the value in at the API, or give the column a `default` in the mapping.'

interface Unfinished {
  readonly node: SourceNode
  readonly name: string
  readonly reading: CellReading
}

/** The text of the column with all that is done to it; a constant or default is finished here, once. */
function finished(
  { node, name, reading }: Unfinished,
  options: ColumnLeaf,
  { paper, mistakes }: CellContext,
): Pick<CellPlan, 'text' | 'title' | 'steps'> & { readonly blank: string } {
  const { value, isNumber } = reading
  if (paper.isFixed && options.width === undefined) {
    mistakes.add(node, 'a column of a fixed-width file needs a `width`')
  }
  if (!paper.isFixed && options.align !== undefined) {
    mistakes.add(placeOf(node, 'align'), '`align` is for fixed-width files')
  }
  checkTexts(node, options, paper, mistakes)
  const { shape, layout, named } = finishFor({ ...options, isNumber }, paper)
  const option = options.const === undefined ? 'default' : 'const'
  const noted = (at: string) => (_code: unknown, message: string) => {
    mistakes.add(placeOf(node, at), message)
    return ''
  }
  const fitted = (text: string, at: string) => paper.fit?.(text, noted(at)) ?? text
  const laid = (text: string, at: string) => layout?.(fitted(text, at), noted(at)) ?? fitted(text, at)
  const title = paper.hasHeader ? (paper.isFixed ? laid : fitted)(name, '') : name
  const told = textAt(node, option)
  const blank = laid('', '')
  const fallback = told === undefined ? blank : laid(told, option)
  if (value === undefined) return { title, blank, steps: [], text: () => fallback }
  const text: ReadText = (record, item, refuse) => {
    const written = value(record, item, refuse)
    if (options.required && written.trim() === '') {
      return refuse('value-missing', `column "${name}" is blank`, REQUIRED_CURE)
    }
    if (written === '') return fallback
    const shaped = shape === undefined ? written : shape(written, refuse)
    return layout === undefined ? shaped : layout(shaped, refuse)
  }
  return { title, blank, text, steps: stepsOf(reading.steps, named) }
}

/** Each step after those before it; what is blank gets no further. */
function stepsOf(before: readonly CellStep[], named: Finish['named']): CellStep[] {
  const steps = [...before]
  for (const { does, step } of named) {
    const last = steps.at(-1)
    if (last === undefined) continue
    const read: ReadText = (record, item, refuse) => {
      const text = last.read(record, item, refuse)
      return text === '' ? '' : step(text, refuse)
    }
    steps.push({ does, read })
  }
  return steps
}

function textAt(node: SourceNode, option: string): string | undefined {
  const written = node.kind === 'map' ? node.entries.get(option)?.node : undefined
  return written?.kind === 'text' ? written.text : undefined
}
