/** What `edi check` says and answers where the grammar of a partner refuses more than the built-in one. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkEdiFile } from '../../../src/app/edi/check.ts'
import { loadMapping } from '../../../src/mapping/load.ts'
import { dress, listSets, makeFaultBase, type Syntax } from '../../fixtures/edi-maker.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

const READY = {
  x12: join(import.meta.dirname, '../../../mappings/x12/850-orders.yaml'),
  edifact: join(import.meta.dirname, '../../../mappings/edifact/orders.yaml'),
}

const DOCUMENTS = { x12: 'x12/850', edifact: 'edifact/ORDERS' }

/** Checks nine orders, of which the fifth is changed, with the ready mapping and the grammar. */
async function check(syntax: Syntax, grammar: string, change?: (body: string[][]) => void) {
  const folder = await tempFolder()
  const made = makeFaultBase(syntax)
  const fifth = listSets(made)[4]
  change?.(fifth?.body as string[][])
  if (fifth?.trailer !== undefined) fifth.trailer[1] = String(fifth.body.length + 2)
  await writeFile(join(folder, 'file.edi'), dress(made, { newline: '\n' }))
  await writeFile(join(folder, 'acme.yaml'), `extends: ${DOCUMENTS[syntax]}\n${grammar}\n`)
  await writeFile(join(folder, 'own.yaml'), `extends: ${READY[syntax]}\nread: { grammar: ./acme.yaml }\n`)
  const mapping = await loadMapping(join(folder, 'own.yaml'))
  if (mapping.direction !== 'inbound') throw new Error('not inbound')
  let text = ''
  const result = await checkEdiFile(join(folder, 'file.edi'), {
    mapping,
    answer: {
      at: new Date('2026-11-16T15:04:05Z'),
      kind: '997',
      numbers: { interchange: 1, group: 1 },
      ta1: 'asked',
      echoes: true,
    },
    write: async (bytes) => {
      text += Buffer.from(await Promise.resolve(bytes)).toString('latin1')
    },
  })
  // What is said of the fifth set.
  const part = text.split(/^(?:AK2|UCM).*\n/m)[5] ?? ''
  const lines = part.split('\n').filter((line) => /^(?:AK[34]|UC[SD])/.test(line))
  return { ...result, lines, verdicts: text.match(/(?<=AK5\*)[^~]+/g) ?? [] }
}

const shownProblem = ({ code, place: { spot } }: Awaited<ReturnType<typeof check>>['problems'][number]) =>
  `${code} segment ${spot?.inSet} (${spot?.id})`

test('segments and codes that a partner does not allow are in the 997 with their places', async () => {
  const grammar = 'required: [N1*ST/N2, N1*ST/N4.05]\ncodes: { PO1.03: [CA] }\nclosed: true'
  const { lines, problems, verdicts } = await check('x12', grammar, (body) => {
    body.splice(1, 0, ['ZZZ', '1'], ['N4', 'Portland'])
  })

  expect(verdicts).toEqual(Array.from({ length: 9 }, () => 'R*5'))
  // The fifth set: ST 1, BEG 2, ZZZ 3, N4 4, REF 5, TD5 6, N1 7, N3 8, N4 9, PO1 10, CTP 11, PO1 12.
  expect(lines).toEqual([
    'AK3*ZZZ*3**1~',
    'AK3*N4*4**7~',
    'AK3*N2*8*N1*3~',
    'AK3*N4*9*N1*8~',
    'AK4*5*309*1~',
    'AK3*PO1*10*PO1*8~',
    'AK4*3*355*7*EA~',
    'AK3*PO1*12*PO1*8~',
    'AK4*3*355*7*EA~',
  ])
  expect(problems.slice(16, 22).map(shownProblem)).toEqual([
    'segment-unknown segment 3 (ZZZ)',
    'segment-misplaced segment 4 (N4)',
    'value-missing segment 9 (N1*ST/N4)',
    'segment-missing segment 7 (N1)',
    'value-not-allowed segment 10 (PO1)',
    'value-not-allowed segment 12 (PO1)',
  ])
})

test('a CONTRL names them as EDIFACT does', async () => {
  const grammar = 'required: [NAD+DP/CTA]\ncodes: { BGM.1225: [5] }\nclosed: true'
  const { lines } = await check('edifact', grammar, (body) => {
    body.splice(2, 0, ['ZZZ', '1'])
  })

  // The fifth message: UNH 1, BGM 2, DTM 3, ZZZ 4, RFF 5, NAD 6, TDT 7.
  expect(lines).toEqual(["UCS+2+12'", "UCD+12+4'", "UCS+4+15'", "UCS+6+13'"])
})

test('a version that the grammar does not name is noted for each document, and refuses nothing', async () => {
  const { notes, counts } = await check('x12', 'versions: [005010]')

  expect(counts).toMatchObject({ sets: 9, refused: 0 })
  expect(notes).toHaveLength(9)
  expect(notes[0]).toMatchObject({
    code: 'edi-version',
    message: 'The document is of version 004010; the grammar is for 005010.',
  })
  expect((await check('x12', 'versions: [004010]')).notes).toEqual([])
  expect((await check('edifact', 'versions: [D.96A]')).notes).toEqual([])
})
