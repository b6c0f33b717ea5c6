/** The `dropbridge edi` commands: to read, check and repair files of X12 and EDIFACT. */
import { defineCommand } from '../../command.ts'
import { checkCommand } from './check.ts'
import { fixCommand } from './fix.ts'
import { numbersCommand } from './numbers.ts'
import { partnersCommand } from './partners.ts'
import { resendCommand } from '../redeliver.ts'
import { showCommand } from './show.ts'

export const ediCommand = defineCommand({
  usage: 'edi',
  describe: 'Show, check, repair and resend files of X12 and EDIFACT; list partners and control numbers',
  commands: [showCommand, checkCommand, fixCommand, partnersCommand, numbersCommand, resendCommand],
  demand: 'Name what to do: show, check, fix, partners, numbers, resend.',
})
