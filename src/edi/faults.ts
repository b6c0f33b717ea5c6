/** What can be wrong with an interchange as such, how far each fault reaches, and the codes that answer it. */
import type { ProblemCode } from '../domain/problem.ts'

/** What a fault makes unusable. `note`: nothing; it is reported. */
export type FaultReach = 'interchange' | 'group' | 'set' | 'note'

export interface FaultKind {
  readonly problem: ProblemCode
  readonly reach: FaultReach
  /** The codes of the answer: in TA1, AK9, AK5 or AK3 by the reach; in EDIFACT the data element 0085. */
  readonly x12: string
  readonly edifact: string
  /** The codes are those of a segment of the set (AK3, UCS), or of an element of it (AK4, UCD). */
  readonly of?: 'segment' | 'element'
  /** Where that of the problem is not right. */
  readonly fix?: string
  /** Of a file that no route took, which has no rejects file: it is mended itself. `FILE` stands for it. */
  readonly fixOfFile?: string
}

/** A fault of one interchange. Segment numbers count from 1 in the file. */
export interface Fault {
  readonly kind: FaultName
  readonly segment: number
  readonly at: number
  /** The id of the segment, with its loop where it is not the envelope's. */
  readonly id: string
  readonly element?: number
  readonly component?: number
  /** Of `segment-missing`: the id of the segment that is not there; `segment` begins the loop that misses it. */
  readonly missing?: string
  readonly message: string
}

const FIX_CLOSED = 'Have the sender leave it out, or add it to the grammar of the partner.'

/** The rejects file gets trailers of its own for groups and interchanges. */
const FIX_RECOUNTED = 'Compare with the sender. If nothing is missing, drop the rejects file in as it is.'

const FIX_SET_NOT_ENDED =
  'Have this set sent again. If nothing is missing: `dropbridge edi fix REJECTS --out FIXED`.'

/** `edi fix` would leave the open segment out. */
const FIX_SET_CUT = 'Have this set sent again: the file ends within one of its segments.'

const FIX_TERMINATOR =
  'Write the terminator before that segment in the rejects file, or have the set sent again.'

const FIX_RELEASE =
  "Write the apostrophe as ?' in the rejects file and drop it in, or have the set sent again."

const FIX_FILE_RELEASE = "Write the apostrophe as ?' there, or have the set sent again."

const FIX_FILE = 'Compare with the sender. If nothing is missing: `dropbridge edi fix FILE --out FIXED`.'

const FIX_FILE_NOT_ENDED =
  'Have this set sent again. If nothing is missing: `dropbridge edi fix FILE --out FIXED`.'

const FIX_FILE_CUT = 'Have the sender send the whole file again.'

const FIX_FILE_TERMINATOR = 'Write the terminator before that segment, or have the set sent again.'

export const FAULTS = {
  'delimiters-unclear': { problem: 'edi-delimiters', reach: 'interchange', x12: '026', edifact: '' },
  'interchange-number-missing': { problem: 'edi-envelope', reach: 'interchange', x12: '018', edifact: '13' },
  'interchange-number-differs': {
    problem: 'edi-number-mismatch',
    reach: 'interchange',
    x12: '001',
    edifact: '28',
    fix: FIX_RECOUNTED,
    fixOfFile: FIX_FILE,
  },
  'interchange-number-reused': {
    problem: 'edi-number-reused',
    reach: 'interchange',
    x12: '025',
    edifact: '26',
  },
  'interchange-count-differs': {
    problem: 'edi-count',
    reach: 'interchange',
    x12: '021',
    edifact: '29',
    fix: FIX_RECOUNTED,
    fixOfFile: FIX_FILE,
  },
  'interchange-without-set': {
    problem: 'edi-cut-off',
    reach: 'interchange',
    x12: '023',
    edifact: '13',
    fix: 'Have the whole file sent again: none of its sets is whole.',
  },
  'interchange-not-ended': {
    problem: 'edi-cut-off',
    reach: 'interchange',
    x12: '023',
    edifact: '13',
    fixOfFile: FIX_FILE_CUT,
  },
  'segment-outside-group': { problem: 'edi-envelope', reach: 'interchange', x12: '024', edifact: '15' },
  'group-number-differs': {
    problem: 'edi-number-mismatch',
    reach: 'group',
    x12: '4',
    edifact: '28',
    fix: FIX_RECOUNTED,
    fixOfFile: FIX_FILE,
  },
  'group-count-differs': {
    problem: 'edi-count',
    reach: 'group',
    x12: '5',
    edifact: '29',
    fix: FIX_RECOUNTED,
    fixOfFile: FIX_FILE,
  },
  'group-not-ended': {
    problem: 'edi-cut-off',
    reach: 'group',
    x12: '3',
    edifact: '13',
    fixOfFile: FIX_FILE_CUT,
  },
  'segment-outside-set': { problem: 'edi-envelope', reach: 'group', x12: '5', edifact: '15' },
  'set-unrouted': { problem: 'edi-document-unrouted', reach: 'set', x12: '1', edifact: '14' },
  'set-number-differs': {
    problem: 'edi-number-mismatch',
    reach: 'set',
    x12: '3',
    edifact: '28',
    fixOfFile: FIX_FILE,
  },
  'set-count-differs': {
    problem: 'edi-count',
    reach: 'set',
    x12: '4',
    edifact: '29',
    fixOfFile: FIX_FILE,
  },
  'terminator-missing': {
    problem: 'edi-count',
    reach: 'set',
    x12: '4',
    edifact: '29',
    fix: FIX_TERMINATOR,
    fixOfFile: FIX_FILE_TERMINATOR,
  },
  'release-missing': {
    problem: 'edi-release-missing',
    reach: 'set',
    x12: '1',
    edifact: '15',
    of: 'segment',
    fix: FIX_RELEASE,
    fixOfFile: FIX_FILE_RELEASE,
  },
  'set-not-ended': {
    problem: 'edi-cut-off',
    reach: 'set',
    x12: '2',
    edifact: '13',
    fix: FIX_SET_NOT_ENDED,
    fixOfFile: FIX_FILE_NOT_ENDED,
  },
  'set-cut': { problem: 'edi-cut-off', reach: 'set', x12: '2', edifact: '13', fix: FIX_SET_CUT },
  'set-too-large': { problem: 'record-too-large', reach: 'set', x12: '5', edifact: '36' },
  'segment-missing': { problem: 'segment-missing', reach: 'set', x12: '3', edifact: '13', of: 'segment' },
  'segment-misspelled': {
    problem: 'segment-misspelled',
    reach: 'set',
    x12: '1',
    edifact: '15',
    of: 'segment',
  },
  'segment-too-large': { problem: 'segment-too-large', reach: 'set', x12: '5', edifact: '39' },
  'elements-too-many': { problem: 'element-too-many', reach: 'set', x12: '5', edifact: '16' },
  'hierarchy-unclear': { problem: 'hierarchy-unclear', reach: 'set', x12: '5', edifact: '18' },
  // Only where the grammar of a partner says so.
  'segment-not-in-document': {
    problem: 'segment-unknown',
    reach: 'set',
    x12: '1',
    edifact: '15',
    of: 'segment',
    fix: FIX_CLOSED,
  },
  'segment-misplaced': { problem: 'segment-misplaced', reach: 'set', x12: '7', edifact: '15', of: 'segment' },
  'segment-over-limit': {
    problem: 'segment-repeated',
    reach: 'set',
    x12: '5',
    edifact: '35',
    of: 'segment',
    fix: FIX_CLOSED,
  },
  'loop-over-limit': {
    problem: 'segment-repeated',
    reach: 'set',
    x12: '4',
    edifact: '36',
    of: 'segment',
    fix: FIX_CLOSED,
  },
  'element-missing': {
    problem: 'value-missing',
    reach: 'set',
    x12: '1',
    edifact: '13',
    of: 'element',
    fix: 'Have the sender fill in the element.',
  },
  'code-not-allowed': {
    problem: 'value-not-allowed',
    reach: 'set',
    x12: '7',
    edifact: '12',
    of: 'element',
    fix: 'Have the sender correct the code, or allow it in the grammar of the partner.',
  },
  // Nothing is refused.
  'set-number-repeated': { problem: 'edi-number-mismatch', reach: 'note', x12: '23', edifact: '26' },
  'segment-unplaced': { problem: 'segment-unknown', reach: 'note', x12: '2', edifact: '15' },
  'segment-too-often': { problem: 'segment-repeated', reach: 'note', x12: '5', edifact: '35' },
  'line-count-differs': { problem: 'totals-disagree', reach: 'note', x12: '', edifact: '' },
  'version-unexpected': { problem: 'edi-version', reach: 'note', x12: '2', edifact: '' },
  'parent-guessed': { problem: 'hierarchy-unclear', reach: 'note', x12: '', edifact: '' },
  'point-written': { problem: 'amount-with-point', reach: 'note', x12: '', edifact: '' },
  'lines-joined': { problem: 'edi-unfolded', reach: 'note', x12: '', edifact: '' },
  'text-between': { problem: 'edi-between', reach: 'note', x12: '', edifact: '' },
} as const satisfies Readonly<Record<string, FaultKind>>

export type FaultName = keyof typeof FAULTS
