/** Parses YAML, and reports its errors in our own words: those of the parser may quote the text, which may be a secret. */
import { type Document, type ErrorCode, LineCounter, parseDocument, visit } from 'yaml'

/** After a fatal error there is nothing to check further. `stringKeys` refuses keys that are not text. */
export function parseYaml(text: string, { stringKeys = false } = {}) {
  const counter = new LineCounter()
  const document: Document = parseDocument(text, { lineCounter: counter, prettyErrors: false, stringKeys })
  const errors = describeErrors(text, [...document.errors, ...document.warnings])
  let hasFatalErrors = document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')
  // The parser reports unresolved aliases only while converting values, and then quotes them.
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return
      hasFatalErrors = true
      errors.push({ offset: alias.range?.[0] ?? 0, message: YAML_ERRORS.BAD_ALIAS })
    },
  })
  return { document, counter, errors, hasFatalErrors }
}

/** After these the parser has lost the structure, and its further errors name places where nothing is wrong. */
const LOST: readonly ErrorCode[] = ['TAB_AS_INDENT', 'BAD_INDENT', 'MULTILINE_IMPLICIT_KEY']

function describeErrors(
  text: string,
  found: readonly { readonly code: ErrorCode; readonly pos: readonly [number, number] }[],
) {
  const deep = found.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (deep !== undefined) return [{ offset: deep.pos[0], message: YAML_ERRORS.RESOURCE_EXHAUSTION }]
  const lost = Math.min(...found.flatMap(({ code, pos }) => (LOST.includes(code) ? pos[0] : [])))
  const described = found.flatMap(({ code, pos: [offset] }) =>
    offset < lost ? { offset, message: describeError(text, offset, code) } : [],
  )
  if (lost === Infinity) return described
  const codes = found.flatMap(({ code, pos }) => (pos[0] === lost ? code : []))
  const isTooDeep = codes.includes('MULTILINE_IMPLICIT_KEY') && codes.includes('BLOCK_AS_IMPLICIT_KEY')
  const message = isTooDeep
    ? 'this line is indented too little, or the next line too far.'
    : describeError(
        text,
        lost,
        codes.find((code) => LOST.includes(code)),
      )
  return [...described, { offset: lost, message: `${message} The rest was not checked.` }]
}

function describeError(text: string, offset: number, code: ErrorCode = 'IMPOSSIBLE'): string {
  const rest = text.slice(offset)
  if (code === 'BAD_INDENT' && /^ *\t/.test(rest)) return YAML_ERRORS.TAB_AS_INDENT
  if (code === 'DUPLICATE_KEY')
    return `the key ${findKey(text, offset)} appears twice; name one of them otherwise, put both parts under one, or remove one.`
  return code in YAML_ERRORS
    ? YAML_ERRORS[code as keyof typeof YAML_ERRORS]
    : 'this is not valid YAML: a wrong indentation, or a bracket or quote that is not closed, here or in the lines above.'
}

/** The key at the place; where its value is the place, the key before it. */
function findKey(text: string, offset: number): string {
  const here = /^[^\n]*?(?=\s*:\s|$)/m.exec(text.slice(offset))?.[0] ?? ''
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return here === '' ? before.replace(/^[\s-]*/, '').replace(/\s*:\s*$/, '') : here
}

const YAML_ERRORS = {
  BAD_ALIAS:
    'a value that starts with * stands for an anchor, and there is none of that name; put text in quotes.',
  BAD_DQ_ESCAPE: 'a backslash in double quotes starts no known escape; write it twice, or use single quotes.',
  BAD_INDENT:
    'the indentation does not fit the lines above, or a bracket, brace or quote there is not closed.',
  BAD_SCALAR_START: 'a value cannot start with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'a value with ": " in it must be in quotes.',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters.',
  MISSING_CHAR: 'a character is missing here: a quote, a bracket, a brace, a comma or a colon.',
  MULTILINE_IMPLICIT_KEY: 'a key without a colon and a blank behind it, or a quote that is not closed.',
  MULTIPLE_DOCS: 'a second document starts here; there must be one.',
  NON_STRING_KEY: 'a key must be text; put it in quotes.',
  RESOURCE_EXHAUSTION:
    'this is nested too deep: too many brackets, braces or indented lines stand in each other.',
  TAB_AS_INDENT: 'a tab cannot indent; use spaces.',
  TAG_RESOLVE_FAILED: 'a value that starts with ! is a tag, and it is unknown; put text in quotes.',
} as const satisfies Partial<Record<ErrorCode, string>>
