/** Proves an inbox of interchanges: each dropped file is answered and reported once, and no control number is lost or used twice. */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { EdiConfiguration } from '../config/edi.ts'
import type { InboundRoute } from '../config/routes.ts'
import { isUnreadable } from '../domain/format.ts'
import type { Segment } from '../edi/segment.ts'
import { cutSegments, isSegment } from '../formats/edi/cut.ts'
import { createInterchangeFormat } from '../formats/edi/interchanges.ts'
import { assert } from '../support/errors.ts'
import { createDefect, type Defect, type RoundCount } from './results.ts'
import { type DeliveryFolder, type DroppedFile, joinFolders, openDeliveryFolder } from './delivered-files.ts'
import { compareNumbers } from './delivered-interchanges.ts'
import { mailboxFolder, type World } from './world.ts'

/** Folders that hold nothing else. */
const ANSWERS_FOLDER = 'proof-answers'
const REPORTS_FOLDER = 'proof-reports'

/** The clock of a proof jumps: an answer must never be due by the structure alone, which would make it another one. */
const NEVER_MS = 1000 * 86_400_000

/**
 * The inbox that feeds the route, with its partner alone, at the address that the file comes from. Undefined for a route with a
 * folder of its own.
 */
export async function narrowInbox(
  edi: EdiConfiguration | undefined,
  { from: { interchanges: choice } }: InboundRoute,
  file: Uint8Array,
): Promise<EdiConfiguration | undefined> {
  if (choice === undefined) return undefined
  const inbox = edi?.inboxes.find(({ name }) => name === choice.inbox)
  assert(edi && inbox, `inbox ${choice.inbox} is configured`)
  const address = await readSender(file)
  const partners = edi.partners
    .filter(({ name }) => choice.partner === undefined || name === choice.partner)
    .map((partner) => ({
      ...partner,
      ...(choice.partner !== undefined && { ids: [{ address }] }),
      answer: { ...partner.answer, withinMs: NEVER_MS },
      ...(partner.to && { to: { ...partner.to, folder: ANSWERS_FOLDER } }),
    }))
  const results = { ...inbox.results, folder: REPORTS_FOLDER }
  return { ourAddresses: [], us: [], partners, inboxes: [{ ...inbox, results }] }
}

async function readSender(file: Uint8Array): Promise<string> {
  const outline = await createInterchangeFormat().outline(Readable.from([file]), [])
  assert(!isUnreadable(outline), 'a sample of interchanges can be read')
  let sender = ''
  for await (const parts of outline.parts)
    for (const part of parts) if (part.kind === 'interchange') sender ||= part.head.sender
  return sender
}

/** What a file without faults led to, with which all others of its size are compared. */
export interface AnsweredFile {
  /** The verdict on each set, in the order of the file; empty where nothing is answered. */
  readonly verdicts: readonly string[]
}

interface Answer {
  readonly file: string
  readonly number: number
  /** The groups that it answers, or in EDIFACT the interchange, each with the verdicts on its sets. */
  readonly groups: readonly { readonly number: string; readonly verdicts: readonly string[] }[]
}

type AnswerCount = Required<Pick<RoundCount, 'findings' | 'numbers'>>

/** Control numbers go on from round to round of a world. */
export type LastNumbers = WeakMap<World, number>

/** Watches the answers and the reports of an inbox in one round. `isNamed`: the route is for one partner. */
export function watchInbox(
  world: World,
  { partners, inboxes }: EdiConfiguration,
  { isNamed, takenFolder }: { readonly isNamed: boolean; readonly takenFolder: string },
) {
  const [inbox] = inboxes
  assert(inbox, 'the inbox of the route is configured')
  const reports = openDeliveryFolder(mailboxFolder(world, inbox.results.mailbox, REPORTS_FOLDER), takenFolder)
  const answers = [...new Set(partners.flatMap(({ to }) => to?.mailbox ?? []))].map((mailbox, index) =>
    openDeliveryFolder(mailboxFolder(world, mailbox, ANSWERS_FOLDER), `${takenFolder}-answers-${index}`),
  )
  const readAll = async () => {
    const found: Answer[] = []
    for (const { name, path } of answers.flatMap((folder) => folder.files()))
      found.push(...(await readAnswers(name, readFileSync(path))))
    return found
  }
  return {
    /** A reader takes answers away too. */
    join: (outlet: DeliveryFolder): DeliveryFolder => ({
      ...joinFolders([outlet, ...answers]),
      files: outlet.files,
    }),
    /** Or why it proves nothing. */
    readBaseline: async (): Promise<AnsweredFile | string> => {
      const verdicts = (await readAll()).flatMap(({ groups }) => groups.flatMap((group) => group.verdicts))
      const isAnswered = isNamed && partners.some(({ answer, to }) => answer.when !== 'none' && to)
      if (isAnswered && verdicts.length === 0) return 'a run without any fault left no answer to its partner'
      return { verdicts }
    },
    async count(drop: DroppedFile, baseline: AnsweredFile, last: LastNumbers): Promise<AnswerCount> {
      const found = await readAll()
      const expected =
        baseline.verdicts.length === 0 ? [] : await listGroups(Buffer.from(drop.text, 'latin1'))
      const before = last.get(world) ?? (partners[0]?.firstNumber ?? 1) - 1
      last.set(world, Math.max(before, ...found.map(({ number }) => number)))
      const findings = [
        ...compareGroups(drop, found, expected),
        ...compareVerdicts(drop, found, baseline),
        ...compareNumbers(
          found.map(({ number }) => number),
          before,
          { name: 'control number', carrier: 'answer' },
        ),
        ...compareInboxReports(
          drop,
          reports.files().map(({ name }) => name),
        ),
      ]
      return { findings, numbers: found.length }
    },
  }
}

function compareGroups(
  { name }: DroppedFile,
  found: readonly Answer[],
  expected: readonly string[],
): Defect[] {
  const answered = found.flatMap(({ groups }) => groups.map(({ number }) => number))
  const strays = answered.filter((number) => !expected.includes(number))
  return [
    ...expected.flatMap((number) => {
      const times = answered.filter((each) => each === number).length
      const group = `group ${number} of ${name}`
      if (times === 0) return [createDefect('lost', group, 'it was never answered')]
      return times > 1 ? [createDefect('twice', group, `it was answered ${times} times`)] : []
    }),
    ...strays.map((number) => createDefect('twice', `group ${number}`, 'it is of no file of this round')),
  ]
}

/** The order of answers says nothing: a reader may have taken some of them. */
function compareVerdicts(
  { name }: DroppedFile,
  found: readonly Answer[],
  { verdicts }: AnsweredFile,
): Defect[] {
  const said = found.flatMap(({ groups }) => groups.flatMap((group) => group.verdicts))
  if (said.length !== verdicts.length || said.join() === verdicts.join()) return []
  return [
    createDefect('lost', name, `its sets were answered ${said.join(' ')} instead of ${verdicts.join(' ')}`),
  ]
}

function compareInboxReports({ name }: DroppedFile, files: readonly string[]): Defect[] {
  return ['.sets.csv', '.summary.json'].flatMap((kind) => {
    const count = files.filter((file) => file.endsWith(kind)).length
    if (count === 0) return [createDefect('lost', name, `its inbox left no ${kind}`)]
    return count > 1 ? [createDefect('twice', name, `its inbox left its ${kind} ${count} times`)] : []
  })
}

async function* readSegments(bytes: Uint8Array): AsyncGenerator<Segment> {
  for await (const items of cutSegments(Readable.from([bytes])))
    for (const item of items) if (isSegment(item)) yield item
}

async function readAnswers(file: string, bytes: Uint8Array): Promise<Answer[]> {
  const found: { file: string; number: number; groups: { number: string; verdicts: string[] }[] }[] = []
  for await (const segment of readSegments(bytes)) {
    const { id } = segment
    const group = found.at(-1)?.groups.at(-1)
    if (id === 'ISA' || id === 'UNB')
      found.push({ file, number: Number(segment.value(id === 'ISA' ? 13 : 5)), groups: [] })
    else if (id === 'AK1' || id === 'UCI')
      found.at(-1)?.groups.push({ number: segment.value(id === 'AK1' ? 2 : 1), verdicts: [] })
    else if (id === 'AK5' || id === 'IK5') group?.verdicts.push(segment.value(1))
    else if (id === 'UCM') group?.verdicts.push(segment.value(3))
  }
  return found
}

/** The numbers of what must be answered: of groups, and in EDIFACT of interchanges. */
async function listGroups(bytes: Uint8Array): Promise<string[]> {
  const numbers: string[] = []
  for await (const segment of readSegments(bytes)) {
    if (segment.id === 'GS') numbers.push(segment.value(6))
    else if (segment.id === 'UNB') numbers.push(segment.value(5))
  }
  return numbers
}
