/** `dropbridge audit verify`: checks that the journal is what was written into it, and lists what is not. */
import type { Anchor, AuditReport, Mismatch } from '../../domain/audit.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT, usageError } from '../../support/errors.ts'
import { CONFIG_FLAG, defineCommand, JSON_FLAG, text } from '../command.ts'
import { readConfigurationWithoutApi, withBridge } from '../context.ts'

/** Throws `journal-altered` when something is not as it was written, after it has listed the differences. */
export const verifyCommand = defineCommand({
  options: {
    config: CONFIG_FLAG,
    json: JSON_FLAG,
    anchor: text('EVENT:HASH that was kept outside: the chain must contain it'),
  },
  async run(terminal, { config, json, anchor }) {
    const kept = anchor === undefined ? {} : { anchor: parseAnchor(anchor) }
    const configuration = await readConfigurationWithoutApi(terminal, config)
    const report = await withBridge(terminal, configuration, ({ journal }) => journal.verifyChain(kept))
    if (json) terminal.out(JSON.stringify(auditToJson(report), null, 2))
    else for (const line of formatAudit(report)) terminal.out(line)
    if (report.found === 0) return EXIT.ok
    throw new BridgeError('journal-altered', `the journal was altered: ${formatFound(report.found)}`)
  },
})

function parseAnchor(text: string): Anchor {
  const [, event, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  if (event !== undefined && hash !== undefined) return { event: Number(event), hash }
  throw usageError(
    `--anchor "${text}" is not EVENT:HASH, as audit verify prints it and NAME.summary.json contains it`,
  )
}

function formatAudit(report: AuditReport): string[] {
  const { events, firstAt, lastAt, head, compared, found, findings } = report
  const times =
    firstAt === undefined || lastAt === undefined ? '' : `, from ${isoTime(firstAt)} to ${isoTime(lastAt)}`
  const { records, files, deliveries } = compared
  return [
    ...findings.map(formatMismatch),
    ...(found > findings.length ? [`and ${found - findings.length} more`] : []),
    `${events} events${times}`,
    `compared with ${records} records, ${files} files and ${deliveries} deliveries`,
    found === 0 ? 'whole' : formatFound(found),
    `anchor ${head.event}:${head.hash}`,
  ]
}

function formatFound(found: number): string {
  return found === 1 ? '1 mismatch' : `${found} mismatches`
}

function formatMismatch({ message, event, since }: Mismatch): string {
  if (event === undefined || since === undefined) return message
  return `${message} (event ${event} of ${isoTime(since)})`
}

/** Formats times as people read them. */
function auditToJson({ firstAt, lastAt, findings, ...report }: AuditReport): unknown {
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
