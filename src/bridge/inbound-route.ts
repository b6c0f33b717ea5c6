/** An inbound route as its pipeline knows it, from the configuration. */
import type { Configuration } from '../config/configuration.ts'
import type { InboundRoute } from '../config/routes.ts'
import { companionName, type InboxRules, sequenceNumber } from '../config/inbox.ts'
import type { Ready } from '../domain/readiness.ts'
import type { InboundParts } from '../pipelines/parts.ts'
import { filePattern } from './file-pattern.ts'

export function inboundRoute({ api }: Configuration, route: InboundRoute): InboundParts['route'] {
  const { name, party, operation, from, results, rules, stop, when, waitMs } = route
  const { order, sequence } = from
  const ready = readyOf(from)
  return {
    name,
    party,
    operation,
    folder: from.folder,
    matches: filePattern(from.match),
    ...(/[*?]/.test(from.match) ? {} : { onlyName: from.match }),
    archiveFolder: from.archive,
    resultsFolder: results.folder,
    settleMs: from.settleMs,
    lateAnswerMs: api.lateAnswerMs,
    rules,
    stop,
    ...(ready === undefined ? {} : { ready }),
    ...(order === undefined ? {} : { order }),
    ...(sequence === undefined
      ? {}
      : { sequence: { numberIn: sequenceNumber(sequence.name), start: sequence.start } }),
    ...(when === undefined ? {} : { when }),
    ...(waitMs === undefined ? {} : { waitMs }),
  }
}

/** Undefined where a file is whole when it has settled. */
export function readyOf({ ready }: InboxRules): Ready | undefined {
  if (ready === undefined || !('companion' in ready)) return ready
  const { when, companion } = ready
  return { when, companionOf: (name) => companionName(companion, name) }
}
