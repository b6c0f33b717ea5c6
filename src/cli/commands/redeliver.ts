/** `dropbridge redeliver DELIVERY`: the bytes of a finished delivery once more, under a second name. */
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfiguration, withProgress } from '../context.ts'
import { formatRedelivery } from '../format/outbound.ts'

export const redeliverCommand = defineRedelivery(
  'redeliver',
  'Deliver the bytes of a finished delivery (name or id) once more; acknowledges nothing',
)

/** Of interchanges it has the name that people look for. */
export const resendCommand = defineRedelivery(
  'resend',
  'Send an interchange (name or id of its file) once more: the same bytes under the same control numbers',
)

function defineRedelivery(name: string, describe: string) {
  return defineCommand({
    usage: `${name} <delivery>`,
    describe,
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
}
