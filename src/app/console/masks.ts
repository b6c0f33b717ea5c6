/** Hides what is about people from those who may not see it. Numbers of orders and parcels stay: people ask by them. */
import { classifyField, classifyPath } from '../../contract/personal.ts'
import type { AlertCode } from '../../domain/alert.ts'
import { formatPlace } from '../../domain/place.ts'
import { type Problem, type ProblemCode, PROBLEMS } from '../../domain/problem.ts'

/** For whom the data are made. */
export interface Audience {
  /** Personal data are hidden. */
  readonly isMasked: boolean
  /** Fields that count as personal beside those of the contract. */
  readonly personalFields?: readonly string[]
}

type OwnFields = Pick<Audience, 'personalFields'>

/** The same for every text, so that its length says nothing. */
export const MASK = 'A•• L••••••'

/** A problem with the words of its code. */
export interface ShownProblem {
  readonly code: string
  readonly title: string
  /** What is wrong here; the title of the code where the message may quote a cell. */
  readonly message: string
  readonly fix: string
  /** `line 6, column "State"`; empty where nothing is known. */
  readonly place: string
  readonly isWarning: boolean
}

export function showProblem(problem: Problem, { isMasked }: Audience): ShownProblem {
  const { code, message, fix, place, severity } = problem
  const known = PROBLEMS[code] as (typeof PROBLEMS)[typeof code] | undefined
  const title = known?.title ?? code
  return {
    code,
    title,
    message: isMasked ? title : message,
    fix: toConsoleFix(code, isMasked ? (known?.fix ?? '') : fix),
    place: formatPlace(place),
    isWarning: severity === 'warning',
  }
}

/** A body or a part of it. A field that no resource of the contract has may hold anything, so it is hidden too. */
export function maskBody(body: unknown, audience: OwnFields): unknown {
  if (Array.isArray(body)) return body.map((each) => maskBody(each, audience))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, maskField(name, value as unknown, audience)]),
  )
}

function maskField(name: string, value: unknown, audience: OwnFields): unknown {
  if (classifyField(name) === 'personal' || audience.personalFields?.includes(name) === true)
    return maskAll(value)
  if (typeof value === 'object' && value !== null) return maskBody(value, audience)
  return classifyField(name) === 'other' ? value : maskAll(value)
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? value : [MASK]
  if (typeof value === 'object' && value !== null) return MASK
  return value === null || value === undefined || value === '' ? value : MASK
}

/**
 * The columns whose cells a viewer may see, by their names in small letters: each feeds a field that is not personal, and
 * none that is.
 */
export function listOpenColumns(
  fields: readonly { readonly field: string; readonly columns: readonly string[] }[],
  { personalFields = [] }: OwnFields,
): ReadonlySet<string> {
  const isOwn = (field: string) => personalFields.some((name) => field.split(/[.[]/).includes(name))
  const isOpen = ({ field }: { readonly field: string }) => classifyPath(field) === 'other' && !isOwn(field)
  const hidden = new Set(fields.flatMap((each) => (isOpen(each) ? [] : each.columns.map(normalizeColumn))))
  const open = fields.flatMap((each) => (isOpen(each) ? each.columns.map(normalizeColumn) : []))
  return new Set(open.filter((column) => !hidden.has(column)))
}

export function normalizeColumn(name: string): string {
  return name.trim().toLowerCase()
}

// What to do, in the words of the buttons that do it: the commands are for people with a command line.

const DISMISS = '“Dismiss what is refused …”'
const RELEASE = '“Send …”'
const GIVE_UP = '“Give up …”'

type Command = 'dismiss' | 'discard' | 'release' | 'resume'

/** `fix`: in place of a text that names a command; `always`: of any text. Else the words in place of each command; the others stay. */
const CONSOLE_FIXES: Readonly<
  Partial<
    Record<
      AlertCode | ProblemCode,
      { readonly fix: string } | { readonly always: string } | Readonly<Partial<Record<Command, string>>>
    >
  >
> = {
  'answer-contradicts': { dismiss: DISMISS },
  'answer-unmatched': { dismiss: DISMISS },
  'delivery-held': {
    fix: 'Ask its reader whether its records came, then: “Say whether it was delivered …”.',
  },
  'api-refused': { dismiss: DISMISS },
  'document-refused': { dismiss: DISMISS },
  'file-unusable': { dismiss: DISMISS },
  'file-vanished': { dismiss: DISMISS },
  'header-repeated': { fix: `Nothing is lost. ${DISMISS} ends its alert.` },
  'interchange-unanswered': { dismiss: DISMISS },
  'number-reused': { dismiss: DISMISS },
  'outcome-unknown': { fix: 'Check the API, then on the page of each record: “Say what came of it …”.' },
  'partner-unknown': { dismiss: DISMISS },
  'record-unacknowledged': { dismiss: `${DISMISS} on the page of the delivery` },
  'records-held': { fix: `See why they wait, and mend the cause. Then ${RELEASE}; or ${GIVE_UP}.` },
  'records-rejected': {
    fix: `See the page of the file: the records are corrected there, or it says who can; or ${DISMISS}.`,
  },
  'records-unwritten': {
    fix: 'Correct the mapping, then “Run now …” on the page of the route: it writes what was held.',
  },
  'route-paused': { resume: '“Resume …” on the page of the route' },
  'sets-unrouted': { dismiss: DISMISS },
  'source-removed': { dismiss: DISMISS },
  'key-conflict': {
    always: `Twice in one file: correct the number of one. A row that you leave as it is stays refused; once the others are sent, ${DISMISS} ends it. Known from another file: leave the row as it is; what was sent stays.`,
  },
  'answer-lost': {
    fix: '“Run now …” on the page of the route: the record is looked up before anything is sent again.',
  },
  'circuit-breaker-open': { release: RELEASE, discard: GIVE_UP },
  'edi-document-unrouted': { dismiss: DISMISS, discard: GIVE_UP },
  'file-empty': { dismiss: DISMISS },
  'file-perhaps-cut': { release: RELEASE },
  'held-by-mapping': { discard: GIVE_UP },
  'not-sent': { fix: '“Run now …” on the page of the route, later; the work is kept.' },
  'outcome-unprovable': { fix: 'Check the API, then: “Say what came of it …”.' },
  'waiting-for-order': { discard: GIVE_UP },
}

/** A command with its arguments, in code or in the open, to the end of its sentence. */
const COMMAND =
  /`dropbridge (dismiss|discard|release|resume|resolve|run|status) ?[^`]*`|dropbridge (dismiss|discard|release|resume|resolve|run|status)\b(?: (?:'[^']*'|[^\s;]*[^\s;.]))*/g

/** Where the console has a button for the command of the fix, the button stands for it. */
export function toConsoleFix(code: AlertCode | ProblemCode, fix: string): string {
  const own = CONSOLE_FIXES[code] ?? {}
  if ('always' in own) return own.always
  if (!HAS_COMMAND.test(fix)) return fix
  if ('fix' in own) return own.fix
  const worded = fix.replaceAll(COMMAND, (text: string, quoted?: Command, open?: Command) => {
    return own[quoted ?? open ?? 'dismiss'] ?? text
  })
  return HAS_COMMAND.test(worded) ? `${worded} ${FOR_OTHERS}` : worded
}

const HAS_COMMAND = /\bdropbridge [a-z]/

/** No button stands for the command that is left. */
const FOR_OTHERS = 'The command is for the people who run the bridge.'
