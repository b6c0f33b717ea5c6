/** `dropbridge edi fix`: a copy of a file with right counts, numbers, trailers and padding. */
import { fixEdiFile } from '../../../app/edi/fix.ts'
import { isPartFile } from '../../../domain/file.ts'
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
    if (!isPartFile(out)) {
      terminal.say('An inbox that took the original refuses the copy, because it has its number.')
      terminal.say('Where it is a correction, give it a name with .rejects. in it, such as NAME.rejects.x12.')
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
