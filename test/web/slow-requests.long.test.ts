/** Requests that never end: the console waits for none of them for long. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/support/clock.ts'
import { aConsole } from './harness.ts'

test('a request that never ends is cut off, and others are answered meanwhile', async () => {
  const console = await aConsole({ clock: systemClock })
  await console.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = console.server.server.address() as { port: number }
  const starts = [
    'GET / HTTP/1.1\r\nhost: localhost\r\n',
    `POST /sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\nname=`,
  ]
  const cuts = starts.map(async (start) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(start)
    socket.resume()
    await once(socket, 'close')
  })
  expect((await console.get('/', 'viewer')).statusCode).toBe(200)
  await Promise.all(cuts)
})
