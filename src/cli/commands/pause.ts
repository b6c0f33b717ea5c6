/** `dropbridge pause` and `dropbridge resume`: a person keeps passes over a route from beginning, until a time, and lets them begin. */
import type { PauseResult } from '../../app/route-lease.ts'
import { PAUSE_DAYS_MAX } from '../../domain/scheduled-run.ts'
import { isoTime } from '../../support/clock.ts'
import { EXIT } from '../../support/errors.ts'
import { CONFIG_FLAG, DECISION_FLAGS, defineCommand, JSON_FLAG, REQUIRED_TEXT } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'
import { formatPause } from '../format/text.ts'
import { assertNotEmpty } from './release.ts'
import { parseUntil } from './run.ts'

const ROUTE_POSITIONAL = { route: REQUIRED_TEXT } as const

export const pauseCommand = defineCommand({
  argument: 'ROUTE',
  positionals: ROUTE_POSITIONAL,
  options: {
    config: CONFIG_FLAG,
    until: {
      ...REQUIRED_TEXT,
      describe: `When it ends by itself, within ${PAUSE_DAYS_MAX} days: 14:00, 2h from now, 2026-11-21T06:30Z`,
    },
    ...DECISION_FLAGS,
    json: JSON_FLAG,
  },
  async run(terminal, { config, route, until: given, by, why, json }) {
    assertNotEmpty({ by, why })
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = configuration
    const until = parseUntil(given, { now: terminal.clock.now(), zone })
    const request = { route, until, by: by.trim(), why: why.trim() }
    const result = await withBridge(terminal, configuration, (bridge) => bridge.pause(request))
    if (json) terminal.out(JSON.stringify({ ...result, until: isoTime(until) }, null, 2))
    else for (const line of formatResult(result)) terminal.say(line)
    return EXIT.ok
  },
})

function formatResult({ pause, owner }: PauseResult): string[] {
  const { route } = pause
  const working = `${route}: ${owner} is working on it, and goes on to the end of this pass`
  return [`${route}: ${formatPause(pause)}`, ...(owner === undefined ? [] : [working])]
}

export const resumeCommand = defineCommand({
  argument: 'ROUTE',
  positionals: ROUTE_POSITIONAL,
  options: { config: CONFIG_FLAG, ...DECISION_FLAGS, json: JSON_FLAG },
  async run(terminal, { config, route, by, why, json }) {
    assertNotEmpty({ by, why })
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const request = { route, by: by.trim(), why: why.trim() }
    const result = await withBridge(terminal, configuration, (bridge) => bridge.resume(request))
    if (json) terminal.out(JSON.stringify(result, null, 2))
    else terminal.say(`${route}: resumed; it was ${formatPause(result.pause)}`)
    return EXIT.ok
  },
})
