/** One large file to OpenSSH's server and back, through a mailbox and with OpenSSH's own client. */
import { deliverInto } from '../fixtures/deliver-into.ts'
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSftpMailbox } from '../../src/mailboxes/sftp/mailbox.ts'
import { systemClock } from '../../src/support/clock.ts'
import type { RealServer } from '../fixtures/real-server.ts'
import { presentServers } from '../fixtures/server-programs.ts'
import { startSshd } from '../fixtures/sshd.ts'
import { interleave, timed, type Round } from './measure.ts'
import type { Scale } from './scale.ts'
import type { Row } from './table.ts'

const run = promisify(execFile)
const MIB = 1 << 20

/** Undefined where OpenSSH is not on this machine. */
export async function sftpRows({ sftp: { mebibytes, rounds } }: Scale): Promise<Row[]> {
  if (!presentServers().includes('OpenSSH')) return []
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-bench-'))
  const server = await startSshd()
  try {
    const parties = partiesOf(server, folder)
    await writeFile(parties.local, randomBytes(mebibytes * MIB))
    const count = mebibytes * MIB
    const up = await interleave({ rounds, count }, { theirs: parties.theyPut, ours: parties.wePut })
    const down = await interleave({ rounds, count }, { theirs: parties.theyGet, ours: parties.weGet })
    const row = (what: string, { theirs, ours }: typeof up): Row => ({
      what: `SFTP, ${mebibytes} MiB ${what}`,
      beside: "OpenSSH's own client",
      floor: `${(theirs.perSecond / MIB).toFixed(0)} MiB/s`,
      ours: `${(ours.perSecond / MIB).toFixed(0)} MiB/s`,
      ratio: theirs.ms / ours.ms,
      reach: { atLeast: 0.9 },
    })
    return [row('delivered', up), row('claimed and read', down)]
  } finally {
    await server.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Each round begins without a connection, as a program that has just started. */
function partiesOf(server: RealServer, folder: string) {
  const local = join(folder, 'local')
  const inbox = join(server.folder, 'inbox')
  const open = () =>
    createSftpMailbox({
      ...server.server,
      root: '.',
      connections: 1,
      verify: 'size',
      claim: 'rename',
      deliver: 'rename',
      clock: systemClock,
      random: Math.random,
      newId: randomUUID,
      working: { owner: 'bench', noted: () => Promise.resolve([]) },
    })
  const options = [
    `Port=${server.server.port}`,
    `UserKnownHostsFile=${server.knownHostsFile}`,
    'IdentitiesOnly=yes',
  ]
  const flags = ['-q', '-i', server.privateKeyFile, ...options.flatMap((option) => ['-o', option]), '-b']
  const theirs = (command: string) =>
    timed(async () => {
      const script = join(folder, 'commands')
      await writeFile(script, `${command}\n`)
      await run('sftp', [...flags, script, `${server.server.username}@127.0.0.1`])
      return 0
    })
  const counted = async (measurement: Promise<Round>, path: string): Promise<Round> => {
    const { ms } = await measurement
    const { size } = await stat(path)
    await rm(path)
    return { ms, count: size }
  }
  return {
    local,
    theyPut: () => counted(theirs(`put ${local} theirs`), join(server.folder, 'theirs')),
    wePut: async () => {
      const mailbox = open()
      const measurement = timed(async () => {
        await deliverInto(mailbox, local, 'out', 'ours')
        return 0
      })
      const counts = await counted(measurement, join(server.folder, 'out', 'ours'))
      await mailbox.close()
      return counts
    },
    theyGet: async () => {
      await copyFile(local, join(server.folder, 'theirs'))
      const measurement = await counted(theirs(`get theirs ${join(folder, 'back')}`), join(folder, 'back'))
      await rm(join(server.folder, 'theirs'))
      return measurement
    },
    weGet: async () => {
      await mkdir(inbox, { recursive: true })
      await copyFile(local, join(inbox, 'large'))
      const claim = { id: randomUUID(), folder: 'inbox', name: 'large' }
      const mailbox = open()
      const measurement = await timed(async () => {
        let bytes = 0
        await mailbox.claim(claim)
        for await (const chunk of mailbox.read(claim)) bytes += chunk.length
        return bytes
      })
      await mailbox.close()
      await rm(inbox, { recursive: true })
      return measurement
    },
  }
}
