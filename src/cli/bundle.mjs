/**
 * Bundles the built program: loading some 1,300 modules one by one takes most of the time of a short command. The two programs in
 * dist/, `cli/main.js` and `prove/child.js`, are replaced by bundles that share dist/chunks/; all other modules of dist/ stay as they are.
 */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

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
  'yargs',
]

// The names of chunks change with their contents.
rmSync('dist/chunks', { recursive: true, force: true })

await build({
  entryPoints: ['src/cli/main.ts', 'src/prove/child.ts'],
  outbase: 'src',
  outdir: 'dist',
  // As deep below the package as the modules, which find its files by their own place.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: NOT_BUNDLED,
  legalComments: 'linked',
  // Packages in CommonJS load the modules of Node by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
})
