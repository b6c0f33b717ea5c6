/** `edi fix`: envelopes become right, and all other bytes stay. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { fixEdiFile } from '../../../src/app/edi/fix.ts'
import { copySelectedSets } from '../../../src/formats/edi/copy-sets.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { FAULTS, makeFault, makeFaultBase } from '../../fixtures/edi-maker/faults.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

const CHECKS = ['interchange numbers differ', 'interchange count', 'group trailer', 'set trailer']
const REPAIRED = FAULTS.filter(
  ({ check, name }) =>
    (CHECKS.includes(check) && !name.includes('twice')) || /^(IEA|UNZ) is missing$/.test(name),
).map((fault) => ({ name: `${fault.syntax}: ${fault.name}`, fault }))

async function fix(bytes: Buffer) {
  const folder = await tempFolder()
  await writeFile(join(folder, 'in.edi'), bytes)
  const fixed = await fixEdiFile(join(folder, 'in.edi'), join(folder, 'out.edi'))
  return { folder, fixed, out: await readFile(join(folder, 'out.edi'), 'latin1') }
}

test.each(REPAIRED)('"$name" is put right, and the file is that without the fault', async ({ fault }) => {
  const { out, fixed } = await fix(makeFault(fault).files[0] ?? Buffer.alloc(0))

  expect(out).toBe(dress(makeFaultBase(fault.syntax), { newline: '\n' }).toString('latin1'))
  expect(fixed.repairs).toHaveLength(1)
})

test('a sound file is copied byte for byte, with its byte order mark and what stands between', async () => {
  const base = dress(makeFaultBase('x12'), { newline: '\r\n' })
  const bytes = Buffer.concat([Buffer.from('\xEF\xBB\xBF', 'latin1'), base, Buffer.from('$ end\r\n'), base])

  const { out, fixed } = await fix(bytes)

  expect(out).toBe(bytes.toString('latin1'))
  expect(fixed.repairs).toEqual([])
})

test('an ISA that is not padded is padded', async () => {
  const text = dress(makeFaultBase('x12'), { newline: '\n' }).toString('latin1')
  const { out, fixed } = await fix(Buffer.from(text.replace('HAVENRETAIL    *', 'HAVENRETAIL*'), 'latin1'))

  expect(out).toBe(text)
  expect(fixed.repairs.map(({ what }) => what)).toEqual(['ISA06: padded to the length of the standard'])
})

test('a number of an interchange that is none stands the same in its trailer', async () => {
  const text = dress(makeFaultBase('x12'), { newline: '\n' }).toString('latin1')
  const { out } = await fix(Buffer.from(text.replace('*000000101*0*P', '*A0000101*0*P'), 'latin1'))

  expect(out).toContain('*A0000101 *0*P')
  expect(out).toMatch(/IEA\*3\*A0000101\s*~\n$/)
})

test('a file that ends within a segment is not repaired, and nothing is written', async () => {
  const text = dress(makeFaultBase('x12'), { newline: '\n' }).toString('latin1')
  const folder = await tempFolder()
  await writeFile(join(folder, 'in.edi'), text.slice(0, text.indexOf('5 Mill Lane')))

  await expect(fixEdiFile(join(folder, 'in.edi'), join(folder, 'out.edi'))).rejects.toThrow(
    'ends within segment',
  )
  await expect(readFile(join(folder, 'out.edi'))).rejects.toThrow('ENOENT')
})

test('a number of an interchange that holds what ends a segment has no trailer, so the file is not repaired', async () => {
  const text = dress(makeFaultBase('x12'), { newline: '\n' }).toString('latin1')

  await expect(fix(Buffer.from(text.replace('*000000101*0*P', '*1~0000101*0*P'), 'latin1'))).rejects.toThrow(
    'the number "1~0000101" of segment 1 (ISA), at byte 0, holds a delimiter or a line break',
  )
})

test('a file that is there is never written over', async () => {
  const { folder } = await fix(dress(makeFaultBase('x12'), { newline: '\n' }))

  await expect(fixEdiFile(join(folder, 'in.edi'), join(folder, 'in.edi'))).rejects.toThrow('is there already')
})

test.each(['x12', 'edifact'] as const)(
  'what comes back of a file of %s that ends within a segment lacks it and the end of its set, which is repaired as incomplete',
  async (syntax) => {
    const text = dress(makeFaultBase(syntax), { newline: '\n' }).toString('latin1')
    const cut = text.slice(0, text.lastIndexOf('5 Mill Lane') + 4)
    const last = cut.match(/^(ST\*|UNH\+)/gm)?.length ?? 0

    const pieces: Buffer[] = []
    for await (const piece of copySelectedSets(Readable.from([Buffer.from(cut, 'latin1')]), [[last, last]]))
      pieces.push(Buffer.from(piece))

    const copied = Buffer.concat(pieces).toString('latin1')
    const whole = cut.slice(cut.lastIndexOf(syntax === 'x12' ? 'ST*' : 'UNH'), cut.lastIndexOf('\n') + 1)
    expect(copied).toContain(whole)
    expect(copied).not.toContain('5 Mi')
    expect(copied).not.toContain(syntax === 'x12' ? '\nSE*' : '\nUNT+')
    expect((await fix(Buffer.from(copied, 'latin1'))).fixed.incomplete).toBe(1)
  },
)
