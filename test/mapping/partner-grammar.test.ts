/** The file of a partner's grammar: its errors have places and suggestions, and mappings that extend others name it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { errorsOf, mappingOf } from './sheet.ts'

const MAPPING = `operation: create-cancel
read: { format: x12, document: 860, grammar: ./acme.yaml }
body:
  order_id: { from: BCH.03, find: order }
  reason_id: { const: 1 }
  cancel_lines: { order: order_lines }
`

/** The errors of a grammar with these lines, without its name. */
async function grammarErrors(lines: string, extending = 'x12/860'): Promise<string[]> {
  const errors = await errorsOf(MAPPING, { 'acme.yaml': `extends: ${extending}\n${lines}` })
  return errors.map((error) => error.replace(/^acme\.yaml:/, ''))
}

describe('errors of a grammar', () => {
  test('that extends a document without a grammar', async () => {
    expect(await grammarErrors('closed: true', 'x12/86')).toEqual([
      '1:10 extends: there is no grammar "x12/86". Did you mean "x12/846"?',
    ])
    expect(await grammarErrors('closed: true', './acme-base.yaml')).toEqual([
      expect.stringContaining('Write it as x12/850 or edifact/ORDERS.'),
    ])
  })

  test('of another document than that of the mapping', async () => {
    expect(await errorsOf(MAPPING, { 'acme.yaml': 'extends: x12/850\n' })).toEqual([
      '2:46 read.grammar: it is the grammar of x12/850, and the mapping reads x12/860',
    ])
  })

  test('come all at once, each with line, column and suggestion', async () => {
    const errors = await grammarErrors(`required: [N1*ST/N3, REG*DP, N1*ST/POC]
codes:
  BCH.99: [DS]
  POC.UP: [EA]
  N1*ST: [X]
qualifiers: { BCH: 12, REK: 1, ZQ1: 2 }
segments:
  ST: [N1 0.., { CTT: [AMT 0..1] }, REF 3..1]
  POD: [PID 0..1]
ranks: [S, O]
`)

    expect(errors).toEqual([
      '9:8 segments.ST[0]: expected a segment and how often it may stand there, such as "REF 0..n" or "BEG 1"',
    ])
  })

  test('in counts of segments and names of loops', async () => {
    const errors = await grammarErrors(`segments:
  ST: [{ CTT: [AMT 0..1] }, REF 3..1]
  POD: [PID 0..1]
  POC/N2: [PID 0..1]
ranks: [S, O]
`)

    expect(errors).toEqual([
      '3:10 segments.ST[0].CTT: expected a segment and how often it may stand there, such as "N1 0..200"',
      '3:29 segments.ST[1]: the smaller number stands first, such as "N1 0..200"',
      '4:3 segments.POD: x12/860 has no loop POD. Did you mean "POC"?',
      '5:3 segments.POC/N2: x12/860 has no loop POC/N2. Did you mean "POC/N9"?',
      '6:1 ranks: x12/860 has no levels of several kinds',
    ])
  })

  test('in places and qualifiers', async () => {
    const errors = await grammarErrors(`required: [N1*ST/N3, REG*DP, N1*ST/POC, REF*DP#2]
codes:
  BCH.99: [DS]
  POC.UP: [EA]
  N1*ST: [X]
qualifiers: { BCH: 99, REK: 1, ZQ1: 2 }
segments: { ST: [ZQ1 0..1] }
`)

    expect(errors).toEqual([
      '2:22 required[1]: 860 has no segment REG. Did you mean "REF"?',
      '2:30 required[2]: the loop of N1 in 860 has no POC.',
      '2:41 required[3]: the rule is for every REF: leave #2 out',
      expect.stringMatching(/^4:3 codes\.BCH\.99: BCH has \d+ elements, and no 99$/),
      '5:3 codes.POC.UP: "UP" is no element of POC: write its number, such as POC.02',
      '6:3 codes.N1*ST: N1*ST names no element: write it as N1*ST.02',
      expect.stringMatching(/^7:20 qualifiers\.BCH: BCH has \d+ elements, and no 99$/),
      '7:29 qualifiers.REK: 860 has no segment REK. Did you mean "REF"?',
      '7:37 qualifiers.ZQ1: nothing is known of ZQ1: write the element in paths, such as ZQ1*01=…',
    ])
  })

  test('in keys', async () => {
    expect(await grammarErrors('codez: { BCH.02: [DS] }\nclosed: maybe')).toEqual([
      expect.stringMatching(/^2:1 codez: there is no such key here\. Did you mean "codes"\?/),
      expect.stringMatching(/^3:9 closed: /),
    ])
  })

  test('whose records or levels would be gone', async () => {
    const shipment = MAPPING.replace('860', '856').replace('BCH', 'BSN')
    const told = async (lines: string) =>
      (await errorsOf(shipment, { 'acme.yaml': `extends: x12/856\n${lines}` })).map((error) =>
        error.replace('acme.yaml:', ''),
      )

    expect(await told('segments: { ST: [HL 0] }')).toEqual([
      expect.stringContaining('2:1 segments: the records and lines of 856 need HL*P: 856 has no segment HL.'),
      expect.stringContaining('need HL*O'),
      expect.stringContaining('need HL*I'),
    ])
    expect(await told('required: [HL*O/HL*P]')).toEqual([
      '2:12 required[0]: a level stands behind the one above it, and not in it: name the innermost level alone',
    ])
  })

  test('that is not there, empty or no YAML', async () => {
    expect(await errorsOf(MAPPING)).toEqual([
      expect.stringMatching(/^2:46 read\.grammar: the grammar file \.\/acme\.yaml /),
    ])
    expect(await errorsOf(MAPPING, { 'acme.yaml': '\n' })).toEqual([
      '2:46 read.grammar: the grammar file is empty',
    ])
    expect(await errorsOf(MAPPING, { 'acme.yaml': 'extends: [x12' })).toEqual([
      expect.stringMatching(/^acme\.yaml:1:\d+ /),
    ])
  })

  test('a grammar is for documents, and not for rows', async () => {
    const errors = await errorsOf(
      'operation: create-cancel\nread: { format: csv, grammar: ./acme.yaml }\nbody: {}\n',
    )

    expect(errors).toContain('2:22 read.grammar: this is for `format: x12` and `format: edifact`')
  })
})

describe('a mapping that names a grammar', () => {
  test('may use what the grammar adds, and nothing that it takes away', async () => {
    const mapping = MAPPING.replace('BCH.03', '[ZA1.02, CTT.01]')
    const grammar = 'extends: x12/860\nsegments: { ST: [ZA1 0..1, CTT 0] }\n'

    expect(await errorsOf(mapping, { 'acme.yaml': grammar })).toEqual([
      expect.stringContaining('860 has no segment CTT.'),
    ])
  })

  test('has its hash among its files, so that a change is noticed', async () => {
    const { files } = await mappingOf(MAPPING, { 'acme.yaml': 'extends: x12/860\n' })

    expect(Object.keys(files)).toEqual(['', 'acme.yaml'])
  })

  test('and that is extended from another folder finds the grammar beside its base', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'base'))
    await writeFile(join(folder, 'base/cancels.yaml'), MAPPING)
    await writeFile(join(folder, 'base/acme.yaml'), 'extends: x12/860\nrequired: [REF*DP]\n')
    await writeFile(join(folder, 'own.yaml'), 'extends: ./base/cancels.yaml\n')
    await writeFile(
      join(folder, 'other.yaml'),
      'extends: ./base/cancels.yaml\nread: { grammar: ./other-860.yaml }\n',
    )
    await writeFile(join(folder, 'other-860.yaml'), 'extends: x12/860\nrequired: [REF*IA]\n')

    const requiredIn = async (name: string) => {
      const mapping = await loadMapping(join(folder, name))
      return mapping.direction === 'inbound' ? mapping.translator.read.edi?.grammar?.required : undefined
    }

    expect(await requiredIn('own.yaml')).toEqual(['REF*DP'])
    expect(await requiredIn('other.yaml')).toEqual(['REF*IA'])
  })
})
