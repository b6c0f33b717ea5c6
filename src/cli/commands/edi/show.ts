/** `dropbridge edi show`: a file of X12 or EDIFACT for people, in its loops and in words. */
import { showEdiFile, type ShownItem } from '../../../app/edi/show.ts'
import { EXIT, hasCode, usageError } from '../../../support/errors.ts'
import { loadMappings } from '../../../app/context.ts'
import { createGrammarChooser } from '../../../app/edi/partners.ts'
import { defineCommand, FILE_ARGUMENT, flag, JSON_FLAG, text } from '../../command.ts'
import { readConfigurationToShow, resolvePath } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'
import { formatRawItem, formatShownItem, shownItemToJson, toShownBytes } from '../../format/edi.ts'

export const showCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: {
    set: { type: 'number', describe: 'Only this set of the file, counted from 1' },
    raw: flag('One segment on each line, as it stands in the file'),
    config: { ...text('Read each document by the grammar of its partner in this configuration'), alias: 'c' },
    json: JSON_FLAG,
  },
  async run(terminal, { file, set, raw, json, config }) {
    if (set !== undefined && (!Number.isInteger(set) || set < 1))
      throw usageError(
        '--set is the number of a set, counted from 1',
        'Write it with digits, such as `--set 1`.',
      )
    if (raw && json)
      throw usageError('--raw and --json are two ways to print the file', 'Leave one of the two out.')
    const format = json ? toJsonLine : raw ? formatRawItem : formatShownItem
    const chooseGrammar = config === undefined ? undefined : await loadGrammars(terminal, config)
    const options = { set, isRaw: raw, chooseGrammar }
    let count = 0
    try {
      for await (const items of showEdiFile(resolvePath(terminal, file), options)) {
        const lines = items.flatMap(format)
        count += items.filter((item) => 'number' in item).length
        if (lines.length === 0) continue
        // Waits for the reader, so that a large file does not pile up in memory.
        await terminal.outBytes(toShownBytes(lines))
      }
    } catch (error) {
      // A pager that is closed has shown enough.
      if (!hasCode(error, 'interrupted')) throw error
    }
    if (count > 0) return EXIT.ok
    if (set === undefined) {
      terminal.say(`${file} holds no interchange of X12 or EDIFACT.`)
      return EXIT.unusableFile
    }
    terminal.say(`${file} has no set ${set}.`)
    return EXIT.rejects
  },
})

async function loadGrammars(terminal: Terminal, config: string) {
  const configuration = await readConfigurationToShow(terminal, config)
  return createGrammarChooser(configuration, await loadMappings(configuration))
}

function toJsonLine(item: ShownItem): readonly string[] {
  return [JSON.stringify(shownItemToJson(item))]
}
