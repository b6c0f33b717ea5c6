/** Alerts about configuration and mappings on the disk that differ from those at work, or have errors. */
import { type Alert, createAlert } from '../domain/alert.ts'
import { type BridgeVersion, formatLeaseOwner, type Watcher } from '../domain/lease.ts'
import { classifyWatches } from '../journal/heartbeat.ts'
import type { EvaluationContext } from './context.ts'

/** Each file that differs is named, up to this many. */
const NAMED_MAX = 5

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
