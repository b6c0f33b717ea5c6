/** Matches the names of files against patterns, in a time that grows with the length of both and no faster. */

/** A character, any character, any number of any characters, or a digit. */
export type NameToken = string | typeof ANY | typeof MANY | typeof DIGIT

export const ANY = Symbol('any character')
export const MANY = Symbol('any number of any characters')
export const DIGIT = Symbol('a digit')

/** The tokens of a pattern in which `*` stands for any characters and `?` for one; case and composition do not count. */
export function parseNamePattern(pattern: string): NameToken[] {
  return foldName(pattern).map((character) =>
    character === '*' ? MANY : character === '?' ? ANY : character,
  )
}

/** The characters of a name. Accents may be separate characters, hence NFC. */
export function foldName(name: string): string[] {
  return Array.from(name.normalize('NFC').toLowerCase())
}

/** `*` matches any characters, `?` one; case does not count. */
export function compileFilePattern(pattern: string): (name: string) => boolean {
  const tokens = parseNamePattern(pattern)
  return (name) => matchesAll(tokens, foldName(name))
}

/** Only the last `*` ever takes more: what stands before it has matched as early as it can. */
function matchesAll(tokens: readonly NameToken[], name: readonly string[]): boolean {
  let [token, at, lastMany, manyEnd] = [0, 0, -1, 0]
  while (at < name.length) {
    const wanted = tokens[token]
    if (wanted === MANY) {
      lastMany = token
      manyEnd = at
      token += 1
    } else if (wanted !== undefined && matchesToken(name[at], wanted)) {
      token += 1
      at += 1
    } else if (lastMany === -1) return false
    else {
      manyEnd += 1
      token = lastMany + 1
      at = manyEnd
    }
  }
  return tokens.slice(token).every((rest) => rest === MANY)
}

/** More digits than these are no number of a file. */
const DIGITS_MAX = 15

/** The number between the two parts of a pattern: as many digits as there can be, from the first place that fits. */
export function readNumberBetween(
  before: readonly NameToken[],
  after: readonly NameToken[],
  name: readonly string[],
): number | undefined {
  const begins = findEnds(before, name)
  const ends = findEnds(after.toReversed(), name.toReversed()).toReversed()
  for (let from = 0; from < name.length; from += 1) {
    if (begins[from] !== true) continue
    let to = from
    while (to - from < DIGITS_MAX && isDigit(name[to])) to += 1
    while (to > from && ends[to] !== true) to -= 1
    if (to > from) return Number(name.slice(from, to).join(''))
  }
  return undefined
}

/** Tests for each position of the name whether the tokens can match the name up to there. */
function findEnds(tokens: readonly NameToken[], name: readonly string[]): boolean[] {
  let ends = [true, ...name.map(() => false)]
  for (const token of tokens) {
    if (token === MANY) {
      const first = ends.indexOf(true)
      ends = ends.map((_, at) => first !== -1 && at >= first)
    } else ends = [false, ...name.map((character, at) => ends[at] === true && matchesToken(character, token))]
  }
  return ends
}

function matchesToken(character: string | undefined, token: NameToken): boolean {
  return token === ANY || token === character || (token === DIGIT && isDigit(character))
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}
