/** The commands that messages name: as the person has to write them, with the configuration that was given. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommandEntry } from '../../src/cli/command.ts'
import { commandName } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { listCommandTitles, WITHOUT_CONFIGURATION } from '../../src/cli/command-line.ts'
import { leaveOutTakenFile } from '../../src/support/text.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runHere } from '../fixtures/terminal.ts'

const repository = new URL('../..', import.meta.url).pathname
const MAPPING = join(repository, 'mappings/retailer-orders.yaml')
const SAMPLE = join(repository, 'samples/orders/retailer-orders.csv')
const SETTINGS = {
  DROPBRIDGE_API_URL: 'http://127.0.0.1:9',
  DROPBRIDGE_CLIENT_ID: 'a',
  DROPBRIDGE_CLIENT_SECRET: 'b',
}

/** A folder with a configuration under another name. */
async function withOther(): Promise<string> {
  const folder = await tempFolder()
  await runHere(folder, ['init'], SETTINGS)
  await cp(join(folder, 'dropbridge.yaml'), join(folder, 'my bridge.yaml'))
  return folder
}

async function findTitlesWithConfig(commands: readonly CommandEntry[], before = ''): Promise<string[]> {
  const found = commands.map(async (entry) => {
    const title = `${before}${commandName(entry)}`
    const { options = {} } = (await entry.load?.()) ?? {}
    const below = await findTitlesWithConfig(entry.commands ?? [], `${title} `)
    return 'config' in options ? [title, ...below] : below
  })
  return (await Promise.all(found)).flat()
}

describe('the configuration in the commands of messages', () => {
  test('the list of commands without it agrees with the options of all commands', async () => {
    const withConfig = await findTitlesWithConfig(COMMANDS)

    expect(
      listCommandTitles()
        .filter((title) => !withConfig.includes(title))
        .toSorted(),
    ).toEqual([...WITHOUT_CONFIGURATION].toSorted())
  })

  test.each([
    [
      ['resolve', 'X', '-c', 'my bridge.yaml'],
      "`dropbridge resolve X -c 'my bridge.yaml' --by NAME --why TEXT`",
    ],
    [['restored', '-c', 'my bridge.yaml'], "`dropbridge restored -c 'my bridge.yaml' --dry-run`"],
    [['retake', 'a.csv', '--config=my bridge.yaml'], "`dropbridge status -c 'my bridge.yaml'`"],
    [
      ['edi', 'numbers', 'x', '--set', '3', '-c', 'my bridge.yaml'],
      "`dropbridge edi numbers -c 'my bridge.yaml' PARTNER",
    ],
  ])('%j: the commands of the fix have the file that was given', async (words, expected) => {
    const { stderr } = await runHere(await withOther(), words, SETTINGS)

    expect(stderr).toContain(expected)
  })

  test('the usual configuration is not named, and a command that takes none gets none', async () => {
    const folder = await withOther()
    const usual = await runHere(folder, ['retake', 'a.csv', '-c', 'dropbridge.yaml'], SETTINGS)
    const other = await runHere(folder, ['retake', 'a.csv', '-c', 'my bridge.yaml'], SETTINGS)

    expect(usual.stderr).not.toContain('-c')
    expect(other.stderr).toMatch(/dropbridge explain [a-z-]+\)/)
  })
})

describe('commands about files that no bridge took', () => {
  test('a mapping with an error is to be tried again by the command that read it', async () => {
    const folder = await tempFolder()
    const text = await readFile(MAPPING, 'utf8')
    await writeFile(join(folder, 'wrong.yaml'), text.replace('city: City', 'citty: City'))

    for (const command of [['map', 'try'], ['translate']]) {
      const { exit, stderr } = await runHere(folder, [...command, SAMPLE, '-m', 'wrong.yaml'])
      expect(exit).toBe(78)
      expect(stderr).toContain(`then run \`dropbridge ${command.join(' ')}\` again.`)
      expect(stderr).not.toContain('dropbridge check')
    }
  })

  test('map try and translate do not say to retake or dismiss the file', async () => {
    const folder = await tempFolder()
    const [header = '', ...rows] = (await readFile(SAMPLE, 'utf8')).split('\n')
    await mkdir(join(folder, 'in'))
    await writeFile(join(folder, 'in/renamed.csv'), [header.replace('Zip', 'Zipp'), ...rows].join('\n'))
    await writeFile(join(folder, 'in/twice.csv'), [header, header, ...rows].join('\n'))

    for (const command of [['map', 'try'], ['translate']])
      for (const name of ['renamed', 'twice']) {
        const { exit, stdout, stderr } = await runHere(folder, [...command, `in/${name}.csv`, '-m', MAPPING])
        expect(exit).not.toBe(0)
        expect(stdout + stderr).not.toMatch(/dropbridge (retake|dismiss)/)
      }
    const { stdout } = await runHere(folder, ['map', 'try', 'in/twice.csv', '-m', MAPPING])
    expect(stdout).toMatch(/^record 1 .*: refused\n {2}wrong: line 2: The line repeats the header/)
    expect(stdout).not.toContain('date-expected')
    const { stderr } = await runHere(folder, ['translate', 'in/twice.csv', '-m', MAPPING])
    expect(stderr).toContain('holds no data. Take the line out.  [header-repeated]')
  })

  test.each([
    [
      'Write it in the mapping, then: dropbridge retake FILE. Or rename it.',
      'Write it in the mapping. Or rename it.',
    ],
    ['Have it sent. If there are none: dropbridge dismiss FILE --by NAME.', 'Have it sent.'],
    ['Add it to `ids`. Then: `dropbridge retake FILE`.', 'Add it to `ids`.'],
    ['Correct the cell.', 'Correct the cell.'],
  ])('of %j stays %j', (fix, expected) => {
    expect(leaveOutTakenFile(fix)).toBe(expected)
  })
})

describe('what was given on the command line', () => {
  test('a run of an inbox says that it is no route', async () => {
    const { exit, stderr } = await runHere(await withOther(), ['run', 'inbox:van'], SETTINGS)

    expect(exit).toBe(64)
    expect(stderr).toContain(
      'inbox:van is an inbox and no route; the routes are orders-in, shipments-out, invoices-out',
    )
    expect(stderr).toContain('fix: Name the routes that its documents go to')
  })

  test('two outcomes that contradict each other are not to be added once more', async () => {
    const words = ['resolve', 'X', '--accepted', '7', '--absent', '--by', 'Ada', '--why', 'seen']
    const { exit, stderr } = await runHere(await withOther(), words, SETTINGS)

    expect(exit).toBe(64)
    expect(stderr).toContain('--accepted and --absent contradict each other')
    expect(stderr).toContain('fix: Leave all but one of them out.')
  })

  test.each([
    [
      ['restored'],
      'First see `dropbridge restored --dry-run`, then `dropbridge restored --by NAME --why TEXT`.',
    ],
    [['restored', '--end'], 'Write `dropbridge restored --end --by NAME --why TEXT`.'],
  ])('%j without a decision shows the whole form', async (words, fix) => {
    const { exit, stderr } = await runHere(await withOther(), words, SETTINGS)

    expect(exit).toBe(64)
    expect(stderr).toContain(`fix: ${fix}`)
  })

  test('a variable that is set but empty is named', async () => {
    const settings = { ...SETTINGS, DROPBRIDGE_API_URL: '' }
    const { exit, stderr } = await runHere(await withOther(), ['run'], settings)

    expect(exit).toBe(78)
    expect(stderr).toContain(
      'api.baseUrl: the environment variable DROPBRIDGE_API_URL is set, but it is empty.',
    )
    expect(stderr).not.toContain('must be an address')
  })

  test('a journal that is the folder of the present journal names the file in it', async () => {
    const folder = await withOther()
    const text = await readFile(join(folder, 'my bridge.yaml'), 'utf8')
    await writeFile(join(folder, 'state/journal.db'), '')
    await writeFile(
      join(folder, 'my bridge.yaml'),
      text.replace('sqlite:./state/journal.db', 'sqlite:./state'),
    )
    const { stderr } = await runHere(folder, ['status', '-c', 'my bridge.yaml'], SETTINGS)

    expect(stderr).toContain(
      `fix: The journal is in it: write \`journal: sqlite:${join(folder, 'state/journal.db')}\`.`,
    )
  })
})
