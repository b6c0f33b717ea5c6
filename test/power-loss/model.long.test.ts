/** The model of a power cut, tried on real programs of a few lines: what it may lose, and what it must keep. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { dice } from '../samples/random.ts'
import { crash, liveTree, type Tree, type Variant } from './crash.ts'
import { type Disk, diskOf } from './disk.ts'
import { readOperations } from './operations.ts'
import { buildRecorder, type Cut, recordScript } from './recorder.ts'
import { differences, putTree } from './tree.ts'

const recorder = buildRecorder()
afterAll(() => recorder?.remove())

const BOTH = ['ordered', 'independent'] as const

const HELPERS = `
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmdirSync, truncateSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
const sync = (path) => { const fd = openSync(path, 'r'); fsyncSync(fd); closeSync(fd) }
const at = (path, text, offset) => { const fd = openSync(path, 'r+'); writeSync(fd, text, offset); closeSync(fd) }
`

interface Ran {
  readonly folder: string
  readonly disk: Disk
  readonly exit: number | null
}

/** Runs the script in a folder with a durable file \`old\`, and checks that no call escaped the recorder. */
async function run(script: string, cut?: Cut): Promise<Ran> {
  const outside = await tempFolder()
  const folder = join(outside, 'disk')
  mkdirSync(folder)
  writeFileSync(join(folder, 'old'), 'durable')
  const disk = diskOf(folder)
  const log = join(outside, 'log')
  const exit = await recordScript(recorder?.library ?? '', { folder, log, cut }, HELPERS + script)
  for (const operation of readOperations(log)) disk.apply(operation)
  expect(differences(folder, liveTree(disk))).toEqual([])
  return { folder, disk, exit }
}

const STATES = 400

/** All states that were found, each as its files with their contents. */
function statesOf(disk: Disk, variant: Variant): Set<string> {
  const chance = dice(11)
  return new Set(Array.from({ length: STATES }, () => described(crash(disk, variant, chance).tree)))
}

function described(tree: Tree, prefix = ''): string {
  return [...tree]
    .map(([name, node]) => {
      if (node.kind === 'folder')
        return `${prefix}${name}/ ${described(node.entries, `${prefix}${name}/`)}`.trim()
      return `${prefix}${name}=${node.bytes.toString().replaceAll('\0', '0')}`
    })
    .toSorted()
    .join(' ')
}

async function after(script: string, variant: Variant): Promise<string[]> {
  const { disk } = await run(script)
  return [...statesOf(disk, variant)].toSorted()
}

const NAMES = ['old', 'a', 'b', 'sub/a', 'sub/b']
const name = fc.constantFrom(...NAMES)
const step = fc.oneof(
  fc
    .tuple(name, fc.string({ maxLength: 2000 }))
    .map(([path, text]) => `writeFileSync('${path}', ${JSON.stringify(text)})`),
  fc.tuple(name, fc.nat(3000)).map(([path, offset]) => `at('${path}', 'written', ${offset})`),
  fc.tuple(name, fc.nat(3000)).map(([path, size]) => `truncateSync('${path}', ${size})`),
  fc.tuple(name, name).map(([from, to]) => `renameSync('${from}', '${to}')`),
  fc.tuple(name, name).map(([from, to]) => `linkSync('${from}', '${to}')`),
  name.map((path) => `unlinkSync('${path}')`),
  name.map((path) => `sync('${path}')`),
  fc.constantFrom(`mkdirSync('sub')`, `rmdirSync('sub')`, `sync('.')`, `sync('sub')`),
)
/** Steps that do not fit each other fail, as they do for any program. */
const programs = fc
  .array(step, { maxLength: 40 })
  .map((steps) => steps.map((each) => `try { ${each} } catch {}`).join('\n'))

const FLUSH_ALL = `for (const path of ${JSON.stringify(['.', 'sub', ...NAMES])}) { try { sync(path) } catch {} }`

describe.skipIf(recorder === undefined)('a disk that loses its power', () => {
  for (const variant of BOTH) {
    test(`${variant}: what is written and not flushed is sometimes lost`, async () => {
      const states = await after(`at('old', 'CHANGED', 0)`, variant)
      expect(states).toEqual(['old=CHANGED', 'old=durable'])
    })

    test(`${variant}: what is written and flushed is never lost`, async () => {
      const states = await after(`at('old', 'CHANGED', 0); sync('old')`, variant)
      expect(states).toEqual(['old=CHANGED'])
    })

    test(`${variant}: a new file whose folder is not flushed is sometimes not there, whole or not`, async () => {
      const states = await after(`writeFileSync('new', 'text', { flush: true })`, variant)
      expect(states).toEqual(['new=text old=durable', 'old=durable'])
    })

    test(`${variant}: a new file whose folder alone is flushed is always there and sometimes empty`, async () => {
      const states = await after(`writeFileSync('new', 'text'); sync('.')`, variant)
      expect(states).toContain('new= old=durable')
      expect(states).toContain('new=text old=durable')
      expect(states).not.toContain('old=durable')
    })

    test(`${variant}: a file flushed with its folder is always there and whole`, async () => {
      const states = await after(`writeFileSync('new', 'text', { flush: true }); sync('.')`, variant)
      expect(states).toEqual(['new=text old=durable'])
    })

    test(`${variant}: a rename survives or not while its folder is not flushed, and never loses the file`, async () => {
      const states = await after(`renameSync('old', 'new')`, variant)
      const both = variant === 'independent' ? ['new=durable old=durable'] : []
      expect(states).toEqual(['new=durable', ...both, 'old=durable'])
    })

    test(`${variant}: a rename always survives once the folder is flushed`, async () => {
      expect(await after(`renameSync('old', 'new'); sync('.')`, variant)).toEqual(['new=durable'])
    })

    test(`${variant}: a rename over another file leaves one or the other`, async () => {
      const states = await after(
        `writeFileSync('new', 'text', { flush: true }); sync('.'); renameSync('new', 'old')`,
        variant,
      )
      const both = variant === 'independent' ? ['new=text old=text'] : []
      expect(states).toEqual(['new=text old=durable', ...both, 'old=text'])
    })

    test(`${variant}: a file truncated and not flushed sometimes keeps its contents`, async () => {
      const states = await after(`truncateSync('old', 3)`, variant)
      expect(states).toEqual(['old=dur', 'old=durable'])
    })

    test(`${variant}: the contents of a folder whose own name was not flushed are sometimes gone with it`, async () => {
      const states = await after(
        `mkdirSync('sub'); writeFileSync('sub/new', 'text', { flush: true }); sync('sub')`,
        variant,
      )
      expect(states).toEqual(['old=durable', 'old=durable sub/ sub/new=text'])
    })

    test(`${variant}: flushing one folder does not flush another`, async () => {
      const states = await after(
        `mkdirSync('sub'); sync('.'); writeFileSync('new', ''); sync('sub')`,
        variant,
      )
      expect(states).toEqual(['new= old=durable sub/', 'old=durable sub/'])
    })
  }

  test('ordered: of two new names in one folder the second never survives alone', async () => {
    const states = await after(`linkSync('old', 'first'); linkSync('old', 'second')`, 'ordered')
    expect(states).toEqual([
      'first=durable old=durable',
      'first=durable old=durable second=durable',
      'old=durable',
    ])
  })

  test('independent: of two new names in one folder the second sometimes survives alone', async () => {
    const states = await after(`linkSync('old', 'first'); linkSync('old', 'second')`, 'independent')
    expect(states).toContain('old=durable second=durable')
  })

  test('ordered: a rename to another folder is one step, whichever folder was flushed', async () => {
    const states = await after(
      `mkdirSync('sub'); sync('.'); renameSync('old', 'sub/new'); sync('sub')`,
      'ordered',
    )
    expect(states).toEqual(['sub/ sub/new=durable'])
  })

  test('independent: a rename to another folder leaves both names until both folders are flushed', async () => {
    const moved = `mkdirSync('sub'); sync('.'); renameSync('old', 'sub/new'); sync('sub')`
    expect(await after(moved, 'independent')).toEqual([
      'old=durable sub/ sub/new=durable',
      'sub/ sub/new=durable',
    ])
    expect(await after(`${moved}; sync('.')`, 'independent')).toEqual(['sub/ sub/new=durable'])
  })

  test('a rename between two names of one file removes none of them', async () => {
    const states = await after(
      `linkSync('old', 'new'); sync('.'); renameSync('old', 'new'); renameSync('old', 'old')`,
      'independent',
    )
    expect(states).toEqual(['new=durable old=durable'])
  })

  test('a later write survives alone only where sectors are independent', async () => {
    const script = `at('old', 'x'.repeat(512), 0); sync('old'); at('old', 'a', 0); at('old', 'b', 1)`
    const starts = async (variant: Variant) =>
      new Set((await after(script, variant)).map((state) => state.slice(4, 6)))
    expect(await starts('ordered')).toEqual(new Set(['ab', 'ax', 'xx']))
    expect(await starts('independent')).toEqual(new Set(['ab', 'ax', 'xb', 'xx']))
  })

  test('the power goes right before the chosen call, and later calls never happen', async () => {
    const script = `writeFileSync('one', ''); writeFileSync('two', ''); sync('.'); writeFileSync('three', '')`
    const second = await run(script, { at: 'call', count: 2 })
    expect([second.exit, readdirSync(second.folder).toSorted()]).toEqual([null, ['old', 'one']])
    const before = await run(script, { at: 'before-sync', count: 1 })
    expect(statesOf(before.disk, 'ordered').size).toBeGreaterThan(1)
    const behind = await run(script, { at: 'after-sync', count: 1 })
    expect([...statesOf(behind.disk, 'ordered')]).toEqual(['old=durable one= two='])
  })

  /** The identity that a program sees of a file after a loss: its inode, change time, rights and number of names. */
  const SEEN = `import { lstatSync } from 'node:fs'
    const seen = lstatSync('new', { bigint: true })
    writeFileSync('seen', [seen.ino, seen.ctimeNs, seen.mode, seen.nlink].join(' '))`

  test('after a loss a file has the inode and the rights it had, and the change time of what survived', async () => {
    const made = `writeFileSync('new', 'text', { flush: true }); sync('.')`
    const { disk, folder } = await run(`${made}; linkSync('new', 'second')`)
    const before = lstatSync(join(folder, 'new'), { bigint: true })
    const found = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      const outside = await tempFolder()
      const identities = putTree(folder, crash(disk, 'ordered', dice(seed)).tree, join(outside, 'replaced'))
      const recording = { folder, log: join(outside, 'log'), identities }
      await recordScript(recorder?.library ?? '', recording, HELPERS + SEEN)
      const [inode, changed, mode, names] = readFileSync(join(folder, 'seen'), 'utf8').split(' ')
      expect([inode, mode]).toEqual([String(before.ino), String(before.mode)])
      expect(changed === String(before.ctimeNs)).toBe(names === '2')
      found.add(names ?? '')
    }
    expect(found).toEqual(new Set(['1', '2']))
  })

  test('a file that is made after a loss is not mistaken for a removed one whose inode it got', async () => {
    const many = `for (let at = 0; at < 50; at++)`
    const { disk, folder } = await run(`${many} writeFileSync('file' + at, '')`)
    const outside = await tempFolder()
    const identities = new Map(putTree(folder, liveTree(disk), join(outside, 'replaced')))
    for (const [inode, identity] of identities) identities.set(inode, { ...identity, inode: 1 })
    // Of this many free inodes some are used again at once.
    const script = `import { statSync } from 'node:fs'
      const seen = [statSync('file0').ino]
      ${many} unlinkSync('file' + at)
      ${many} writeFileSync('new' + at, '')
      ${many} seen.push(statSync('new' + at).ino)
      writeFileSync('seen', JSON.stringify(seen))`
    const recording = { folder, log: join(outside, 'log'), identities }
    await recordScript(recorder?.library ?? '', recording, HELPERS + script)
    const news = Array.from({ length: 50 }, (_, at) => lstatSync(join(folder, `new${at}`)).ino)
    expect(JSON.parse(readFileSync(join(folder, 'seen'), 'utf8'))).toEqual([1, ...news])
  })

  test('whatever a program does, the record has all of it, and all that was flushed in the end is there', async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { disk, folder } = await run(`${program}\n${FLUSH_ALL}`)
        for (const variant of BOTH) {
          const chance = dice(3)
          const { tree } = crash(disk, variant, chance)
          expect(described(tree)).toBe(described(liveTree(disk)))
          putTree(folder, tree, join(await tempFolder(), 'replaced'))
          expect(differences(folder, tree)).toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  })

  test('a state that a stricter disk may leave, a less strict one may leave too', async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { disk } = await run(program)
        const names = (variant: Variant) =>
          new Set([...statesOf(disk, variant)].map((state) => state.replaceAll(/=[^ ]*/g, '')))
        // A state that only chance finds needs many tries, so only small numbers of changes are compared.
        if (disk.pending.length > 5) return
        for (const state of names('ordered')) expect(names('independent')).toContain(state)
      }),
      { numRuns: 20 },
    )
  })
})
