/** The SQLite binding on the running Node: it works, and a missing one is explained. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isSqliteError, openDatabase } from '../../src/support/sqlite.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../', import.meta.url))
const isNode20 = process.versions.node.startsWith('20.')
/** The path of the running Node's binding below `node_modules`. */
const bindingFolder = isNode20 ? '.sqlite-node20/node_modules' : '.'

/** An installation with only what opens a database; `packages` are the ones it has of the binding. */
async function installation(packages: readonly string[]): Promise<string> {
  const folder = await tempFolder()
  await cp(join(repository, 'dist/support'), join(folder, 'dist/support'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  const target = join(folder, 'node_modules', bindingFolder)
  await mkdir(target, { recursive: true })
  for (const name of packages) {
    const from = join(repository, 'node_modules', bindingFolder, name)
    await cp(from, join(target, name), { recursive: true })
  }
  return folder
}

/** The result of opening a database there: a version of SQLite, or a failure as one line. */
async function openThere(folder: string): Promise<string> {
  const script = `
    import { openDatabase } from './dist/support/sqlite.js'
    try {
      const database = openDatabase(':memory:')
      console.log(database.prepare('select sqlite_version()').pluck().get())
    } catch (error) {
      console.log(error.code, error.exit, error.message)
      console.log(error.fix)
    }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder })
  return stdout
}

const packagesOfBinding = isNode20 ? ['better-sqlite3', 'bindings', 'file-uri-to-path'] : ['better-sqlite3']

describe('the SQLite binding', () => {
  it('keeps the process alive while ten thousand databases are opened, closed and dropped in little memory', async () => {
    const script = fileURLToPath(new URL('../fixtures/many-databases.mjs', import.meta.url))
    const options = ['--expose-gc', '--max-old-space-size=64']
    const { stdout } = await run(process.execPath, [...options, script, await tempFolder()])
    expect(stdout).toBe('10000 databases, 100 still open\n')
  })

  it('is found beside the program, by the Node that runs it', async () => {
    expect(await openThere(await installation(packagesOfBinding))).toMatch(/^3\.\d+\.\d+\n$/)
  })

  it('is explained where it was not installed', async () => {
    const result = await openThere(await installation([]))
    expect(result).toContain(`sqlite-missing 74 SQLite cannot be loaded by Node ${process.versions.node} on`)
    expect(result).toContain("Cannot find module 'better-sqlite3'")
    expect(result).toContain('Install it again with this Node')
  })

  it('is explained where its native part is not there', async () => {
    const folder = await installation(packagesOfBinding)
    const binding = join(folder, 'node_modules', bindingFolder, 'better-sqlite3')
    for (const part of ['build', 'prebuilds']) await rm(join(binding, part), { recursive: true, force: true })
    const result = await openThere(folder)
    expect(result).toContain('sqlite-missing 74 SQLite cannot be loaded by Node')
    expect(result).toContain('Install it again with this Node')
  })

  it('flushes through the cache of the disk on macOS, at commits and at checkpoints', () => {
    const database = openDatabase(':memory:')
    expect(database.pragma('fullfsync', { simple: true })).toBe(1)
    expect(database.pragma('checkpoint_fullfsync', { simple: true })).toBe(1)
    database.close()
  })

  it('distinguishes a refusal of SQLite from a misuse', async () => {
    const missing = join(await tempFolder(), 'none.db')
    const refusal = thrownBy(() => openDatabase(missing, { fileMustExist: true }))
    expect(isSqliteError(refusal)).toBe(true)
    expect(refusal).toMatchObject({ code: 'SQLITE_CANTOPEN' })
    expect(isSqliteError(thrownBy(() => openDatabase(join(missing, 'below.db'))))).toBe(false)
  })
})

describe('the installation on Node 20', () => {
  it('is decided by the same version of Node as the loading', async () => {
    const numberIn = async (path: string) =>
      /FIRST_NODE_OF_13 = (\d+)/.exec(await readFile(join(repository, path), 'utf8'))?.[1]
    expect(await numberIn('src/support/node20/install.mjs')).toBe(await numberIn('src/support/sqlite.ts'))
  })
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
