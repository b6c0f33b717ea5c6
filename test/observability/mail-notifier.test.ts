/** Notifications by mail against a real SMTP server in this process. */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { type MailOptions, createMailNotifier } from '../../src/observability/notifications/notifiers.ts'

const GOES_ON = new AbortController().signal

const MESSAGE = { id: 'k3v9m2x7q101', subject: '2 refused', text: 'Grüße\n.\nEnd\n', data: {} }

interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

async function aServer(options: SMTPServerOptions = {}) {
  const mails: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { mails, port: (server.server.address() as AddressInfo).port }
}

function optionsFor(port: number, smtp: Partial<MailOptions['smtp']> = {}): MailOptions {
  return {
    to: ['ops@acme.example', 'boss@acme.example'],
    from: 'bridge@acme.example',
    subject: 'dropbridge acme',
    timeoutMs: 5000,
    smtp: { host: '127.0.0.1', port, security: 'none', ...smtp },
  }
}

test('a notification comes as one mail to everybody, with its id in the Message-ID', async () => {
  const { mails, port } = await aServer()

  await createMailNotifier(optionsFor(port)).send(MESSAGE, GOES_ON)

  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({
    from: 'bridge@acme.example',
    to: ['ops@acme.example', 'boss@acme.example'],
  })
  expect(mails[0]!.text).toContain('Subject: dropbridge acme: 2 refused')
  expect(mails[0]!.text).toContain('Message-ID: <k3v9m2x7q101.dropbridge@acme.example>')
  expect(mails[0]!.text).toContain('Auto-Submitted: auto-generated')
})

test('a name with a line break in a subject makes no header of its own', async () => {
  const { mails, port } = await aServer()

  await createMailNotifier(optionsFor(port)).send(
    { ...MESSAGE, subject: 'x\r\nBcc: thief@evil.example' },
    GOES_ON,
  )

  expect(mails[0]!.to).not.toContain('thief@evil.example')
  expect(mails[0]!.text).not.toMatch(/^Bcc:/im)
})

test('a server that does not encrypt is refused where encryption is wanted, and gets no password', async () => {
  const tried: string[] = []
  const { mails, port } = await aServer({
    authMethods: ['PLAIN'],
    onAuth({ username }, _session, callback) {
      tried.push(username ?? '')
      callback(null, { user: username ?? '' })
    },
  })
  const login = { username: 'acme', password: 'pa55word' }
  const notifier = createMailNotifier(optionsFor(port, { security: 'starttls', login }))

  await expect(notifier.send(MESSAGE, GOES_ON)).rejects.toThrow(/STARTTLS/i)
  expect(mails).toEqual([])
  expect(tried).toEqual([])
})

test('a password that the server refuses is not in the complaint', async () => {
  const { port } = await aServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(new Error('wrong')),
  })
  const login = { username: 'acme', password: 'pa55word' }
  const error: unknown = await createMailNotifier(optionsFor(port, { login }))
    .send(MESSAGE, GOES_ON)
    .catch((thrown: unknown) => thrown)

  expect(String(error)).toMatch(/login/i)
  expect(String(error)).not.toContain('pa55word')
})

test('a server that says nothing is given up after the time that is set, and hung up on', async () => {
  let hangUp = (): void => undefined
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve))
  const { port } = await aServer({ onConnect: () => undefined, onClose: () => hangUp() })

  await expect(
    createMailNotifier({ ...optionsFor(port), timeoutMs: 200 }).send(MESSAGE, GOES_ON),
  ).rejects.toThrow('no answer within 0.2 seconds')
  await hungUp
})

test('a stop waits for no server', async () => {
  const stop = new AbortController()
  const { port } = await aServer({
    onConnect: () => stop.abort(),
  })

  await expect(createMailNotifier(optionsFor(port)).send(MESSAGE, stop.signal)).rejects.toThrow(
    'asked to stop',
  )
})
