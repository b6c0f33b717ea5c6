/** Text for people: escapes control characters and formulas, suggests similar names, and makes short ids. */
import { closest, distance } from 'fastest-levenshtein'
import { BridgeError } from './errors.ts'
import { randomInt } from 'node:crypto'

/** Control characters, line ends, and characters that change the direction of writing. */
const CONTROL_CHARS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const TERMINAL_CONTROLS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** `p<ESC>1.csv` becomes `p\u001b1.csv`. */
export function escapeControlChars(text: string): string {
  return text.replaceAll(CONTROL_CHARS, toUnicodeEscape)
}

/** Escapes all but tabs and line ends, for text of several lines that a terminal shows; JSON keeps its meaning. */
export function escapeTerminalControls(text: string): string {
  return text.replaceAll(TERMINAL_CONTROLS, toUnicodeEscape)
}

/** Escapes only characters that change the direction of writing, for text with line ends. */
export function escapeBidiControls(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, toUnicodeEscape)
}

/** For lists that people read line by line: a name with a line break in it must not look like a line of its own. */
export function toOneLine(text: string): string {
  return escapeBidiControls(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}

function toUnicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

// Formulas: what a spreadsheet runs when a person opens a CSV file.

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:[.,]\d+)*|\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?|[.,]\d+)$/

/** Whether a spreadsheet would run the cell: `=1+1`, `@SUM(A1)`, `-A1`, but not `-5`. */
export function isFormula(cell: string): boolean {
  return /^[=+\-@\t\r]/.test(cell) && !PLAIN_NUMBER.test(cell)
}

/** Stops a spreadsheet from running a formula that a buyer typed as his name. */
export function guardFormula(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell
}

// "Did you mean": the nearest right name for a wrong one.

/**
 * Finds a candidate that differs only by a likely typing error, or the only one that begins with the name; compared without
 * case. Else undefined.
 */
export function findSimilarName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const sought = name.toLowerCase()
  const lowered = candidates.map((candidate) => candidate.toLowerCase())
  const best = closest(sought, lowered)
  if (isSlip(sought, best)) return candidates[lowered.indexOf(best)]
  const [only, ...others] = listLongerNames(name, candidates)
  return others.length === 0 ? only : undefined
}

/** The candidates that begin with the name, compared without case; none for a name that is too short to mean one. */
export function listLongerNames(name: string, candidates: readonly string[]): readonly string[] {
  const sought = name.toLowerCase()
  return sought.length < SHORTENED_MIN
    ? []
    : candidates.filter((candidate) => candidate.toLowerCase().startsWith(sought))
}

/** How many letters the beginning of a name has at least, so that it means the whole name. */
const SHORTENED_MIN = 4

/** ` Did you mean "x"?`, or nothing when no candidate is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const nearest = findSimilarName(name, candidates)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}

/** The candidate that may be meant; else ` Known: a, b.`; nothing without candidates. */
export function didYouMeanOneOf(name: string, candidates: readonly string[]): string {
  const isShort = candidates.length > 0 && candidates.length <= LISTED_NAMES_MAX
  return didYouMean(name, candidates) || (isShort ? ` Known: ${candidates.join(', ')}.` : '')
}

/** A text as one argument of a command that a person can paste into a POSIX shell. */
export function quoteForShell(text: string): string {
  if (/^[\w.+=:@%,/][\w.~+=:@%,/-]*$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Writes the name of the file into the commands of a fix, where `FILE` stands. */
export function nameFileInFix(fix: string, file: string): string {
  return fix.replaceAll(
    /(dropbridge [a-z-]+) FILE\b/g,
    (_, command: string) => `${command} ${quoteForShell(file)}`,
  )
}

/** Leaves the commands about a taken file out of a fix, with the clause or the sentence that they stand in. */
export function leaveOutTakenFile(fix: string): string {
  if (!TAKEN_FILE_COMMAND.test(fix)) return fix
  const sentences = fix.split(/(?<=[.?]) (?=[A-Z])/).map((sentence) => {
    if (!TAKEN_FILE_COMMAND.test(sentence)) return sentence
    const clauses = sentence.split(/(?=[,;] )/)
    const kept = clauses.slice(
      0,
      clauses.findIndex((clause) => TAKEN_FILE_COMMAND.test(clause)),
    )
    return kept.length === 0 ? '' : `${kept.join('')}.`
  })
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

const TAKEN_FILE_COMMAND = /dropbridge (?:retake|dismiss|discard|release) (?:FILE|DELIVERY)\b/

/** `"a", "b" and 3 more` */
export function quoteNames(names: readonly string[], shown = 8): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : ''
  return `"${names.slice(0, shown).join('", "')}"${more}`
}

/** The failure for an unknown name on the command line: with the name that was meant, or with the known ones and the given fix. */
export function unknownNameError(message: string, name: string, known: readonly string[], fix?: string) {
  const meant = findSimilarName(name, known)
  if (meant !== undefined) {
    const correction = { fix: `Write "${meant}" instead of "${name}".` }
    return new BridgeError('usage-wrong', `${message}. Did you mean "${meant}"?`, correction)
  }
  if (known.length === 0)
    return new BridgeError('usage-wrong', `${message}; none is known.`, { fix: fix ?? NO_NAME_FIX })
  if (known.length > LISTED_NAMES_MAX)
    return new BridgeError('usage-wrong', `${message}.`, { fix: fix ?? CONFIGURED_NAME_FIX })
  const text = `${message}; known: ${known.join(', ')}.`
  return new BridgeError('usage-wrong', text, { fix: fix ?? KNOWN_NAME_FIX })
}

const LISTED_NAMES_MAX = 40

const KNOWN_NAME_FIX = 'Write one of the known names.'

const CONFIGURED_NAME_FIX = 'Write one of the names that the configuration has.'

const NO_NAME_FIX = 'Add it to the configuration first, or leave the name out.'

/** Removes what people drop or add when they read a name aloud: case, dashes, blanks and leading zeros. */
export function normalizeForSearch(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '')
}

/** Returns similar candidates, the nearest first. */
export function rankSimilarNames(name: string, candidates: readonly string[], limit: number): string[] {
  const allowed = maxEditDistance(name)
  const normalized = normalizeForSearch(name)
  const near = candidates
    .map((candidate) => ({ candidate, far: distance(normalized, normalizeForSearch(candidate)) }))
    .filter(({ far }) => far <= allowed)
    .toSorted((one, other) => one.far - other.far)
    .map(({ candidate }) => candidate)
  return [...new Set([...near, ...listNamesWith(normalized, candidates)])].slice(0, limit)
}

/** The candidates that contain the name, or differ from it only by what follows their last point. */
function listNamesWith(normalized: string, candidates: readonly string[]): readonly string[] {
  if (normalized.length < CONTAINED_MIN) return []
  const stem = cutEnding(normalized)
  return candidates.filter((candidate) => {
    const other = normalizeForSearch(candidate)
    return other.includes(normalized) || cutEnding(other) === stem
  })
}

/** How many letters a name has at least, so that names which contain it are similar. */
const CONTAINED_MIN = 3

function cutEnding(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, '')
}

/** How many letters of a name may be typing errors: few of a short one, so that Zip does not mean Id. */
function maxEditDistance({ length }: string): number {
  return Math.min(Math.max(length < 4 ? 1 : 2, Math.floor(length / 3)), length - 1)
}

/** The first letter is seldom a typing error, unless letters changed places: Retail does not mean Email. */
function isSlip(sought: string, candidate: string): boolean {
  const far = distance(sought, candidate)
  const sort = (name: string) => Array.from(name).toSorted().join('')
  if (far <= 2 && sort(sought) === sort(candidate)) return true
  return far <= maxEditDistance(sought) && (far <= 1 || sought[0] === candidate[0])
}

// Makes the ids that people read aloud: files, deliveries, instances.

const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Ten letters that are easy to read aloud: fifty random bits, behind the tag of the journal. */
export function newId(tag = ''): string {
  return tag + Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')
}
