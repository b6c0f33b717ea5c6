/** The packed program in an empty folder with nothing but its run-time dependencies, and no network: the console has all it serves. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startScript } from '../fixtures/program.ts'

const run = promisify(execFile)

const repository = new URL('../..', import.meta.url).pathname

const PASSWORD = 'correct horse battery'

/** A new one is a decision of its own: who installs the program installs it too. */
const RUN_TIME = [
  '@fastify/formbody',
  'better-sqlite3',
  'bwip-js',
  'chokidar',
  'cli-progress',
  'croner',
  'dejavu-fonts-ttf',
  'fastest-levenshtein',
  'fastify',
  'iconv-lite',
  'iso-3166',
  'kysely',
  'luxon',
  'nodemailer',
  'papaparse',
  'pdfkit',
  'pino',
  'prom-client',
  'socks',
  'ssh2',
  'ssh2-sftp-client',
  'undici',
  'yaml',
  'yargs',
  'zod',
]

describe('the packed program', () => {
  let folder: string
  let installed: string
  const read = (path: string) => readFile(join(installed, path), 'utf8')
  const readBundles = async () => {
    const names = (await readdir(join(installed, 'dist/bundle'))).filter((name) => name.endsWith('.cjs'))
    return Promise.all(names.map((name) => read(`dist/bundle/${name}`)))
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dropbridge-'))
    installed = join(folder, 'node_modules/dropbridge')
    // The program is built: the scripts of the package would build it again.
    await run('npm', ['pack', '--ignore-scripts', '--offline', '--pack-destination', folder], {
      cwd: repository,
    })
    const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(folder, packed), '-C', installed, '--strip-components=1'])
    await installRunTimePackages(join(folder, 'node_modules'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('declares its run-time dependencies, and uses no other', async () => {
    const { dependencies, optionalDependencies } = JSON.parse(await read('package.json')) as {
      dependencies: Record<string, string>
      optionalDependencies: Record<string, string>
    }
    const declared = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)].toSorted()
    expect(declared).toEqual(RUN_TIME)
    const modules = (await readdir(join(installed, 'dist'), { recursive: true })).filter((name) =>
      name.endsWith('.js'),
    )
    expect(modules.length).toBeGreaterThan(500)
    const texts = [
      ...(await readBundles()),
      ...(await Promise.all(modules.map((name) => read(`dist/${name}`)))),
    ]
    const named = texts.flatMap((text) =>
      [...text.matchAll(/(?:\brequire\d*(?:\.resolve)?\(|\bfrom ?|\bimport ?\(?)["']([^"'\n]+)["']/g)].map(
        ([, name = '']) => name,
      ),
    )
    const packages = named
      .filter((name) => /^(@[a-z][\w-]*\/)?[a-z][\w.-]*(\/[\w./-]+)?$/.test(name))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
      .filter((name) => !builtinModules.includes(name))
    expect(new Set(packages).size).toBeGreaterThan(10)
    expect([...new Set(packages)].filter((name) => !declared.includes(name))).toEqual([])
  })

  test('has the licence of every package that its bundle copies', async () => {
    const licenses = await read('dist/bundle/LICENSES.txt')
    const texts = await readBundles()
    const copied = texts.flatMap((text) =>
      [...text.matchAll(/"((?:node_modules\/(?:@[^/"]+\/)?[^/"]+\/)+)[^"]*"\(/g)].map(
        ([, path = '']) => path,
      ),
    )
    const isLoaded = (name: string) =>
      texts.some((text) => new RegExp(`\\(["']${name}(/[^"']*)?["']\\)`).test(text))
    const wholly = RUN_TIME.filter((name) => !isLoaded(name))
    const places = [...new Set([...copied, ...wholly.map((name) => `node_modules/${name}/`)])]
    expect(places.length).toBeGreaterThan(15)
    for (const place of places) {
      const { name, version } = JSON.parse(
        await readFile(join(repository, place, 'package.json'), 'utf8'),
      ) as {
        name: string
        version: string
      }
      expect(licenses, place).toContain(`\n${name} ${version} (`)
    }
    const heads = [...licenses.matchAll(/^(?:-{80})\n\n(.+ \S+ \((.+)\))\n\n(.+)$/gm)]
    expect(heads.length).toBeGreaterThan(places.length - 1)
    expect(
      heads.filter(([, , kind = '']) => !/^(MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0)$/.test(kind)),
    ).toEqual([])
  })

  test('serves the console with all its assets', async () => {
    const work = join(folder, 'work')
    await mkdir(work)
    const main = join(installed, 'dist/cli/main.js')
    // A program that asks for a name of the network fails.
    const env = {
      DROPBRIDGE_API_URL: 'https://api.invalid',
      DROPBRIDGE_CLIENT_ID: 'id',
      DROPBRIDGE_CLIENT_SECRET: 's3cret-of-the-api',
    }
    await writeFile(join(work, 'password'), PASSWORD)
    for (const args of [
      ['init', '.'],
      ['run', 'orders-in'],
      ['console', 'user', 'add', 'nadia', '--role', 'admin', '--password-file', 'password'],
    ]) {
      const { exit, stderr } = await startScript(work, main, args, env).finished
      expect(exit, `${args.join(' ')}: ${stderr}`).toBe(0)
    }
    const config = await readFile(join(work, 'dropbridge.yaml'), 'utf8')
    await writeFile(join(work, 'dropbridge.yaml'), `console: { listen: "127.0.0.1:0" }\n${config}`)
    const { process: child, finished } = startScript(work, main, ['console'], env)
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await vi.waitFor(() => expect(said).toContain('The console is at'), { timeout: 60_000 })
    const [, origin = ''] = /at (http:\S+)\//.exec(said) ?? []
    const signedIn = await fetch(`${origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin },
      body: new URLSearchParams({ name: 'nadia', password: PASSWORD }),
    })
    const [cookie = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? []
    const assets = new Set<string>()
    for (const path of [
      '/',
      '/files',
      '/deliveries',
      '/routes',
      '/reports',
      '/decisions',
      '/settings',
      '/search?q=x',
    ]) {
      const answer = await fetch(origin + path, { headers: { cookie } })
      const body = await answer.text()
      expect(answer.status, `${path}: ${body}`).toBe(200)
      for (const [, asset = ''] of body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) assets.add(asset)
    }
    const files = await readdir(join(repository, 'src/web/assets'))
    const served = [...assets].map((path) => basename(path).replace(/-[0-9a-f]{12}\./, '.'))
    expect(served.toSorted()).toEqual(files.toSorted())
    for (const path of assets) {
      const answer = await fetch(origin + path)
      const bytes = Buffer.from(await answer.arrayBuffer())
      const own = await readFile(
        join(repository, 'src/web/assets', basename(path).replace(/-[0-9a-f]{12}\./, '.')),
      )
      expect({ status: answer.status, isSame: bytes.equals(own) }, path).toEqual({
        status: 200,
        isSame: true,
      })
    }
    child.kill('SIGTERM')
    // As shells have it for a program that SIGTERM stopped.
    expect((await finished).exit).toBe(143)
  })
})

/** Copies what `npm ci --omit=dev` installs: the packages of the lock file that are not for development alone. */
async function installRunTimePackages(target: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true }>
  }
  const paths = Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
    path !== '' && dev === undefined && devOptional === undefined ? [path] : [],
  )
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) await copyIfThere(path, join(target, path.replace(/^node_modules\//, '')))
  // Node 20 has its own SQLite there.
  const own = 'node_modules/.sqlite-node20'
  await copyIfThere(own, join(target, 'dropbridge', own))
}

/** Optional packages of other platforms are not there. */
async function copyIfThere(path: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await cp(join(repository, path), to, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
