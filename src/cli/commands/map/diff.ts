/** `dropbridge map diff`: which bodies change when one mapping takes the place of another. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { differencesIn, type FieldChange, type RecordChange } from '../../../bridge/maps/diff.ts'
import { createFormats } from '../../../formats/formats.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'
import { inboundMapping } from './mapping.ts'

export interface DiffOptions {
  readonly old: string
  readonly new: string
  /** A file, or a folder whose files are all compared. */
  readonly on: string
  readonly json: boolean
}

export async function diff(terminal: Terminal, options: DiffOptions): Promise<ExitCode> {
  const mappings = {
    old: await inboundMapping(terminal, options.old),
    new: await inboundMapping(terminal, options.new),
  }
  const files = await filesOf(terminal, options.on)
  const format = createFormats()
  let changed = 0
  for (const name of files) {
    const changes = await differencesIn({ path: pathFrom(terminal, name), name }, mappings, format)
    changed += changes.length
    const lines = options.json ? changes.map((change) => JSON.stringify(change)) : changes.flatMap(inWords)
    for (const line of lines) terminal.out(line)
  }
  const where = `${files.length} ${files.length === 1 ? 'file' : 'files'}`
  terminal.say(
    changed === 0
      ? `Nothing changes in ${where}.`
      : `${changed} ${changed === 1 ? 'record changes' : 'records change'} in ${where}.`,
  )
  return changed === 0 ? EXIT.ok : EXIT.rejects
}

/** The files to compare, in the order of their names; hidden ones and folders are passed over. */
async function filesOf(terminal: Terminal, on: string): Promise<string[]> {
  const path = pathFrom(terminal, on)
  const found = await stat(path).catch((cause: unknown) => {
    throw new BridgeError('usage-wrong', `there is no file or folder ${on}`, { cause })
  })
  if (!found.isDirectory()) return [on]
  const entries = await readdir(path, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  if (names.length === 0) throw new BridgeError('usage-wrong', `the folder ${on} has no files`)
  return names.toSorted().map((name) => join(on, name))
}

const WORDS: Readonly<Record<RecordChange['kind'], string>> = {
  added: 'is new',
  removed: 'is gone',
  changed: 'changes',
  refused: 'is refused now',
  taken: 'was refused and is taken now',
}

function inWords({ file, key, kind, fields, problems }: RecordChange): string[] {
  const details = kind === 'changed' ? fields.map(fieldInWords) : problems
  return [`${file}: ${key} ${WORDS[kind]}`, ...details.map((detail) => `  ${detail}`)]
}

function fieldInWords({ field, old, new: now }: FieldChange): string {
  const show = (value: unknown) => (value === undefined ? '(left out)' : JSON.stringify(value))
  return `${field}: ${show(old)} -> ${show(now)}`
}
