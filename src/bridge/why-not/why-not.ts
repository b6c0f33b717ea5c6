/** Why a file is not picked up: every rule that could keep it from that is asked, and nothing is changed. */
import { join, resolve } from 'node:path'
import type { Configuration } from '../../config/configuration.ts'
import { FILE_STATES, type FileEntry, type Journal } from '../../domain/journal.ts'
import { claimsOf, lookAt, namesIn } from '../../mailboxes/look.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, type ExitCode, FAILURES } from '../../support/errors.ts'
import { loadMappings } from '../mappings.ts'
import { readJournal } from '../reading.ts'
import {
  type Asking,
  type Eyes,
  leaseReasons,
  type Mappings,
  nameReasons,
  queueNotes,
  rightsReasons,
  sameBytes,
  unfinishedReason,
} from './rules.ts'
import { asInbox, type Inbox, inboxesAt, inboxesMeant, inboxesOf } from './inboxes.ts'
import { emptyNotes, manifestReasons, turnReasons, wholeReasons } from './readiness.ts'
import { exitOf, type Reason, reason, type RouteVerdict } from './reasons.ts'
import { lookedAt, remoteInboxes, remoteVerdicts } from './remote.ts'
import { alikeHere } from './alike.ts'
import { contentsOf } from './contents.ts'

export interface WhyNotRequest {
  readonly file: string
  /** The folder that a relative path is relative to. */
  readonly from: string
  readonly route?: string
}

export interface WhyNot {
  readonly file: string
  readonly verdicts: readonly RouteVerdict[]
  readonly exit: ExitCode
}

/** Throws only what is wrong with the request. */
export async function whyNot(
  configuration: Configuration,
  request: WhyNotRequest,
  eyes: Eyes,
): Promise<WhyNot> {
  const { file, from, route } = request
  const inboxes = inboxesOf(configuration, route)
  const at = await inboxesAt(resolve(from, file), inboxes)
  if (at.length > 0) return { file, ...(await inboxVerdicts(at)) }
  const meant = await inboxesMeant(file, from, inboxes)
  const mappings = await mappingsOf(configuration)
  const judge = async (journal: Journal | undefined): Promise<RouteVerdict[]> => {
    const remote = remoteInboxes(configuration, { file, route, clock: eyes.clock })
    const asking = { journal, configuration, mappings, name: meant.name, inboxes, remote, ...eyes }
    if (meant.inboxes.length === 0) {
      const elsewhere = await remoteVerdicts(asking)
      return elsewhere.length > 0 ? elsewhere : [await nowhere(asking, meant.astray)]
    }
    const verdicts: RouteVerdict[] = []
    for (const inbox of meant.inboxes) verdicts.push(await judgeInbox(asking, inbox))
    return verdicts
  }
  try {
    const verdicts = (await readJournal(configuration, eyes.clock, judge)) ?? (await judge(undefined))
    return { file, verdicts, exit: exitOf(verdicts) }
  } catch (error) {
    if (!(error instanceof BridgeError) || !error.code.startsWith('journal-')) throw error
    const away = reason('journal-away', error.message, FAILURES[error.code].cure)
    const verdict = { path: configuration.journal.path, reasons: [away], notes: [] }
    return { file, verdicts: [verdict], exit: error.exit }
  }
}

async function inboxVerdicts(inboxes: readonly Inbox[]): Promise<Omit<WhyNot, 'file'>> {
  const verdicts: RouteVerdict[] = []
  for (const inbox of inboxes) {
    const reasons = [await asInbox(inbox)]
    verdicts.push({ route: inbox.route.name, path: inbox.place, reasons, notes: [] })
  }
  return { verdicts, exit: exitOf(verdicts) }
}

/** A mistake in any of them stops every route. */
async function mappingsOf(configuration: Configuration): Promise<Mappings> {
  try {
    return { loaded: await loadMappings(configuration) }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    const places = error.details.length === 0 ? '' : `: ${error.details.slice(0, 3).join('; ')}`
    return { wrong: reason('mappings-wrong', `${error.message}${places}`) }
  }
}

const ALIKE_MAX = 5

/** It stands in no inbox: it may have been taken already, or be called otherwise. */
async function nowhere(asking: Asking, astray: Reason | undefined): Promise<RouteVerdict> {
  const { journal, name, inboxes } = asking
  const taken = (await journal?.filesCalled(name, ALIKE_MAX)) ?? []
  const of = inboxes.length === 1 && inboxes[0] !== undefined ? { route: inboxes[0].route.name } : {}
  const known = taken.filter((file) => of.route === undefined || file.route === of.route)
  if (known.length > 0 && astray?.code !== 'not-in-inbox') {
    return { ...of, path: name, reasons: known.slice(0, 1).map((file) => takenAs(asking, file)), notes: [] }
  }
  for (const inbox of inboxes) {
    const away = await lookAt(inbox.root, inbox.route.from.folder, name)
    if (away.what === 'away')
      return {
        route: inbox.route.name,
        path: inbox.place,
        reasons: [reason('mailbox-away', away.why)],
        notes: [],
      }
    const [claim] = await claimsOf(inbox.root, inbox.route.from.folder, name)
    if (claim === undefined || known.length > 0) continue
    const message = `it was claimed from ${inbox.place} under the id ${claim}, which this journal does not know`
    return {
      route: inbox.route.name,
      path: inbox.place,
      reasons: [reason('claimed-elsewhere', message)],
      notes: [],
    }
  }
  if (astray !== undefined) {
    const notes = known.slice(0, 1).map((file) => `a file of this name ${takenAs(asking, file).message}`)
    return { path: name, reasons: [astray], notes }
  }
  const names: string[] = []
  for (const { place } of inboxes) names.push(...(await namesIn(place)))
  const near = [
    ...alikeHere(name, names, ALIKE_MAX),
    ...((await journal?.namesNear(name, ALIKE_MAX)) ?? []).map((each) => `${each} (taken earlier)`),
  ]
  const also = near.length === 0 ? '' : `; much alike: ${near.join(', ')}`
  const looked = [...inboxes.map(({ place }) => place), ...lookedAt(asking)].join(', ')
  const message = `no inbox has a file ${name}, and none was ever taken${also}. Looked in ${looked}`
  return { ...of, path: name, reasons: [reason('no-such-file', message)], notes: [] }
}

/** What became of a file that was taken. */
function takenAs({ configuration }: Asking, file: FileEntry): Reason {
  const {
    id,
    state,
    outcome = 'processed',
    route,
    receivedAt,
    claimedAt,
    closedAt,
    reportName,
    archivedAs,
  } = file
  const taken = `was taken by route ${route} on ${isoTime(receivedAt ?? claimedAt)} (id ${id})`
  if (state !== 'closed') {
    const isThere = configuration.routes.some(({ name }) => name === route)
    const message = `${taken} and is ${state}. ${FILE_STATES[state]}`
    return isThere
      ? reason('being-done', message)
      : reason('route-gone', `${message} But the configuration has no route ${route} any more`)
  }
  const results = reportName === undefined ? '' : `; results: ${reportName}.results.csv`
  const archived = archivedAs === undefined ? '' : `; archived as ${archivedAs}`
  const why = file.problems.length === 0 ? '' : `: ${file.problems[0]?.message ?? ''}`
  return reason(
    'done',
    `${taken} and closed on ${isoTime(closedAt ?? claimedAt)}, ${outcome}${why.replace(/\.$/, '')}${results}${archived}`,
  )
}

async function judgeInbox(asking: Asking, inbox: Inbox): Promise<RouteVerdict> {
  try {
    return await judgeStanding(asking, inbox)
  } catch (error) {
    // Most likely the bridge takes it just while it is asked about.
    const { what } = await lookAt(inbox.root, inbox.route.from.folder, asking.name)
    if (what !== 'nothing') throw error
    return { ...(await nowhere(asking, undefined)), path: join(inbox.place, asking.name) }
  }
}

async function judgeStanding(asking: Asking, inbox: Inbox): Promise<RouteVerdict> {
  const { name, journal, mappings } = asking
  const { route, root, place } = inbox
  const path = join(place, name)
  const look = await lookAt(root, route.from.folder, name)
  const only = (...reasons: Reason[]): RouteVerdict => ({ route: route.name, path, reasons, notes: [] })
  if (look.what === 'away') return only(reason('mailbox-away', look.why))
  if (look.what === 'nothing') return { ...(await nowhere(asking, undefined)), path }
  const unfinished = look.what === 'passed-over' ? unfinishedReason(name, route.from.match) : undefined
  const passedOver = look.what === 'passed-over' ? [reason('passed-over', look.why)] : []
  const reasons = unfinished === undefined ? [...nameReasons(asking, inbox), ...passedOver] : [unfinished]
  const notes: string[] = []
  if (look.what === 'file') {
    reasons.push(...rightsReasons(look, path), ...(await wholeReasons(asking, inbox, look)))
    notes.push(...emptyNotes(inbox, look))
    if (look.mayBeRead) {
      const contents =
        'loaded' in mappings
          ? await contentsOf(path, { route, mappings: mappings.loaded, journal })
          : undefined
      const repeated = await sameBytes(asking, inbox, path)
      const manifest = await manifestReasons(asking, inbox)
      reasons.push(...repeated, ...manifest, ...(contents?.reasons ?? []))
      if (repeated.length === 0) notes.push(...(contents?.notes ?? []))
    }
  }
  if ('wrong' in mappings) reasons.push(mappings.wrong)
  reasons.push(...(await turnReasons(asking, inbox, journal)))
  if (journal !== undefined) {
    reasons.push(...(await leaseReasons(journal, route.name)))
    notes.push(...(await queueNotes(journal, asking, inbox)))
  }
  return { route: route.name, path, reasons, notes }
}
