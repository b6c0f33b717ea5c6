/** The partner of a proof: it reads each interchange that it gets, and answers it with a 997, 999 or CONTRL. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createInterchangeFormat } from '../../src/formats/formats.ts'
import { type AnswerManner, createAnsweringPartner } from '../../src/prove/delivered-interchanges.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aPartner, anEdiInbox } from '../fixtures/edi-inbox.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { type ApiRecord, exportRecords, loadExport, ROOT } from '../formats/edi/exported.ts'

const AT = Date.UTC(2026, 10, 26, 12)

async function exportFile(name: string, sample: string, number: number): Promise<string> {
  const { composer } = await loadExport(name)
  const text = await readFile(join(ROOT, 'samples/exports', `${sample}.json`), 'utf8')
  const { bytes } = exportRecords(composer, JSON.parse(text) as ApiRecord[], {
    sender: { qualifier: 'ZZ', id: 'HAVENDROP', group: 'HAVENDROP' },
    receiver: { qualifier: 'ZZ', id: 'HAVENRETAIL', group: 'HAVENRETAIL' },
    usage: 'production',
    numbers: { interchange: number, group: number + 100 },
  })
  return bytes.toString('latin1')
}

async function aFolder() {
  const folder = await tempFolder()
  const read = async () => {
    const names = (await readdir(folder)).toSorted()
    return Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
  }
  return { folder, read }
}

const format = createInterchangeFormat()

/** Accepts all sets at once, unless a test says otherwise. */
function aPartnerOf(folder: string, texts: readonly string[], manner: Partial<AnswerManner> = {}) {
  let number = 0
  return createAnsweringPartner({
    format,
    listTexts: () => texts,
    folder,
    now: () => AT,
    nextNumber: () => ++number,
    chooseManner: () => ({ refuses: () => false, inParts: false, twice: false, ...manner }),
  })
}

/** The segments of an answer that say something of what is answered. */
const verdicts = (text: string) => text.match(/^(?:AK[1259]|IK5|AK9|UCI|UCM)[*+].*$/gm)

test('each delivered interchange is answered once, under numbers of its own, however often the partner looks', async () => {
  const { folder, read } = await aFolder()
  const texts = [await exportFile('x12/850-export', 'orders', 700)]
  const partner = aPartnerOf(folder, texts)

  expect(await partner.answerNew()).toBe(1)
  expect(await partner.answerNew()).toBe(0)
  texts.push(await exportFile('edifact/invoic-export', 'invoices', 701))
  expect(await partner.answerNew()).toBe(1)

  const [first = '', second = '', ...more] = await read()
  expect(more).toEqual([])
  expect(first).toMatch(
    /^ISA\*00\* {10}\*00\* {10}\*ZZ\*HAVENRETAIL {4}\*ZZ\*HAVENDROP {6}\*.*\*000000001\*0\*P/,
  )
  expect(verdicts(first)?.[0]).toBe('AK1*PO*800~')
  expect(verdicts(first)?.at(-1)).toMatch(/^AK9\*A\*/)
  expect(second).toMatch(/^UNB\+UNOC:3\+HAVENRETAIL:ZZ\+HAVENDROP:ZZ\+261126:\d{4}\+2'$/m)
  expect(verdicts(second)?.[0]).toMatch(/^UCI\+701\+.*\+7'$/)
})

test('it refuses the sets that it is asked to refuse, and no others', async () => {
  const { folder, read } = await aFolder()
  const texts = [
    await exportFile('x12/856-export', 'shipments', 700),
    await exportFile('edifact/orders-export', 'orders', 701),
  ]
  const partner = aPartnerOf(folder, texts, { refuses: (set) => set === 2 })

  expect(await partner.answerNew()).toBe(2)

  const [x12 = '', edifact = ''] = await read()
  const said = verdicts(x12)?.filter((line) => line.startsWith('AK5'))
  expect(said?.map((line) => line[4])).toEqual(said?.map((_, at) => (at === 1 ? 'R' : 'A')))
  expect(verdicts(x12)?.at(-1)).toMatch(/^AK9\*P\*/)
  const messages = verdicts(edifact)?.filter((line) => line.startsWith('UCM'))
  expect(messages?.filter((line) => /\+4\+|\+4'/.test(line))).toHaveLength(1)
  expect(partner.answered()).toEqual(texts.map((text) => ({ text, accepted: [1], refused: [2] })))
})

test('an answer in parts says nothing of the sets that its other part is about', async () => {
  const { folder, read } = await aFolder()
  const texts = [
    await exportFile('x12/856-export', 'shipments', 700),
    await exportFile('edifact/orders-export', 'orders', 701),
  ]
  const partner = aPartnerOf(folder, texts, { refuses: (set) => set === 2, inParts: true })

  expect(await partner.answerNew()).toBe(2)
  const earlier = partner.answered()
  expect(earlier.map(({ accepted, refused }) => [accepted, refused])).toEqual(texts.map(() => [[1], []]))
  expect(await partner.answerNew()).toBe(2)
  expect(await partner.answerNew()).toBe(0)

  expect((await read()).map((text) => verdicts(text)?.map((line) => line.replace(/ORDERS.*UN/, '')))).toEqual(
    [
      ['AK1*SH*800~', 'AK2*856*0001~', 'AK5*A~', 'AK9*P*1*1*1~'],
      ["UCI+701+HAVENDROP:ZZ+HAVENRETAIL:ZZ+8'", "UCM+0001++7'"],
      ['AK1*SH*800~', 'AK2*856*0002~', 'AK5*R*1~', 'AK9*P*1*1*0~'],
      ["UCI+701+HAVENDROP:ZZ+HAVENRETAIL:ZZ+8'", "UCM+0002++4+14'"],
    ],
  )
  expect(earlier.map(({ refused }) => refused)).toEqual([[], []])
  expect(partner.answered()).toEqual(texts.map((text) => ({ text, accepted: [1], refused: [2] })))
})

test('an answer comes twice under two numbers, and the second one says the same', async () => {
  const { folder, read } = await aFolder()
  const texts = [await exportFile('x12/856-export', 'shipments', 700)]
  const partner = aPartnerOf(folder, texts, { refuses: (set) => set === 1, twice: true })

  expect(await partner.answerNew()).toBe(1)
  expect(await partner.answerNew()).toBe(1)
  expect(await partner.answerNew()).toBe(0)

  const [first = '', second = ''] = await read()
  expect(verdicts(second)).toEqual(verdicts(first))
  expect([first, second].map((text) => /\*(\d{9})\*0\*P/.exec(text)?.[1])).toEqual(['000000001', '000000002'])
})

test('a file that holds no interchange is not answered', async () => {
  const { folder } = await aFolder()

  expect(await aPartnerOf(folder, ['id;name\r\n1;Ada\r\n']).answerNew()).toBe(0)
})

test('an inbox of interchanges takes the answers for answers: it neither answers nor refuses them', async () => {
  const world = await anEdiInbox({
    ourAddresses: ['ZZ:HAVENDROP'],
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL')],
  })
  const folder = join(world.folder, 'exchange/inbox/van')
  await mkdir(folder, { recursive: true })
  const texts = [
    await exportFile('x12/850-export', 'orders', 700),
    await exportFile('edifact/invoic-export', 'invoices', 701),
  ]
  const partner = aPartnerOf(folder, texts)
  await partner.answerNew()

  const { routes: results } = await world.run()

  expect(results.filter(({ kind }) => kind === 'failed')).toEqual([])
  expect(await world.list('inbox/van')).toEqual([])
  expect(await world.list('outbox/haven')).toEqual([])
  const answers = ['answer-000000001.edi', 'answer-000000002.edi']
  expect(await world.list('results')).toEqual(
    answers.flatMap((name) => [`${name}.sets.csv`, `${name}.summary.json`]),
  )
  for (const [at, document] of ['997', 'CONTRL'].entries()) {
    const [set] = parseCsv(await world.read(`results/${answers[at] ?? ''}.sets.csv`))
    expect(set).toMatchObject({ document, partner: 'haven', _status: 'answer', _message: '' })
  }
})
