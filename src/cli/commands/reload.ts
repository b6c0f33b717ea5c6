/** `dropbridge reload`: running watches take over the configuration and mappings that are on the disk. */
import { type ReloadAnswer, requestReload } from '../../app/request-reload.ts'
import { loadKeptConfiguration } from '../../config/load.ts'
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG } from '../command.ts'
import { readConfigurationWithoutApi, resolvePath } from '../context.ts'

/** A watch finishes the file that it works on first, however large it is. */
const WAIT_MS = 60_000

export const reloadCommand = defineCommand({
  options: { config: CONFIG_FLAG, json: JSON_FLAG },
  async run(terminal, { config, json }) {
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const { clock, signal } = terminal
    const before = await loadKeptConfiguration(resolvePath(terminal, config), terminal.env)
    const answers = await requestReload(configuration, before?.configuration, {
      clock,
      signal,
      waitMs: WAIT_MS,
    })
    if (json) terminal.out(JSON.stringify({ watches: answers }, null, 2))
    else for (const answer of answers) terminal.say(formatAnswer(answer))
    if (answers.some(({ state }) => state === 'failed')) return EXIT.badConfiguration
    return answers.some(({ state }) => state === 'waiting') ? EXIT.tryLater : EXIT.ok
  },
})

function formatAnswer({ watch, state, why = '' }: ReloadAnswer): string {
  switch (state) {
    case 'reloaded':
      return `${watch}: reloaded`
    case 'failed':
      return `${watch}: continues with what it had: ${why}`
    case 'waiting':
      return `${watch}: finishes its files first, then it reloads; see dropbridge status`
    case 'ended':
      return `${watch}: has ended; the next one reads the files as they are`
  }
}
