/** Logging in to an SFTP server, and the messages when that does not work. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasCode } from '../../../src/support/errors.ts'
import { readPrivateKey } from '../../../src/mailboxes/sftp/auth.ts'
import { loginServer } from '../../fixtures/login-server.ts'
import { makeKey, type RealServer } from '../../fixtures/real-server.ts'
import { describeWithServers } from '../../fixtures/real-servers.ts'
import { namesSeenBy } from '../../fixtures/ssh-connection.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

const run = promisify(execFile)

const refusalOf = async (work: Promise<unknown>) => {
  const failure: unknown = await work.catch((error: unknown) => error)
  if (!hasCode(failure, 'credentials-refused', 'credentials-unusable')) throw new Error('it was not refused')
  return failure
}

/** The server has no folders, so a login that worked ends with this failure. */
const letIn = async (work: Promise<unknown>) => {
  await expect(work).rejects.toThrow('Permission denied')
}

describeWithServers('logging in to', ({ start }) => {
  let real: RealServer
  beforeAll(async () => {
    real = await start()
    await writeFile(join(real.folder, 'orders.csv'), 'PO\n1\n')
  })
  afterAll(() => real.remove())

  test('works by a key', async () => {
    const { privateKeyFile } = real
    expect(await namesSeenBy({ ...real.server, login: { privateKeyFile } })).toEqual(['orders.csv'])
  })

  test('works by a key that an agent holds', async () => {
    const agent = await anAgent(await tempFolder())
    await run('ssh-add', ['-q', real.privateKeyFile], { env: { ...process.env, SSH_AUTH_SOCK: agent } })
    expect(await namesSeenBy({ ...real.server, login: { agent } })).toEqual(['orders.csv'])
  })

  test('with an unknown key is refused, and the message lists what was tried', async () => {
    const privateKeyFile = join(await tempFolder(), 'other')
    await makeKey(privateKeyFile, 'ed25519')
    const failure = await refusalOf(namesSeenBy({ ...real.server, login: { privateKeyFile } }))
    expect(failure.code).toBe('credentials-refused')
    expect(failure.message).toContain(
      `refused the login of "${real.server.username}" (tried: the key ${privateKeyFile}`,
    )
    expect(failure.message).toContain('the server takes publickey')
  })
})

describeWithServers(
  'a password at',
  ({ start }) => {
    test('is accepted, and a wrong one is refused without being shown', async () => {
      const real = await start()
      onTestFinished(real.remove)
      const { password = '' } = real.server.login
      await writeFile(join(real.folder, 'orders.csv'), 'PO\n1\n')
      expect(await namesSeenBy({ ...real.server, login: { password } })).toEqual(['orders.csv'])
      const failure = await refusalOf(namesSeenBy({ ...real.server, login: { password: 'verraten' } }))
      expect(failure.message).toContain('tried: the password; the server takes publickey, password')
      expect(failure.message).not.toContain('verraten')
    })
  },
  ['ProFTPD'],
)

describe('a login', () => {
  test('answers with the password when it is asked for it', async () => {
    const answers: string[][] = []
    const server = await loginServer(['keyboard-interactive'], (attempt) => {
      if (attempt.method !== 'keyboard-interactive') return attempt.reject()
      attempt.prompt([{ prompt: 'Password: ', echo: false }], (given) => {
        answers.push(given)
        attempt.accept()
      })
    })
    await letIn(namesSeenBy(server.as({ password: 'geheim' })))
    expect(answers).toEqual([['geheim']])
    expect(server.received).toEqual(['none', 'keyboard-interactive'])
  })

  test('gives the password to no second question', async () => {
    const answers: string[][] = []
    const server = await loginServer(['keyboard-interactive'], (attempt) => {
      if (attempt.method !== 'keyboard-interactive') return attempt.reject()
      attempt.prompt([{ prompt: 'Password: ', echo: false }], () =>
        attempt.prompt(
          [
            { prompt: 'Your name: ', echo: true },
            { prompt: 'Code: ', echo: false },
          ],
          (given) => {
            answers.push(given)
            attempt.reject()
          },
        ),
      )
    })
    const failure = await refusalOf(namesSeenBy(server.as({ password: 'geheim' })))
    expect(answers).toEqual([['', '']])
    expect(failure.message).toContain(
      'tried: the password as an answer; the server takes keyboard-interactive',
    )
  })

  test('sends no password to a server that takes keys only', async () => {
    const server = await loginServer(['publickey'], (attempt) => attempt.reject(['publickey']))
    const failure = await refusalOf(namesSeenBy(server.as({ password: 'geheim' })))
    expect(server.received).toEqual(['none'])
    expect(failure.message).toContain('(nothing that it takes is configured; the server takes publickey)')
  })

  test('continues with the password when the server wants both it and the key', async () => {
    const privateKeyFile = join(await tempFolder(), 'key')
    await makeKey(privateKeyFile, 'ed25519')
    const server = await loginServer(['publickey'], (attempt) => {
      if (attempt.method === 'publickey' && attempt.signature === undefined) attempt.accept()
      else if (attempt.method === 'publickey') attempt.reject(['password'], true)
      else attempt.accept()
    })
    await letIn(namesSeenBy(server.as({ privateKeyFile, password: 'geheim' })))
    expect(server.received.at(-1)).toBe('password geheim')
  })

  test('is not tried where the host key is another one: not even the name is sent', async () => {
    const server = await loginServer(['password'], (attempt) => attempt.accept())
    const trust = { pinned: [`SHA256:${'A'.repeat(43)}`] }
    await expect(namesSeenBy({ ...server.as({ password: 'geheim' }), trust })).rejects.toThrow(
      'another host key',
    )
    expect(server.received).toEqual([])
  })

  test('says that the agent is away, or holds no key', async () => {
    const folder = await tempFolder()
    const server = await loginServer(['publickey'], (attempt) => attempt.reject())
    const away = await refusalOf(namesSeenBy(server.as({ agent: join(folder, 'nobody') })))
    expect(away.code).toBe('credentials-unusable')
    expect(away.message).toContain(`The agent at ${join(folder, 'nobody')} cannot be asked`)
    const agent = await anAgent(folder)
    const empty = await refusalOf(namesSeenBy(server.as({ agent })))
    expect(empty.message).toBe(`The agent at ${agent} holds no key. Add one with \`ssh-add FILE\`.`)
  })
})

describe('a private key', () => {
  const keyFileFor = async (form: string[], passphrase: string) => {
    const file = join(await tempFolder(), 'key')
    await run('ssh-keygen', ['-q', '-N', passphrase, '-f', file, ...form])
    return file
  }

  test.each([
    { form: 'of OpenSSH', made: ['-t', 'ed25519'], type: 'ssh-ed25519' },
    { form: 'of PEM with RSA', made: ['-t', 'rsa', '-b', '2048', '-m', 'PEM'], type: 'ssh-rsa' },
    { form: 'of PEM with ECDSA', made: ['-t', 'ecdsa', '-m', 'PEM'], type: 'ecdsa-sha2-nistp256' },
    { form: 'of PKCS #8 with RSA', made: ['-t', 'rsa', '-b', '2048', '-m', 'PKCS8'], type: 'ssh-rsa' },
    { form: 'of PKCS #8 with ECDSA', made: ['-t', 'ecdsa', '-m', 'PKCS8'], type: 'ecdsa-sha2-nistp256' },
  ])('in the form $form is read, open and with its passphrase', async ({ made, type }) => {
    expect((await readPrivateKey(await keyFileFor(made, ''), undefined)).type).toBe(type)
    const locked = await keyFileFor(made, 'sesam öffne')
    expect((await readPrivateKey(locked, 'sesam öffne')).type).toBe(type)
    const wrong = await refusalOf(readPrivateKey(locked, 'sesam'))
    expect(wrong.message).toBe(`The private key ${locked} does not open with the passphrase.`)
    const none = await refusalOf(readPrivateKey(locked, undefined))
    expect(none.message).toBe(`The private key ${locked} is encrypted.`)
    expect(none.fix).toContain('`passphrase: ${SFTP_PASSPHRASE}`')
    expect(wrong.fix).toContain('Correct `passphrase`')
  })

  test('with a passphrase that it does not need is read', async () => {
    expect((await readPrivateKey(await keyFileFor(['-t', 'ed25519'], ''), 'sesam')).type).toBe('ssh-ed25519')
  })

  test('that went through an editor of Windows is read', async () => {
    const file = await keyFileFor(['-t', 'ed25519'], '')
    const text = await readFile(file, 'utf8')
    await writeFile(file, `\u{feff}${text.trimEnd().replaceAll('\n', '\r\n')}`)
    expect((await readPrivateKey(file, undefined)).type).toBe('ssh-ed25519')
  })

  test('of PuTTY in its newest form is reported with the command to convert it', async () => {
    const file = await keyFileFor(['-t', 'ed25519'], '')
    await writeFile(file, 'PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\n')
    const failure = await refusalOf(readPrivateKey(file, undefined))
    expect(failure.fix).toContain(`puttygen ${file} -O private-openssh`)
  })

  test('that others may read is refused, with the fix', async () => {
    const file = await keyFileFor(['-t', 'ed25519'], '')
    await chmod(file, 0o640)
    const failure = await refusalOf(readPrivateKey(file, undefined))
    expect(failure.message).toBe(`The private key ${file} can be read by others (mode 640).`)
  })

  test('that is missing, is the public one, or is no key is reported as such', async () => {
    const file = await keyFileFor(['-t', 'ed25519'], '')
    expect((await refusalOf(readPrivateKey(`${file}.gone`, undefined))).message).toBe(
      `The private key ${file}.gone is not there.`,
    )
    expect((await refusalOf(readPrivateKey('/nowhere/~/.ssh/id', undefined))).fix).toContain(
      '`~` does not stand for the home folder here',
    )
    await writeFile(file, await readFile(`${file}.pub`))
    expect((await refusalOf(readPrivateKey(file, undefined))).message).toBe(
      `${file} holds a public key. Name the private one in privateKeyFile.`,
    )
    await chmod(file, 0o644)
    expect((await refusalOf(readPrivateKey(file, undefined))).message).toBe(
      `${file} holds a public key. Name the private one in privateKeyFile.`,
    )
    await chmod(file, 0o600)
    await writeFile(file, 'no key at all\n')
    expect((await refusalOf(readPrivateKey(file, undefined))).fix).toContain(`ssh-keygen -p -f ${file}`)
  })
})

/** Returns the socket of an agent without keys. */
async function anAgent(folder: string): Promise<string> {
  const path = join(folder, 'agent')
  const agent = spawn('ssh-agent', ['-D', '-a', path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void agent.kill('SIGKILL'))
  await once(agent.stdout, 'data')
  return path
}
