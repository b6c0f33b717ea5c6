/** Whether two patterns of file names can match one name. */

/**
 * A name that both match, as simple as may be; undefined where there is none. `*` stands for any letters, `?` for one, case is
 * ignored. Names that begin with a dot do not count: they are never taken.
 */
export function nameOfBoth(one: string, other: string): string | undefined {
  const [left = [], right = []] = [one, other].map((pattern) =>
    Array.from(pattern.normalize('NFC').toLowerCase()),
  )
  // The beginnings of names that are left to try, each place in both patterns once.
  const open = [{ at: 0, against: 0, name: '' }]
  const tried = new Set<string>()
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { at, against, name } = next
    const key = `${at} ${against} ${name === ''}`
    if (tried.has(key)) continue
    tried.add(key)
    const [here, there] = [left[at], right[against]]
    if (here === undefined && there === undefined && name !== '') return name
    if (here === '*') open.push({ at: at + 1, against, name })
    if (there === '*') open.push({ at, against: against + 1, name })
    const letter = letterOf(here, there)
    if (letter === undefined || (name === '' && letter === '.')) continue
    // A star stays, since it may stand for more.
    open.push({
      at: here === '*' ? at : at + 1,
      against: there === '*' ? against : against + 1,
      name: name + letter,
    })
  }
  return undefined
}

/** One letter that both allow here. */
function letterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  const [letter = 'a', second = letter] = [one, other].filter((each) => each !== '*' && each !== '?')
  return letter === second ? letter : undefined
}
