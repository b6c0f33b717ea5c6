/** Whatever bytes a file holds: `edi check`, `show` and `fix` end with a verdict, soon, and name places that are there. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { makeFaultBase } from '../../fixtures/edi-maker/faults.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { runHere } from '../../fixtures/terminal.ts'

const BASES = [
  dress(makeFaultBase('x12'), { newline: '\n' }),
  dress(makeFaultBase('edifact'), { newline: '\n' }),
]

const anyBytes = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes))
const anyBehindHeader = fc
  .tuple(fc.constantFrom(...BASES), fc.nat(400), anyBytes)
  .map(([base, length, bytes]) => Buffer.concat([base.subarray(0, length), bytes]))

interface Change {
  readonly at: number
  readonly remove: number
  readonly insert: Uint8Array
}

const change = fc.record({
  at: fc.nat(BASES[0]?.length ?? 1),
  remove: fc.nat(40),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.constantFrom('~', "'", '*', '?', 'SE*', 'ISA*', 'UNB+', 'GE*1*1~').map((text) => Buffer.from(text)),
  ),
})
const anyMutation = fc
  .tuple(fc.constantFrom(...BASES), fc.array(change, { minLength: 1, maxLength: 6 }))
  .map(([base, changes]) => changes.reduce(applyChange, base))

function applyChange(bytes: Buffer, { at, remove, insert }: Change): Buffer {
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)])
}

test(
  'any bytes end with 0, 2 or 65, and each fault names a segment that stands there',
  { timeout: 120_000 },
  async () => {
    const folder = await tempFolder()
    const check = async (bytes: Buffer) => {
      await writeFile(join(folder, 'any.edi'), bytes)
      const started = performance.now()
      const { exit, stdout, stderr } = await runHere(folder, ['edi', 'check', '--json', 'any.edi'])
      expect([0, 2, 65]).toContain(exit)
      expect(stderr).toBe('')
      // The first one loads the commands, too.
      expect(performance.now() - started).toBeLessThan(20_000)
      const { files } = JSON.parse(stdout) as {
        files: { problems: { code: string; place: { spot: Place } }[] }[]
      }
      // What is cut off stands where the file ends, under the name of what is not ended.
      const placed = files[0]?.problems.filter(({ code }) => code !== 'edi-cut-off') ?? []
      for (const { place } of placed) expectAtPlace(bytes, place.spot)
      const shown = await runHere(folder, ['edi', 'show', 'any.edi'])
      expect([0, 65]).toContain(shown.exit)
      expect((await runHere(folder, ['edi', 'check', '--answer', 'any.edi'])).exit).toBe(exit)
    }

    await fc.assert(fc.asyncProperty(fc.oneof(anyBytes, anyBehindHeader, anyMutation), check), {
      numRuns: 150,
    })
  },
)

interface Place {
  readonly id: string
  readonly at: number
}

/** Line breaks may stand within an id, and a byte order mark of UTF-16 moves the offsets. */
function expectAtPlace(bytes: Buffer, { id, at }: Place): void {
  expect(at).toBeLessThanOrEqual(bytes.length)
  if (!/^[A-Z0-9]{2,3}$/.test(id) || bytes[0] === 0xff || bytes[0] === 0xfe) return
  const text = bytes.subarray(at, at + 40).toString('latin1')
  expect(text.replaceAll(/[\r\n]/g, '').slice(0, id.length)).toBe(id)
}

test(
  'a fixed file has no wrong count or number any more, whatever was changed in it',
  { timeout: 120_000 },
  async () => {
    const folder = await tempFolder()
    let count = 0
    const check = async (bytes: Buffer) => {
      count += 1
      await writeFile(join(folder, 'any.edi'), bytes)
      const { exit } = await runHere(folder, ['edi', 'fix', 'any.edi', '--out', `fixed-${count}.edi`])
      // A file that ends within a segment is not repaired.
      expect([0, 65]).toContain(exit)
      if (exit !== 0) return
      const fixed = await readFile(join(folder, `fixed-${count}.edi`))
      await writeFile(join(folder, 'fixed.edi'), fixed)
      const result = await runHere(folder, ['edi', 'check', '--json', 'fixed.edi'])
      const wrong = /edi-(count|number-mismatch|cut-off)/.exec(result.stdout.replaceAll(/"notes"[^]*/g, ''))
      expect(wrong?.[0]).toBeUndefined()
    }

    await fc.assert(fc.asyncProperty(anyMutation, check), { numRuns: 100 })
  },
)
