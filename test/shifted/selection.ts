/**
 * Which tests read the clock of the machine: those that name it, start a program, or set the times of a file, themselves or
 * through their fixtures. All others use a clock of their own. `test/tidy/clock.test.ts` checks the program for the same.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const TESTS = fileURLToPath(new URL('..', import.meta.url))
const READS_THE_CLOCK =
  /\bDate\.now\(|\bnew Date\(\)|\b(systemClock|machineClock|spawn|spawnSync|fork|execFile|execFileSync|utimes|utimesSync)\b/

/** The files of tests that read the clock, as paths from the root of the project, sorted. */
export function clockReaders(): string[] {
  const reads = readsTheClock()
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.long.test.ts'))
    .filter((name) => reads(join(TESTS, name)))
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .toSorted()
}

/** Inspects a module and all modules of the tests below it; each file is read once. */
function readsTheClock(): (path: string) => boolean {
  const known = new Map<string, boolean>()
  const look = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    // A circular import adds nothing to what the other modules say.
    known.set(path, false)
    const text = readFileSync(path, 'utf8')
    const found = READS_THE_CLOCK.test(text) || importsOf(path, text).some(look)
    known.set(path, found)
    return found
  }
  return look
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/ from '(\.[^']+\.ts)'/g)]
    .map(([, name = '']) => resolve(dirname(path), name))
    .filter((found) => found.startsWith(TESTS))
}
