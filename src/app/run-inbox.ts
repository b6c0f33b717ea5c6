/** Runs one pass over an inbox of interchanges under its lease. Failures become its result, so that routes still run. */
import type { InterchangeInbox, Partner } from '../config/edi.ts'
import { formatControlNumber } from '../config/envelope.ts'
import { formatAnswerName } from '../config/file-name.ts'
import type { InboundRoute } from '../config/routes.ts'
import {
  type AnswerPlace,
  createPlaceBackoff,
  type InterchangeContext,
  type Taker,
} from '../pipeline/interchanges/context.ts'
import {
  createInterchangeProgress,
  getInterchangeOutcome,
  type InterchangeOutcome,
  type InterchangeProgress,
  runInterchanges,
} from '../pipeline/interchanges/interchange-pass.ts'
import { buildIntakeRoute } from '../pipeline/route-settings.ts'
import { assert } from '../support/errors.ts'
import type { BridgeContext } from './context.ts'
import { getMailbox } from './journal-access.ts'
import { type RouteResult, toBridgeError } from './outcome.ts'
import { openRouteSpool, withRouteLease } from './route-lease.ts'

/** In place of a pass with the usual context. */
export type InboxWork = (
  context: InterchangeContext,
  progress: InterchangeProgress,
) => Promise<InterchangeOutcome>

export async function runInbox(
  context: BridgeContext,
  inbox: InterchangeInbox,
  signal: AbortSignal,
  work: InboxWork = runInterchanges,
): Promise<RouteResult> {
  const { clock, notify } = context.options
  const began = clock.now()
  const progress = createInterchangeProgress()
  const result = await runUnderLease(context, { inbox, signal, progress, work })
  const failure = result.kind === 'failed' ? { failure: result.failure.code } : {}
  notify({ kind: 'pass-ended', route: inbox.key, ms: clock.now() - began, ...failure })
  return result
}

interface InboxPass {
  readonly inbox: InterchangeInbox
  readonly signal: AbortSignal
  readonly progress: InterchangeProgress
  readonly work: InboxWork
}

async function runUnderLease(
  context: BridgeContext,
  { inbox, signal, progress, work }: InboxPass,
): Promise<RouteResult> {
  const { journal, options, format, interchanges } = context
  const { clock, newId, notify } = options
  try {
    await context.loadMappings()
    return await withRouteLease(context, inbox.key, signal, async (lease) => {
      await context.journalGuard.checkInbox(inbox)
      const own: InterchangeContext = {
        journal,
        lease,
        spool: await openRouteSpool(context, lease),
        clock,
        newId,
        signal,
        notify,
        format,
        interchanges,
        route: buildIntakeRoute(inbox),
        source: getMailbox(context, inbox.from.mailbox),
        results: getMailbox(context, inbox.results.mailbox),
        ...buildInterchangeRules(context, inbox),
        findAnswerPlace: (partner) => findAnswerPlace(context, partner),
        placeBackoff: createPlaceBackoff(clock),
      }
      return { kind: 'interchanges', route: inbox.key, pass: await work(own, progress) }
    })
  } catch (error) {
    const failed = { kind: 'failed', route: inbox.key, failure: toBridgeError(error) } as const
    if (progress.taken.length === 0) return failed
    return { ...failed, done: { kind: 'interchanges', pass: getInterchangeOutcome(inbox.key, progress) } }
  }
}

/** Who sends, who receives, and which routes take what of the inbox. */
export function buildInterchangeRules(
  { configuration, mappings }: Pick<BridgeContext, 'configuration' | 'mappings'>,
  inbox: Pick<InterchangeInbox, 'name'>,
) {
  const { ourAddresses, partners } = configuration.edi ?? { ourAddresses: [], partners: [] }
  const takers = listInboxRoutes(configuration, inbox).map(({ name, from }): Taker => {
    const mapping = mappings.get(name)
    assert(mapping?.direction === 'inbound', `route ${name} has no mapping`)
    const { format, edi: read } = mapping.translator.read
    assert(
      (format === 'x12' || format === 'edifact') && read,
      `the mapping of route ${name} reads no interchanges`,
    )
    const { partner, document = '', when = {} } = from.interchanges ?? {}
    return {
      route: name,
      ...(partner === undefined ? {} : { partner }),
      syntax: format,
      document,
      read,
      when: Object.entries(when),
    }
  })
  return { ourAddresses, partners, takers }
}

/** The routes that take sets from the inbox. */
export function listInboxRoutes(
  { routes }: BridgeContext['configuration'],
  inbox: Pick<InterchangeInbox, 'name'>,
): readonly InboundRoute[] {
  return routes.flatMap((route) =>
    route.direction === 'inbound' && route.from.interchanges?.inbox === inbox.name ? [route] : [],
  )
}

function findAnswerPlace(context: BridgeContext, { name: partner, to }: Partner): AnswerPlace {
  assert(to, `partner ${partner} has no place for answers`)
  return {
    id: `${to.mailbox}/${to.folder}`,
    target: getMailbox(context, to.mailbox),
    folder: to.folder,
    nameFor: ({ number, ...values }) =>
      formatAnswerName(to.name, { ...values, icn: formatControlNumber(number), partner }),
  }
}
