/** Puts envelopes right: counts and numbers of trailers, missing trailers, and the padding of ISA. Sets stay as they are. */
import type { FaultName } from '../../edi/faults.ts'
import type { Segment } from '../../edi/segment.ts'
import { BridgeError } from '../../support/errors.ts'
import { cutPieces, isSegment, MAX_SEGMENT_BYTES } from './cut.ts'
import { EnvelopeTracker, type TransactionSet } from './envelopes.ts'

/** One thing that was put right. */
export interface Repair {
  /** The segment of the file that was changed, or that a trailer was put before. */
  readonly segment: number
  readonly at: number
  /** `SE01: 12 instead of 13` */
  readonly what: string
  /** The set had no trailer, so more of it may be missing. */
  readonly mayLackSegments?: true
}

/**
 * Yields the file with right envelopes, each byte of anything else as it came. Throws `not-repairable` where the file ends
 * within a segment, because what is missing is not known, and where it holds no interchange.
 */
export async function* repairEnvelopes(
  input: AsyncIterable<Uint8Array>,
  onRepair: (repair: Repair) => void,
): AsyncGenerator<Uint8Array> {
  const repairer = new Repairer(onRepair)
  for await (const { text, at, items } of cutPieces(input)) {
    repairer.addText(text, at)
    for (const item of items) {
      if (isSegment(item)) repairer.take(item)
      else if (item.kind === 'cut-off') throw createCutError(item.number, item.at)
      else repairer.takeNote(item)
    }
    const written = repairer.takeWritten()
    if (written !== '') yield Buffer.from(written, 'latin1')
  }
  const rest = repairer.end()
  if (!repairer.hasInterchange) throw createForeignError()
  if (rest !== '') yield Buffer.from(rest, 'latin1')
}

function createCutError(segment: number, at: number): BridgeError {
  const message = `the file ends within segment ${segment}, at byte ${at}, so what is missing is not known`
  return new BridgeError('not-repairable', message)
}

function createForeignError(): BridgeError {
  const fix = 'Name a file that begins with ISA (X12), or with UNA or UNB (EDIFACT).'
  return new BridgeError('not-repairable', 'the file holds no interchange of X12 or EDIFACT', { fix })
}

function createNumberError({ id, number: segment, at }: Segment, number: string): BridgeError {
  const message = `the number ${JSON.stringify(number)} of segment ${segment} (${id}), at byte ${at}, holds a delimiter or a line break`
  return new BridgeError('not-repairable', message)
}

/** The lengths of the elements of ISA, and which of them is a number. */
const ISA_LENGTHS = [2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1, 1]
const ISA_NUMBER = 13

/** Faults that a right count would hide: a segment would become text of the one before it, or a text would stay cut. */
const FIXES_BY_HAND: Partial<Record<FaultName, string>> = {
  'terminator-missing': 'Write the terminator before that segment yourself, or have the file sent again.',
  'release-missing': "Write the apostrophe in the text as ?' yourself, or have the file sent again.",
}

const BYTE_ORDER_MARK = '\xEF\xBB\xBF'

const MAX_WAITING = 4 * MAX_SEGMENT_BYTES

class Repairer {
  readonly #onRepair: (repair: Repair) => void
  readonly #tracker: EnvelopeTracker
  hasInterchange = false
  #written = ''
  /** The text of the file that is not written yet. */
  #text = ''
  #textAt = 0
  /** The line break behind the segments of the file. */
  #lineBreak = ''
  /** The segment that is taken; undefined at the end of the file. */
  #current: Segment | undefined
  #replacement: string | undefined
  #inserted = ''
  #last: Segment | undefined

  constructor(onRepair: (repair: Repair) => void) {
    this.#onRepair = onRepair
    this.#tracker = new EnvelopeTracker({
      onFault({ kind, message, segment }) {
        const fix = FIXES_BY_HAND[kind]
        if (fix === undefined) return
        const text = `segment ${segment}: ${message.replace(/\.$/, '')}`
        throw new BridgeError('not-repairable', text, { fix })
      },
      onInterchange: ({ segment }) => {
        this.hasInterchange = true
        this.#padHeader(segment)
      },
      onSetEnd: (set, trailer, segments) => this.#endSet(set, trailer, segments),
      onGroupEnd: ({ segment }, trailer, sets) => {
        if (segment === undefined) return
        const isX12 = segment.id === 'GS'
        const number = segment.raw(isX12 ? 6 : 5)
        this.#endPart(isX12 ? 'GE' : 'UNE', { start: segment, trailer, count: sets, number })
        this.#named += 1
      },
      onInterchangeEnd: ({ segment }, trailer) => {
        const isX12 = segment.id === 'ISA'
        const count = isX12 || this.#named > 0 ? this.#named : this.#sets
        const number = isX12 ? padNumber(segment.raw(ISA_NUMBER)) : segment.raw(5)
        this.#endPart(isX12 ? 'IEA' : 'UNZ', { start: segment, trailer, count, number })
        this.#named = 0
        this.#sets = 0
      },
    })
  }

  #named = 0
  #sets = 0

  addText(text: string, at: number): void {
    if (this.#last === undefined && this.#text === '' && at === BYTE_ORDER_MARK.length)
      this.#written += BYTE_ORDER_MARK
    if (this.#text === '') this.#textAt = at
    this.#text += text
  }

  takeNote(item: Parameters<EnvelopeTracker['take']>[0]): void {
    this.#tracker.take(item)
    // An interchange that cannot be read ends the one before it.
    this.#writeInserted()
  }

  take(segment: Segment): void {
    this.#current = segment
    const gap = this.#text.slice(0, segment.at - this.#textAt)
    if (this.#last !== undefined) this.#lineBreak = /^[\r\n]+/.exec(gap)?.[0] ?? ''
    this.#tracker.take(segment)
    this.#written += gap
    this.#writeInserted()
    const raw = this.#text.slice(segment.at - this.#textAt, segment.end - this.#textAt)
    this.#written += this.#replacement ?? raw
    this.#replacement = undefined
    this.#text = this.#text.slice(segment.end - this.#textAt)
    this.#textAt = segment.end
    this.#last = segment
  }

  end(): string {
    this.#current = undefined
    this.#tracker.end()
    const rest = this.#text
    const isOpen = this.#lineBreak !== '' && !/[\r\n]$/.test(rest) && this.#inserted !== ''
    this.#written += rest + (isOpen ? this.#lineBreak : '')
    this.#text = ''
    this.#writeInserted()
    return this.takeWritten()
  }

  takeWritten(): string {
    // What is no segment may be long; a segment is not.
    if (this.#text.length > MAX_WAITING) {
      const cut = this.#text.length - MAX_WAITING / 2
      this.#written += this.#text.slice(0, cut)
      this.#text = this.#text.slice(cut)
      this.#textAt += cut
    }
    const written = this.#written
    this.#written = ''
    return written
  }

  #writeInserted(): void {
    this.#written += this.#inserted
    this.#inserted = ''
  }

  #endSet({ segment }: TransactionSet, trailer: Segment | undefined, segments: number): void {
    this.#sets += 1
    const isX12 = segment.id === 'ST'
    const count = trailer === undefined ? segments + 1 : segments
    const number = segment.raw(isX12 ? 2 : 1)
    this.#endPart(isX12 ? 'SE' : 'UNT', { start: segment, trailer, count, number })
  }

  #endPart(
    id: string,
    part: { start: Segment; trailer: Segment | undefined; count: number; number: string },
  ): void {
    const { start, trailer, count, number } = part
    const { element, segment: terminator } = start.delimiters
    // ISA is read by its lengths, so its number may hold what ends a segment or a line: no trailer could repeat it.
    if ([element, terminator, '\r', '\n'].some((mark) => number.includes(mark)))
      throw createNumberError(start, number)
    if (trailer === undefined) {
      const isLine = terminator.endsWith('\n') || terminator.endsWith('\r')
      this.#inserted +=
        [id, String(count), number].join(element) + terminator + (isLine ? '' : this.#lineBreak)
      const { number: segment, end } = this.#last ?? start
      const place = this.#current ?? { number: segment, at: end }
      const isSet = id === 'SE' || id === 'UNT'
      this.#report(place, `${id} was missing`, isSet ? { mayLackSegments: true } : {})
      return
    }
    const [written, named] = [trailer.value(1).trim(), trailer.raw(2)]
    const isCounted = /^\d+$/.test(written) && Number(written) === count
    const isNamed = isSameNumber(named, number)
    if (isCounted && isNamed) return
    if (!isCounted) this.#report(trailer, `${id}01: ${count} instead of "${written}"`)
    if (!isNamed) this.#report(trailer, `${id}02: "${number}" instead of "${named}"`)
    const [, , , ...rest] = trailer.parts
    const first = isCounted ? trailer.raw(1) : String(count)
    this.#replace(trailer, [id, first, isNamed ? named : number, ...rest])
  }

  #padHeader(segment: Segment): void {
    if (segment.id !== 'ISA' || segment.size !== ISA_LENGTHS.length) return
    const padded = segment.parts.map((part, index) => {
      const length = ISA_LENGTHS[index - 1] ?? 0
      return index === ISA_NUMBER ? padNumber(part) : part.padEnd(length)
    })
    const short = padded.flatMap((part, index) =>
      part === segment.raw(index) ? [] : [`ISA${String(index).padStart(2, '0')}`],
    )
    if (short.length === 0 || padded[0] !== 'ISA') return
    this.#report(segment, `${short.join(', ')}: padded to the length of the standard`)
    this.#replace(segment, padded)
  }

  #replace({ delimiters }: Segment, parts: readonly string[]): void {
    // Files with CR LF have the line feed as terminator.
    const { element, segment } = delimiters
    const isBoth = segment === '\n' && this.#endsInBoth()
    this.#replacement = parts.join(element) + (isBoth ? '\r\n' : segment)
  }

  #endsInBoth(): boolean {
    const current = this.#current
    if (current === undefined) return false
    const stop = current.end - this.#textAt
    return this.#text.slice(stop - 2, stop) === '\r\n'
  }

  #report(
    { number, at }: Pick<Segment, 'number' | 'at'>,
    what: string,
    more: Pick<Repair, 'mayLackSegments'> = {},
  ): void {
    this.#onRepair({ segment: number, at, what, ...more })
  }
}

/** The number of an interchange of X12. A text that is no number stays as it is. */
function padNumber(text: string): string {
  const length = ISA_LENGTHS[ISA_NUMBER - 1] ?? 0
  return /^\d+$/.test(text.trim()) ? text.trim().padStart(length, '0') : text.padEnd(length)
}

function isSameNumber(a: string, b: string): boolean {
  const [one, other] = [a.trim(), b.trim()]
  if (one === other) return true
  return /^\d+$/.test(one) && /^\d+$/.test(other) && BigInt(one) === BigInt(other)
}
