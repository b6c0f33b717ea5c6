/** `dropbridge map learn`: guesses a first mapping from a sample file. */
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { LearnedDocument } from '../../../mapping-tools/edi/learn.ts'
import { learnMapping } from '../../../mapping-tools/learn/learn.ts'
import { writeRoute } from '../../../mapping-tools/learn/mapping-page.ts'
import { INBOUND_OPERATIONS, isInbound, OUTBOUND_OPERATIONS } from '../../../contract/operations.ts'
import { createFormats } from '../../../formats/formats.ts'
import { BridgeError, EXIT, hasSystemCode } from '../../../support/errors.ts'
import { fileExistsError, findWriteFix } from '../../../support/files.ts'
import { quoteForShell } from '../../../support/text.ts'
import { defineCommand, FILE_ARGUMENT, JSON_FLAG, REQUIRED_TEXT, text } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { sayOpenEnd, sayProblems } from '../../format/text.ts'

export const learnCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: {
    operation: {
      ...REQUIRED_TEXT,
      choices: [...INBOUND_OPERATIONS, ...OUTBOUND_OPERATIONS],
      describe: 'Such as create-order; of an interchange also an export such as export-invoices',
    },
    out: text('The mapping file to write; on stdout without it'),
    json: JSON_FLAG,
  },
  async run(terminal, { file, operation, out, json }) {
    const name = out === undefined ? 'mapping.yaml' : basename(out)
    const format = createFormats()
    const learned = await learnMapping(resolvePath(terminal, file), operation, { format, name })
    if ('problems' in learned) {
      sayProblems(terminal, file, learned.problems)
      return EXIT.unusableFile
    }
    const { text, unfinished } = learned
    if (out !== undefined) await writeNewMapping(resolvePath(terminal, out), text, out)
    if (json) terminal.out(JSON.stringify(learned, null, 2))
    else if (out === undefined) terminal.out(text.trimEnd())
    const open = [...unfinished, ...('ready' in learned ? learned.openCodes.map(formatOpenCode) : [])]
    if ('ready' in learned) terminal.say(formatReady(learned.ready))
    else {
      terminal.say(formatCounts(learned.columns))
      if (learned.unread !== undefined) terminal.say(`Left aside, as a run refuses them: ${learned.unread}`)
      if (learned.hasOpenEnd) sayOpenEnd(terminal, `The last line of ${file}`)
    }
    if (open.length > 0) terminal.say('To be filled in before it works:')
    for (const line of open) terminal.say(`  ${line}`)
    if (out !== undefined) {
      const first = open.length > 0 ? 'fill in what is listed above, then ' : ''
      const next = isInbound(operation) ? `map try ${quoteForShell(file)}` : 'map coverage RECORDS.json'
      terminal.say(`Wrote ${out}. Next: ${first}${terminal.program} ${next} -m ${quoteForShell(out)}`)
      terminal.say('Then paste its route below `routes:` in dropbridge.yaml, with your own id:')
      terminal.say(writeRoute(operation, out))
    }
    return EXIT.ok
  },
})

/** Those that feed a field, the unknown and the ignored ones are all columns of the file. */
function formatCounts({
  placed,
  sure,
  unplaced,
  ignored,
}: Readonly<Record<'placed' | 'sure' | 'unplaced' | 'ignored', number>>): string {
  const none = ignored === 0 ? '' : `, ${ignored} ignored (without a name, or of a result file)`
  return `Of ${placed + unplaced + ignored} columns: ${placed} feed a field, ${sure} of them for sure; ${unplaced} unknown${none}.`
}

function formatReady({ name, paths, filled }: LearnedDocument['ready']): string {
  return `Of the ${paths} paths of the ready mapping ${name}, the sample fills ${filled}.`
}

function formatOpenCode({ table, code }: LearnedDocument['openCodes'][number]): string {
  return `table ${table}: what "${code}" means`
}

async function writeNewMapping(path: string, text: string, shown: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    if (hasSystemCode(cause, 'EEXIST')) throw fileExistsError(shown)
    const fix = cause instanceof Error ? findWriteFix(cause) : undefined
    throw new BridgeError('cannot-write', `${shown} cannot be written`, { cause, fix })
  }
}
