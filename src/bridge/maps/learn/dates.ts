/** Which date formats the cells of a column are written in: every known one is tried on every cell. */
import { compileDateFormat } from '../../../mapping/values/date-format.ts'

export interface DatesFound {
  /** The formats that read the most cells, together; empty for ISO 8601. */
  readonly formats: readonly string[]
  /** How many cells are written in each of them, where there are several. */
  readonly seen: readonly string[]
  /** A cell that is in none of them. */
  readonly unread: string | undefined
  /** Other formats that read all of these cells too, such as the day and month the other way round. */
  readonly others: readonly string[]
  /** The share of the cells that is read. */
  readonly share: number
  /** Whether cells have times and name no zone. */
  readonly needsZone: boolean
}

const DAYS = [
  'yyyy-MM-dd',
  'MM/dd/yyyy',
  'dd/MM/yyyy',
  'yyyy/MM/dd',
  'dd.MM.yyyy',
  'MM-dd-yyyy',
  'dd-MM-yyyy',
  'MM/dd/yy',
  'dd/MM/yy',
  'dd.MM.yy',
  'yyyyMMdd',
  'MMM-dd-yy',
  'MMM-dd-yyyy',
  'dd-MMM-yy',
  'dd-MMM-yyyy',
  'MMM d, yyyy',
  'd MMM yyyy',
  'MMMM d, yyyy',
  'd MMMM yyyy',
]
const TIMES = [
  '',
  ' HH:mm',
  ' HH:mm:ss',
  ' hh:mm a',
  ' hh:mm:ss a',
  "'T'HH:mm:ss",
  ' HH:mm:ss ZZZ',
  'HHmm',
  'HHmmss',
]

/** What ISO 8601 without a format reads. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** At most so many formats are named for one column. */
const MAX_FORMATS = 3

/** Undefined when no cell is a date. */
export function findDates(cells: readonly string[]): DatesFound | undefined {
  const distinct = [...new Set(cells)]
  if (!distinct.some((cell) => /\d/.test(cell))) return undefined
  const isIso = distinct.every((cell) => ISO.test(cell))
  if (isIso) {
    const needsZone = distinct.some((cell) => cell.length > 10 && ISO.exec(cell)?.[1] === undefined)
    return { formats: [], seen: [], unread: undefined, others: [], share: 1, needsZone }
  }
  let left = distinct
  const chosen: { readonly name: string; readonly others: readonly string[]; readonly cells: number }[] = []
  const readers = allFormats().filter(({ reads }) => distinct.slice(0, 200).some(reads))
  while (left.length > 0 && chosen.length < MAX_FORMATS) {
    // A damaged cell must not turn days and months round in others: it stays unread, and is told.
    const fitting = readers.filter(({ name }) => !chosen.some((each) => flipped(each.name) === name))
    const counted = fitting.map((reader) => ({ reader, cells: left.filter(reader.reads) }))
    const most = Math.max(0, ...counted.map((each) => each.cells.length))
    const best = counted.find((each) => each.cells.length === most && most > 0)
    if (best === undefined) break
    const mine = new Set(best.cells)
    const others = readers.filter((reader) => reader !== best.reader && best.cells.every(reader.reads))
    const count = cells.filter((cell) => mine.has(cell)).length
    chosen.push({ name: best.reader.name, others: others.map(({ name }) => name), cells: count })
    left = left.filter((cell) => !mine.has(cell))
  }
  const [first] = chosen
  if (first === undefined) return undefined
  const unread = new Set(left)
  return {
    formats: chosen.map(({ name }) => name),
    seen: chosen.length === 1 ? [] : chosen.map(({ name, cells: count }) => `${name} in ${count}`),
    unread: left[0],
    others: first.others,
    share: cells.filter((cell) => !unread.has(cell)).length / cells.length,
    needsZone: chosen.some(({ name }) => /[Hh]/.test(name) && !name.includes('Z')),
  }
}

/** The format with days and months the other way round; the same where it says months in words or the year first. */
function flipped(name: string): string {
  return /^(?:MM.dd|dd.MM)/.test(name)
    ? name.slice(3, 5) + name.slice(2, 3) + name.slice(0, 2) + name.slice(5)
    : ''
}

interface Reader {
  readonly name: string
  readonly reads: (cell: string) => boolean
}

function allFormats(): Reader[] {
  return TIMES.flatMap((time) => DAYS.map((day) => day + time)).flatMap((name) => {
    const format = compileDateFormat(name)
    return typeof format === 'string'
      ? []
      : [{ name, reads: (cell: string) => format.read(cell) !== undefined }]
  })
}
