/** Finds the sets that the records of a file of interchanges stand in, by reading the spooled file once more. */
import type { FileEntry } from '../../domain/file.ts'
import type { ListedSet, Notes, SetListing } from '../../domain/format.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import type { InboundContext } from '../context.ts'
import { getSpoolName } from './intake.ts'
import { selectSets } from './steps.ts'

/** Memory is bounded: the sets of one page of records are kept at a time. */
export async function openRecordSets(context: InboundContext, file: FileEntry) {
  const { format, spool, translator, journal } = context
  const selected = file.partOf === undefined ? undefined : await journal.getPartSets(file.id)
  const options = selectSets(translator.read, selected)
  const list = () => format.listSets(spool.read(getSpoolName(file.id)), options)
  let cursor: SetCursor | undefined
  return {
    /** The names of the sets of these records, by the number of the record; a record may stand in none. */
    async findNames(page: readonly ReportedRecord[]): Promise<ReadonlyMap<number, string>> {
      const names = new Map<number, string>()
      const getFirst = ({ lines }: ReportedRecord) => lines[0]?.[0] ?? 0
      for (const record of page.toSorted((a, b) => getFirst(a) - getFirst(b))) {
        const segment = getFirst(record)
        // A later step goes through the file from its beginning again.
        if (cursor === undefined || cursor.isPast(segment)) {
          await cursor?.close()
          cursor = new SetCursor(list())
        }
        const name = await cursor.findName(segment)
        if (name !== undefined) names.set(record.number, name)
      }
      return names
    },
    /** Reads the rest of the file, because its last sets may have notes too. */
    async finish(): Promise<Notes> {
      cursor ??= new SetCursor(list())
      return cursor.finish()
    },
    async close(): Promise<void> {
      await cursor?.close()
    },
  }
}

/** Goes through the sets of a file, which are asked for by ascending numbers of segments. */
class SetCursor {
  readonly #listing: SetListing | undefined
  readonly #batches: AsyncIterator<readonly ListedSet[]> | undefined
  #waiting: readonly ListedSet[] = []
  #next = 0
  #asked = 0

  constructor(listing: SetListing | undefined) {
    this.#listing = listing
    this.#batches = listing?.sets[Symbol.asyncIterator]()
  }

  isPast(segment: number): boolean {
    return segment < this.#asked
  }

  async findName(segment: number): Promise<string | undefined> {
    this.#asked = segment
    for (;;) {
      const set = this.#waiting[this.#next]
      if (set === undefined) {
        if (!(await this.#readMore())) return undefined
        continue
      }
      const [first, last] = set.segments
      if (segment <= last) return segment < first ? undefined : set.name
      this.#next += 1
    }
  }

  async finish(): Promise<Notes> {
    while (await this.#readMore());
    return this.#listing?.getNotes() ?? { total: 0, first: [] }
  }

  async close(): Promise<void> {
    await this.#batches?.return?.()
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = (await this.#batches?.next()) ?? { done: true, value: undefined }
    if (done === true) return false
    this.#waiting = value
    this.#next = 0
    return true
  }
}
