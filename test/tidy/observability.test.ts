/** The pages about logs and metrics are printed from their tables, and the settings of these pages load. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../src/config/load.ts'
import { LOG_EVENTS } from '../../src/domain/event.ts'
import { METRICS } from '../../src/observability/metrics.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const docs = new URL('../../docs/', import.meta.url).pathname

/** Puts the table into the page, behind the line that names it and up to the next heading. */
function withTable(page: string, heading: string, rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows
  const table = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const start = page.indexOf(`## ${heading}\n`)
  if (start === -1) throw new Error(`no heading ${heading}`)
  const from = page.indexOf('\n|', start) + 1
  const end = page.indexOf('\n\n', from)
  return page.slice(0, from) + table + (end === -1 ? '\n' : page.slice(end))
}

test('docs/logs.md lists every code that a line of the log can have', async () => {
  const path = `${docs}logs.md`
  const rows = Object.values(LOG_EVENTS).map(({ code, level, meaning }) => [`\`${code}\``, level, meaning])
  const lost = ['`log.lost`', 'warn', 'Lines could not be written into the file of the log, and how many.']

  await expect(
    withTable(readFileSync(path, 'utf8'), 'Codes', [['Code', 'Level', 'What happened'], ...rows, lost]),
  ).toMatchFileSnapshot(path)
})

test('docs/monitoring.md lists every metric', async () => {
  const path = `${docs}monitoring.md`
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])

  await expect(
    withTable(readFileSync(path, 'utf8'), 'Metrics', [['Metric', 'Type', 'Labels', 'What it says'], ...rows]),
  ).toMatchFileSnapshot(path)
})

test.each(['logs.md', 'monitoring.md', 'notifications.md'])(
  'the settings that docs/%s shows load',
  async (name) => {
    const blocks = [...readFileSync(docs + name, 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(
      ([, text = '']) => text,
    )
    const folder = await tempFolder()
    const env = new Proxy<NodeJS.ProcessEnv>({}, { get: () => 'https://example.com/x' })

    expect(blocks).not.toEqual([])
    for (const block of blocks) {
      const path = join(folder, 'dropbridge.yaml')
      await writeFile(
        path,
        `${block}
api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox }
    mapping: orders.yaml
    results: { mailbox: erp }
`,
      )
      await expect(loadConfiguration(path, env)).resolves.toBeDefined()
    }
  },
)
