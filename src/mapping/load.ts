/** Loads a mapping file and compiles it; every error in it is reported at once, with its line and column. */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, parse, resolve } from 'node:path'
import {
  hasBodyField,
  INBOUND_OPERATIONS,
  type InboundOperationName,
  isInbound,
  isOperation,
  type OperationName,
  OPERATIONS,
  type OutboundOperationName,
} from '../contract/operations.ts'
import { BridgeError, describeUnreadable, hasSystemCode } from '../support/errors.ts'
import { didYouMean, findSimilarName } from '../support/text.ts'
import { type CompiledInbound, compileInbound } from './inbound.ts'
import { type CompiledOutbound, compileOutbound } from './export/outbound.ts'
import type { GrammarContext } from './reading/partner-grammar.ts'
import { readWithBases, resolveFileName } from './source/inherit.ts'
import {
  getEntry,
  locateKey,
  type MapNode,
  nodeAt,
  openSourceReader,
  type SourceNode,
} from './source/source.ts'
import type { ReadTable, TableContext } from './tables.ts'

interface MappingFile {
  readonly warnings: readonly string[]
  /** The SHA-256 of its files by their paths relative to it: itself (''), its bases, tables and grammar. */
  readonly files: Readonly<Record<string, string>>
  /** The tree of the mapping with its bases merged, for the mapping tools. */
  readonly source: MapNode
  /** Returns the file, line and path of the part under these keys, for messages about it. */
  readonly placeOf: (...keys: readonly PropertyKey[]) => string
}

export interface InboundMapping extends CompiledInbound, MappingFile {
  readonly direction: 'inbound'
  readonly operation: InboundOperationName
}

export interface OutboundMapping extends CompiledOutbound, MappingFile {
  readonly direction: 'outbound'
  readonly operation: OutboundOperationName
}

/** A compiled mapping file. The paths of its examples are relative to it. */
export type Mapping = InboundMapping | OutboundMapping

/** The route that a mapping is for. */
interface MappingUser {
  readonly route: string
  readonly operation: string
}

/** Throws `mapping-invalid` with one detail per error. Tables and bases are read relative to the mapping file. */
export async function loadMapping(path: string, user?: MappingUser): Promise<Mapping> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const meant = hasSystemCode(cause, 'ENOENT') ? await findMeantFile(path) : undefined
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`
    const message = `the mapping file ${path} ${describeUnreadable(cause)}.${question}`
    const fix = meant === undefined ? 'Correct the path of the mapping file.' : `Write "${meant}" there.`
    throw new BridgeError('mapping-invalid', message, { cause, fix })
  }
  const readTable = (table: string) => readFile(resolve(dirname(path), table), 'utf8')
  return compileMapping({ text, name: path, readTable, ...(user && { user }) })
}

/** The file of the same folder whose name is nearest, with its extension or without. */
async function findMeantFile(path: string): Promise<string | undefined> {
  const names = await readdir(dirname(path)).catch(() => [])
  const files = names.filter((name) => /\.ya?ml$/i.test(name))
  const stem = findSimilarName(
    parse(path).name,
    files.map((name) => parse(name).name),
  )
  return findSimilarName(basename(path), files) ?? files.find((name) => parse(name).name === stem)
}

export async function compileMapping(mapping: {
  readonly text: string
  /** The name of the file, for messages. */
  readonly name: string
  /** Reads a file that the mapping names, a table or the mapping it extends, by its path relative to it. */
  readonly readTable: ReadTable
  readonly user?: MappingUser
}): Promise<Mapping> {
  const { text, name } = mapping
  const files: Record<string, string> = { '': hash('sha256', text) }
  const readTable: ReadTable = async (path) => {
    const table = await mapping.readTable(path)
    files[path] = hash('sha256', table)
    return table
  }
  const reader = openSourceReader()
  const { errors } = reader
  const root = await readWithBases(text, name, { reader, readFile: readTable })
  const readSource = async (path: string) => reader.read(await readTable(path), resolveFileName(path, name))
  const formatPath = (path: string) => resolveFileName(path, name)
  const compiled =
    root === undefined
      ? undefined
      : await compileRoot(root, { readTable, readSource, errors, formatPath, user: mapping.user }, files)
  if (compiled !== undefined && errors.count() === 0) return compiled
  if (errors.count() === 0) errors.add({ offset: 0, path: '' }, 'the mapping is empty')
  const details = errors.lines()
  const count = details.length === 1 ? 'an error' : `${details.length} errors`
  throw new BridgeError('mapping-invalid', `The mapping ${name} has ${count}.`, { details })
}

/** Why the rest of the mapping is one for another operation: all its errors would follow from that. */
function describeMisfit(root: MapNode, name: OperationName): string | undefined {
  const body = getEntry(root, 'body')
  const fields = body?.kind === 'map' ? [...body.entries.keys()].filter((key) => key !== 'when') : []
  const others = INBOUND_OPERATIONS.filter(
    (each) => fields.length > 1 && fields.every((field) => hasBodyField(each, field)),
  )
  const meant = others.length === 0 ? '' : `: write ${others.join(' or ')}`
  if (!isInbound(name)) {
    if (body === undefined || ['columns', 'records', 'segments'].some((key) => root.entries.has(key)))
      return undefined
    return `${name} writes files with \`columns\`, and this mapping has a \`body\`, which reads files${meant}`
  }
  if (body === undefined && root.entries.has('columns'))
    return `${name} reads files with a \`body\`, and this mapping has \`columns\`, which write files: write the operation that exports them`
  const unknown = fields.filter((field) => !hasBodyField(name, field))
  return others.length === 0 || unknown.length < fields.length / 2
    ? undefined
    : `the body has fields that ${name} does not have, such as ${unknown.slice(0, 2).join(' and ')}${meant}`
}

async function compileRoot(
  root: SourceNode,
  context: TableContext & GrammarContext & { readonly user: MappingUser | undefined },
  files: MappingFile['files'],
): Promise<Mapping | undefined> {
  const { errors, user } = context
  const known = Object.keys(OPERATIONS)
  const node = getEntry(root, 'operation')
  if (root.kind !== 'map' || node?.kind !== 'text') {
    const wrong = root.kind === 'map' ? findSimilarName('operation', [...root.entries.keys()]) : undefined
    if (node === undefined && root.kind === 'map' && wrong !== undefined)
      return errors.add(locateKey(root, wrong), 'there is no such key here. Did you mean "operation"?')
    return errors.add(node ?? root, `operation is missing: one of ${known.join(', ')}`)
  }
  const name = node.text
  if (!isOperation(name)) {
    const meant = didYouMean(name, known) || ` There are ${known.join(', ')}.`
    return errors.add(node, `there is no operation "${name}".${meant}`)
  }
  // The fields of another operation would bury it under errors.
  if (user !== undefined && user.operation !== name) {
    const message = `route ${user.route} does ${user.operation}, and this mapping is for ${name}: correct one of them`
    return errors.add(node, message)
  }
  const misfit = describeMisfit(root, name)
  if (misfit !== undefined) return errors.add(node, misfit)
  const file = (examples: Mapping['examples'], warnings: readonly string[] = []) => ({
    warnings:
      examples.length > 0
        ? warnings
        : [
            ...warnings,
            'The mapping carries no example, so nothing shows that it does what is meant. Add one: `examples` in docs/mapping.md.',
          ],
    files,
    source: root,
    placeOf: (...keys: readonly PropertyKey[]) => errors.locate(nodeAt(root, ...keys)),
  })
  if (isInbound(name)) {
    const compiled = await compileInbound(root, { name, ...OPERATIONS[name] }, context)
    return compiled && { direction: 'inbound', operation: name, ...compiled, ...file(compiled.examples) }
  }
  const compiled = await compileOutbound(root, { name, ...OPERATIONS[name] }, context)
  return (
    compiled && {
      direction: 'outbound',
      operation: name,
      ...compiled,
      ...file(compiled.examples, compiled.document?.plan.warnings),
    }
  )
}
