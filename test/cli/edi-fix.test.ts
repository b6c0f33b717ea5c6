/** `edi fix` and `edi check --answer` as people call them: exit codes, what is said, and which answer is whose. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runHere } from '../fixtures/terminal.ts'

const samples = new URL('../../samples/edi/', import.meta.url).pathname
const ONE_DAY = await readFile(join(samples, '850-one-day.x12'), 'utf8')

async function fixText(text: string) {
  const folder = await tempFolder()
  await writeFile(join(folder, 'in.x12'), text)
  const result = await runHere(folder, ['edi', 'fix', 'in.x12', '--out', 'out.x12'])
  const written = await readFile(join(folder, 'out.x12'), 'utf8').catch(() => undefined)
  return { folder, ...result, written }
}

test.each([
  ['a table', 'PO,Qty\n1,2\n', 'holds no interchange', 'Name a file that begins with ISA'],
  ['empty', '', 'holds no interchange', 'Name a file that begins with ISA'],
  ['cut off within a segment', ONE_DAY.slice(0, 500), 'ends within segment 17', 'Have the sender send'],
])('a file that is %s ends with 65, and nothing is written', async (_, text, message, fix) => {
  const { exit, stderr, written } = await fixText(text)

  expect(exit).toBe(65)
  expect(stderr).toContain(message)
  expect(stderr).toContain(fix)
  expect(written).toBeUndefined()
})

test('a copy that is there already stays, and the fix says what to name', async () => {
  const { folder } = await fixText(ONE_DAY)

  const { exit, stderr } = await runHere(folder, ['edi', 'fix', 'in.x12', '--out', 'out.x12'])

  expect(exit).toBe(74)
  expect(stderr).toContain('is there already, and nothing is overwritten')
  expect(stderr).toContain('Name another file with --out, or move this one away.')
})

test('a set that gets its missing SE may have lost segments, which is said', async () => {
  const lines = ONE_DAY.split('\n').filter((line) => !line.startsWith('SE*18'))

  const { exit, stdout, stderr, written } = await fixText(lines.join('\n'))

  expect(exit).toBe(0)
  expect(written).toBe(ONE_DAY)
  expect(stdout).toContain('SE was missing')
  expect(stderr).toContain('A set had no end (SE or UNT), and may have lost segments before it.')
  expect(stderr).toContain('Compare with the sender before you drop the copy in')
})

test('nothing is said of lost segments where only a count was wrong', async () => {
  const { stdout, stderr } = await fixText(ONE_DAY.replace('SE*18', 'SE*17'))

  expect(stdout).toContain('SE01: 18 instead of "17"')
  expect(stderr).not.toContain('lost segments')
})

test('the answer to one file is a file by itself; those to several stand under the names of the files', async () => {
  const one = await runHere(samples, ['edi', 'check', '--answer', '850-one-day.x12'])
  const files = ['850-one-day.x12', 'orders.edi']
  const several = await runHere(samples, ['edi', 'check', '--answer', ...files])

  expect(one.stdout).toMatch(/^ISA\*/)
  expect(several.stdout.split('\n').filter((line) => /^(ISA|UNB|.*:$)/.test(line))).toEqual([
    '850-one-day.x12:',
    expect.stringMatching(/^ISA\*/),
    'orders.edi:',
    expect.stringMatching(/^UNB\+/),
  ])
})

test('a file that needs no answer is named as such', async () => {
  const folder = await tempFolder()
  const { stdout: answer } = await runHere(samples, ['edi', 'check', '--answer', '850-one-day.x12'])
  await writeFile(join(folder, '997.x12'), answer)

  const { exit, stdout, stderr } = await runHere(folder, ['edi', 'check', '--answer', '997.x12'])

  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
  expect(stderr).toContain('997.x12: no answer is due')
})

test('a count that differs because a terminator is missing is not lowered: the segment behind it would be lost', async () => {
  const lost = ONE_DAY.replace(/~\n(MSG|N3|PER|PO1)(?=\*)/, '\n$1')
  const { exit, stderr, written } = await fixText(lost)

  expect(lost).not.toBe(ONE_DAY)
  expect(exit).toBe(65)
  expect(stderr).toMatch(
    /SE01 says \d+, and the file has \d+: a terminator seems to be missing before \w+ \(segment/,
  )
  expect(stderr).toContain('Write the terminator before that segment yourself')
  expect(written).toBeUndefined()
})

const ORDERS = await readFile(join(samples, 'orders.edi'), 'latin1')

describe('an apostrophe in a text of EDIFACT without its release character', () => {
  test.each([
    ['a name', "Tom O?'Leary", "Tom O'Leary", /segment 40 \(Leary\).*"Leary" is no segment/],
    ['a name in capitals', "Tom O?'Leary", "JEANNE D'ARC", /segment 40 \(ARC\).*"ARC" is no segment/],
    ['a name with letters only', "Tom O?'Leary", "Jeanne D'Arc", /segment 40 \(Arc\)/],
    ['a genitive', "Tom O?'Leary", "James'", /segment 40.*"" is no segment/],
    ['a message', "It?'s yours", "It's 5 o' clock", /segment 7 \(s 5 o\).*"s 5 o" is no segment/],
  ])('is named, in %s, and no count is mended', async (_, right, wrong, named) => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'in.edi'), ORDERS.replace(right, wrong), 'latin1')

    const checked = await runHere(folder, ['edi', 'check', 'in.edi'])
    const fixed = await runHere(folder, ['edi', 'fix', 'in.edi', '--out', 'out.edi'])

    expect(checked.exit).toBe(2)
    expect(checked.stdout).toMatch(named)
    expect(checked.stdout).toContain("Write the apostrophe as ?' there, or have the set sent again.")
    expect(checked.stdout).not.toContain('edi-count')
    expect(fixed.exit).toBe(65)
    expect(fixed.stderr).toContain("the ' before it seems to belong to a text, where it is written ?'")
    await expect(readFile(join(folder, 'out.edi'))).rejects.toThrow('ENOENT')
  })

  test('refuses the set even where its count is right', async () => {
    const folder = await tempFolder()
    const text = ORDERS.replace("Tom O?'Leary", "Tom O'Leary").replace('UNT+22', 'UNT+23')
    await writeFile(join(folder, 'in.edi'), text, 'latin1')

    const { exit, stdout } = await runHere(folder, ['edi', 'check', 'in.edi'])

    expect(exit).toBe(2)
    expect(stdout).toContain('[edi-release-missing]')
  })

  test('is not supposed of a segment that is only unknown, where the count is right', async () => {
    const folder = await tempFolder()
    const text = ORDERS.replace("UNS+S'", "ZZQ+1'\nUNS+S'").replace('UNT+30', 'UNT+31')
    await writeFile(join(folder, 'in.edi'), text, 'latin1')

    expect((await runHere(folder, ['edi', 'check', 'in.edi'])).exit).toBe(0)
  })
})

test('the fix of a wrong count names the file that is checked, and following it mends the file', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'in 1.x12'), ONE_DAY.replace('SE*18', 'SE*17'))

  const checked = await runHere(folder, ['edi', 'check', 'in 1.x12'])
  const [, command = ''] = /`dropbridge (.+) --out FIXED`/.exec(checked.stdout + checked.stderr) ?? []
  await runHere(folder, ['edi', 'fix', 'in 1.x12', '--out', 'FIXED'])

  expect(checked.exit).toBe(2)
  expect(command).toBe("edi fix 'in 1.x12'")
  expect((await runHere(folder, ['edi', 'check', 'FIXED'])).exit).toBe(0)
})

test.each([
  ['a count of groups', (text: string) => text.replace(/IEA\*1\*/, 'IEA*3*')],
  ['a count of sets', (text: string) => text.replace(/GE\*3\*/, 'GE*7*')],
  ['a number of the interchange', (text: string) => text.replace(/(IEA\*1\*)\d+/, '$1000009999')],
])('the fix of %s is one for the checked file, which has no rejects file', async (_, damage) => {
  const folder = await tempFolder()
  const damaged = damage(ONE_DAY)
  await writeFile(join(folder, 'in.x12'), damaged)

  const { exit, stdout } = await runHere(folder, ['edi', 'check', 'in.x12'])
  const json = await runHere(folder, ['edi', 'check', 'in.x12', '--json'])

  expect(damaged).not.toBe(ONE_DAY)
  expect(exit).toBe(2)
  for (const text of [stdout, json.stdout]) {
    expect(text).toContain('`dropbridge edi fix in.x12 --out FIXED`')
    expect(text).not.toContain('rejects file')
  }
})

test('a file cut within a segment must be sent again: check does not propose a fix that refuses it', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'in.x12'), ONE_DAY.slice(0, 900))

  const { exit, stdout } = await runHere(folder, ['edi', 'check', 'in.x12'])

  expect(exit).toBe(2)
  expect(stdout).toContain('Have this set sent again: the file ends within one of its segments.')
  expect(stdout).toContain('Have the sender send the whole file again.')
  expect(stdout).not.toMatch(/edi fix|rejects file/)
})
