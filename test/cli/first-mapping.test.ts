/** Every command of docs/first-mapping.md, run one after the other as a reader of the page would. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const repository = new URL('../..', import.meta.url).pathname
const page = await readFile(join(repository, 'docs/first-mapping.md'), 'utf8')

/** In the order of the page: the lines of `sh` blocks, and commands within the text. */
const COMMANDS = [...page.matchAll(/^```sh\n(.*?)^```|`(dropbridge [^`]*)`/gms)].flatMap(
  ([, block, inline]) => (inline ?? block ?? '').split('\n').filter((line) => line !== ''),
)

const ENV = {
  DROPBRIDGE_API_URL: 'http://127.0.0.1:9',
  DROPBRIDGE_CLIENT_ID: 'our-client',
  DROPBRIDGE_CLIENT_SECRET: 'secret',
}

/** What the reader does between the commands, beside looking. */
async function lendAHand(folder: string, command: string): Promise<void> {
  const mapping = join(folder, 'mappings/orders.yaml')
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
  if (command.includes(' map diff ')) {
    await mkdir(join(folder, 'exchange/archive'), { recursive: true })
    await copyFile(join(folder, 'orders.csv'), join(folder, 'exchange/archive/orders.csv'))
    const changed = (await readFile(mapping, 'utf8')).replace(
      ' zone: America/New_York',
      ' zone: America/Chicago',
    )
    await writeFile(join(folder, 'mappings/orders-new.yaml'), changed)
  }
}

async function run(
  folder: string,
  words: readonly string[],
): Promise<{ exit: number; out: string[]; said: string }> {
  const { terminal, out, talk: said } = listeningTerminal({ folder, env: ENV })
  const exit = await runCommandLine(terminal, [...words])
  return { exit, out, said: said.join('\n') }
}

test('the commands of the page work in their order, and give what it shows', async () => {
  const folder = await tempFolder()
  await run(folder, ['init', '.'])
  await copyFile(join(repository, 'samples/orders/retailer-orders.csv'), join(folder, 'orders.csv'))
  const ran: string[] = []
  const seen: string[] = []

  for (const command of COMMANDS) {
    await lendAHand(folder, command)
    const [plain = '', rest] = command.split(' | ')
    const { exit, out, said } = await run(folder, plain.split(' ').slice(1))
    expect([command, exit, said]).toEqual([command, command.includes(' map diff ') ? 2 : 0, said])
    const [, target] = /^jq -s \. > (\S+)$/.exec(rest ?? '') ?? []
    if (target !== undefined) await writeFile(join(folder, target), `[${out.join(',')}]`)
    ran.push(plain.split(' ').slice(1, 3).join(' '))
    seen.push(...out)
    if (plain.includes(' map learn ')) seen.push(await readFile(join(folder, 'mappings/orders.yaml'), 'utf8'))
  }

  for (const named of ['map learn', 'map try', 'map test', 'map docs', 'map diff'])
    expect(ran).toContain(named)
  const everything = seen.flatMap((text) => text.split('\n')).map(inOneLine)
  const shown = [/```yaml\n(operation:.*?)```/s, /```\n(record .*?)```/s]
    .flatMap((block) => (block.exec(page)?.[1] ?? '').trimEnd().split('\n'))
    .map(inOneLine)
  expect(shown.length).toBeGreaterThan(10)
  expect(shown.filter((line) => !everything.some((each) => isBegun(each, line)))).toEqual([])
})

/** Columns are as wide as what is in them, on the page and elsewhere. */
function inOneLine(text: string): string {
  return text.trim().replace(/ +/g, ' ')
}

/** Whether the line is the one shown; the page cuts long ones with an ellipsis. */
function isBegun(line: string, shown: string): boolean {
  return shown.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown
}
