/** The built program starts from a bundle and its compiled code. */
import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { formatProgram } from '../../src/cli/terminal.ts'
import { HEAP_FLAGS, VERSION } from '../../src/support/process.ts'
import { runProgram, startScript } from '../fixtures/program.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { ROOT } from '../formats/edi/exported.ts'

const BUNDLES = join(ROOT, 'dist/bundle')

async function findBundle(folder = BUNDLES): Promise<string> {
  const [name, ...more] = (await readdir(folder)).filter((each) => /^programs-.*\.cjs$/.test(each))
  expect(more).toEqual([])
  return join(folder, name ?? '')
}

/** What is needed of the package to start, in a folder of its own. */
async function copyProgram() {
  const folder = await tempFolder()
  await cp(BUNDLES, join(folder, 'dist/bundle'), { recursive: true })
  await mkdir(join(folder, 'dist/cli'))
  await cp(join(ROOT, 'dist/cli/main.js'), join(folder, 'dist/cli/main.js'))
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  const compiled = `${await findBundle(join(folder, 'dist/bundle'))}.compiled`
  const run = (...words: string[]) => startScript(folder, join(folder, 'dist/cli/main.js'), words).finished
  return { compiled, run }
}

test('this Node takes the compiled code that was built, with the flags of the program', async () => {
  const bundle = await findBundle()
  const script = `
    const { readFileSync } = require('node:fs')
    for (const flag of ${JSON.stringify(HEAP_FLAGS)}) require('node:v8').setFlagsFromString(flag)
    const cachedData = readFileSync(${JSON.stringify(`${bundle}.compiled`)})
    const { cachedDataRejected } = new (require('node:vm').Script)(readFileSync(${JSON.stringify(bundle)}, 'latin1'), { cachedData })
    process.stdout.write(String(cachedDataRejected))`

  expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout).toBe('false')
})

// Compiled code that calls `import` fails, and only where it is used: such as for the first mail.
test('the bundle loads packages by require alone', async () => {
  const bundle = await readFile(await findBundle(), 'latin1')

  expect(bundle).toMatch(/require\("nodemailer"\)/)
  expect(bundle).toMatch(/require\("\.\/undici\.cjs"\)/)
  expect(bundle.match(/\bimport\((?:["'`]|[\w.]+\))/g) ?? []).toEqual([])
})

/** The modules that are loaded with one, which are those that it imports and not those that it asks for later. */
async function listLoaded(module: string, loaded = new Set<string>()): Promise<Set<string>> {
  if (loaded.has(module)) return loaded
  loaded.add(module)
  const source = await readFile(module, 'utf8')
  for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type )[^'`;]*?from '(\.[^']+)'/gm))
    await listLoaded(join(dirname(module), from), loaded)
  return loaded
}

test.each(['run', 'status', 'trace'])(
  '%s loads the modules of mappings only where one is needed',
  async (name) => {
    const loaded = await listLoaded(join(ROOT, 'src/cli/commands', `${name}.ts`))

    expect(loaded).toContain(join(ROOT, 'src/app/bridge.ts'))
    expect(loaded).not.toContain(join(ROOT, 'src/mapping/load.ts'))
  },
)

// The launcher reads a byte as a character.
test('letters beyond ASCII are escaped in the bundle, in regular expressions and templates too', async () => {
  const bundle = await readFile(await findBundle(), 'latin1')

  expect(bundle).toMatch(/^[\0-\x7F]*$/)
  // The grouping of Swiss amounts, and the sign before a state of a page.
  expect(bundle).toContain(String.raw`[,\s'\u2019]`)
  expect(bundle).toContain(String.raw`\u25cf Watching since`)
})

test('the program works without compiled code, and with code that another Node wrote', async () => {
  const { compiled, run } = await copyProgram()
  const expected = { exit: 0, stdout: `${VERSION}\n`, stderr: '' }

  expect(await run('--version')).toEqual(expected)
  await writeFile(compiled, 'of another Node')
  expect(await run('--version')).toEqual(expected)
  await rm(compiled)
  expect(await run('--version')).toEqual(expected)
})

test('a wrong command line is explained in English, whatever language the machine speaks', async () => {
  const { exit, stderr } = await runProgram(await tempFolder(), ['trace'], { LC_ALL: 'de_DE.UTF-8' })

  expect(exit).toBe(64)
  expect(stderr).toContain('The KEY is missing after dropbridge trace')
})

test.each([
  ['/usr/local/bin/dropbridge', '/usr/bin/env', '/home/ada', 'dropbridge'],
  ['/home/ada/node_modules/.bin/dropbridge', '/usr/bin/npx', '/home/ada', 'dropbridge'],
  ['C:\\npm\\node_modules\\dropbridge\\dist\\cli\\main.js', '', '/home/ada', 'dropbridge'],
  ['/opt/bridge/dist/cli/main.js', '/home/ada/bin/dropbridge', '/home/ada', 'dropbridge'],
  ['/opt/bridge/dist/cli/main.js', '/usr/bin/node', '/opt/bridge', 'node dist/cli/main.js'],
  ['/opt/my bridge/dist/cli/main.js', '/usr/bin/node', '/home/ada', "node '/opt/my bridge/dist/cli/main.js'"],
])('%s, called as %s in %s, is shown as it can be pasted: %s', (script, called, folder, shown) => {
  expect(formatProgram(script, called, folder)).toBe(shown)
})
