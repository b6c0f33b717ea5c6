/** Substitutes `${NAME}` and `${file:PATH}` in the configuration. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Document, isPair, isScalar, type Scalar, visit } from 'yaml'
import { findSchemas, type JsonSchema } from './schema.ts'
import { describeUnreadable } from '../support/errors.ts'
import { didYouMean } from '../support/text.ts'
import { type ConfigError, valueError } from './errors.ts'

interface SubstituteContext {
  readonly env: NodeJS.ProcessEnv
  /** The base of relative paths. */
  readonly folder: string
  /** Returns a placeholder for a missing value at this place, where the value is not needed. */
  readonly standIn?: (path: readonly string[]) => string | undefined
  /** Takes where the value at a place came from: `the environment variable NAME`. */
  readonly onFilled?: (path: readonly string[], source: string) => void
}

/**
 * Changes the document; leaves unresolved variables unchanged and returns them as errors. `getSchema` is asked only for values
 * that may be numbers or booleans: making a schema takes a twentieth of a short command.
 */
export async function substituteVariables(
  document: Document,
  getSchema: () => JsonSchema,
  context: SubstituteContext,
): Promise<ConfigError[]> {
  const errors: ConfigError[] = []
  const texts = findTexts(document)
  const named = new Set(texts.flatMap(({ text }) => [...text.matchAll(REFERENCE)].map(([, name]) => name)))
  for (const { path, text, node } of texts) {
    const filled = await fillText(text, context, named)
    const standIn = filled.errors.length === 0 ? undefined : context.standIn?.(path)
    if (standIn !== undefined) node.value = standIn
    else if (filled.errors.length > 0)
      errors.push(...filled.errors.map((message) => valueError(path, message)))
    else if (filled.text !== text) {
      const isJudged = NAMES_OF_CREDENTIALS.has(path.at(-1) ?? '') && context.standIn?.(path) === undefined
      const odd = isJudged ? describeOddity(filled.text) : undefined
      if (odd !== undefined) errors.push(valueError(path, `${describeSource(text)} ${odd}.`))
      context.onFilled?.(path, describeSource(text))
      node.value = coerceToSchema(filled.text, () => findSchemas(getSchema(), path))
    }
  }
  return errors
}

const NAMES_OF_CREDENTIALS = new Set(['clientId', 'clientSecret', 'baseUrl'])

/** What no id, secret or address of an API has; with it the API would only answer 401. Never repeats the value. */
function describeOddity(value: string): string | undefined {
  if (value.includes('\0') || value.includes('\uFFFD')) return 'is not in UTF-8; save it as UTF-8'
  if (value.startsWith('\uFEFF')) return 'begins with a byte order mark; save it without one'
  if (/[\r\n]/.test(value.trim())) return 'has more than one line; leave only the value'
  if (/^\s/.test(value)) return 'has a blank at its beginning; remove it'
  if (/[\r\n]$/.test(value)) return 'has a line break at its end; remove it'
  if (/\s$/.test(value)) return 'has a blank at its end; remove it'
  return /^(["'`]).*\1$/.test(value) ? 'is in quotes; remove them' : undefined
}

function findTexts(document: Document) {
  const found: { path: readonly string[]; text: string; node: Scalar }[] = []
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('$')) return
      const path = ancestors.flatMap((ancestor) =>
        isPair(ancestor) && isScalar(ancestor.key) ? [String(ancestor.key.value)] : [],
      )
      found.push({ path, text: node.value, node })
    },
  })
  return found
}

/** `$${` is a literal dollar and brace. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g

/** As a shell has it: a name without braces is refused where there is such a variable. */
const BARE_NAME = /^\$([A-Za-z_]\w*)$/

async function fillText(text: string, context: SubstituteContext, named: ReadonlySet<string | undefined>) {
  const errors: string[] = []
  const bare = BARE_NAME.exec(text)?.[1]
  if (bare !== undefined && context.env[bare] !== undefined)
    return { text, errors: [`"$${bare}" stands for itself. Write \${${bare}} for the environment variable.`] }
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: name, 2: brace, index } of text.matchAll(REFERENCE)) {
    filled += text.slice(end, index)
    end = index + whole.length
    const value =
      name === undefined ? '${' : await resolveReference(name, brace === '}', { ...context, named })
    if (typeof value === 'string') filled += value
    else errors.push(value.error)
  }
  const whole = filled + text.slice(end)
  if (whole === '' && errors.length === 0) errors.push(`${describeSource(text)} is set, but it is empty.`)
  return { text: whole, errors }
}

/** Names the first reference of a text. */
function describeSource(text: string): string {
  const [, file, name = ''] = /(?<!\$)\$\{(?:file:([^}]*)|([^}]*))\}/.exec(text) ?? []
  return file === undefined ? `the environment variable ${name}` : `the file ${file}`
}

async function resolveReference(
  name: string,
  closed: boolean,
  { env, folder, named }: SubstituteContext & { readonly named: ReadonlySet<string | undefined> },
) {
  if (!closed) return { error: 'a "${" has no "}" after it. Write $${ for these two characters themselves.' }
  if (name.startsWith('file:')) return readSecretFile(resolve(folder, name.slice('file:'.length)))
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return { error: '"${…}" must hold the name of an environment variable, or file: and a path.' }
  }
  // A variable that stands elsewhere in the configuration is meant there: the id is not the secret.
  const others = Object.keys(env).filter((each) => !named.has(each))
  return env[name] ?? { error: `the environment variable ${name} is not set.${didYouMean(name, others)}` }
}

const SECRET_CHARACTERS_MAX = 65_536

async function readSecretFile(path: string): Promise<string | { readonly error: string }> {
  try {
    const text = await readFile(path, 'utf8')
    if (text.length > SECRET_CHARACTERS_MAX)
      return { error: `the file ${path} is too large to hold one value.` }
    return text.replace(/\r?\n$/, '') // editors end a file with a newline that is not part of the value
  } catch (error) {
    return { error: `the file ${path} ${describeUnreadable(error)}.` }
  }
}

/** Converts the text of a variable where the schema wants a number or a boolean. */
function coerceToSchema(text: string, getSchemas: () => readonly JsonSchema[]): string | number | boolean {
  const type = /^\d{1,15}$/.test(text) ? 'integer' : /^(true|false)$/.test(text) ? 'boolean' : undefined
  if (type === undefined) return text
  const wanted = getSchemas().flatMap((schema) => schema.type ?? []) as readonly string[]
  if (!wanted.includes(type)) return text
  return type === 'integer' ? Number(text) : text === 'true'
}
