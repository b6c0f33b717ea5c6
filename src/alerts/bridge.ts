/** Alerts about the bridge itself: files of its configuration that differ from those at work, and disks that fill up. */
import { type Alert, createAlert } from '../domain/alert.ts'
import { type BridgeVersion, formatLeaseOwner, type Watcher } from '../domain/lease.ts'
import { classifyWatches } from '../journal/heartbeat.ts'
import { type EvaluationContext, type FolderRef, formatFolder } from './context.ts'
import { dirname, join } from 'node:path'
import { DISK_ALERT_BYTES } from '../config/alerts.ts'
import type { Configuration } from '../config/configuration.ts'
import type { FileSource } from '../config/inbox.ts'
import type { Route } from '../config/routes.ts'
import type { DiskStatus } from '../domain/snapshot.ts'
import { runInParallel } from '../support/async.ts'
import { formatBytes, isOutOfRoom, readDiskSpace } from '../support/disk.ts'
import type { BridgeError } from '../support/errors.ts'

/** Each file that differs is named, up to this many. */
const NAMED_MAX = 5

/** A journal that can be read, and that a run refuses all the same: it is older than its work, or a new one in its place. */
export async function findJournalAlerts({ findJournalFailure, now }: EvaluationContext): Promise<Alert[]> {
  const failure = await findJournalFailure?.()
  return failure === undefined ? [] : [buildJournalAlert(failure, now)]
}

export function buildJournalAlert({ code, message, fix }: BridgeError, since: number): Alert {
  return { code: 'bridge-failing', subject: code, since, message, fix }
}

export async function findConfigurationAlerts(context: EvaluationContext): Promise<Alert[]> {
  const { configuration, journal, now, readDisk } = context
  const { source } = configuration
  if (readDisk === undefined || source === undefined) return []
  const about = { subject: source.path, since: now }
  const disk = await readDisk()
  if ('failure' in disk) {
    const { message, details } = disk.failure
    const [first = '', ...more] = details
    const others = more.length === 0 ? '' : `, and ${more.length} more`
    const what = first === '' ? message : `${message} ${first}${others}`
    return [createAlert({ code: 'configuration-broken', ...about, message: what })]
  }
  const { alive } = classifyWatches(await journal.listWatchers(), now)
  const outdated = alive.filter(({ version }) => version !== undefined && version !== disk.version.id)
  const [watch] = outdated
  if (watch?.version === undefined) return []
  const [old] = await journal.listVersions([watch.version])
  const names = old === undefined ? [] : listChanges(old, disk.version)
  const message = `${names.join(', ') || 'the configuration'} changed, and ${formatWatches(outdated)} with what was there before${formatReload(watch)}`
  return [createAlert({ code: 'configuration-changed', ...about, message })]
}

function listChanges(old: BridgeVersion, next: BridgeVersion): string[] {
  const all = [...new Set([...Object.keys(old.files), ...Object.keys(next.files)])]
  const changed = all.filter((path) => old.files[path] !== next.files[path])
  const more = changed.length - NAMED_MAX
  return more > 0 ? [...changed.slice(0, NAMED_MAX), `${more} more files`] : changed
}

function formatWatches(watches: readonly Watcher[]): string {
  const names = watches.map(({ owner }) => formatLeaseOwner(owner))
  return `the watch${names.length > 1 ? 'es' : ''} of ${names.join(', ')} still work${names.length > 1 ? '' : 's'}`
}

function formatReload({ reloadFailure }: Watcher): string {
  return reloadFailure === undefined ? '' : `; the reload failed: ${reloadFailure.replace(/\.$/, '')}`
}

// Alerts about disks of this machine that are full, or nearly. They need no journal, which may be on such a disk.

/** Folders of shares answer slowly, and a bridge may have hundreds. */
const FOLDERS_AT_ONCE = 32

/** On a small disk, a tenth of it is enough. */
const SHARE_OF_DISK = 10

export async function findDiskAlerts(configuration: Configuration, now: number) {
  const disks = await readDisks(configuration)
  const { diskAlertBytes = DISK_ALERT_BYTES } = configuration
  const alerts = disks.flatMap((disk): Alert[] => {
    const { places, freeBytes, sizeBytes, isFull } = disk
    if (!isFull && freeBytes >= Math.min(diskAlertBytes, sizeBytes / SHARE_OF_DISK)) return []
    const [subject = ''] = places
    const room = `${formatBytes(freeBytes)} of ${formatBytes(sizeBytes)} are free`
    const message = `the disk of ${formatPlaces(places)} is ${isFull ? 'full' : 'nearly full'}: ${room}`
    return [createAlert({ code: isFull ? 'disk-full' : 'disk-nearly-full', subject, since: now, message })]
  })
  return { disks, alerts }
}

/** Each disk once, with the folders on it. The folder of the state comes first. */
async function readDisks({
  stateFolder,
  journal,
  mailboxes,
  routes,
  edi,
}: Configuration): Promise<DiskStatus[]> {
  const folders = [
    ...routes.flatMap(listFolders),
    ...(edi?.inboxes ?? []).flatMap(({ from, results }) => [...listSourceFolders(from), results]),
    ...(edi?.partners ?? []).flatMap(({ to }) => to ?? []),
  ]
  const places = [
    { place: stateFolder, path: stateFolder },
    ...(journal.path === ':memory:' ? [] : [{ place: dirname(journal.path), path: dirname(journal.path) }]),
    ...folders.flatMap((ref) => {
      const mailbox = mailboxes[ref.mailbox]
      return mailbox?.type === 'directory'
        ? [{ place: formatFolder(ref), path: join(mailbox.path, ref.folder) }]
        : []
    }),
  ]
  const paths = new Map(places.map(({ place, path }) => [path, place]))
  const disks = new Map<number, DiskStatus>()
  const spaces = await runInParallel([...paths.keys()], FOLDERS_AT_ONCE, readDiskSpace)
  for (const [index, [path, place]] of [...paths].entries()) {
    const space = spaces[index]
    if (space === undefined) continue
    const { device, freeBytes, sizeBytes } = space
    const known = disks.get(device)
    const isFull = known?.isFull || space.isFull || (path === stateFolder && (await isOutOfRoom(path)))
    disks.set(device, { places: [...(known?.places ?? []), place], freeBytes, sizeBytes, isFull })
  }
  return [...disks.values()]
}

function listFolders(route: Route): FolderRef[] {
  if (route.direction === 'inbound') {
    const { from, results, documents } = route
    return [...listSourceFolders(from), results, ...(documents ? [documents] : [])]
  }
  return [route.to, ...(route.receipt ? [route.receipt] : [])]
}

function listSourceFolders({ mailbox, folder, archive }: FileSource): FolderRef[] {
  return [
    { mailbox, folder },
    { mailbox, folder: archive },
  ]
}

function formatPlaces([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first
  return `${first} and ${others.length === 1 ? others[0] : `${others.length} other folders`}`
}
