/** `dropbridge redeliver DELIVERY`: the bytes of a finished delivery once more, under a second name. */
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfiguration, withProgress } from '../context.ts'
import { formatRedelivery } from '../format/outbound.ts'

/** Also `edi resend`, the name that people look for where the file is an interchange. */
export const redeliverCommand = defineCommand({
  argument: 'DELIVERY',
  positionals: { delivery: REQUIRED_TEXT },
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, delivery, json }) {
    const configuration = await readConfiguration(terminal, config)
    const result = await withProgress(terminal, configuration, (bridge) =>
      bridge.redeliver(delivery.trim(), terminal.signal),
    )
    const exit = result.redelivery.state === 'delivered' ? EXIT.ok : EXIT.rejects
    if (json) terminal.out(JSON.stringify({ exit, ...result }, null, 2))
    else terminal.say(`${result.delivery.route}: ${formatRedelivery(result)}`)
    return exit
  },
})
