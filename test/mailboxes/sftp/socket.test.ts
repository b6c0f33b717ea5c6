/** The connection under an SFTP session: straight, and through proxies. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSocket } from '../../../src/mailboxes/sftp/socket.ts'
import { hasCode } from '../../../src/support/errors.ts'
import { httpProxy, socksProxy } from '../../fixtures/proxies.ts'
import { freePort } from '../../fixtures/server-process.ts'

const login = { username: 'acme', password: 'ge:heim' }
const never = new AbortController().signal

/** Greets every client, as an SSH server does, and echoes what it receives. */
async function greeter(): Promise<{ host: string; port: number; timeoutMs: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('SSH-2.0-greeter\r\n')
    socket.pipe(socket)
  })
  return { host: '127.0.0.1', port: await portOf(server), timeoutMs: 5000 }
}

async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  const open: Socket[] = []
  server.on('connection', (socket) => open.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as { port: number }).port
}

/** What comes over the socket once a listener is attached, which is later than the connection. */
async function conversation(socket: Socket, text: string): Promise<string> {
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => setTimeout(resolve, 20))
  let received = ''
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString()
      if (received.endsWith(text)) resolve(received)
    })
    socket.resume()
    socket.write(text)
  })
}

const failureOf = async (opening: Promise<Socket>) => {
  const failure: unknown = await opening.catch((error: unknown) => error)
  if (!hasCode(failure, 'mailbox-unreachable', 'credentials-refused'))
    throw new Error('no failure of a mailbox')
  expect(failure.cause).toBeUndefined()
  expect(failure.message).not.toContain('heim')
  return failure
}

describe('the connection', () => {
  test('is paused until a listener is attached, so that the greeting is not lost', async () => {
    const socket = await openSocket(await greeter(), undefined, never)
    expect(await conversation(socket, 'hello')).toBe('SSH-2.0-greeter\r\nhello')
  })

  test('is refused with the place that refused it', async () => {
    const port = await freePort()
    const failure = await failureOf(
      openSocket({ host: '127.0.0.1', port, timeoutMs: 5000 }, undefined, never),
    )
    expect(failure.code).toBe('mailbox-unreachable')
    expect(failure.message).toContain(`127.0.0.1:${port} cannot be reached: connect ECONNREFUSED`)
  })

  test('to an unknown name says so', async () => {
    const target = { host: 'nobody.invalid', port: 22, timeoutMs: 5000 }
    expect((await failureOf(openSocket(target, undefined, never))).message).toContain('nobody.invalid')
  })

  test('is given up when its signal fires', async () => {
    const controller = new AbortController()
    controller.abort()
    const failure = await failureOf(openSocket(await greeter(), undefined, controller.signal))
    expect(failure.code).toBe('mailbox-unreachable')
  })

  test('does not end the program when it breaks without a listener', async () => {
    const socket = await openSocket(await greeter(), undefined, never)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.destroy(new Error('broken'))
    await closed
    expect(socket.destroyed).toBe(true)
  })
})

describe.each([
  { scheme: 'socks5', start: socksProxy },
  { scheme: 'http', start: httpProxy },
])('a $scheme proxy', ({ scheme, start }) => {
  test('is asked for the server and passes on both ways', async () => {
    const target = await greeter()
    const proxy = await start()
    const socket = await openSocket(target, `${scheme}://127.0.0.1:${proxy.port}`, never)
    expect(await conversation(socket, 'hello')).toBe('SSH-2.0-greeter\r\nhello')
    expect(proxy.asked).toEqual([`127.0.0.1:${target.port}`])
  })

  test('that sends the greeting in one piece with its own answer loses nothing', async () => {
    const proxy = await start({ isEager: true })
    const socket = await openSocket(await greeter(), `${scheme}://127.0.0.1:${proxy.port}`, never)
    expect(await conversation(socket, 'hello')).toBe('SSH-2.0-greeter\r\nhello')
  })

  test('looks the name up itself', async () => {
    const target = { ...(await greeter()), host: 'localhost' }
    const proxy = await start()
    const socket = await openSocket(target, `${scheme}://127.0.0.1:${proxy.port}`, never)
    socket.destroy()
    expect(proxy.asked).toEqual([`localhost:${target.port}`])
  })

  test('gets the name and password it wants', async () => {
    const proxy = await start({ login })
    const address = `${scheme}://acme:ge%3Aheim@127.0.0.1:${proxy.port}`
    const socket = await openSocket(await greeter(), address, never)
    expect(await conversation(socket, 'hello')).toBe('SSH-2.0-greeter\r\nhello')
  })

  test('that refuses the password is named, and the password is not', async () => {
    const proxy = await start({ login })
    const address = `${scheme}://acme:geheimnis@127.0.0.1:${proxy.port}`
    const failure = await failureOf(openSocket(await greeter(), address, never))
    expect(failure.code).toBe('credentials-refused')
    expect(failure.message).toBe(
      `The proxy 127.0.0.1:${proxy.port} refused the name and password in \`proxy\`.`,
    )
  })

  test('that does not answer is given up after the deadline', async () => {
    const silent = createServer(() => {})
    const port = await portOf(silent)
    const target = { ...(await greeter()), timeoutMs: 100 }
    const failure = await failureOf(openSocket(target, `${scheme}://acme:geheim@127.0.0.1:${port}`, never))
    expect(failure.message).toBe(
      `The SFTP server 127.0.0.1:${target.port} by the proxy 127.0.0.1:${port} cannot be reached: it did not answer within 0.1 seconds.`,
    )
  })

  test('that cannot reach the server says so', async () => {
    const proxy = await start()
    const target = { ...(await greeter()), port: await freePort() }
    const address = `${scheme}://acme:geheim@127.0.0.1:${proxy.port}`
    expect((await failureOf(openSocket(target, address, never))).message).toContain('cannot be reached')
  })
})
