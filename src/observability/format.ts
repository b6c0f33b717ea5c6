/** Formats counts, messages and result paths for the log, the notifications and the status page. */
import { join } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { BridgeEvent } from '../domain/event.ts'
import type { FileEntry } from '../domain/file.ts'
import type { RouteOverview } from '../domain/journal.ts'
import type { StateCounts } from '../domain/record.ts'
import { isoTime } from '../support/clock.ts'

/** `1 file`, `2 files`. */
export function formatCount(count: number, what: string, several = `${what}s`): string {
  return `${count} ${count === 1 ? what : several}`
}

/** `3 accepted, 1 rejected`; some states may go by other names. */
export function formatStateCounts(counts: StateCounts, names: Readonly<Record<string, string>> = {}): string {
  const texts = Object.entries(counts).map(([state, count]) => `${count} ${names[state] ?? state}`)
  return texts.length === 0 ? 'no records' : texts.join(', ')
}

const FINISHED_STATES: readonly string[] = ['closed', 'acknowledged', 'done']

/** The unfinished states, with how many files or deliveries are in each. */
export function listOpenStates(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).filter(([state]) => !FINISHED_STATES.includes(state))
}

/** `3 claimed, 1 planned`, of the files and deliveries of a route; empty when all are finished. */
export function formatOpenStates({ files, deliveries }: Pick<RouteOverview, 'files' | 'deliveries'>): string {
  const open = listOpenStates({ ...files, ...deliveries })
  return open.map(([state, count]) => `${count} ${state}`).join(', ')
}

export function formatWait(
  {
    http,
    until,
    isRestored,
    isSecond,
  }: Pick<Extract<BridgeEvent, { kind: 'waiting' }>, 'http' | 'until' | 'isRestored' | 'isSecond'>,
  time: string,
): string {
  const requests =
    http === undefined
      ? 'requests whose answers were lost'
      : `requests that the API answered with HTTP ${http}`
  const what = isRestored === true ? 'what a lost journal may have sent' : requests
  const which = isSecond === true ? 'the second and last lookup' : 'the first lookup'
  return `waiting ${time}, until ${isoTime(until).slice(11, 19)} UTC, before ${which} of ${what} (a late request could still take effect; it is safe to stop)`
}

export function formatFoundAbsent({
  records,
  sent,
  atMost,
}: Pick<Extract<BridgeEvent, { kind: 'found-absent' }>, 'records' | 'sent' | 'atMost'>): string {
  const which =
    records === 1
      ? '1 record is not at the API, so it is'
      : `${records} records are not at the API, so they are`
  const how = sent === 0 ? 'sent' : 'sent again'
  return `${which} ${how} (time ${sent + 1} of at most ${atMost})`
}

export const ANOTHER_WATCH =
  'another watch has these routes too; each file is taken by one of them. If that is not meant, stop one'

/** The API's text about an answer may repeat what was sent, so texts that leave the journal must not contain it. */
export function removeApiText(message: string): string {
  return message.replace(/(\bHTTP \d{3}):[^]*/, '$1')
}

// Result paths come from the configuration alone; no mailbox is opened.

/** Undefined before the file is reported, or where its route is gone. `path`: on this machine or a share mounted here. */
export function findResultPath({ routes, mailboxes }: Configuration, file: FileEntry) {
  const route = routes.find(({ name }) => name === file.route)
  if (route?.direction !== 'inbound' || file.reportName === undefined) return undefined
  const { mailbox, folder } = route.results
  const name = `${file.reportName}.results.csv`
  const settings = mailboxes[mailbox]
  if (settings?.type !== 'directory') return { text: `${mailbox}:${folder}/${name}` }
  const path = join(settings.path, folder, name)
  return { path, text: path }
}
