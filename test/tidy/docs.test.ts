/** The pages that list things are printed from the tables of the code, and the README names what there is. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONCERNS } from '../../src/domain/attention.ts'
import { PROBLEMS } from '../../src/domain/problem-kinds.ts'
import { OUTCOMES } from '../../src/domain/record.ts'
import { EXIT, FAILURES } from '../../src/support/errors.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(repository + path, 'utf8')

function row(...cells: (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
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
      ['Code', 'What happened', 'What to do'],
      Object.entries(PROBLEMS).map(([code, { cause, cure }]) => [`\`${code}\``, cause, cure]),
    ),
    '## Failures',
    '',
    'They end a route or the program. Nothing is lost: the journal keeps the work.',
    '',
    ...tableOf(
      ['Code', 'Exit', 'What happened', 'What to do'],
      Object.entries(FAILURES).map(([code, { exit, cause, cure }]) => [`\`${code}\``, exit, cause, cure]),
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

test('docs/attention.md lists every finding that a person must hear of', async () => {
  const path = `${repository}docs/attention.md`
  const head = ['Code', 'What it means', 'What to do']
  const [intro = ''] = readFileSync(path, 'utf8').split(row(...head))
  const rows = Object.entries(CONCERNS).map(([code, { meaning, cure }]) => [`\`${code}\``, meaning, cure])

  await expect(intro + tableOf(head, rows).join('\n')).toMatchFileSnapshot(path)
})

test('the README names every command and every exit code', () => {
  const readme = textOf('README.md')
  const commands = readdirSync(`${repository}src/cli/commands`).map((name) => name.replace(/\.ts$/, ''))

  const missing = [
    ...commands.filter((command) => !readme.includes(`dropbridge ${command}`)),
    ...Object.values(EXIT)
      .map(String)
      .filter((code) => !new RegExp(`\\b${code}\\b`).test(readme)),
  ]

  expect(missing).toEqual([])
})

test('every ready mapping carries an example, and every sample is used by one or by a test', () => {
  const mappings = readdirSync(`${repository}mappings`).filter((name) => name.endsWith('.yaml'))

  const without = mappings.filter((name) => !/^examples:/m.test(textOf(`mappings/${name}`)))

  expect(mappings.length).toBeGreaterThan(0)
  expect(without).toEqual([])
})
