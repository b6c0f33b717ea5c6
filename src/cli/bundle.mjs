/**
 * Bundles the built program: loading some 1,300 modules one by one takes most of the time of a short command. The programs in
 * dist/, such as `cli/main.js`, are replaced by launchers of one bundle; all other modules of dist/ stay as they are. The bundle has
 * copies of packages, whose licences are in `LICENSES.txt` beside it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { HEAP_FLAGS } from '../../dist/support/process.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** As deep below the package as the modules, which find its files by their own place. */
const FOLDER = `${ROOT}dist/bundle/`

const PROGRAMS = { main: 'cli/main', child: 'prove/child', hand: 'app/console/hand-child' }

/** Packages that only some commands load, that load files of their own, or that are compiled. */
const NOT_BUNDLED = [
  'better-sqlite3',
  'bwip-js',
  'dejavu-fonts-ttf',
  'fastify',
  '@fastify/*',
  'nodemailer',
  'pdfkit',
  'prom-client',
  'socks',
  'ssh2',
  'ssh2-sftp-client',
]

/** Packages that short commands never use, each in a file of its own that is read when something of the package is asked for. */
const ON_DEMAND = ['iconv-lite', 'iso-3166', 'undici']

/** Modules of Node that many modules import, and that short commands never use. */
const BUILT_IN_ON_DEMAND = ['assert', 'node:child_process', 'node:net', 'node:readline/promises', 'node:zlib']

// The command line is for compile.mjs.
const entries = Object.entries({ ...PROGRAMS, commandLine: 'cli/command-line' }).map(
  ([name, path]) => `${name}: () => require('./src/${path}.ts'),`,
)
const COMMON_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  // Names stay, for the traces of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
}

const {
  outputFiles: [legal, { text: written }],
  metafile: ofPrograms,
} = await build({
  ...COMMON_OPTIONS,
  stdin: { contents: `Object.assign(programs, { ${entries.join(' ')} })`, resolveDir: ROOT },
  outfile: `${FOLDER}programs.js`,
  write: false,
  external: NOT_BUNDLED,
  // Code that was compiled before cannot call `import`; packages that are ES modules can be required, too.
  supported: { 'dynamic-import': false },
  plugins: [
    { name: 'plain-help', setup: measureHelpAsPlainText },
    { name: 'english-only', setup: leaveOutLanguages },
    { name: 'on-demand', setup: loadOnDemand },
  ],
  define: { 'import.meta.url': 'moduleUrl' },
})

/** The package builds tables of all letters, in a tenth of the time of a start. The progress bar needs them: it shows file names. */
function measureHelpAsPlainText({ onResolve }) {
  onResolve({ filter: /^string-width$/ }, ({ importer }) =>
    importer.includes('/cli-progress/') ? undefined : { path: `${ROOT}src/cli/string-width.cjs` },
  )
}

/** zod has its messages in fifty languages, a twentieth of the bundle. It takes English from the file of that language. */
function leaveOutLanguages({ onResolve, onLoad }) {
  onResolve({ filter: /\/locales\/index\.js$/ }, () => ({ path: 'languages', namespace: 'empty' }))
  onLoad({ filter: /^/, namespace: 'empty' }, () => ({ contents: 'export {}' }))
}

/** What the bundle imports of these is loaded at the first use. */
function loadOnDemand({ onResolve, onLoad }) {
  const namespace = 'on-demand'
  const all = [...ON_DEMAND, ...BUILT_IN_ON_DEMAND]
  onResolve({ filter: /^/, namespace }, ({ path }) => ({ path, external: true }))
  onResolve({ filter: new RegExp(`^(${all.join('|')})$`) }, ({ path }) => ({ path, namespace }))
  onLoad({ filter: /^/, namespace }, async ({ path }) => {
    // From Node 23 on, a CommonJS module has the name `module.exports`, too.
    const { default: _, 'module.exports': _whole, ...names } = await import(path)
    const from = ON_DEMAND.includes(path) ? `./${path}.cjs` : path
    const getters = Object.keys(names).map((name) => `get ${name}() { return load().${name} }`)
    return {
      contents: `let loaded
        const load = () => (loaded ??= require(${JSON.stringify(from)}))
        module.exports = { ${getters.join(', ')} }`,
    }
  })
}

// The launcher reads a byte as a character, which is half the memory. esbuild escapes other letters in texts, but not in regular
// expressions and tagged templates, where the escape means the same.
const text = written.replace(
  /[^\0-\x7F]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
)

// V8 compares only the length of the source with its compiled code, so the name changes with the contents.
const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
const bundle = `programs-${hash}.cjs`
await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER)
await writeFile(`${FOLDER}programs.LEGAL.txt`, legal.contents)
await writeFile(
  `${FOLDER}${bundle}`,
  `(function (programs, require, __filename, __dirname) { const moduleUrl = require('node:url').pathToFileURL(__filename).href\n${text}})`,
)

const { metafile: onDemand } = await build({
  ...COMMON_OPTIONS,
  entryPoints: ON_DEMAND,
  outdir: FOLDER,
  outExtension: { '.js': '.cjs' },
})

await writeFile(`${FOLDER}LICENSES.txt`, await collectLicenses([ofPrograms, onDemand]))

/** Each package of the bundle, by name and version, with the text of its licence. A package without one ends the build. */
async function collectLicenses(metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs))
  const places = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])
  const parts = await Promise.all([...new Set(places)].sort(compareTexts).map(readLicense))
  const head = `The files of this folder have copies of these ${parts.length} packages.\n`
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

function compareTexts(one, other) {
  return one < other ? -1 : 1
}

async function readLicense(place) {
  const { name, version, license } = JSON.parse(await readFile(`${ROOT}${place}/package.json`, 'utf8'))
  const file = (await readdir(`${ROOT}${place}`)).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined || typeof license !== 'string') throw new Error(`${place} has no licence.`)
  const text = (await readFile(`${ROOT}${place}/${file}`, 'utf8')).replaceAll('\r\n', '\n').trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}

const launcher = await readFile(new URL('launcher.mjs', import.meta.url), 'utf8')
for (const [name, path] of Object.entries(PROGRAMS)) {
  const { code } = await transform(launcher, {
    banner: '#!/usr/bin/env node',
    define: {
      BUNDLE: JSON.stringify(`${'../'.repeat(path.split('/').length - 1)}bundle/${bundle}`),
      HEAP_FLAGS: JSON.stringify(HEAP_FLAGS),
      PROGRAM: JSON.stringify(name),
    },
  })
  await writeFile(`${ROOT}dist/${path}.js`, code)
}

// A process of its own, with the flags of the program.
const compile = fileURLToPath(new URL('compile.mjs', import.meta.url))
process.exitCode = spawnSync(process.execPath, [compile], { stdio: 'inherit' }).status ?? 1
