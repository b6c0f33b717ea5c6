/** Whether a file that stands in an inbox is whole, and whether it is its turn. */
import type { Journal } from '../../domain/journal.ts'
import { lookAt, type Look, namesIn } from '../../mailboxes/look.ts'
import { takenFiles } from '../../pipelines/inbound/survey.ts'
import { inSequence } from '../../pipelines/inbound/taking-order.ts'
import { inboundRoute, readyOf } from '../inbound-route.ts'
import type { Inbox } from './inboxes.ts'
import { type Reason, reason } from './reasons.ts'
import { type Asking, settleReasons } from './rules.ts'

type StandingFile = Extract<Look, { what: 'file' }>

/** By the rule of the route: it has settled, or another file says that it is whole. */
export async function wholeReasons(asking: Asking, inbox: Inbox, file: StandingFile): Promise<Reason[]> {
  const { root, route } = inbox
  const ready = readyOf(route.from)
  if (ready === undefined) return settleReasons(asking, inbox, file)
  if (!('companionOf' in ready)) return []
  const companion = ready.companionOf(asking.name)
  const isThere = (await lookAt(root, route.from.folder, companion)).what === 'file'
  if (isThere) return ready.when === 'manifest' ? settleReasons(asking, inbox, file) : []
  const message = `its ${ready.when} ${companion} has not come; the file is taken when it lies beside it`
  return [reason('companion-missing', message)]
}

/** Of a route with a strict sequence: which number must come before. */
export async function turnReasons(
  { configuration, name }: Asking,
  { route, place }: Inbox,
  journal: Journal,
): Promise<Reason[]> {
  const { sequence, matches, folder } = inboundRoute(configuration, route)
  if (sequence === undefined) return []
  const names = (await namesIn(place)).filter(matches)
  const sightings = names.map((each) => ({ folder, name: each, size: 0, modifiedAt: 0 }))
  const taken = await takenFiles(journal, route.name)
  const { behind } = inSequence(sightings, sequence, { taken, coming: [] })
  const waits = behind.find(({ sighting }) => sighting.name === name)
  return waits === undefined ? [] : [reason('not-its-turn', waits.why)]
}
