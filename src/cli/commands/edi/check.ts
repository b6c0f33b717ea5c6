/** `dropbridge edi check`: what is wrong with files of X12 and EDIFACT, and the answers that a bridge would send. */
import { checkEdiFile, type EdiCheck, type EdiCheckOptions } from '../../../app/edi/check.ts'
import { type InboundMapping, loadMapping } from '../../../mapping/load.ts'
import { EXIT, type ExitCode, usageError } from '../../../support/errors.ts'
import { defineCommand, flag, JSON_FLAG, text } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { ediCheckToJson, formatEdiCheck } from '../../format/edi.ts'
import type { Terminal } from '../../terminal.ts'

/** The numbers of a partner and what is agreed with it are not known here. */
const ANSWER = { numbers: { interchange: 1, group: 1 }, ta1: 'asked', echoes: true } as const

export const checkCommand = defineCommand({
  argument: 'FILE',
  positionals: { files: { type: 'string', array: true, demandOption: true } },
  options: {
    mapping: { ...text('Also translate the records with this mapping; nothing is sent'), alias: 'm' },
    answer: flag('Print the TA1, 997 or CONTRL that is due; the verdicts go to stderr'),
    kind: {
      type: 'string',
      choices: ['997', '999'],
      default: '997',
      describe: 'The document that answers groups of X12',
    },
    json: JSON_FLAG,
  },
  async run(terminal, { files, mapping, answer, kind, json }) {
    if (answer && json)
      throw usageError('--answer prints the answer itself, not JSON', 'Leave --answer or --json out.')
    const loaded = mapping === undefined ? undefined : await loadInbound(terminal, mapping)
    const at = new Date(terminal.clock.now())
    const options: EdiCheckOptions = {
      mapping: loaded,
      answer: answer ? { ...ANSWER, at, kind: kind === '999' ? kind : '997' } : undefined,
    }
    // The answers are the data then.
    const say = (line: string) => (answer ? terminal.say(line) : terminal.out(line))
    const exits: ExitCode[] = []
    const checked: unknown[] = []
    for (const file of files) {
      let hasAnswer = false
      const write = async (bytes: Uint8Array) => {
        // One answer alone is a file that can be sent; of several, each stands under the name of its file.
        if (!hasAnswer && files.length > 1) await terminal.outBytes(Buffer.from(`${file}:\n`))
        hasAnswer = true
        await terminal.outBytes(bytes)
      }
      const check = await checkEdiFile(resolvePath(terminal, file), { ...options, write })
      if (answer && !hasAnswer) terminal.say(`${file}: no answer is due`)
      const exit = computeExit(check)
      exits.push(exit)
      if (json) checked.push(ediCheckToJson(file, check, exit))
      else for (const line of formatEdiCheck(file, check)) say(line)
    }
    if (json) terminal.out(JSON.stringify({ files: checked }, null, 2))
    if (exits.includes(EXIT.unusableFile)) return EXIT.unusableFile
    return exits.includes(EXIT.rejects) ? EXIT.rejects : EXIT.ok
  },
})

async function loadInbound(terminal: Terminal, path: string): Promise<InboundMapping> {
  const mapping = await loadMapping(resolvePath(terminal, path))
  const format = mapping.direction === 'inbound' ? mapping.translator.read.format : ''
  if (mapping.direction === 'inbound' && (format === 'x12' || format === 'edifact')) return mapping
  throw usageError(
    `${path} reads no documents of X12 or EDIFACT`,
    'Name a mapping that has `read: { format: x12 }` or `edifact`, or leave --mapping out.',
  )
}

function computeExit({ unusable, problems, counts }: EdiCheck): ExitCode {
  if (unusable !== undefined) return EXIT.unusableFile
  return problems.length > 0 || counts.refused > 0 ? EXIT.rejects : EXIT.ok
}
