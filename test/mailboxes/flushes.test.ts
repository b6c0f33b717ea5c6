/** The flushes of a directory mailbox that finds work which a crash interrupted before its flush. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toNaming } from '../../src/domain/mailbox.ts'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { watchFlushes } from '../fixtures/flushes.ts'
import { machineClock } from '../fixtures/machine-clock.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const CLAIM = { id: 'c0ffee00-0000-4000-8000-000000000001', folder: 'inbox', name: 'orders.csv' }

async function setUp() {
  const base = await tempFolder()
  const root = join(base, 'exchange')
  await mkdir(join(root, 'inbox'), { recursive: true })
  await writeFile(join(root, 'inbox/orders.csv'), 'a,b\n')
  const spooled = join(base, 'spooled')
  await writeFile(spooled, 'a,b\n')
  const open = () => createDirectoryMailbox({ root, clock: machineClock() })
  return { root, spooled, open, flushes: await watchFlushes() }
}

test('a file that a crash left archived is flushed with both its folders before it counts as archived', async () => {
  const { root, open, flushes } = await setUp()
  await open().claim(CLAIM)
  const mailbox = open()
  await mailbox.archive(CLAIM, 'archive')
  flushes.forget()

  // as after a crash between the rename and the flush
  await mailbox.archive(CLAIM, 'archive')

  expect(await flushes.count(join(root, 'archive'))).toBe(1)
  expect(await flushes.count(join(root, 'inbox/.claimed'))).toBe(1)
})

test('an existing folder is flushed into its parents once before the first file is delivered into it', async () => {
  const { root, spooled, open, flushes } = await setUp()
  await mkdir(join(root, 'out/today'), { recursive: true })
  const mailbox = open()

  await mailbox.stage(spooled, 'out/today', { name: 'x.csv' })
  expect(await flushes.count(join(root, 'out'))).toBe(1)
  expect(await flushes.count(root)).toBe(1)

  await mailbox.stage(spooled, 'out/today', { name: 'y.csv' })
  expect(await flushes.count(join(root, 'out'))).toBe(1)
  expect(await flushes.count(root)).toBe(1)
})

test('an existing folder is flushed into its parent before a file is claimed or archived into it', async () => {
  const { root, open, flushes } = await setUp()
  await mkdir(join(root, 'inbox/.claimed'))
  await mkdir(join(root, 'archive'))
  const mailbox = open()

  await mailbox.claim(CLAIM)
  expect(await flushes.count(join(root, 'inbox'))).toBe(2) // for .claimed, and for the name that was removed
  await mailbox.archive(CLAIM, 'archive')
  expect(await flushes.count(root)).toBe(2) // for inbox, and for archive
})

test('deliveries that follow each other share the flushes of their folder', async () => {
  const { root, spooled, open, flushes } = await setUp()
  const mailbox = open()
  await mkdir(join(root, 'out'))
  const out = join(root, 'out')

  const first = await mailbox.stage(spooled, 'out', { name: 'a.csv', moreFollow: true })
  expect(await flushes.count(out)).toBe(0)
  const second = await mailbox.stage(spooled, 'out', { name: 'b.csv' })
  expect(await flushes.count(out)).toBe(1)

  await mailbox.giveName(first, 'a.csv', { moreFollow: true })
  expect(await flushes.count(out)).toBe(1)
  await mailbox.giveName(second, 'b.csv')
  expect(await flushes.count(out)).toBe(2)
})

test.each([true, false])(
  'a name that a crash left without its flush is flushed before it counts as given (hard links: %s)',
  async (hardLinks) => {
    const { root, spooled, flushes } = await setUp()
    const open = () => createDirectoryMailbox({ root, clock: machineClock(), hardLinks })
    const staged = await open().stage(spooled, 'out', { name: 'x.csv' })
    await open().giveName(staged, 'x.csv', { moreFollow: true })
    flushes.forget()

    expect(await open().inspectNaming('out', toNaming(staged, 'x.csv'))).toBe('named')
    expect(await flushes.count(join(root, 'out'))).toBe(1)
  },
)

test('listing and reading flush nothing', async () => {
  const { open, flushes, root } = await setUp()
  const mailbox = open()
  await mailbox.list('inbox')
  await mailbox.listNames('inbox')
  await mailbox.hasEntry('inbox', 'orders.csv')
  expect(await flushes.count(root)).toBe(0)
  expect(await flushes.count(join(root, 'inbox'))).toBe(0)
})
