/** The pages with lists are printed from the tables of the code, and docs/commands.md is complete. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REASONS } from '../../src/app/diagnose/reasons.ts'
import { ALERTS } from '../../src/domain/alert.ts'
import { PROBLEMS } from '../../src/domain/problem.ts'
import { OUTCOMES } from '../../src/domain/record.ts'
import { type CodeText, EXIT, FAILURES } from '../../src/support/errors.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(repository + path, 'utf8')

function row(...cells: (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

const TEXT_HEAD = ['Code', 'What is wrong', 'Fix', 'Details']

function textCells({ title, fix, details = '' }: CodeText): string[] {
  return [title, fix, details]
}

function tableOf(head: string[], rows: (string | number)[][]): string[] {
  return [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells)), '']
}

test('docs/errors.md lists every problem, failure and outcome of the code', async () => {
  const page = [
    '# Codes',
    '',
    'Printed from the tables of the code; `dropbridge explain CODE` says the same.',
    '',
    '## Problems with data',
    '',
    'They stand in the result file (`_code`, `_message`, `_fix`). The file goes on without the record.',
    '',
    ...tableOf(
      TEXT_HEAD,
      Object.entries(PROBLEMS).map(([code, text]) => [`\`${code}\``, ...textCells(text)]),
    ),
    '## Failures',
    '',
    'They end a route or the program. Nothing is lost: the journal keeps the work.',
    '',
    ...tableOf(
      ['Code', 'Exit', ...TEXT_HEAD.slice(1)],
      Object.entries(FAILURES).map(([code, kind]) => [`\`${code}\``, kind.exit, ...textCells(kind)]),
    ),
    '## Why a file is not taken',
    '',
    'Only `dropbridge why-not` prints these codes. It also prints failures and problems of the tables above.',
    '',
    ...tableOf(
      ['Code', 'Exit', 'What is wrong', 'Fix'],
      Object.entries(REASONS).map(([code, { exit, title, fix }]) => [`\`${code}\``, exit, title, fix]),
    ),
    '## Outcomes of a record',
    '',
    ...tableOf(
      ['Outcome', 'Meaning'],
      Object.entries(OUTCOMES).map(([outcome, meaning]) => [`\`${outcome}\``, meaning]),
    ),
  ].join('\n')

  await expect(page).toMatchFileSnapshot(`${repository}docs/errors.md`)
})

test('docs/alerts.md lists every alert', async () => {
  const path = `${repository}docs/alerts.md`
  const head = TEXT_HEAD
  const [intro = ''] = readFileSync(path, 'utf8').split(row(...head))
  const rows = Object.entries(ALERTS).map(([code, text]) => [`\`${code}\``, ...textCells(text)])

  await expect(intro + tableOf(head, rows).join('\n')).toMatchFileSnapshot(path)
})

test('docs/commands.md names every command and every exit code', () => {
  const page = textOf('docs/commands.md')
  const commands = readdirSync(`${repository}src/cli/commands`).map((name) => name.replace(/\.ts$/, ''))

  const missing = [
    ...commands.filter((command) => !page.includes(`dropbridge ${command}`)),
    ...Object.values(EXIT)
      .map(String)
      .filter((code) => !new RegExp(`\\b${code}\\b`).test(page)),
  ]

  expect(missing).toEqual([])
})

test('every ready mapping carries an example, and every sample is used by one or by a test', () => {
  const mappings = readdirSync(`${repository}mappings`).filter((name) => name.endsWith('.yaml'))

  const without = mappings.filter((name) => !/^examples:/m.test(textOf(`mappings/${name}`)))

  expect(mappings.length).toBeGreaterThan(0)
  expect(without).toEqual([])
})

test.each([
  ['problems', PROBLEMS],
  ['failures', FAILURES],
  ['alerts', ALERTS],
  ['reasons', REASONS],
])(
  'the titles of %s have at most 60 characters, and their fixes at most 100',
  (_, table: Record<string, CodeText>) => {
    const long = Object.entries(table).filter(([, { title, fix }]) => title.length > 60 || fix.length > 100)
    expect(long.map(([code]) => code)).toEqual([])
  },
)
