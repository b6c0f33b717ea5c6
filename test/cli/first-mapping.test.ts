/** Every command of docs/first-mapping.md, run one after the other as a reader of the page would. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const repository = new URL('../..', import.meta.url).pathname
const page = await readFile(join(repository, 'docs/first-mapping.md'), 'utf8')

/** The commands of the page in their order: lines of `sh` blocks, and commands within the text. */
const COMMANDS = [...page.matchAll(/^```sh\n(.*?)^```|`(dropbridge [^`]*)`/gms)].flatMap(
  ([, block, inline]) => (inline ?? block ?? '').split('\n').filter((line) => line !== ''),
)

const ENV = {
  DROPBRIDGE_API_URL: 'http://127.0.0.1:9',
  DROPBRIDGE_CLIENT_ID: 'our-client',
  DROPBRIDGE_CLIENT_SECRET: 'secret',
}

/** What the reader edits between the commands. */
async function lendAHand(folder: string, command: string): Promise<void> {
  const mapping = join(folder, 'mappings/shop.yaml')
  if (command.includes(' map try ')) {
    const learned = await readFile(mapping, 'utf8')
    const filledIn = learned
      .replace('country: Country ', 'country: { from: Country, default: US } ')
      .replace('HH:mm }', 'HH:mm, zone: America/New_York }')
    await writeFile(mapping, filledIn)
  }
  if (command.includes('| jq')) {
    await copyFile(join(folder, 'orders.csv'), join(folder, 'mappings/small.csv'))
    const [, block = ''] = /```yaml\n(examples:.*?)```/s.exec(page) ?? []
    await writeFile(mapping, (await readFile(mapping, 'utf8')) + block)
  }
  if (command === 'dropbridge check') {
    const configuration = join(folder, 'dropbridge.yaml')
    const [, route = ''] = /```yaml\n( {2}shop:.*?)```/s.exec(page) ?? []
    const written = await readFile(configuration, 'utf8')
    if (!written.includes(route))
      await writeFile(configuration, written.replace('routes:\n', `routes:\n${route}`))
  }
  if (command.includes(' map diff ')) {
    await mkdir(join(folder, 'exchange/archive'), { recursive: true })
    await copyFile(join(folder, 'orders.csv'), join(folder, 'exchange/archive/orders.csv'))
    const changed = (await readFile(mapping, 'utf8')).replace(
      ' zone: America/New_York',
      ' zone: America/Chicago',
    )
    await writeFile(join(folder, 'mappings/shop-new.yaml'), changed)
  }
}

async function run(
  folder: string,
  args: readonly string[],
): Promise<{ exit: number; out: string[]; err: string }> {
  const { terminal, out, err } = listeningTerminal({ folder, env: ENV })
  const exit = await runCommandLine(terminal, [...args])
  return { exit, out, err: err.join('\n') }
}

test('the commands of the page work in their order, and print what it shows', async () => {
  const folder = await tempFolder()
  await run(folder, ['init', '.'])
  await copyFile(join(repository, 'samples/orders/retailer-orders.csv'), join(folder, 'orders.csv'))
  const ran: string[] = []
  const seen: string[] = []

  for (const command of COMMANDS) {
    await lendAHand(folder, command)
    const [plain = '', rest] = command.split(' | ')
    const { exit, out, err } = await run(folder, plain.split(' ').slice(1))
    expect([command, exit, err]).toEqual([command, command.includes(' map diff ') ? 2 : 0, err])
    const [, target] = /^jq -s \. > (\S+)$/.exec(rest ?? '') ?? []
    if (target !== undefined) await writeFile(join(folder, target), `[${out.join(',')}]`)
    ran.push(plain.split(' ').slice(1, 3).join(' '))
    seen.push(...out, ...err.split('\n'))
    if (plain.includes(' map learn ')) seen.push(await readFile(join(folder, 'mappings/shop.yaml'), 'utf8'))
  }

  for (const named of ['map learn', 'map try', 'map test', 'check', 'map docs', 'map diff'])
    expect(ran).toContain(named)
  const everything = seen.flatMap((text) => text.split('\n')).map(inOneLine)
  const shown = [/```yaml\n(operation:.*?)```/s, /```yaml\n( {2}shop:.*?)```/s, /```\n(record .*?)```/s]
    .flatMap((block) => (block.exec(page)?.[1] ?? '').trimEnd().split('\n'))
    .map(inOneLine)
  expect(shown.length).toBeGreaterThan(10)
  expect(shown.filter((line) => !everything.some((each) => isBegun(each, line)))).toEqual([])
})

/** Shortens runs of blanks: columns are as wide as their contents, on the page and elsewhere. */
function inOneLine(text: string): string {
  return text.trim().replace(/ +/g, ' ')
}

/** Whether the line is the one that the page shows; the page shortens long lines with an ellipsis. */
function isBegun(line: string, shown: string): boolean {
  return shown.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown
}
