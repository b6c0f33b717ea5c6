/** `dropbridge map diff`: which bodies, or rows of an export, change when one mapping takes the place of another. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compareFile, type FieldChange, type RecordChange } from '../../../mapping-tools/diff.ts'
import { createFormats } from '../../../formats/formats.ts'
import { loadMapping } from '../../../mapping/load.ts'
import { BridgeError, EXIT, usageError } from '../../../support/errors.ts'
import { defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { formatCount } from '../../format/text.ts'
import type { Terminal } from '../../terminal.ts'

export const diffCommand = defineCommand({
  argument: 'OLD or NEW mapping',
  positionals: { old: REQUIRED_TEXT, new: REQUIRED_TEXT },
  options: {
    on: { ...REQUIRED_TEXT, describe: 'A file, or a folder of files; JSON for exports' },
    json: JSON_FLAG,
  },
  async run(terminal, { old, new: changedMapping, on, json }) {
    const mappings = {
      old: await loadMapping(resolvePath(terminal, old)),
      new: await loadMapping(resolvePath(terminal, changedMapping)),
    }
    if (mappings.old.direction !== mappings.new.direction) {
      throw usageError(
        'one of the mappings is for an export, and the other one is not',
        'Name two mappings of one operation.',
      )
    }
    const files = await listFiles(terminal, on)
    const format = createFormats()
    let changed = 0
    for (const name of files) {
      const changes = await compareFile({ path: resolvePath(terminal, name), name }, mappings, format)
      changed += changes.length
      const lines = json ? changes.map((change) => JSON.stringify(change)) : changes.flatMap(formatChange)
      for (const line of lines) terminal.out(line)
    }
    const what =
      changed === 0
        ? 'Nothing changes'
        : `${formatCount(changed, 'record')} ${changed === 1 ? 'changes' : 'change'}`
    terminal.say(`${what} in ${formatCount(files.length, 'file')}.`)
    return changed === 0 ? EXIT.ok : EXIT.rejects
  },
})

/** The files to compare, in the order of their names; without hidden ones and folders. */
async function listFiles(terminal: Terminal, on: string): Promise<string[]> {
  const path = resolvePath(terminal, on)
  const found = await stat(path).catch((cause: unknown) => {
    throw new BridgeError('usage-wrong', `there is no file or folder ${on}`, { cause })
  })
  if (!found.isDirectory()) return [on]
  const entries = await readdir(path, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  if (names.length === 0)
    throw usageError(
      `the folder ${on} has no files`,
      'Put sample files of the mapping into it, or name another folder or a file.',
    )
  return names.toSorted().map((name) => join(on, name))
}

function formatChange(change: RecordChange): string[] {
  const { file, key, kind, fields, problems } = change
  const details = kind === 'changed' ? fields.map(formatField) : problems
  return [`${file}: ${key} ${formatKind(change)}`, ...details.map((detail) => `  ${detail}`)]
}

function formatKind({ kind, was }: RecordChange): string {
  if (kind === 'added') return 'is new'
  if (kind === 'removed') return 'is gone'
  if (kind === 'changed') return 'changes'
  return was === undefined || was === 'taken' ? `is ${kind} now` : `was ${was} and is ${kind} now`
}

function formatField({ field, old, new: now }: FieldChange): string {
  const show = (value: unknown) => (value === undefined ? '(left out)' : JSON.stringify(value))
  return `${field}: ${show(old)} -> ${show(now)}`
}
