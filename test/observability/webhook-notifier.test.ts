/** Notifications by HTTP against a real receiver in this process. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createWebhookNotifier } from '../../src/observability/notifications/notifiers.ts'
import { instantClock } from '../fixtures/instant-clock.ts'

const GOES_ON = new AbortController().signal

const MESSAGE = { id: 'k3v9m2x7q101', subject: '2 refused', text: 'Grüße\n', data: { files: [] } }

interface Posted {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers with these statuses, the last one for all that follow. */
async function aReceiver(...statuses: number[]) {
  const posts: Posted[] = []
  const url = await listening((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      posts.push({ headers: request.headers, body })
      const status = statuses[Math.min(posts.length, statuses.length) - 1] ?? 204
      response.writeHead(status, status === 302 ? { location: '/other' } : {}).end()
    })
  })
  return { posts, url }
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/T0/s3cr3t-path`
}

function notifierFor(url: string, more: { secret?: string; timeoutMs?: number } = {}) {
  return createWebhookNotifier({ url, timeoutMs: 5000, version: '1.2.3', clock: instantClock(), ...more })
}

test('a notification is posted as JSON, signed with the secret', async () => {
  const { posts, url } = await aReceiver(204)

  await notifierFor(url, { secret: 'shared' }).send(MESSAGE, GOES_ON)

  expect(posts).toHaveLength(1)
  const [{ headers, body }] = posts as [Posted]
  expect(JSON.parse(body)).toEqual({
    id: 'k3v9m2x7q101',
    subject: '2 refused',
    text: 'Grüße\n',
    digest: { files: [] },
  })
  expect(headers['dropbridge-notification']).toBe('k3v9m2x7q101')
  expect(headers['dropbridge-signature']).toBe(
    `sha256=${createHmac('sha256', 'shared').update(body).digest('hex')}`,
  )
})

test('a receiver in trouble is tried again, with the same notification', async () => {
  const { posts, url } = await aReceiver(503, 429, 200)

  await notifierFor(url).send(MESSAGE, GOES_ON)

  expect(posts.map(({ headers }) => headers['dropbridge-notification'])).toEqual([
    'k3v9m2x7q101',
    'k3v9m2x7q101',
    'k3v9m2x7q101',
  ])
})

test('a receiver in trouble is tried once when the caller must not wait', async () => {
  const { posts, url } = await aReceiver(503, 200)

  await expect(notifierFor(url).send(MESSAGE, GOES_ON, { once: true })).rejects.toThrow('HTTP 503')
  expect(posts).toHaveLength(1)
})

test('a receiver that refuses is asked once, and its address is shown without its path', async () => {
  const { posts, url } = await aReceiver(404)
  const error: unknown = await notifierFor(url)
    .send(MESSAGE, GOES_ON)
    .catch((thrown: unknown) => thrown)

  expect(posts).toHaveLength(1)
  expect(String(error)).toMatch(/^Error: 127\.0\.0\.1:\d+ answered with HTTP 404$/)
})

test('a redirect is not followed', async () => {
  const { posts, url } = await aReceiver(302)

  await expect(notifierFor(url).send(MESSAGE, GOES_ON)).rejects.toThrow(
    'redirect (HTTP 302), which is not followed',
  )
  expect(posts).toHaveLength(1)
})

test('a receiver that never answers is given up, and its secret path stays secret', async () => {
  const url = await listening(() => undefined)
  const error: unknown = await notifierFor(url, { timeoutMs: 50 })
    .send(MESSAGE, GOES_ON)
    .catch((thrown: unknown) => thrown)

  expect(String(error)).toMatch(/gave no answer/)
  expect(String(error)).not.toContain('s3cr3t-path')
})

test('a receiver where no server listens is reported as such', async () => {
  await expect(notifierFor('http://127.0.0.1:1/x').send(MESSAGE, GOES_ON)).rejects.toThrow(
    /127\.0\.0\.1:1 gave no answer/,
  )
})

test('a stop waits for no receiver, and tries it no more', async () => {
  const stop = new AbortController()
  let asked = 0
  const url = await listening(() => {
    asked++
    stop.abort()
  })

  await expect(notifierFor(url).send(MESSAGE, stop.signal)).rejects.toThrow('the program was asked to stop')
  expect(asked).toBe(1)
})
