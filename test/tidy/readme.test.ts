/** The first screen of the README shows what the program really makes of its rows. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aWorld } from '../fixtures/world.ts'

const README = new URL('../../README.md', import.meta.url).pathname

/** The columns of the result file that the README has room for. */
const SHOWN = ['PO Number', '_line', '_status', '_id', '_code', '_message', '_fix']

/** The cells of a CSV text whose quoted cells hold no line ends. */
function parseRows(text: string): string[][] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
        quoted === undefined ? plain : quoted.replaceAll('""', '"'),
      ),
    )
}

test('the README shows three rows in and the three result rows for them', async () => {
  const page = readFileSync(README, 'utf8')
  const [, rows = ''] = /```csv\n([^]*?)```/.exec(page) ?? []
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', rows)
  await world.run('orders')
  const [header = [], ...results] = parseRows(await world.read('results/orders.csv.results.csv'))
  const places = SHOWN.map((column) => header.indexOf(column))
  const table = [
    `| ${SHOWN.map((column) => (column.startsWith('_') ? `\`${column}\`` : column)).join(' | ')} |`,
    `|${'---|'.repeat(SHOWN.length)}`,
    ...results.map((cells) => `| ${places.map((place) => cells[place] ?? '').join(' | ')} |`),
  ].join('\n')
  const [before = '', after = ''] = page.split(/(?<=<!-- results -->\n)[^]*?(?=\n\nThe refused row)/)

  expect(places).not.toContain(-1)
  expect(results).toHaveLength(3)
  await expect(`${before}\n${table}${after}`).toMatchFileSnapshot(README)
})
