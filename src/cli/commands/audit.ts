/** `dropbridge audit verify`: whether the journal is what was written into it, and what is not. */
import type { Anchor, AuditReport, Finding } from '../../domain/audit.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, type ExitCode } from '../../support/errors.ts'
import { readConfigurationToLook, withBridge } from '../context.ts'
import type { Terminal } from '../terminal.ts'

export interface AuditOptions {
  readonly config: string
  readonly json: boolean
  /** `EVENT:HASH`. */
  readonly anchor: string | undefined
}

/** Throws `journal-altered` when something is not as it was written, after it has told what. */
export async function auditVerify(
  terminal: Terminal,
  { config, json, anchor }: AuditOptions,
): Promise<ExitCode> {
  const kept = anchor === undefined ? {} : { anchor: anchorOf(anchor) }
  const configuration = await readConfigurationToLook(terminal, config)
  const silent = () => undefined
  const report = await withBridge(terminal, { configuration, notify: silent }, ({ journal }) =>
    journal.verifyChain(kept),
  )
  if (json) terminal.out(JSON.stringify(asData(report), null, 2))
  else for (const line of inWords(report)) terminal.out(line)
  if (report.found === 0) return EXIT.ok
  const things =
    report.found === 1 ? 'one thing is not as it was' : `${report.found} things are not as they were`
  throw new BridgeError('journal-altered', `the journal was altered: ${things} written`)
}

function anchorOf(text: string): Anchor {
  const [, event, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  if (event !== undefined && hash !== undefined) return { event: Number(event), hash }
  throw new BridgeError(
    'usage-wrong',
    `--anchor "${text}" is no EVENT:HASH, as audit verify prints one and NAME.summary.json holds one`,
  )
}

function inWords(report: AuditReport): string[] {
  const { events, firstAt, lastAt, head, compared, found, findings } = report
  const times =
    firstAt === undefined || lastAt === undefined ? '' : `, from ${isoTime(firstAt)} to ${isoTime(lastAt)}`
  const { records, files, deliveries } = compared
  const more = found > findings.length ? [`and ${found - findings.length} more`] : []
  return [
    ...findings.map(findingInWords),
    ...more,
    `${events} events${times}`,
    `compared with ${records} records, ${files} files and ${deliveries} deliveries`,
    found === 0 ? 'whole' : `${found} not as written`,
    `anchor ${head.event}:${head.hash}`,
  ]
}

function findingInWords({ message, event, since }: Finding): string {
  if (event === undefined || since === undefined) return message
  return `${message} (event ${event} of ${isoTime(since)})`
}

/** Times as people read them. */
function asData({ firstAt, lastAt, findings, ...report }: AuditReport): unknown {
  return {
    whole: report.found === 0,
    ...report,
    ...(firstAt === undefined ? {} : { firstAt: isoTime(firstAt) }),
    ...(lastAt === undefined ? {} : { lastAt: isoTime(lastAt) }),
    findings: findings.map(({ since, ...finding }) =>
      since === undefined ? finding : { ...finding, since: isoTime(since) },
    ),
  }
}
