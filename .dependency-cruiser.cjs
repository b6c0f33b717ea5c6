/**
 * The layers of docs/architecture.md as rules: imports go down, never sideways.
 * A folder on one floor may import any folder on a lower floor and itself, nothing else.
 */
const floors = [
  ['support'],
  ['domain', 'contract'],
  ['edi'],
  ['formats', 'mapping', 'mailboxes', 'client', 'journal', 'config', 'operations'],
  ['pipeline', 'observability'],
  ['schedule'],
  ['alerts', 'mapping-tools'],
  ['app', 'service'],
  ['prove', 'web'],
  ['cli'],
]

const layerRules = floors.flatMap((floor, level) =>
  floor.map((folder) => {
    const below = floors.slice(0, level).flat()
    return {
      name: `${folder}-imports-down-only`,
      comment: `${folder} may import itself${below.length ? ` and ${below.join(', ')}` : ' only'}`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...below].join('|')})/` },
    }
  }),
)

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'pipeline-sees-only-interfaces',
      comment: 'the story is told in terms of the domain, never of a technology',
      severity: 'error',
      from: { path: '^src/(pipeline|operations|domain|contract)/' },
      to: { path: 'node_modules/(better-sqlite3|kysely|undici|papaparse|fastify|yargs|chokidar|ssh2)' },
    },
    {
      name: 'one-place-loads-sqlite',
      comment: 'which binding fits is a question of the running Node, and support/sqlite.ts answers it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/support/(sqlite\\.ts|node20/)' },
      to: { path: 'node_modules/(@types/)?better-sqlite3' },
    },
    {
      name: 'one-place-loads-ssh2',
      comment: 'it has to be loaded without its compiled ciphers, and mailboxes/sftp/ssh2.ts does that',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mailboxes/sftp/ssh2\\.ts$' },
      to: { path: 'node_modules/(@types/)?ssh2', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'a file nothing imports is dead',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: '^src/(cli/main\\.ts|support/node20/install\\.mjs|web/assets/enhance\\.js)$',
      },
      to: {},
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      // The build runs the bundler; the program does not.
      from: { path: '^src/', pathNot: '^src/cli/bundle[.]mjs$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-test-in-src', severity: 'error', from: { path: '^src/' }, to: { path: '^test/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
