/** `dropbridge map diff`: which bodies, or rows of an export, change when one mapping takes the place of another. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { differencesIn, type FieldChange, type RecordChange } from '../../../bridge/maps/diff.ts'
import { createFormats } from '../../../formats/formats.ts'
import { loadMapping } from '../../../mapping/load.ts'
import { BridgeError, EXIT, type ExitCode } from '../../../support/errors.ts'
import { pathFrom } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'

export interface DiffOptions {
  readonly old: string
  readonly new: string
  /** A file, or a folder whose files are all compared; for exports of JSON records. */
  readonly on: string
  readonly json: boolean
}

export async function diff(terminal: Terminal, options: DiffOptions): Promise<ExitCode> {
  const mappings = {
    old: await loadMapping(pathFrom(terminal, options.old)),
    new: await loadMapping(pathFrom(terminal, options.new)),
  }
  if (mappings.old.direction !== mappings.new.direction) {
    throw new BridgeError('usage-wrong', 'one of the mappings is for an export, and the other one is not')
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

function inWords(change: RecordChange): string[] {
  const { file, key, kind, fields, problems } = change
  const details = kind === 'changed' ? fields.map(fieldInWords) : problems
  return [`${file}: ${key} ${kindInWords(change)}`, ...details.map((detail) => `  ${detail}`)]
}

function kindInWords({ kind, was }: RecordChange): string {
  if (kind === 'added') return 'is new'
  if (kind === 'removed') return 'is gone'
  if (kind === 'changed') return 'changes'
  return was === undefined || was === 'taken' ? `is ${kind} now` : `was ${was} and is ${kind} now`
}

function fieldInWords({ field, old, new: now }: FieldChange): string {
  const show = (value: unknown) => (value === undefined ? '(left out)' : JSON.stringify(value))
  return `${field}: ${show(old)} -> ${show(now)}`
}
