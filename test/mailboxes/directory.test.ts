import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { asUser } from '../fixtures/as-user.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDirectoryMailbox } from '../../src/mailboxes/directory/mailbox.ts'
import { type NamingEvidence, toNaming } from '../../src/domain/mailbox.ts'
import { isTemporaryName } from '../../src/mailboxes/names.ts'
import { deliverInto } from '../fixtures/deliver-into.ts'
import { machineClock } from '../fixtures/machine-clock.ts'
import { describeMailbox, type MailboxUnderTest } from '../suites/mailbox.suite.ts'

describeMailbox('a directory', () => directoryUnderTest({}))
describeMailbox('a directory without hard links', () => directoryUnderTest({ hardLinks: false }))

async function directoryUnderTest(options: { hardLinks?: boolean }): Promise<MailboxUnderTest> {
  const root = await mkdtemp(join(tmpdir(), 'dropbridge-mailbox-'))
  const open = (owner: string) => {
    const working = { owner, noted: () => Promise.resolve([]) }
    return createDirectoryMailbox({ root, clock: machineClock(), working, ...options })
  }
  const again = () => open('ours')
  return {
    mailbox: again(),
    again,
    foreign: () => open('theirs'),
    take: (path) => rename(join(root, path), join(root, 'taken')),
    exclusive: options.hardLinks ?? true,
    put: async (path, contents, modifiedAt) => {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), contents)
      if (modifiedAt !== undefined) await utimes(join(root, path), modifiedAt / 1000, modifiedAt / 1000)
    },
    get: async (path) => {
      try {
        return await readFile(join(root, path), 'utf8')
      } catch {
        return undefined
      }
    },
    remove: (path) => rm(join(root, path)),
    names: (folder) => readdir(join(root, folder)),
    close: () => rm(root, { recursive: true, force: true }),
  }
}

describe('a directory on this machine', () => {
  const CLAIM = { id: 'claim-1', folder: 'inbox', name: 'orders.csv' }
  let base: string
  let root: string
  let spooled: string

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'dropbridge-directory-'))
    root = join(base, 'exchange')
    spooled = join(base, 'spooled')
    await mkdir(join(root, 'inbox'), { recursive: true })
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret.csv'), 'secret')
    await writeFile(spooled, 'a,b\n', { mode: 0o600 })
  })
  afterEach(() => rm(base, { recursive: true, force: true }))

  test('a root that has vanished is unreachable, and is not made again empty', async () => {
    await rm(root, { recursive: true })
    const mailbox = createDirectoryMailbox({ root })
    const unreachable = {
      code: 'mailbox-unreachable',
      message: `The mailbox folder ${root} is not there.`,
      fix: expect.stringMatching(/^Make the folder, mount it, or correct `path`/) as string,
    }
    await expect(mailbox.list('inbox')).rejects.toMatchObject(unreachable)
    await expect(mailbox.claim(CLAIM)).rejects.toMatchObject(unreachable)
    await expect(mailbox.archive(CLAIM, 'archive')).rejects.toMatchObject(unreachable)
    await expect(deliverInto(mailbox, spooled, 'out', 'a.csv')).rejects.toMatchObject(unreachable)
    expect(await readdir(base)).not.toContain('exchange')
  })

  test('a root that is a file is unreachable', async () => {
    const mailbox = createDirectoryMailbox({ root: spooled })
    await expect(mailbox.list('.')).rejects.toMatchObject({ code: 'mailbox-unreachable' })
  })

  test('a root that is itself a link works', async () => {
    await symlink(root, join(base, 'mounted'))
    const mailbox = createDirectoryMailbox({ root: join(base, 'mounted') })
    await writeFile(join(root, 'inbox', 'orders.csv'), 'x')
    expect((await mailbox.list('inbox')).map(({ name }) => name)).toEqual(['orders.csv'])
    expect(await mailbox.claim(CLAIM)).toBe('claimed')
  })

  test('a link to a file is neither listed nor claimed', async () => {
    await symlink(join(base, 'outside', 'secret.csv'), join(root, 'inbox', 'orders.csv'))
    const mailbox = createDirectoryMailbox({ root })
    expect(await mailbox.list('inbox')).toEqual([])
    expect(await mailbox.claim(CLAIM)).toBe('gone')
  })

  test('a link put in the place of a claimed file is not followed', async () => {
    await mkdir(join(root, 'inbox', '.claimed'))
    await symlink(join(base, 'outside', 'secret.csv'), join(root, 'inbox', '.claimed', 'claim-1-orders.csv'))
    const reading = (async () => {
      for await (const chunk of createDirectoryMailbox({ root }).read(CLAIM)) expect(chunk).toHaveLength(0)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'mailbox-unreachable' })
  })

  test('a folder that is a link out of the mailbox is refused', async () => {
    await symlink(join(base, 'outside'), join(root, 'link'))
    const mailbox = createDirectoryMailbox({ root })
    for (const folder of ['link', 'link/deeper']) {
      await expect(mailbox.list(folder)).rejects.toMatchObject({ code: 'configuration-invalid' })
      await expect(deliverInto(mailbox, spooled, folder, 'a.csv')).rejects.toMatchObject({
        code: 'configuration-invalid',
        message: expect.stringContaining('leads out of the mailbox'),
      })
    }
    expect(await readdir(join(base, 'outside'))).toEqual(['secret.csv'])
  })

  test.each(['kept elsewhere', 'removed'])(
    'a folder that becomes a link out of the mailbox is refused from then on (%s)',
    async (how) => {
      await mkdir(join(root, 'out'))
      const mailbox = createDirectoryMailbox({ root })
      expect(await deliverInto(mailbox, spooled, 'out', 'a.csv')).toBe('delivered')
      if (how === 'removed') await rm(join(root, 'out'), { recursive: true })
      else await rename(join(root, 'out'), join(root, 'earlier'))
      await symlink(join(base, 'outside'), join(root, 'out'))

      await expect(deliverInto(mailbox, spooled, 'out', 'b.csv')).rejects.toMatchObject({
        code: 'configuration-invalid',
      })
      expect(await readdir(join(base, 'outside'))).toEqual(['secret.csv'])
    },
  )

  test('a link out of the mailbox is refused also where another one leads back into it', async () => {
    await symlink(join(base, 'outside'), join(root, 'link'))
    await symlink(join(root, 'inbox'), join(base, 'outside', 'back'))
    await expect(createDirectoryMailbox({ root }).list('link/back')).rejects.toMatchObject({
      code: 'configuration-invalid',
    })
  })

  test('a link that leads nowhere is refused rather than made into a folder', async () => {
    await symlink(join(base, 'outside', 'missing'), join(root, 'link'))
    await expect(createDirectoryMailbox({ root }).list('link')).rejects.toMatchObject({
      code: 'configuration-invalid',
    })
    expect(await readdir(join(base, 'outside'))).toEqual(['secret.csv'])
  })

  test('a folder that is a link within the mailbox works', async () => {
    await symlink('inbox', join(root, 'eingang'))
    await writeFile(join(root, 'inbox', 'orders.csv'), 'x')
    expect((await createDirectoryMailbox({ root }).list('eingang')).map(({ name }) => name)).toEqual([
      'orders.csv',
    ])
  })

  test('the folder of claimed files cannot be used as a folder', async () => {
    await expect(createDirectoryMailbox({ root }).list('inbox/.Claimed')).rejects.toMatchObject({
      code: 'configuration-invalid',
    })
  })

  test('a file that this bridge staged and never noted is removed a day later by its next delivery into the folder', async () => {
    const names = [
      '.a.csv.ours.1.dropbridge.tmp',
      '.a.csv.ours.2.dropbridge.tmp',
      '.a.csv.theirs.3.dropbridge.tmp',
      '.a.csv.tmp',
    ]
    await mkdir(join(root, 'out'))
    for (const name of names) {
      await writeFile(join(root, 'out', name), 'a,')
      await utimes(join(root, 'out', name), 1_700_000_000, 1_700_000_000)
    }
    await writeFile(join(root, 'out', '.a.csv.ours.4.dropbridge.tmp'), 'under way')
    const noted = (asked: readonly string[]) => Promise.resolve(asked.filter((name) => name.includes('.2.')))
    const mailbox = createDirectoryMailbox({ root, clock: machineClock(), working: { owner: 'ours', noted } })
    expect(await mailbox.list('out')).toEqual([])
    expect(await deliverInto(mailbox, spooled, 'out', 'a.csv')).toBe('delivered')
    expect((await readdir(join(root, 'out'))).toSorted()).toEqual([
      '.a.csv.ours.2.dropbridge.tmp',
      '.a.csv.ours.4.dropbridge.tmp',
      '.a.csv.theirs.3.dropbridge.tmp',
      '.a.csv.tmp',
      'a.csv',
    ])
  })

  describe('evidence that another program has changed', () => {
    const staged = async () => {
      const mailbox = createDirectoryMailbox({ root })
      return { mailbox, file: await mailbox.stage(spooled, 'out', { name: 'a.csv' }) }
    }

    test.each([
      ['removed', (path: string) => rm(path), /was removed/],
      [
        'replaced',
        (path: string) => writeFile(`${path}.new`, 'a,b\n').then(() => rename(`${path}.new`, path)),
        /another file/,
      ],
      ['given other rights', (path: string) => chmod(path, 0o600), /rights/],
    ])('proves nothing when the working file was %s', async (_, touch, why) => {
      const { mailbox, file } = await staged()
      await touch(join(root, 'out', file.working))
      const naming = await mailbox.inspectNaming('out', toNaming(file, 'a.csv'))
      expect(naming).toEqual({ unclear: expect.stringMatching(why) })
    })

    test('keeps no file from getting its name while the bridge is at work', async () => {
      const { mailbox, file } = await staged()
      await utimes(join(root, 'out', file.working), 1_700_000_000, 1_700_000_000) // As a scanner or a backup does.
      const noted: NamingEvidence[] = []
      const note = (evidence: NamingEvidence) => Promise.resolve(void noted.push(evidence))
      expect(await mailbox.giveName(file, 'a.csv', { note })).toBe('delivered')
      expect(await readdir(join(root, 'out'))).toContain('a.csv')
      expect(noted).toEqual([expect.objectContaining({ inode: file.evidence['inode'] })])
    })

    test('keeps a bridge that was taken over from giving the name', async () => {
      const { mailbox, file } = await staged()
      await createDirectoryMailbox({ root }).giveName(file, 'a.csv')
      await rm(join(root, 'out/a.csv'))
      const note = () => Promise.reject(new Error('taken over'))
      await expect(mailbox.giveName(file, 'a.csv', { note })).rejects.toThrow('taken over')
      expect(await readdir(join(root, 'out'))).toEqual([file.working])
    })

    test('proves nothing when the folder is another one', async () => {
      const { mailbox, file } = await staged()
      await rename(join(root, 'out'), join(root, 'unmounted'))
      await mkdir(join(root, 'out'))
      const naming = await mailbox.inspectNaming('out', toNaming(file, 'a.csv'))
      expect(naming).toEqual({ unclear: expect.stringMatching(/another folder/) })
    })
  })

  test('a delivered file gets the usual rights, not the private ones of the spool', async () => {
    await deliverInto(createDirectoryMailbox({ root }), spooled, 'out', 'a.csv')
    await writeFile(join(root, 'usual'), 'x')
    const usual = (await stat(join(root, 'usual'))).mode
    expect((await stat(join(root, 'out', 'a.csv'))).mode).toBe(usual)
  })

  test('a spooled file that is missing leaves nothing behind', async () => {
    await rm(spooled)
    await expect(
      deliverInto(createDirectoryMailbox({ root }), spooled, 'out', 'a.csv'),
    ).rejects.toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining(spooled),
    })
    expect(await readdir(join(root, 'out'))).toEqual([])
  })

  test.skipIf(process.platform === 'win32')('missing rights say what cannot be done', async () => {
    await chmod(base, 0o755)
    await chmod(spooled, 0o644)
    await chmod(join(root, 'inbox'), 0o555)
    await writeFile(join(root, 'inbox', 'orders.csv'), 'x')
    await mkdir(join(root, 'inbox', '.claimed'))
    await mkdir(join(root, 'private'), { mode: 0o000 })
    const mailbox = createDirectoryMailbox({ root })
    const refused = { cause: expect.objectContaining({ code: 'EACCES' }) }
    await asUser(async () => {
      const cannotWrite = { code: 'cannot-write', ...refused }
      await expect(deliverInto(mailbox, spooled, 'inbox', 'a.csv')).rejects.toMatchObject(cannotWrite)
      await expect(mailbox.claim(CLAIM)).rejects.toMatchObject(cannotWrite)
      await expect(mailbox.list('inbox/new')).rejects.toMatchObject(cannotWrite)
      const unreachable = { code: 'mailbox-unreachable', ...refused }
      await expect(mailbox.list('private')).rejects.toMatchObject(unreachable)
    })
    expect(await readdir(join(root, 'inbox'))).toEqual(['.claimed', 'orders.csv'])
  })

  test('an unreadable file is not claimed, and stays where its owner can mend that', async () => {
    await chmod(base, 0o755)
    await chmod(join(root, 'inbox'), 0o777)
    const path = join(root, 'inbox', 'orders.csv')
    await writeFile(path, 'x', { mode: 0o000 })
    await chmod(path, 0o000)
    const mailbox = createDirectoryMailbox({ root })
    await asUser(async () => {
      await expect(mailbox.claim(CLAIM)).rejects.toMatchObject({
        code: 'cannot-write',
        message: expect.stringMatching(/orders\.csv cannot be claimed: it may not be read\.$/),
        fix: 'Let the user of the bridge read the file, then run again: the work is kept.',
      })
    })
    expect(await readdir(join(root, 'inbox'))).toContain('orders.csv')
    await chmod(path, 0o644)
    await asUser(async () => expect(await mailbox.claim(CLAIM)).toBe('claimed'))
  })

  test('a name that the disk refuses is a failure to write', async () => {
    const name = 'n'.repeat(300) // no file system takes such a name
    await expect(deliverInto(createDirectoryMailbox({ root }), spooled, 'out', name)).rejects.toMatchObject({
      code: 'cannot-write',
      cause: expect.objectContaining({ code: 'ENAMETOOLONG' }),
    })
    expect(await readdir(join(root, 'out'))).toEqual([])
  })

  test('a file is described by its full path', () => {
    expect(createDirectoryMailbox({ root }).describe('out/today', 'a.csv')).toBe(
      join(root, 'out', 'today', 'a.csv'),
    )
  })
})

test('working names are recognised whatever their case', () => {
  const working = ['.a', '~$Orders.xlsx', 'a.TMP', 'a.Part', 'a.csv.filepart', 'a.writing', 'a.crdownload']
  expect(working.filter((name) => !isTemporaryName(name))).toEqual([])
  const whole = ['orders.csv', 'tmp.csv', 'a.partner', 'counterpart', '~orders.csv', 'a.tmp.csv']
  expect(whole.filter(isTemporaryName)).toEqual([])
})
