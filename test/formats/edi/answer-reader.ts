/** A reader of TA1, 997, 999 and CONTRL by itself, which knows nothing of the program: it checks counts, numbers and verdicts. */
import { expect } from 'vitest'

/** A segment as its id and elements. */
type Elements = readonly string[]

export interface ReadAnswer {
  readonly segments: readonly Elements[]
  /** TA104 and TA105. */
  readonly ta1: readonly [verdict: string, code: string] | undefined
  /** AK101, AK102 and AK901 of each group. */
  readonly groups: readonly (readonly [code: string, number: string, verdict: string])[]
  /** AK201, AK202 and AK501; in EDIFACT the document, the number and 0083 of UCM. */
  readonly sets: readonly (readonly [document: string, number: string, verdict: string])[]
}

/** Reads a file of answers. Throws where a count, a number or a verdict does not fit. */
export function readAnswers(file: string): ReadAnswer[] {
  const answers: ReadAnswer[] = []
  for (let rest = file; rest !== '';) {
    const isX12 = rest.startsWith('ISA')
    const found = isX12 ? cutX12(rest) : cutEdifact(rest)
    answers.push((isX12 ? readX12 : readEdifact)(found.segments))
    rest = rest.slice(found.length)
  }
  return answers
}

function cutX12(text: string) {
  const separator = text[3] ?? ''
  const component = text.split(separator).slice(0, 16).join(separator).length + 1
  // Each terminator is followed by a line break, unless it is one.
  const length = text.slice(component + 1).search(/(?:GS|TA1|IEA)[^A-Z0-9]/)
  const terminator = text.slice(component + 1, component + 1 + length)
  const end = text.indexOf(terminator, text.indexOf(`${terminator}IEA${separator}`) + 1) + terminator.length
  const segments = text.slice(0, end - terminator.length).split(terminator)
  return { segments: segments.map((segment) => segment.split(separator)), length: end }
}

function cutEdifact(text: string) {
  const una = text.startsWith('UNA') ? text.slice(3, 9) : ":+.? '"
  const from = text.startsWith('UNA') ? 10 : 0
  const [, separator = '', , release = '', , terminator = ''] = una
  const segments: string[][] = [['']]
  for (let at = from; at < text.length; at += 1) {
    const last = segments.at(-1) ?? []
    if (text[at] === release && release !== ' ') {
      last.push(`${last.pop() ?? ''}${text.slice(at, at + 2)}`)
      at += 1
    } else if (text[at] === separator) last.push('')
    else if (text[at] !== terminator) last.push(`${last.pop() ?? ''}${text[at] ?? ''}`)
    else if (last[0] === 'UNZ') return { segments, length: at + 2 }
    else {
      segments.push([''])
      // The line break behind it.
      at += 1
    }
  }
  throw new Error('the answer has no UNZ')
}

function readX12(segments: readonly Elements[]): ReadAnswer {
  const [isa = [], ...inner] = segments
  const [iea = []] = inner.slice(-1)
  const starts = inner.filter(([id]) => id === 'GS')
  expect([isa.length, iea]).toEqual([17, ['IEA', String(starts.length), isa[13]]])
  expect(isa[13]).toMatch(/^\d{9}$/)
  const [ta1, ...others] = inner.filter(([id]) => id === 'TA1')
  expect(others).toEqual([])
  const groups: [string, string, string][] = []
  const sets: [string, string, string][] = []
  let place = ta1 === undefined ? 0 : 1
  for (const [, code, , , , , number] of starts) {
    const end = inner.findIndex(([id], index) => index > place && id === 'GE')
    const [gs, st = [], ak1 = [], ...body] = inner.slice(place, end)
    const se = body.pop()
    const ak9 = body.pop() ?? []
    expect([gs?.[0], code, st[0], ak1[0], ak9[0]]).toEqual(['GS', 'FA', 'ST', 'AK1', 'AK9'])
    expect([se, inner[end]]).toEqual([
      ['SE', String(end - place - 1), st[2]],
      ['GE', '1', number],
    ])
    const named = body.filter(([id]) => id === 'AK2')
    const verdicts = body.filter(([id]) => id === 'AK5' || id === 'IK5').map((each) => each[1] ?? '')
    const accepted = verdicts.filter((verdict) => verdict === 'A' || verdict === 'E').length
    expect([verdicts.length, ak9[3], ak9[4]]).toEqual([named.length, String(named.length), String(accepted)])
    const isMixed = accepted > 0 && accepted < named.length
    const isSound = accepted === named.length && ak9[1] !== 'R'
    expect(isMixed ? ['P', 'R'] : isSound ? ['A', 'E'] : ['R']).toContain(ak9[1])
    groups.push([ak1[1] ?? '', ak1[2] ?? '', ak9[1] ?? ''])
    sets.push(
      ...named.map((ak2, index): [string, string, string] => [
        ak2[1] ?? '',
        ak2[2] ?? '',
        verdicts[index] ?? '',
      ]),
    )
    place = end + 1
  }
  expect(inner[place]).toBe(iea)
  return { segments, ta1: ta1 === undefined ? undefined : [ta1[4] ?? '', ta1[5] ?? ''], groups, sets }
}

function readEdifact(segments: readonly Elements[]): ReadAnswer {
  const [unb = [], unh = [], uci = [], ...body] = segments
  const unz = body.pop()
  const unt = body.pop()
  expect([unb[0], unh[0], uci[0]]).toEqual(['UNB', 'UNH', 'UCI'])
  expect(unt).toEqual(['UNT', String(segments.length - 2), unh[1]])
  expect(unz).toEqual(['UNZ', '1', unb[5]])
  for (const [id] of body) expect(['UCF', 'UCM', 'UCS', 'UCD']).toContain(id)
  const named = body.filter(([id]) => id === 'UCM')
  return {
    segments,
    ta1: undefined,
    groups: body
      .filter(([id]) => id === 'UCF')
      .map(([, number = '', , , verdict = '']) => ['', number, verdict]),
    sets: named.map(([, number = '', document = '', verdict = '']) => [
      document.split(/[^A-Z]/)[0] ?? '',
      number,
      verdict,
    ]),
  }
}
