/** docs/edi-documents.md is printed from the grammars and dictionaries, and the tables of docs/edi.md from the faults. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROBLEMS } from '../../src/domain/problem.ts'
import { DICTIONARIES, findGrammar, listDocuments } from '../../src/edi/documents.ts'
import { type FaultKind, type FaultName, FAULTS } from '../../src/edi/faults.ts'
import { GRAMMAR_KEYS } from '../../src/edi/grammar-file.ts'
import type { Grammar, LoopRule } from '../../src/edi/grammar.ts'
import type { Syntax } from '../../src/edi/segment.ts'

const docs = new URL('../../docs/', import.meta.url).pathname

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells)), '']
}

const code = (text: string) => `\`${text}\``

const SYNTAXES = { x12: 'X12', edifact: 'EDIFACT' } as const

const grammars = listDocuments().map(({ document }) => {
  const [syntax = '', name = ''] = document.split('/')
  const grammar = findGrammar(syntax as Syntax, name)
  if (grammar === undefined) throw new Error(`there is no grammar for ${document}`)
  return grammar
})

test('docs/edi-documents.md shows every document and its segments', async () => {
  const page = [
    '# EDI documents',
    '',
    'Printed from the grammars of the code. They are written from public guides and are not the standard: a',
    'segment that they lack may be right, and is no reason to refuse a document. [EDI](edi.md) says how paths lead',
    'to values.',
    '',
    'Each document shows its own segments, then its loops; segments that are set in belong to the loop above them.',
    'Behind each: how often it may stand there, and its qualifier element. `pairs` says where pairs of a qualifier and a',
    'value begin, which paths name by the qualifier; `date` that it has a date.',
    '',
    ...grammars.flatMap(printDocument),
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${docs}edi-documents.md`)
})

function printDocument({ syntax, document, definition, root }: Grammar): string[] {
  const { title, group, versions, records = [root.id], lines } = definition
  return [
    `## ${SYNTAXES[syntax]} ${document}: ${title}`,
    '',
    `Versions in guides: ${versions.join(', ')}.${group === undefined ? '' : ` Group code ${code(group)}.`}`,
    `A record is ${records.map(code).join(', else ')}; a line is ${code(lines)}.`,
    '',
    '```text',
    ...printLoop(root, syntax, ''),
    '```',
    '',
  ]
}

function printLoop(loop: LoopRule, syntax: Syntax, indent: string): string[] {
  const inside = loop.id === 'ST' || loop.id === 'UNH' ? '' : `${indent}  `
  const own = [...loop.segments].map(([id, count]) => printSegment({ id, ...count }, syntax, inside))
  const loops = [...loop.loops.values()].flatMap((each) => printLoop(each, syntax, inside))
  return [
    ...(loop.id === 'ST' || loop.id === 'UNH' ? [] : [printSegment(loop, syntax, indent)]),
    ...own,
    ...loops,
  ]
}

function printSegment(
  { id, min, max }: { readonly id: string; readonly min: number; readonly max: number },
  syntax: Syntax,
  indent: string,
): string {
  const info = DICTIONARIES[syntax].find(id)
  const count = max === Infinity ? `${min} or more` : min === max ? String(min) : `${min} to ${max}`
  const about = [
    count,
    ...(info?.qualifier === undefined ? [] : [`qualifier ${String(info.qualifier).padStart(2, '0')}`]),
    ...(info?.pairs === undefined ? [] : [`pairs from ${String(info.pairs.from).padStart(2, '0')}`]),
    ...(info?.date === undefined ? [] : ['date']),
  ]
  const name = info?.name ?? ''
  return `${indent}${id.padEnd(4)}${name}${name === '' ? '' : ' '}(${about.join(', ')})`
}

test('docs/edi.md says of every fault what it refuses, and what the keys of a grammar mean', async () => {
  const path = `${docs}edi.md`
  const head = ['Fault', 'Code', 'Refused', 'X12', 'EDIFACT']
  const keys = Object.entries(GRAMMAR_KEYS).map(([key, { summary, example }]) => [
    code(key),
    summary,
    code(example),
  ])
  const text = readFileSync(path, 'utf8').replace(
    /(?<=^<!-- printed: grammar -->\n)(?:.+\n)*/m,
    tableOf(['Key', 'Meaning', 'Example'], keys).join('\n'),
  )
  const [before = '', rest = ''] = text.split(row(...head))
  const after = rest.split('\n\n').slice(1).join('\n\n')
  const rows = (Object.keys(FAULTS) as FaultName[]).map((name) => {
    const { problem, reach, x12, edifact }: FaultKind = FAULTS[name]
    const refused = { interchange: 'the interchange', group: 'the group', set: 'the set', note: 'nothing' }[
      reach
    ]
    return [name.replaceAll('-', ' '), code(problem), refused, x12, edifact]
  })

  await expect(before + tableOf(head, rows).join('\n') + '\n' + after).toMatchFileSnapshot(path)
  expect(Object.values(FAULTS).every(({ problem }) => problem in PROBLEMS)).toBe(true)
})
