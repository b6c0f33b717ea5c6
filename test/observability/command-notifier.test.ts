/** Notifications to a real program. */
import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createCommandNotifier } from '../../src/observability/notifications/notifiers.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const GOES_ON = new AbortController().signal

const MESSAGE = { id: 'k3v9m2x7q101', subject: '2 refused', text: 'a $(touch hacked) `b`\n', data: { a: 1 } }

async function notifierOf(script: string, ...args: string[]) {
  const folder = await tempFolder()
  const notifier = createCommandNotifier({
    command: process.execPath,
    args: ['-e', script, ...args],
    folder,
    timeoutMs: 5000,
  })
  return { notifier, folder }
}

test('a program gets the notification as JSON on its input, in the folder of the configuration', async () => {
  const { notifier, folder } = await notifierOf(
    `let t='';process.stdin.on('data',c=>t+=c).on('end',()=>require('fs').writeFileSync('got',process.argv[1]+t))`,
    '$HOME; *',
  )

  await notifier.send(MESSAGE, GOES_ON)

  const got = await readFile(join(folder, 'got'), 'utf8')
  expect(got.startsWith('$HOME; *{')).toBe(true)
  expect(JSON.parse(got.slice('$HOME; *'.length))).toEqual({
    id: 'k3v9m2x7q101',
    subject: '2 refused',
    text: 'a $(touch hacked) `b`\n',
    digest: { a: 1 },
  })
})

test('a program that reads nothing has done its work when it ends well', async () => {
  const { notifier } = await notifierOf('process.stdin.destroy()')

  await expect(notifier.send({ ...MESSAGE, text: 'x'.repeat(1_000_000) }, GOES_ON)).resolves.toBeUndefined()
})

test('a program that fails is reported with its exit code and its message', async () => {
  const { notifier } = await notifierOf(`console.error('no network'); process.exitCode = 3`)

  await expect(notifier.send(MESSAGE, GOES_ON)).rejects.toThrow(/ended with exit code 3: no network$/)
})

test('a missing program is reported as such', async () => {
  const notifier = createCommandNotifier({ command: './nowhere', args: [], folder: '/', timeoutMs: 1000 })

  await expect(notifier.send(MESSAGE, GOES_ON)).rejects.toThrow('./nowhere cannot be started')
})

test('a program that cannot be started leaves nothing behind that waits for the stop', async () => {
  const notifier = createCommandNotifier({ command: './nowhere', args: [], folder: '/', timeoutMs: 1000 })
  const stop = new AbortController()
  for (let tries = 0; tries < 3; tries++) await notifier.send(MESSAGE, stop.signal).catch(() => undefined)

  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})

test.skipIf(process.platform === 'win32')('a program that does not end is ended', async () => {
  const folder = await tempFolder()
  const args = ['-e', `setInterval(() => {}, 1000)`]
  const notifier = createCommandNotifier({ command: process.execPath, args, folder, timeoutMs: 300 })

  await expect(notifier.send(MESSAGE, GOES_ON)).rejects.toThrow('took longer than 0.3 seconds')
})

test.skipIf(process.platform === 'win32')('a stop ends the program too', async () => {
  const { notifier, folder } = await notifierOf(
    `require('fs').writeFileSync('began','');setInterval(() => {}, 1000)`,
  )
  const stop = new AbortController()
  const sent = notifier.send(MESSAGE, stop.signal)
  const failed = sent.catch((error: unknown) => String(error))
  await expect
    .poll(() => readFile(join(folder, 'began'), 'utf8').catch(() => undefined), { timeout: 20_000 })
    .toBe('')
  stop.abort()

  expect(await failed).toContain('was asked to stop')
})

test.each([1, 60, 600])(
  'the message of a program is reported in one line, without the secrets of the environment: %i',
  async (times) => {
    vi.stubEnv('DROPBRIDGE_TEST_SECRET', 'q7-very-secret-q7')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { notifier } = await notifierOf(
      `process.stderr.write('+ curl\\n  -u me:' + process.env.DROPBRIDGE_TEST_SECRET.repeat(process.argv[1]));process.exitCode=3`,
      String(times),
    )

    const why = await notifier.send(MESSAGE, GOES_ON).catch((error: Error) => error.message)

    expect(why).toMatch(/ ended with exit code 3: \+ curl -u( me:\*{3}|$)/)
    expect(why).not.toContain('q7')
  },
)
