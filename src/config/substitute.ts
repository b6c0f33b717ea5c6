/** Puts the values of `${NAME}` and `${file:PATH}` into the configuration. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Document, isPair, isScalar, type Scalar, visit } from 'yaml'
import type { JsonSchema } from './json-schema.ts'
import { schemasAt } from './json-schema.ts'
import type { Mistake } from './mistakes.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  /** What relative paths are relative to. */
  readonly folder: string
  /** What stands for a value at this place that cannot be had, where nobody needs it. */
  readonly standIn?: (path: readonly string[]) => string | undefined
}

/** Changes the document; what could not be put in is left as it stands and returned as a mistake. */
export async function substitute(
  document: Document,
  schema: JsonSchema,
  surroundings: Surroundings,
): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  for (const { path, text, node } of textsIn(document)) {
    const filled = await fill(text, surroundings)
    const standIn = filled.mistakes.length === 0 ? undefined : surroundings.standIn?.(path)
    if (standIn !== undefined) {
      node.value = standIn
      continue
    }
    mistakes.push(...filled.mistakes.map((message) => ({ path, at: 'value' as const, message })))
    if (filled.mistakes.length === 0 && filled.text !== text) {
      node.value = inWantedType(filled.text, schemasAt(schema, path))
    }
  }
  return mistakes
}

interface TextPlace {
  readonly path: readonly string[]
  readonly text: string
  readonly node: Scalar
}

function textsIn(document: Document): TextPlace[] {
  const found: TextPlace[] = []
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return
      const path = ancestors.flatMap((ancestor) =>
        isPair(ancestor) && isScalar(ancestor.key) ? [String(ancestor.key.value)] : [],
      )
      found.push({ path, text: node.value, node })
    },
  })
  return found
}

/** `$${` is a dollar and a brace that mean nothing. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g

async function fill(text: string, surroundings: Surroundings): Promise<{ text: string; mistakes: string[] }> {
  const mistakes: string[] = []
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: name, 2: brace, index } of text.matchAll(REFERENCE)) {
    filled += text.slice(end, index)
    end = index + whole.length
    const value = name === undefined ? '${' : await valueOf(name, brace === '}', surroundings)
    if (typeof value === 'string') filled += value
    else mistakes.push(value.mistake)
  }
  return { text: filled + text.slice(end), mistakes }
}

type Value = string | { readonly mistake: string }

async function valueOf(name: string, closed: boolean, { env, folder }: Surroundings): Promise<Value> {
  if (!closed)
    return { mistake: 'a "${" has no "}" after it. Write $${ for these two characters themselves.' }
  if (name.startsWith('file:')) return contentsOf(resolve(folder, name.slice('file:'.length)))
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return { mistake: '"${…}" must hold the name of an environment variable, or file: and a path.' }
  }
  const value = env[name]
  if (value === undefined) return { mistake: `the environment variable ${name} is not set.` }
  return value
}

const SECRET_CHARACTERS_MAX = 65_536

async function contentsOf(path: string): Promise<Value> {
  try {
    const text = await readFile(path, 'utf8')
    if (text.length > SECRET_CHARACTERS_MAX)
      return { mistake: `the file ${path} is too large to hold one value.` }
    return text.replace(/\r?\n$/, '') // editors end a file with a newline that is not part of the value
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { mistake: `the file ${path} cannot be read (${code}).` }
  }
}

/** A variable is always text; where the schema wants a number or a switch, one that reads as such becomes it. */
function inWantedType(text: string, schemas: readonly JsonSchema[]): string | number | boolean {
  const wanted = schemas.flatMap(({ type }) => type ?? []) as readonly string[]
  if (wanted.includes('integer') && /^\d{1,15}$/.test(text)) return Number(text)
  if (wanted.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
