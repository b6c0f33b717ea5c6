/**
 * Installs better-sqlite3 12 on Node 20, from the lock file beside this script. npm runs it as the `install` script of dropbridge.
 *
 * Node 22 and later use better-sqlite3 13, and this script does nothing there. As an ordinary dependency, 12 would be compiled
 * on every Node, because its `engines` fit all of them.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const FIRST_NODE_OF_13 = 22
const TARGET = new URL('../../../node_modules/.sqlite-node20/', import.meta.url)
/** Settings of the surrounding npm that would make the one started here install elsewhere, or something else. */
const SETTINGS_LEFT_OUT =
  /^npm_config_(global|location|prefix|local_prefix|omit|include|workspace|workspaces)$/i

if (Number(process.versions.node.split('.')[0]) < FIRST_NODE_OF_13 && !isInstalled()) install()

function isInstalled() {
  try {
    const require = createRequire(TARGET)
    const wanted = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
    const Database = require('better-sqlite3')
    new Database(':memory:').close()
    return require('better-sqlite3/package.json').version === wanted.dependencies['better-sqlite3']
  } catch {
    return false
  }
}

function install() {
  mkdirSync(TARGET, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(new URL(name, import.meta.url), new URL(name, TARGET))
  }
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !SETTINGS_LEFT_OUT.test(name)),
  )
  const npm = process.env.npm_execpath
  const words = ['ci', '--no-fund', '--no-audit', '--prefix', fileURLToPath(TARGET)]
  const [program, ...rest] = npm === undefined ? ['npm', ...words] : [process.execPath, npm, ...words]
  const { status } = spawnSync(program, rest, {
    cwd: fileURLToPath(TARGET),
    env,
    stdio: 'inherit',
    shell: npm === undefined,
  })
  if (status === 0) return
  process.stderr.write(
    'better-sqlite3 12 could not be installed. Node 20 needs it: install a C++ compiler and Python, or use Node 22 or later.\n',
  )
  process.exitCode = 1
}
