/** The time is an argument everywhere: no test depends on the day, the hour or the time zone it runs in. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EXCEPTIONS } from '../shifted/exceptions.ts'
import { clockReaders } from '../shifted/selection.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(repository + path, 'utf8')

test('no file of the program reads the time of day except the clock itself, and the one that proofs may set', () => {
  const sources = readdirSync(`${repository}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)

  const readers = sources.filter((path) =>
    /\bDate\.now\(|\bnew Date\(\)|DateTime\.(now|local|utc)\(\)/.test(textOf(path)),
  )

  expect(readers.toSorted()).toEqual(['src/prove/world.ts', 'src/support/clock.ts'])
})

test('tests that read the clock run under a shifted one too, and only by name some are left out', () => {
  const readers = clockReaders()

  expect(readers).toContain('test/cli/run.test.ts')
  expect(readers).toContain('test/mailboxes/directory.test.ts')
  expect(readers).not.toContain('test/mapping/values.test.ts')
  for (const { file, title, reason } of EXCEPTIONS) {
    expect(readers).toContain(`test/${file}`)
    expect(textOf(`test/${file}`)).toContain(`'${title}'`)
    expect(reason).not.toBe('')
  }
})
