/** Reads the answers of a partner: what a TA1, 997, 999 or CONTRL says of the interchanges that were sent to it. */
import type { AnsweredSet, ReceivedAnswer } from '../../domain/interchange.ts'
import { DICTIONARIES } from '../../edi/documents.ts'
import type { Segment } from '../../edi/segment.ts'
import { decodeText } from './charset.ts'
import { showText } from './envelopes.ts'
import { formatElement } from './spots.ts'

/** The sets that one answer may name; none of ours has more. */
const MAX_SETS = 1_000_000

/** The reasons of one set that are kept, and those of all sets of one answer. */
const MAX_REASONS = 10
const MAX_REASONS_OF_ALL = 10_000

/** The longest text that a partner repeats. */
const MAX_ECHO = 40

/** 0083: acknowledged, or received; all else is refused. */
const ACKNOWLEDGED = '7'
const RECEIVED = '8'

type Verdict = ReceivedAnswer['verdict']

/** TA1 answers an interchange by itself. */
export function readInterchangeAcknowledgment(segment: Segment): ReceivedAnswer {
  const verdicts: Readonly<Record<string, Verdict>> = { A: 'received', E: 'received', R: 'refused' }
  const verdict = verdicts[segment.value(4).trim()] ?? 'unreadable'
  const reason = segment.value(5).trim()
  const hasReason = reason !== '' && reason !== '000'
  return {
    kind: 'TA1',
    number: segment.value(1).trim(),
    code: '',
    segment: segment.number,
    verdict,
    reasons: [
      ...(verdict === 'unreadable' ? [noVerdict('TA104', segment.value(4))] : []),
      ...(hasReason ? [explain(segment, 5, reason)] : []),
    ],
    sets: [],
  }
}

/** Takes the segments of one 997, 999 or CONTRL. A set that answers several groups gives an answer for each. */
export class AnswerReader {
  readonly #kind: ReceivedAnswer['kind']
  readonly #done: ReceivedAnswer[] = []
  #open: OpenAnswer | undefined

  constructor(kind: ReceivedAnswer['kind']) {
    this.#kind = kind
  }

  take(segment: Segment): void {
    const open = this.#open
    switch (segment.id) {
      case 'AK1':
        this.#begin(segment, segment.value(2), 'unreadable', segment.value(1).trim())
        break
      case 'UCI':
        this.#begin(segment, segment.value(1), readAction(segment.value(4)))
        this.#open?.noteVerdict('0083 of UCI', segment.value(4))
        this.#open?.addReason(segment, 5)
        break
      case 'AK2':
        open?.beginSet(segment.value(2))
        break
      case 'UCM':
        open?.beginSet(segment.value(1))
        open?.judgeSet(segment.value(3).trim() === ACKNOWLEDGED ? 'A' : 'R', segment, [4])
        break
      // A group of EDIFACT has no numbers of its own in what is sent.
      case 'UCF':
        if (segment.value(4).trim() === '4') open?.refuse(segment, 5)
        break
      case 'AK3':
      case 'IK3':
      case 'UCS':
        open?.noteSegment(segment)
        break
      case 'AK4':
      case 'IK4':
      case 'UCD':
        open?.noteElement(segment)
        break
      case 'AK5':
      case 'IK5':
        open?.judgeSet(readSetVerdict(segment.value(1)), segment, [2, 3, 4, 5, 6])
        break
      case 'AK9':
        open?.judgeGroup(segment)
        break
    }
  }

  /** `isWhole`: the set has its end, and no fault. Else what stands there is no verdict. */
  end(isWhole: boolean): readonly ReceivedAnswer[] {
    this.#close()
    if (isWhole) return this.#done
    return this.#done.map((answer) => toUnreadable(answer, 'its set has a fault or no end'))
  }

  #begin(segment: Segment, number: string, verdict: Verdict, code = ''): void {
    this.#close()
    const about = { number: number.trim(), code, segment: segment.number }
    this.#open = new OpenAnswer(this.#kind, about, verdict)
  }

  #close(): void {
    if (this.#open !== undefined) this.#done.push(this.#open.end())
    this.#open = undefined
  }
}

/** The answer without a verdict, and why, before the other reasons. */
function toUnreadable(answer: ReceivedAnswer, why: string): ReceivedAnswer {
  return { ...answer, verdict: 'unreadable', sets: [], reasons: [why, ...answer.reasons] }
}

function noVerdict(element: string, text: string): string {
  return `${element} is "${showText(text.trim())}", which is no verdict`
}

/** AK501 and IK501. What is not understood refuses nothing and accepts nothing, so it must not count as a verdict. */
function readSetVerdict(text: string): AnsweredSet['verdict'] | undefined {
  const verdicts: Readonly<Record<string, AnsweredSet['verdict']>> = {
    A: 'A',
    E: 'E',
    R: 'R',
    M: 'R',
    W: 'R',
    X: 'R',
  }
  return verdicts[text.trim()]
}

/** AK901. */
function readGroupVerdict(text: string): Verdict {
  const verdicts: Readonly<Record<string, Verdict>> = {
    A: 'accepted',
    E: 'accepted',
    P: 'some',
    R: 'refused',
    M: 'refused',
    W: 'refused',
    X: 'refused',
  }
  return verdicts[text.trim()] ?? 'unreadable'
}

function readAction(text: string): Verdict {
  const verdicts: Readonly<Record<string, Verdict>> = {
    '4': 'refused',
    [ACKNOWLEDGED]: 'accepted',
    [RECEIVED]: 'received',
  }
  return verdicts[text.trim()] ?? 'unreadable'
}

interface OpenAnsweredSet {
  readonly number: string
  verdict?: AnsweredSet['verdict']
  readonly reasons: string[]
}

class OpenAnswer {
  readonly #kind: ReceivedAnswer['kind']
  readonly #about: Pick<ReceivedAnswer, 'number' | 'code' | 'segment'>
  #verdict: Verdict
  readonly #reasons: string[] = []
  readonly #sets: OpenAnsweredSet[] = []
  #keptReasons = 0
  #isTooLarge = false
  #isJudged = false
  #accepted: number | undefined
  /** The segment that the elements which follow are of, in words. */
  #place: { readonly id: string; readonly position: string } = { id: '', position: '' }

  constructor(
    kind: ReceivedAnswer['kind'],
    about: Pick<ReceivedAnswer, 'number' | 'code' | 'segment'>,
    verdict: Verdict,
  ) {
    this.#kind = kind
    this.#about = about
    this.#verdict = verdict
  }

  beginSet(number: string): void {
    if (this.#sets.length >= MAX_SETS) this.#isTooLarge = true
    else this.#sets.push({ number: number.trim(), reasons: [] })
  }

  /** `elements`: those that hold codes of errors. */
  judgeSet(verdict: AnsweredSet['verdict'] | undefined, segment: Segment, elements: readonly number[]): void {
    const set = this.#sets.at(-1)
    if (set === undefined) return
    if (verdict !== undefined) set.verdict = verdict
    for (const element of elements) {
      const code = segment.value(element).trim()
      // 5 says no more than the segments before it.
      if (code !== '' && (code !== '5' || set.reasons.length === 0))
        this.#note(explain(segment, element, code, elements[0]))
    }
  }

  /** AK3, IK3 and UCS. */
  noteSegment(segment: Segment): void {
    const isX12 = segment.id !== 'UCS'
    const [id, position] = isX12 ? [segment.value(1).trim(), segment.value(2)] : ['', segment.value(1)]
    this.#place = { id: showText(id), position: showText(position.trim()) }
    const element = isX12 ? 4 : 2
    const code = segment.value(element).trim()
    // 8, and 12 in EDIFACT: its elements follow, each with its own error.
    if (code === '' || code === (isX12 ? '8' : '12')) return
    this.#note(`${this.#namePlace('')}: ${explain(segment, element, code)}`)
  }

  /** AK4, IK4 and UCD. */
  noteElement(segment: Segment): void {
    const isX12 = segment.id !== 'UCD'
    const place = isX12 ? 1 : 2
    // Of EDIFACT the tag is the first element.
    const element = Number(segment.value(place, 1)) - (isX12 ? 0 : 1)
    const component = segment.value(place, 2).trim()
    const inner = component === '' ? '' : `-${showText(component)}`
    const { id } = this.#place
    const own = id === '' ? `element ${element}` : formatElement(id, element)
    const name = element > 0 ? own + inner : id
    const codeAt = isX12 ? 3 : 1
    const code = segment.value(codeAt).trim()
    const echo = isX12 ? decodeText(segment.value(4), segment.delimiters.charset).trim() : ''
    const held = echo === '' ? '' : ` holds "${showText(echo.slice(0, MAX_ECHO))}"`
    this.#note(`${this.#namePlace(name)}${held}: ${explain(segment, codeAt, code)}`)
  }

  /** AK9. */
  judgeGroup(segment: Segment): void {
    this.#verdict = readGroupVerdict(segment.value(1))
    this.#isJudged = true
    this.noteVerdict('AK901', segment.value(1))
    const accepted = segment.value(4).trim()
    if (/^\d{1,9}$/.test(accepted)) this.#accepted = Number(accepted)
    for (const element of [5, 6, 7, 8, 9]) this.addReason(segment, element, 5)
  }

  /** Adds the reason why the verdict is unreadable: this element holds none. Without effect for other verdicts. */
  noteVerdict(element: string, text: string): void {
    if (this.#verdict === 'unreadable') this.#reasons.push(noVerdict(element, text))
  }

  refuse(segment: Segment, element: number): void {
    this.#verdict = 'refused'
    this.addReason(segment, element)
  }

  /** Of the interchange or group. */
  addReason(segment: Segment, element: number, listed = element): void {
    const code = segment.value(element).trim()
    if (code !== '' && this.#reasons.length < MAX_REASONS)
      this.#reasons.push(explain(segment, element, code, listed))
  }

  end(): ReceivedAnswer {
    // A set without a verdict of its own says nothing; the one on the group may.
    const sets = this.#sets.flatMap(({ verdict, ...set }) =>
      verdict === undefined ? [] : [{ ...set, verdict }],
    )
    const answer = {
      kind: this.#kind,
      ...this.#about,
      verdict: this.#verdict,
      reasons: this.#reasons,
      sets,
      ...(this.#accepted === undefined ? {} : { accepted: this.#accepted }),
    }
    if (this.#isTooLarge) return toUnreadable(answer, 'it names too many sets')
    const lacksGroup = this.#kind !== 'CONTRL' && !this.#isJudged
    return lacksGroup ? toUnreadable(answer, 'it has no AK9, the verdict on the group') : answer
  }

  #note(reason: string): void {
    const set = this.#sets.at(-1)
    if (set === undefined || set.reasons.length >= MAX_REASONS) return
    if (this.#keptReasons >= MAX_REASONS_OF_ALL) return
    this.#keptReasons += 1
    set.reasons.push(reason)
  }

  /** `PO1.04 (segment 7)`; of EDIFACT, which does not say which segment it is, `segment 7`. */
  #namePlace(name: string): string {
    const { id, position } = this.#place
    const at = `segment ${position}`
    if (id === '') return name === '' ? at : `${name} of ${at}`
    return `${name || id} (${at})`
  }
}

/** `invalid code`, or `error 99` where the code has no meaning. `listed`: the element whose codes the dictionary has. */
function explain(segment: Segment, element: number, code: string, listed = element): string {
  const codes = DICTIONARIES[segment.delimiters.syntax].find(segment.id)?.codes?.[listed]
  const known = codes !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined
  return known ?? `error ${showText(code)}`
}
