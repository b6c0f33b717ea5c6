/** The answers to damaged interchanges: each fault gives the codes that the table of faults says, and no others. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkEdiFile } from '../../../src/app/edi/check.ts'
import { type InboundMapping, loadMapping } from '../../../src/mapping/load.ts'
import { type Fault, FAULTS, makeFault, makeFaultBase } from '../../fixtures/edi-maker/faults.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { listSets, makeInterchange } from '../../fixtures/edi-maker/envelope.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'

/** What needs a partner, a journal or a route, which `edi check` does not have. */
const NEEDS_MORE = ['unknown partner', 'usage', 'duplicate interchange', 'group code or version']
/** There is no interchange that could be answered. */
const UNREADABLE = 'unreadable interchange'
/** Lengths are those of the API: the dictionary's are not checked. */
const isUnchecked = ({ problem }: Fault) => ['value-too-short', 'value-too-long'].includes(problem)

const CASES = FAULTS.filter(
  (fault) => !NEEDS_MORE.includes(fault.check) && fault.check !== UNREADABLE && !isUnchecked(fault),
).map((fault) => ({ name: `${fault.syntax}: ${fault.name}`, fault }))

const EDIFACT_MAPPING = `operation: create-order
read: { format: edifact, document: ORDERS }
body:
  purchase_order_number: BGM.1004
  ordered_at: { from: DTM+137.date, zone: America/New_York }
  ship_to:
    name1: NAD+DP.3036
    street1: NAD+DP.3042
    city: NAD+DP.3164
    province: NAD+DP.3229
    postal_code: NAD+DP.3251
    country: { from: NAD+DP.3207, default: US }
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - variant: { upc: LIN.UP }
      quantity: QTY+21.6060
      net_price: PRI+AAA.5118
      price: PRI+INF.5118
`

const AT = new Date('2026-11-16T15:04:05Z')

async function loadInbound(syntax: 'x12' | 'edifact'): Promise<InboundMapping> {
  let path = 'mappings/x12/850-orders.yaml'
  if (syntax === 'edifact') {
    path = join(await tempFolder(), 'orders.yaml')
    await writeFile(path, EDIFACT_MAPPING)
  }
  const mapping = await loadMapping(path)
  if (mapping.direction !== 'inbound') throw new Error('not inbound')
  return mapping
}

interface Answered {
  readonly lines: readonly string[]
  readonly verdicts: readonly string[]
}

async function answer(
  bytes: Buffer,
  options: { readonly kind?: '997' | '999'; readonly mapping?: InboundMapping } = {},
): Promise<Answered> {
  const path = join(await tempFolder(), 'file.edi')
  await writeFile(path, bytes)
  let text = ''
  const check = await checkEdiFile(path, {
    mapping: options.mapping,
    answer: {
      at: AT,
      kind: options.kind ?? '997',
      numbers: { interchange: 1, group: 1 },
      ta1: 'asked',
      echoes: true,
    },
    write: async (each) => {
      await Promise.resolve()
      text += Buffer.from(each).toString('latin1')
    },
  })
  const verdicts = check.parts.filter(({ kind }) => kind === 'set').map(({ verdict }) => verdict)
  return { lines: text.split('\n').filter((line) => line !== ''), verdicts }
}

/** The lines of the answer that name a fault: codes of groups and sets, segments and elements. */
function listCodes(lines: readonly string[]): string[] {
  const found: string[] = []
  for (const line of lines) {
    const [id = '', ...elements] = line.replace(/[~']$/, '').split(/[*+]/)
    if (id === 'TA1') found.push(`TA1 ${elements[4]}`)
    else if (id === 'AK9' && elements.length > 4) found.push(`AK9 ${elements.slice(4).join(' ')}`)
    else if (id === 'AK5' && elements.length > 1) found.push(`AK5 ${elements.slice(1).join(' ')}`)
    else if (id === 'AK3') found.push(`AK3 ${elements[0]} ${elements[1]} ${elements[3]}`)
    else if (id === 'AK4') found.push(`AK4 ${elements[0]} ${elements[2]}`)
    else if (id === 'UCI' && elements.length > 4) found.push(`UCI ${elements[4]}`)
    else if (id === 'UCF' && elements.length > 4) found.push(`UCF ${elements[4]}`)
    else if (id === 'UCM' && elements.length > 3) found.push(`UCM ${elements[3]}`)
    else if (id === 'UCS') found.push(`UCS ${elements[0]} ${elements[1]}`)
    else if (id === 'UCD') found.push(`UCD ${elements[1]} ${elements[0]}`)
  }
  return found
}

function listExpected({ codes }: Fault, verdicts: readonly string[]): string[] {
  const { ta1, ak9, ak5, ak3, ak4, uci, ucf, ucm, ucs, ucd } = codes
  const repeats = verdicts.filter((verdict) => verdict === 'E').length || 1
  return [
    ...(ta1 === undefined ? [] : [`TA1 ${ta1}`]),
    ...(ak3 === undefined ? [] : [`AK3 ${ak3.id} ${ak3.inSet} ${ak3.code}`]),
    ...(ak4 === undefined ? [] : [`AK4 ${ak4.element} ${ak4.code}`]),
    ...(ak5 === undefined ? [] : Array.from({ length: repeats }, () => `AK5 ${ak5}`)),
    ...(ak9 === undefined ? [] : [`AK9 ${ak9}`]),
    ...(uci === undefined ? [] : [`UCI ${uci}`]),
    ...(ucf === undefined ? [] : [`UCF ${ucf}`]),
    ...(ucm === undefined ? [] : Array.from({ length: repeats }, () => `UCM ${ucm}`)),
    ...(ucs === undefined ? [] : [`UCS ${ucs.inSet} ${ucs.code}`]),
    ...(ucd === undefined ? [] : [`UCD ${ucd.element} ${ucd.code}`]),
  ]
}

test.each(CASES)('the answer to "$name" has exactly its codes', async ({ fault }) => {
  const made = makeFault(fault)
  const needsMapping = fault.check === 'element'
  const { lines, verdicts } = await answer(
    made.files.at(-1) ?? Buffer.alloc(0),
    needsMapping ? { mapping: await loadInbound(fault.syntax) } : {},
  )

  expect(listCodes(lines)).toEqual(listExpected(fault, made.verdicts))
  expect(verdicts).toEqual(made.verdicts.slice(0, verdicts.length))
  const groups = lines.filter((line) => line.startsWith('AK9')).map((line) => line.split('*')[1])
  expect(groups).toEqual(groups.length > 0 ? made.groupVerdicts : [])
})

test('a sound interchange is answered with a 997 for each group, from its receiver to its sender', async () => {
  const { lines } = await answer(dress(makeFaultBase('x12'), { newline: '\n' }))

  expect(lines).toMatchInlineSnapshot(`
    [
      "ISA*00*          *00*          *12*7755550100     *ZZ*HAVENRETAIL    *261116*1504*U*00401*000000001*0*P*:~",
      "GS*FA*NORTHLIGHT*HAVEN*20261116*1504*1*X*004010~",
      "ST*997*0001~",
      "AK1*PO*101~",
      "AK2*850*0001~",
      "AK5*A~",
      "AK2*850*0002~",
      "AK5*A~",
      "AK2*850*0003~",
      "AK5*A~",
      "AK9*A*3*3*3~",
      "SE*10*0001~",
      "GE*1*1~",
      "GS*FA*NORTHLIGHT*HAVEN*20261116*1504*2*X*004010~",
      "ST*997*0001~",
      "AK1*PO*102~",
      "AK2*850*0001~",
      "AK5*A~",
      "AK2*850*0002~",
      "AK5*A~",
      "AK2*850*0003~",
      "AK5*A~",
      "AK9*A*3*3*3~",
      "SE*10*0001~",
      "GE*1*2~",
      "GS*FA*NORTHLIGHT*HAVEN*20261116*1504*3*X*004010~",
      "ST*997*0001~",
      "AK1*PO*103~",
      "AK2*850*0001~",
      "AK5*A~",
      "AK2*850*0002~",
      "AK5*A~",
      "AK2*850*0003~",
      "AK5*A~",
      "AK9*A*3*3*3~",
      "SE*10*0001~",
      "GE*1*3~",
      "IEA*3*000000001~",
    ]
  `)
})

test('a message that lacks a segment is named in a CONTRL', async () => {
  const missing = FAULTS.find(({ name }) => name === 'BGM is missing')
  if (missing === undefined) throw new Error('no such fault')

  const { lines } = await answer(makeFault(missing).files[0] ?? Buffer.alloc(0))

  expect(lines).toMatchInlineSnapshot(`
    [
      "UNB+UNOC:3+7755550100:12+HAVENRETAIL:ZZ+261116:1504+1'",
      "UNH+1+CONTRL:D:3:UN'",
      "UCI+101+HAVENRETAIL:ZZ+7755550100:12+7'",
      "UCF+101+HAVEN+NORTHLIGHT+7'",
      "UCM+1+ORDERS:D:96A:UN+7'",
      "UCM+2+ORDERS:D:96A:UN+7'",
      "UCM+3+ORDERS:D:96A:UN+7'",
      "UCF+102+HAVEN+NORTHLIGHT+7'",
      "UCM+4+ORDERS:D:96A:UN+7'",
      "UCM+5+ORDERS:D:96A:UN+4'",
      "UCS+1+13'",
      "UCM+6+ORDERS:D:96A:UN+7'",
      "UCF+103+HAVEN+NORTHLIGHT+7'",
      "UCM+7+ORDERS:D:96A:UN+7'",
      "UCM+8+ORDERS:D:96A:UN+7'",
      "UCM+9+ORDERS:D:96A:UN+7'",
      "UNT+16+1'",
      "UNZ+1+1'",
    ]
  `)
})

test('a 997 names the data element, repeats the wrong text, and says E where other records go on', async () => {
  const wrong = FAULTS.find(({ name }) => name === 'A province is none')
  if (wrong === undefined) throw new Error('no such fault')
  const file = makeFault(wrong).files[0] ?? Buffer.alloc(0)

  const { lines } = await answer(file, { mapping: await loadInbound('x12') })

  expect(lines.filter((line) => /^AK[34]/.test(line))).toEqual(['AK3*N4*7*N1*8~', 'AK4*2*156*7*XX~'])
  expect(lines).toContain('AK5*R*5~')
  expect(lines.filter((line) => line.startsWith('AK9'))).toEqual([
    'AK9*A*3*3*3~',
    'AK9*P*3*3*2~',
    'AK9*A*3*3*3~',
  ])
})

test('a 999 has the same errors in IK3, IK4 and IK5, and names the version from 5010 on', async () => {
  const base = makeFaultBase('x12')
  const sets = listSets(base).slice(0, 1)
  const file = makeInterchange({
    syntax: 'x12',
    version: '005010',
    groups: [{ sets: sets.map(({ body }) => ({ document: '850', segments: body.slice(1) })) }],
  })

  const { lines } = await answer(dress(file, { newline: '\n' }), { kind: '999' })

  expect(lines.slice(2, -3)).toEqual([
    'ST*999*0001~',
    'AK1*PO*101*005010~',
    'AK2*850*0001~',
    'IK3*BEG*2**3~',
    'IK5*R*5~',
    'AK9*R*1*1*0~',
  ])
})

test('answers are not answered, nor is an interchange that holds only them', async () => {
  const first = await answer(dress(makeFaultBase('x12'), { newline: '\n' }))
  const edifact = await answer(dress(makeFaultBase('edifact'), { newline: '\n' }))

  expect(await answer(Buffer.from(first.lines.join('\n'), 'latin1'))).toMatchObject({ lines: [] })
  expect(await answer(Buffer.from(edifact.lines.join('\n'), 'latin1'))).toMatchObject({ lines: [] })
})

test('an interchange that asks for a TA1 gets one before its groups, and one that is refused gets nothing else', async () => {
  const asked = makeInterchange({
    syntax: 'x12',
    isAcknowledgmentAsked: true,
    groups: [
      { sets: listSets(makeFaultBase('x12')).map(({ body }) => ({ document: '850', segments: body })) },
    ],
  })
  const refused = FAULTS.find(({ name }) => name === 'IEA02 is not ISA13')
  if (refused === undefined) throw new Error('no such fault')

  const { lines } = await answer(dress(asked, { newline: '\n' }))
  const bare = await answer(makeFault(refused).files[0] ?? Buffer.alloc(0))

  expect(lines.slice(0, 3).map((line) => line.slice(0, 3))).toEqual(['ISA', 'TA1', 'GS*'])
  expect(lines[1]).toMatch(/^TA1\*000000101\*\d{6}\*\d{4}\*A\*000~$/)
  expect(bare.lines.map((line) => line.slice(0, 3))).toEqual(['ISA', 'TA1', 'IEA'])
})

test('each answer is sound when it is checked itself', async () => {
  for (const { fault } of CASES) {
    const { lines } = await answer(makeFault(fault).files.at(-1) ?? Buffer.alloc(0))
    const path = join(await tempFolder(), 'answer.edi')
    await writeFile(path, Buffer.from(lines.join('\n'), 'latin1'))
    const check = await checkEdiFile(path)

    expect([fault.name, check.unusable, check.problems, check.notes]).toEqual([fault.name, undefined, [], []])
  }
})

test('an item without a number is named by its segment and the element that should have it', async () => {
  const file = await readFile(new URL('../../../samples/edi/850-two-orders.x12', import.meta.url), 'utf8')
  const blank = file.replace('UP*086000100025*SK*HV-10001*VN*NL-0002', 'UP**SK**VN*')
  const mapping = (await loadMapping(
    new URL('../../../mappings/x12/850-orders.yaml', import.meta.url).pathname,
  )) as InboundMapping

  const { lines } = await answer(Buffer.from(blank), { mapping })

  expect(lines.slice(4, 9)).toEqual([
    'AK2*850*0001~',
    'AK3*PO1*18*PO1*8~',
    'AK4*9*234*1~',
    'AK5*R*5~',
    'AK2*850*0002~',
  ])
})
