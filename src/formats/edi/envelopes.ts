/** Follows interchanges, groups and sets through a file, and checks what their trailers say. */
import { findWrongSeparator, judgeTag } from '../../edi/documents.ts'
import { type Fault, type FaultName, FAULTS } from '../../edi/faults.ts'
import { copyText, type Segment, type Syntax } from '../../edi/segment.ts'
import { type CutItem, type CutNote, isSegment } from './cut.ts'
import { SetNumbers } from './set-selection.ts'

/** Ordinals count from 1 in the file. */
export interface Interchange {
  readonly ordinal: number
  /** ISA or UNB. */
  readonly segment: Segment
  readonly sender: string
  readonly receiver: string
  readonly number: string
  readonly isTest: boolean
}

export interface Group {
  readonly ordinal: number
  readonly interchange: Interchange
  /** GS or UNG; absent in EDIFACT, which needs no groups. */
  readonly segment: Segment | undefined
  readonly code: string
  readonly number: string
  readonly version: string
}

export interface TransactionSet {
  readonly ordinal: number
  readonly group: Group
  /** ST or UNH. */
  readonly segment: Segment
  /** `850`, `ORDERS`. */
  readonly document: string
  readonly number: string
  /** `004010`, `D.96A`. */
  readonly version: string
}

/** What a trailer closes. `trailer` is absent where it is missing. */
export interface EnvelopeHandler {
  readonly onInterchange?: (interchange: Interchange) => void
  readonly onGroup?: (group: Group) => void
  readonly onSet?: (set: TransactionSet) => void
  /** A segment of the set that is open, without its first and last. */
  readonly onSegment?: (segment: Segment, set: TransactionSet) => void
  /** `segments`: how many it has, with its first and last. */
  readonly onSetEnd?: (set: TransactionSet, trailer: Segment | undefined, segments: number) => void
  readonly onGroupEnd?: (group: Group, trailer: Segment | undefined, sets: number) => void
  readonly onInterchangeEnd?: (interchange: Interchange, trailer: Segment | undefined, groups: number) => void
  /** What the fault is of: the innermost that is named. Without an interchange, of the file. */
  readonly onFault?: (fault: Fault, of: FaultOwner) => void
}

export interface FaultOwner {
  readonly interchange?: Interchange | undefined
  readonly group?: Group | undefined
  readonly set?: TransactionSet | undefined
}

/** The segments that open and close each part of an interchange. */
const TAGS = {
  x12: { interchange: 'IEA', groupStart: 'GS', group: 'GE', setStart: 'ST', set: 'SE' },
  edifact: { interchange: 'UNZ', groupStart: 'UNG', group: 'UNE', setStart: 'UNH', set: 'UNT' },
} as const

interface OpenSet {
  readonly set: TransactionSet
  segments: number
  isUnfolded: boolean
  /** The first segment before which a terminator seems to be missing, and how many there are. */
  swallowed?: { readonly first: FaultPlace; readonly count: number }
  /** The segments of EDIFACT that may be rests of texts. */
  rests?: { first: Segment; isText: boolean; count: number }
}

interface OpenGroup {
  readonly group: Group
  sets: number
  readonly numbers: SetNumbers
}

export class EnvelopeTracker {
  readonly #handler: EnvelopeHandler
  readonly #counts = { interchanges: 0, groups: 0, sets: 0 }
  /** `named`: how many groups have a segment of their own. */
  #interchange:
    { readonly of: Interchange; groups: number; named: number; sets: number; whole: number } | undefined
  #group: OpenGroup | undefined
  #set: OpenSet | undefined
  #last: Segment | undefined
  /** Segments stand here that are in no set, which is reported. */
  #isAstray = false

  constructor(handler: EnvelopeHandler) {
    this.#handler = handler
  }

  take(item: CutItem): void {
    if (!isSegment(item)) return this.#takeNote(item)
    this.#last = item
    // Most segments are those of sets.
    if (!mayBeService(item.id) || !this.#takeService(item)) this.#takeData(item)
  }

  /** The file is at its end. */
  end(): void {
    if (this.#interchange !== undefined) this.#closeInterchange(undefined)
  }

  #takeService(segment: Segment): boolean {
    const { id } = segment
    if (id === 'ISA' || id === 'UNB') {
      if (this.#interchange !== undefined) this.#closeInterchange(undefined)
      this.#openInterchange(segment)
      return true
    }
    const { syntax } = segment.delimiters
    const tags = TAGS[syntax]
    if (id === tags.setStart) this.#openSet(segment, syntax)
    else if (id === tags.set) this.#closeSet(segment)
    else if (id === tags.groupStart) this.#openGroup(segment, syntax)
    else if (id === tags.group) this.#closeGroup(segment)
    else if (id === tags.interchange) this.#closeInterchange(segment)
    else return false
    return true
  }

  #takeData(segment: Segment): void {
    const open = this.#set
    if (open !== undefined) {
      open.segments += 1
      if (segment.delimiters.syntax === 'edifact') noteRest(open, segment)
      this.#handler.onSegment?.(segment, open.set)
      return
    }
    if (segment.id === 'TA1' && this.#group === undefined) return
    // The segments of a set whose beginning is missing are one fault.
    if (this.#isAstray) return
    this.#isAstray = true
    const isInGroup = this.#group !== undefined && this.#group.group.segment !== undefined
    const kind = isInGroup ? 'segment-outside-set' : 'segment-outside-group'
    const { setStart } = TAGS[segment.delimiters.syntax]
    this.#report(kind, segment, `${segment.id} stands outside of a set: a ${setStart} before it is missing.`)
  }

  #takeNote(note: CutNote): void {
    const open = this.#set
    if (note.kind === 'unfolded') {
      const [first] = note.swallowed ?? []
      if (open !== undefined && first !== undefined) {
        const before = open.swallowed
        const count = (before?.count ?? 0) + (note.swallowed?.length ?? 0)
        open.swallowed = { first: before?.first ?? { ...first, number: note.number }, count }
      }
      if (open?.isUnfolded === true) return
      if (open !== undefined) open.isUnfolded = true
      return this.#reportNote('lines-joined', note, 'Line breaks were taken out of segments.')
    }
    if (note.kind === 'too-large') {
      if (open !== undefined) open.segments += 1
      return this.#reportNote('segment-too-large', note, 'The segment is larger than 64 KiB.')
    }
    if (note.kind === 'between') {
      return this.#reportNote(
        'text-between',
        note,
        `Text between interchanges was skipped: "${showText(note.text)}".`,
      )
    }
    if (note.kind === 'delimiters') {
      if (this.#interchange !== undefined) this.#closeInterchange(undefined)
      const message = `The delimiters of the interchange cannot be found in "${showText(note.text)}".`
      return this.#reportNote('delimiters-unclear', note, message)
    }
    if (note.kind === 'cut-off') this.#closeInterchange(undefined, note)
  }

  #openInterchange(segment: Segment): void {
    this.#isAstray = false
    const isX12 = segment.id === 'ISA'
    const join = (parts: readonly string[]) =>
      copyText(
        parts
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .join(':'),
      )
    const party = (qualifier: number, id: number) => join([segment.value(qualifier), segment.value(id)])
    const edifactParty = (element: number) => join([segment.value(element, 2), segment.value(element, 1)])
    this.#counts.interchanges += 1
    const interchange: Interchange = {
      ordinal: this.#counts.interchanges,
      segment,
      sender: isX12 ? party(5, 6) : edifactParty(2),
      receiver: isX12 ? party(7, 8) : edifactParty(3),
      number: copyText(segment.value(isX12 ? 13 : 5).trim()),
      isTest: isX12 ? segment.value(15).trim() === 'T' : segment.value(11).trim() === '1',
    }
    this.#interchange = { of: interchange, groups: 0, named: 0, sets: 0, whole: 0 }
    this.#handler.onInterchange?.(interchange)
    if (isX12 ? /^\d+$/.test(interchange.number) : interchange.number !== '') return
    this.#report(
      'interchange-number-missing',
      segment,
      `The interchange has no control number in ${isX12 ? 'ISA13' : 'UNB 0020'}.`,
    )
  }

  #openGroup(segment: Segment, syntax: Syntax): void {
    this.#isAstray = false
    if (this.#group !== undefined) this.#closeGroup(undefined)
    const isX12 = syntax === 'x12'
    this.#startGroup({
      segment,
      code: segment.value(1).trim(),
      number: copyText(segment.value(isX12 ? 6 : 5).trim()),
      version: isX12 ? segment.value(8).trim() : '',
    })
  }

  #startGroup(of: Pick<Group, 'segment' | 'code' | 'number' | 'version'>): OpenGroup | undefined {
    const around = this.#interchange
    if (around === undefined) return undefined
    around.groups += 1
    if (of.segment !== undefined) around.named += 1
    this.#counts.groups += 1
    const group = { ...of, ordinal: this.#counts.groups, interchange: around.of }
    this.#group = { group, sets: 0, numbers: new SetNumbers() }
    this.#handler.onGroup?.(group)
    return this.#group
  }

  #openSet(segment: Segment, syntax: Syntax): void {
    if (this.#set !== undefined) this.#closeSet(undefined)
    const isX12 = syntax === 'x12'
    const around = this.#interchange
    // EDIFACT needs no groups.
    const isFree = !isX12 && this.#group === undefined
    const open = isFree
      ? this.#startGroup({ segment: undefined, code: '', number: '', version: '' })
      : this.#group
    const hasGroup = open !== undefined && around !== undefined
    const isReported = this.#isAstray
    this.#isAstray = !hasGroup
    if (!hasGroup) {
      if (isReported) return
      return this.#report(
        'segment-outside-group',
        segment,
        `${segment.id} stands outside of a group: a GS before it is missing.`,
      )
    }
    around.sets += 1
    open.sets += 1
    this.#counts.sets += 1
    const number = copyText(segment.value(isX12 ? 2 : 1).trim())
    const set: TransactionSet = {
      ordinal: this.#counts.sets,
      group: open.group,
      segment,
      document: copyText((isX12 ? segment.value(1) : segment.value(2, 1)).trim()),
      number,
      version: isX12
        ? open.group.version
        : `${segment.value(2, 2)}.${segment.value(2, 3)}`.replace(/^\.$/, ''),
    }
    this.#set = { set, segments: 1, isUnfolded: false }
    this.#handler.onSet?.(set)
    if (!open.numbers.add(number)) {
      this.#report(
        'set-number-repeated',
        segment,
        `The number ${showText(number)} was that of another set of the group before.`,
      )
    }
  }

  #closeSet(trailer: Segment | undefined, note?: CutNote): void {
    const open = this.#set
    if (open === undefined) {
      if (trailer === undefined || this.#isAstray) return
      const { setStart } = TAGS[trailer.delimiters.syntax]
      const kind = this.#group?.group.segment === undefined ? 'segment-outside-group' : 'segment-outside-set'
      return this.#report(kind, trailer, `${trailer.id} ends no set: a ${setStart} before it is missing.`)
    }
    const isCut = this.#reportCutText(open, trailer)
    if (trailer === undefined) {
      const { set: tag } = TAGS[open.set.segment.delimiters.syntax]
      const kind = note === undefined ? 'set-not-ended' : 'set-cut'
      this.#reportAt(kind, locate(note, open.set.segment), `The set has no ${tag}.`)
    } else {
      open.segments += 1
      if (this.#interchange !== undefined) this.#interchange.whole += 1
      if (!isCut) this.#checkCount('set-count-differs', trailer, open.segments, open.swallowed)
      this.#checkNumber('set-number-differs', trailer, open.set.number, open.set.segment.id)
    }
    this.#handler.onSetEnd?.(open.set, trailer, open.segments)
    this.#set = undefined
  }

  #closeGroup(trailer: Segment | undefined, note?: CutNote): void {
    if (this.#set !== undefined) this.#closeSet(undefined, note)
    const open = this.#group
    if (open === undefined) {
      if (trailer === undefined) return
      return this.#report('segment-outside-group', trailer, `${trailer.id} ends no group.`)
    }
    const start = open.group.segment
    if (start !== undefined && trailer === undefined) {
      const { group: tag } = TAGS[start.delimiters.syntax]
      this.#reportAt('group-not-ended', locate(note, start), `The group has no ${tag}.`)
    } else if (start !== undefined && trailer !== undefined) {
      this.#checkCount('group-count-differs', trailer, open.sets)
      this.#checkNumber('group-number-differs', trailer, open.group.number, start.id)
    }
    this.#handler.onGroupEnd?.(open.group, trailer, open.sets)
    this.#group = undefined
  }

  #closeInterchange(trailer: Segment | undefined, note?: CutNote): void {
    const open = this.#interchange
    if (open === undefined) {
      if (trailer !== undefined)
        this.#report('segment-outside-group', trailer, `${trailer.id} ends no interchange.`)
      return
    }
    if (this.#group !== undefined) this.#closeGroup(undefined, note)
    const start = open.of.segment
    if (trailer === undefined) {
      const { interchange: tag } = TAGS[start.delimiters.syntax]
      const last = this.#last ?? start
      const { found } = findWrongSeparator(last.id, last.delimiters.syntax) ?? {}
      const why =
        found === undefined
          ? ''
          : `: its last segment has "${found}" between elements, and ${start.id} says "${start.delimiters.element}"`
      this.#reportAt(
        open.whole === 0 ? 'interchange-without-set' : 'interchange-not-ended',
        locate(note, last),
        `The interchange ends without ${tag}${why}.`,
      )
    } else {
      const hasGroups = trailer.id === 'IEA' || open.named > 0
      this.#checkCount('interchange-count-differs', trailer, hasGroups ? open.named : open.sets)
      this.#checkNumber('interchange-number-differs', trailer, open.of.number, start.id)
    }
    this.#handler.onInterchangeEnd?.(open.of, trailer, open.groups)
    this.#interchange = undefined
  }

  /** An id that another dictionary may know counts only where the count of the trailer agrees. */
  #reportCutText({ rests, segments }: OpenSet, trailer: Segment | undefined): boolean {
    if (rests === undefined) return false
    const { first, isText, count } = rests
    if (!isText && trailer?.value(1).trim() !== String(segments + 1 - count)) return false
    const { segment: mark, release } = first.delimiters
    const how = release === undefined ? '.' : `, where it is written ${release}${mark}.`
    const what = `"${showText(first.id)}" is no segment: the ${mark} before it seems to belong to a text`
    this.#report('release-missing', first, what + how)
    return true
  }

  #checkCount(kind: FaultName, trailer: Segment, counted: number, swallowed?: OpenSet['swallowed']): void {
    const written = trailer.value(1).trim()
    if (/^\d+$/.test(written) && Number(written) === counted) return
    const says = written === '' ? 'is blank' : `says ${showText(written)}`
    const message = `${trailer.id}01 ${says}, and the file has ${counted}`
    if (swallowed === undefined || Number(written) <= counted)
      return this.#report(kind, trailer, `${message}.`, 1)
    const { first, count } = swallowed
    const more = count === 1 ? '' : `, and before ${count - 1} more`
    const where = `${first.id} (segment ${first.number}, byte ${first.at})${more}`
    this.#report(
      'terminator-missing',
      trailer,
      `${message}: a terminator seems to be missing before ${where}.`,
      1,
    )
  }

  #checkNumber(kind: FaultName, trailer: Segment, number: string, start: string): void {
    const written = trailer.value(2).trim()
    const isSame =
      written === number ||
      (/^\d+$/.test(written) && /^\d+$/.test(number) && BigInt(written) === BigInt(number))
    if (isSame) return
    this.#report(
      kind,
      trailer,
      `${trailer.id}02 says "${showText(written)}", and ${start} says "${showText(number)}".`,
      2,
    )
  }

  #report(kind: FaultName, segment: Segment, message: string, element?: number): void {
    this.#reportAt(kind, segment, message, element)
  }

  #reportNote(kind: FaultName, { number, at }: CutNote, message: string): void {
    this.#reportAt(kind, { number, at, id: '' }, message)
  }

  #reportAt(kind: FaultName, { number, at, id }: FaultPlace, message: string, element?: number): void {
    const fault: Fault = {
      kind,
      segment: number,
      at,
      id,
      message,
      ...(element === undefined ? {} : { element }),
    }
    const { reach } = FAULTS[kind]
    const interchange = this.#interchange?.of
    const group = reach === 'interchange' ? undefined : this.#group?.group
    const set = reach === 'interchange' || reach === 'group' ? undefined : this.#set?.set
    this.#handler.onFault?.(fault, { interchange, group, set })
  }
}

/** `ISA`, `GS`, `ST`, `UNB` and others begin with one of four letters. */
function mayBeService(id: string): boolean {
  const first = id.charCodeAt(0)
  return first === LETTER_U || first === LETTER_S || first === LETTER_G || first === LETTER_I
}

const [LETTER_G, LETTER_I, LETTER_S, LETTER_U] = [71, 73, 83, 85]

function noteRest(open: OpenSet, segment: Segment): void {
  const tag = judgeTag(segment.id)
  if (tag === undefined) return
  open.rests ??= { first: segment, isText: false, count: 0 }
  open.rests.count += 1
  if (tag === 'text' && !open.rests.isText) open.rests = { ...open.rests, first: segment, isText: true }
}

type FaultPlace = Pick<Segment, 'number' | 'at' | 'id'>

/** Where the file ends within a segment; else the segment. */
function locate(note: CutNote | undefined, segment: Segment): FaultPlace {
  if (note === undefined) return segment
  return { number: note.number, at: note.at, id: /^[A-Z0-9]{0,3}/.exec(note.text)?.[0] ?? '' }
}

/** Text of a file in a message: short and on one line. Messages are kept longer than the piece of the file. */
export function showText(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > 40 ? `${copyText(plain.slice(0, 40))}…` : copyText(plain)
}
