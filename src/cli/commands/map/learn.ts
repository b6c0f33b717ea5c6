/** `dropbridge map learn`: guesses a first mapping from a sample file. */
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { learnMapping } from '../../../bridge/maps/learn/learn.ts'
import { OPERATIONS, type InboundOperationName } from '../../../contract/operations.ts'
import { createFormats } from '../../../formats/formats.ts'
import { BridgeError, EXIT, type ExitCode, hasSystemCode } from '../../../support/errors.ts'
import { didYouMean } from '../../../support/nearest.ts'
import { pathFrom } from '../../context.ts'
import { problemInWords } from '../../problem-in-words.ts'
import type { Terminal } from '../../terminal.ts'

export interface LearnOptions {
  readonly file: string
  readonly operation: string
  /** Where the mapping is written; on stdout without it. */
  readonly out: string | undefined
  readonly json: boolean
}

export async function learn(terminal: Terminal, options: LearnOptions): Promise<ExitCode> {
  const { file, operation, out, json } = options
  if (!isInbound(operation)) {
    const known = Object.keys(OPERATIONS).filter(isInbound)
    const hint = didYouMean(operation, known) || ` There are ${known.join(', ')}.`
    throw new BridgeError('usage-wrong', `no mapping can be learned for "${operation}".${hint}`)
  }
  const name = out === undefined ? 'mapping.yaml' : basename(out)
  const learned = await learnMapping(pathFrom(terminal, file), operation, { format: createFormats(), name })
  if ('problems' in learned) {
    for (const each of learned.problems) terminal.say(`${file}: ${problemInWords(each)}  [${each.code}]`)
    return EXIT.unusableFile
  }
  if (out !== undefined) await writeNew(pathFrom(terminal, out), learned.text, out)
  if (json) terminal.out(JSON.stringify(learned, null, 2))
  else if (out === undefined) terminal.out(learned.text.trimEnd())
  const sure = learned.placed.filter(({ confidence }) => confidence === 'sure').length
  const { length: unplaced } = learned.unplaced
  terminal.say(
    `${learned.placed.length} columns found their field, ${sure} of them for sure; ${unplaced} found none.`,
  )
  if (learned.unfinished.length > 0) terminal.say('To be filled in before it works:')
  for (const line of learned.unfinished) terminal.say(`  ${line}`)
  if (out !== undefined) {
    const first = learned.unfinished.length > 0 ? 'fill in what is listed above, then ' : ''
    terminal.say(`Wrote ${out}. Next: ${first}${terminal.program} map try ${file} -m ${out}`)
  }
  return EXIT.ok
}

function isInbound(name: string): name is InboundOperationName {
  return Object.entries(OPERATIONS).some(
    ([known, { direction }]) => known === name && direction === 'inbound',
  )
}

async function writeNew(path: string, text: string, shown: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    if (hasSystemCode(cause, 'EEXIST')) {
      throw new BridgeError('usage-wrong', `${shown} is there already; nothing was changed`, { cause })
    }
    throw new BridgeError('cannot-write', `${shown} cannot be written`, { cause })
  }
}
