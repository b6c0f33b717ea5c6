/** Finds the delimiters of an EDIFACT interchange: in its service string UNA, or the usual ones. */
import type { Delimiters } from '../../edi/segment.ts'
import { findCharset } from './charset.ts'
import { HEAD_LENGTH } from './x12-delimiters.ts'

/** How long a service string is. */
export const SERVICE_LENGTH = 9

const USUAL: Delimiters = { syntax: 'edifact', element: '+', component: ':', segment: "'", release: '?' }

/**
 * Whether an interchange begins here: with UNA, or with UNB before the usual separator. Inside of an interchange, whose
 * delimiters are given, UNB stands before its separator.
 */
export function findServiceString(
  text: string,
  at: number,
  inside: Delimiters | undefined,
): 'UNA' | 'UNB' | undefined {
  if (inside?.syntax === 'x12') return undefined
  if (text.startsWith('UNA', at)) {
    // The first six characters behind it are no letters and digits, as those of a segment would be.
    return at + SERVICE_LENGTH <= text.length && isService(text.slice(at + 3, at + SERVICE_LENGTH))
      ? 'UNA'
      : undefined
  }
  if (inside !== undefined || !text.startsWith('UNB', at)) return undefined
  return text[at + 3] === USUAL.element ? 'UNB' : undefined
}

function isService(characters: string): boolean {
  return !/[A-Za-z0-9]/.test(characters)
}

/** How long the service string here is; 0 where there is none. */
export function measureServiceString(text: string, at: number): number {
  return text.startsWith('UNA', at) ? SERVICE_LENGTH : 0
}

/** Undefined where two delimiters are the same. */
export function detectEdifact(text: string, at: number): Delimiters | undefined {
  const found = findDelimiters(text, at)
  if (found === undefined) return undefined
  const start = at + measureServiceString(text, at)
  return { ...found, charset: findCharset(text.slice(start, start + LEVEL_WITHIN)) }
}

/** The level stands behind the tag; blanks and line breaks may stand before it. */
const LEVEL_WITHIN = 24

function findDelimiters(text: string, at: number): Delimiters | undefined {
  if (!text.startsWith('UNA', at)) return withLineEnds(text, at, withRepetition(USUAL, text, at))
  const [component = '', element = '', decimal = '', release = '', repetition = '', segment = ''] =
    text.slice(at + 3, at + SERVICE_LENGTH)
  const used = [component, element, segment]
  if (new Set(used).size < used.length) return undefined
  const start = at + SERVICE_LENGTH
  const found: Delimiters = {
    syntax: 'edifact',
    component,
    element,
    segment,
    ...(decimal === ',' || decimal === '.' ? { decimal } : {}),
    ...(release === ' ' ? {} : { release }),
    ...(repetition === ' ' || used.includes(repetition) ? {} : { repetition }),
  }
  return withLineEnds(text, start, found)
}

/** Syntax 4 without a service string has `*` between repetitions. */
function withRepetition(delimiters: Delimiters, text: string, at: number): Delimiters {
  const isSyntax4 = /^UNB\+[A-Z]{4}:4/.test(text.slice(at, at + 16))
  return isSyntax4 ? { ...delimiters, repetition: '*' } : delimiters
}

/** Some files have a line per segment and no terminators: each of their lines begins with a tag. */
function withLineEnds(text: string, at: number, delimiters: Delimiters): Delimiters {
  const head = text.slice(at, at + LOOK_AHEAD)
  if (head.includes(delimiters.segment)) return delimiters
  const lines = head.split(/\r\n|\n|\r/).filter((line) => line !== '')
  const areSegments = lines.length > 2 && lines.slice(0, -1).every((line) => /^[A-Z][A-Z0-9]{2}\b/.test(line))
  return areSegments ? { ...delimiters, segment: head.includes('\n') ? '\n' : '\r' } : delimiters
}

/** As much as is there, behind a service string, before the first segment of an interchange is cut. */
const LOOK_AHEAD = HEAD_LENGTH - SERVICE_LENGTH

/** Finds the end of a segment. A terminator behind an odd number of release characters is data. */
export function findTerminator(
  text: string,
  from: number,
  terminator: string,
  release: string | undefined,
): number {
  let stop = text.indexOf(terminator, from)
  if (release === undefined) return stop
  while (stop !== -1) {
    let before = stop
    while (before > from && text[before - 1] === release) before -= 1
    if ((stop - before) % 2 === 0) return stop
    stop = text.indexOf(terminator, stop + 1)
  }
  return -1
}
