/** The log: lines for people and for programs, and nothing that holds up the work. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import {
  createFileSink,
  createLog,
  createStreamSink,
  type LogFormat,
  type LogLevel,
} from '../../src/support/log.ts'
import { asUser } from '../fixtures/as-user.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 21, 15, 20, 1, 123)

async function aLog(format: LogFormat, level: LogLevel = 'info') {
  const lines: string[] = []
  const sink = { write: (text: string) => void lines.push(text), close: () => Promise.resolve() }
  return { lines, log: await createLog({ level, outputs: [{ format, sink }], now: () => NOW }) }
}

test('a line for programs is one JSON object with its code, its fields and its text', async () => {
  const { lines, log } = await aLog('json')

  log.write('info', {
    code: 'file.received',
    route: 'orders',
    file: 'a.csv',
    bytes: 7,
    words: 'a.csv received',
  })

  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toEqual({
    level: 'info',
    time: '2026-11-21T15:20:01.123Z',
    code: 'file.received',
    route: 'orders',
    file: 'a.csv',
    bytes: 7,
    msg: 'a.csv received',
  })
})

test('a line for people has the time, the place and the event', async () => {
  const { lines, log } = await aLog('human')

  log.write('info', { code: 'file.received', route: 'orders', words: 'a.csv received' })
  log.write('warn', { code: 'watch.unreliable', words: 'inbox tells nothing' })
  log.write('error', { code: 'route.failed', route: 'orders', words: 'no folder' })

  expect(lines.join('')).toBe(
    [
      '2026-11-21T15:20:01.123Z orders: a.csv received',
      '2026-11-21T15:20:01.123Z warning: inbox tells nothing',
      '2026-11-21T15:20:01.123Z error: orders: no folder',
      '',
    ].join('\n'),
  )
})

test('a name with a line break in it makes no line of its own', async () => {
  for (const format of ['human', 'json'] as const) {
    const { lines, log } = await aLog(format)

    log.write('info', {
      code: 'file.received',
      words: 'a\n2026-01-01T00:00:00.000Z forged\u2028.csv\u001b[31m',
    })

    expect(
      lines
        .join('')
        .split(/[\n\u2028]/)
        .filter((line) => line.startsWith('2026-01-01')),
    ).toEqual([])
    expect(lines.join('')).not.toContain('\u001b')
  }
})

test('lines below the level are not written', async () => {
  const { lines, log } = await aLog('json', 'warn')

  log.write('info', { code: 'a', words: 'no' })
  log.write('warn', { code: 'b', words: 'yes' })

  expect(lines).toHaveLength(1)
})

test('a file is appended to, in folders that are made, and starts anew when it was moved away', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'logs', 'bridge.log')
  const sink = createFileSink(path)

  sink.write('one\n')
  await sink.close()
  await rename(path, `${path}.1`)
  sink.write('two\n')
  sink.write('three\n')
  await sink.close()

  expect(await readFile(`${path}.1`, 'utf8')).toBe('one\n')
  expect(await readFile(path, 'utf8')).toBe('two\nthree\n')
})

test('a file that cannot be written stops nothing, and gets its lines when it can be', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'bridge.log')
  await mkdir(path) // a folder is in the place of the file
  const sink = createFileSink(path)

  sink.write('one\n')
  await sink.close()
  await rm(path, { recursive: true })
  sink.write('two\n')
  await sink.close()
  await new Promise((resolve) => setTimeout(resolve, 500)) // the pause after a failure
  sink.write('three\n')
  await sink.close()

  expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n')
})

test('lines without room are counted, and the file shows how many', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'bridge.log')
  await mkdir(path)
  const sink = createFileSink(path)
  const large = `${'x'.repeat(1_000_000)}\n`

  for (let index = 0; index < 7; index++) sink.write(large)
  await sink.close()
  await rm(path, { recursive: true })
  await new Promise((resolve) => setTimeout(resolve, 500))
  sink.write('last\n')
  await sink.close()

  const text = await readFile(path, 'utf8')
  const lost = JSON.parse(text.split('\n', 1)[0]!) as { code: string; lines: number }
  expect(lost.code).toBe('log.lost')
  expect(text.split('\n').filter((line) => line.startsWith('xxx')).length + lost.lines).toBe(7)
  expect(text.endsWith('last\n')).toBe(true)
})

test('a file without rights stops nothing', async () => {
  const path = join(await tempFolder(), 'bridge.log')
  await writeFile(path, '')
  await chmod(path, 0o444)

  await asUser(async () => {
    const sink = createFileSink(path)
    sink.write('one\n')
    await expect(sink.close()).resolves.toBeUndefined()
  })
  expect(await readFile(path, 'utf8')).toBe('')
})

test('a stream without a reader takes a few megabytes and then no more', () => {
  const stuck = new Writable({ write: () => undefined })
  const sink = createStreamSink(stuck)

  for (let index = 0; index < 100; index++) sink.write('x'.repeat(1_000_000))

  expect(stuck.writableLength).toBeLessThan(6_000_000)
})

test('a stream that throws, as a file on a full disk does, stops nothing', () => {
  const full = {
    writableLength: 0,
    write: () => {
      throw new Error('ENOSPC')
    },
  }

  expect(() => createStreamSink(full).write('one\n')).not.toThrow()
})
