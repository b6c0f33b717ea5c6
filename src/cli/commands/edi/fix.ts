/** `dropbridge edi fix`: a copy of a file with right counts, numbers, trailers and padding. */
import { basename, parse } from 'node:path'
import { fixEdiFile } from '../../../app/edi/fix.ts'
import { formatCorrectionName, isPartFile } from '../../../domain/file.ts'
import { parseArchivedId } from '../../../mailboxes/names.ts'
import { EXIT } from '../../../support/errors.ts'
import { defineCommand, FILE_ARGUMENT, JSON_FLAG, REQUIRED_TEXT } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import { formatCount } from '../../format/text.ts'

export const fixCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: { out: { ...REQUIRED_TEXT, describe: 'The file to write; it must not exist' }, json: JSON_FLAG },
  async run(terminal, { file, out, json }) {
    const { repairs, more, incomplete } = await fixEdiFile(
      resolvePath(terminal, file),
      resolvePath(terminal, out),
    )
    if (json) terminal.out(JSON.stringify({ file: out, repairs, more, incomplete }, null, 2))
    else {
      for (const { segment, at, what } of repairs) terminal.out(`segment ${segment}, byte ${at}: ${what}`)
      if (more > 0) terminal.out(`${formatCount(more, 'more repair')} not listed`)
      const count = repairs.length + more
      terminal.say(`${out}: ${count === 0 ? 'nothing had to be put right' : formatCount(count, 'repair')}`)
    }
    if (repairs.length > 0 && !isPartFile(out)) {
      const name = nameCorrection(file)
      terminal.say(
        `Drop the copy in as ${name}: under this name it corrects what was refused of the original.`,
      )
      terminal.say('Under another name an inbox of `edi.inboxes` that took the original refuses its number.')
    }
    if (incomplete > 0) {
      const sets =
        incomplete === 1 ? 'A set had no end (SE or UNT)' : `${incomplete} sets had no end (SE or UNT)`
      terminal.say(`${sets}, and may have lost segments before it.`)
      terminal.say('Compare with the sender before you drop the copy in: it would be taken as whole.')
    }
    return EXIT.ok
  },
})

/** A person may have written a shorter text behind `~`. */
const SHORTEST_ID = 10

/** `orders.rejects.x12` for `in/orders.x12` and its archived `orders~0a1b2c3d4e.x12`; a part keeps its name. */
function nameCorrection(file: string): string {
  const name = basename(file)
  if (isPartFile(name)) return name
  const { name: stem, ext } = parse(name)
  const id = parseArchivedId(name)
  const isArchived = id !== undefined && id.length >= SHORTEST_ID
  const original = isArchived ? stem.slice(0, -1 - id.length) : stem
  return formatCorrectionName(`${original}${ext}`)
}
