/** Loads a mapping file and compiles it; every mistake in it is told at once, with its line and column. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  type InboundOperationName,
  OPERATIONS,
  type OperationName,
  type OutboundOperationName,
} from '../contract/operations.ts'
import type { Composer } from '../domain/translator.ts'
import { BridgeError } from '../support/errors.ts'
import type { Example } from './file.ts'
import { compileInbound, unknownOperation } from './inbound.ts'
import { type CompiledOutbound, compileOutbound } from './export/outbound.ts'
import { readWithBases } from './source/inherit.ts'
import { type MapNode, type Mistakes, openSourceReader, type SourceNode } from './source/source.ts'
import type { ReadTable } from './tables.ts'
import type { WatchedTranslator } from './watched.ts'

export interface InboundMapping {
  readonly direction: 'inbound'
  readonly operation: InboundOperationName
  readonly translator: WatchedTranslator
  readonly examples: readonly Example[]
  readonly warnings: readonly string[]
  /** What the mapping says, with what it inherits, for the tools that show it. */
  readonly source: MapNode
}

export interface OutboundMapping {
  readonly direction: 'outbound'
  readonly operation: OutboundOperationName
  readonly composer: Composer
  readonly explain: CompiledOutbound['explain']
  readonly examples: readonly Example[]
  readonly warnings: readonly string[]
  /** What the mapping says, with what it inherits, for the tools that show it. */
  readonly source: MapNode
}

/** A compiled mapping file. The paths of its examples are relative to it. */
export type Mapping = InboundMapping | OutboundMapping

/** Throws `mapping-invalid` with one detail per mistake. Tables and bases are read relative to the mapping file. */
export async function loadMapping(path: string): Promise<Mapping> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new BridgeError('mapping-invalid', `The mapping file ${path} cannot be read.`, { cause })
  }
  const readTable = (table: string) => readFile(resolve(dirname(path), table), 'utf8')
  return compileMapping({ text, name: path, readTable })
}

export async function compileMapping(mapping: {
  readonly text: string
  /** The name of the file, for messages. */
  readonly name: string
  /** Reads a file that the mapping names, a table or the mapping it extends, by its path relative to it. */
  readonly readTable: ReadTable
}): Promise<Mapping> {
  const { text, name, readTable } = mapping
  const reader = openSourceReader()
  const { mistakes } = reader
  const root = await readWithBases(text, name, { reader, readFile: readTable })
  const compiled = root === undefined ? undefined : await compileRoot(root, { readTable, mistakes })
  if (compiled !== undefined && mistakes.count() === 0) return compiled
  if (mistakes.count() === 0) mistakes.add({ offset: 0, path: '' }, 'the mapping is empty')
  const details = mistakes.lines()
  const count = details.length === 1 ? 'a mistake' : `${details.length} mistakes`
  throw new BridgeError('mapping-invalid', `The mapping ${name} has ${count}.`, { details })
}

async function compileRoot(
  root: SourceNode,
  context: { readonly readTable: ReadTable; readonly mistakes: Mistakes },
): Promise<Mapping | undefined> {
  const { mistakes } = context
  const operationNode = root.kind === 'map' ? root.entries.get('operation')?.node : undefined
  if (root.kind !== 'map' || operationNode?.kind !== 'text') {
    mistakes.add(operationNode ?? root, `operation is missing: one of ${Object.keys(OPERATIONS).join(', ')}`)
    return undefined
  }
  const name = operationNode.text
  if (!isOperation(name)) {
    mistakes.add(operationNode, unknownOperation(name, Object.keys(OPERATIONS)))
    return undefined
  }
  if (isInbound(name)) {
    const compiled = await compileInbound(root, { name, ...OPERATIONS[name] }, context)
    return (
      compiled && {
        direction: 'inbound',
        operation: name,
        ...compiled,
        warnings: warningsOf(compiled),
        source: root,
      }
    )
  }
  const compiled = await compileOutbound(root, { name, ...OPERATIONS[name] }, context)
  return (
    compiled && {
      direction: 'outbound',
      operation: name,
      ...compiled,
      warnings: warningsOf(compiled),
      source: root,
    }
  )
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}

function isInbound(name: OperationName): name is InboundOperationName {
  return OPERATIONS[name].direction === 'inbound'
}

function warningsOf({ examples }: { readonly examples: readonly Example[] }): string[] {
  return examples.length > 0
    ? []
    : ['The mapping carries no example, so nothing shows that it does what is meant.']
}
