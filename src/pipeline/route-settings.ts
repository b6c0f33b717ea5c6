/** Builds the settings of the inbound and outbound pipeline from a configured route. */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Receipt } from '../config/acknowledge.ts'
import type { Configuration } from '../config/configuration.ts'
import {
  fillNameTemplate,
  formatDocumentName,
  formatFileName,
  hasRecordPlaceholder,
} from '../config/file-name.ts'
import { formatAddress } from '../config/edi.ts'
import { buildEnvelopeSettings, formatControlNumber } from '../config/envelope.ts'
import { createNumberReader } from '../config/inbox.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { InboundRoute, OutboundRoute, ScannedInbox } from '../config/routes.ts'
import { buildQuery, type SelectRule } from '../config/select.ts'
import type { DatedRun } from '../config/time-values.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Readiness } from '../domain/route.ts'
import type { DocumentKind } from '../domain/shipping-document.ts'
import type { WriteOptions } from '../domain/format.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import type {
  DocumentPlace,
  InboundContext,
  IntakeRoute,
  OutboundContext,
  OutgoingInterchanges,
} from './context.ts'
import type { ReceiptRules } from './outbound/confirmation-rules.ts'

/** The settings of a place where files are taken in: of a route, or of an inbox of interchanges. */
export function buildIntakeRoute({ key, from, results }: ScannedInbox): IntakeRoute {
  const { match, order, lastLineEnd, sequence } = from
  return {
    name: key,
    folder: from.folder,
    matches: compileFilePattern(match),
    archiveFolder: from.archive,
    resultsFolder: results.folder,
    ...(results.write && { resultsWriting: results.write }),
    stableForMs: from.stableForMs,
    ...omitUndefined({ ready: buildReadyRule(from), order, lastLineEnd }),
    ...(/[*?]/.test(match) ? {} : { onlyName: match }),
    ...(sequence && { sequence: { numberIn: createNumberReader(sequence.name), start: sequence.start } }),
  }
}

export function buildInboundRoute({ api }: Configuration, route: InboundRoute): InboundContext['route'] {
  const { name, party, operation, from, results, rules, circuitBreaker, when, waitMs, mappingPath } = route
  return {
    ...buildIntakeRoute({ key: name, from, results }),
    party,
    operation,
    lateAnswerMs: api.lateAnswerMs,
    rules,
    circuitBreaker,
    mappingName: basename(mappingPath),
    ...omitUndefined({ when, waitMs }),
    ...(OPERATIONS[operation].repeatable ? { contentsMayRepeat: true as const } : {}),
  }
}

/** Undefined where a file is whole as soon as it is stable. */
export function buildReadyRule({ ready, match }: InboundRoute['from']): Readiness | undefined {
  if (ready === undefined || !('sidecar' in ready)) return ready
  const { when, sidecar } = ready
  const sidecarNameOf = (name: string) => fillNameTemplate(sidecar, name)
  return { when, sidecarNameOf, isSidecar: compileFilePattern(sidecarNameOf(match)) }
}

/** The run of a business date. Words of a selection such as `yesterday` and file names refer to this date. */
export interface BusinessDateRun extends DatedRun {
  /** When the run is due, in milliseconds; the selection is made for this time. */
  readonly dueAt: number
}

/** `document`: what the mapping of the route writes, where it writes interchanges. */
export function buildOutboundRoute(
  route: OutboundRoute,
  {
    run,
    document,
  }: { readonly run?: BusinessDateRun | undefined; readonly document?: string | undefined } = {},
): OutboundContext['route'] {
  const { partner, name, party, operation, to, acknowledge, receipt, overdue, verifyBeforeAck, report } =
    route
  const day = run === undefined ? {} : { day: run.date }
  return {
    name,
    party,
    operation,
    folder: to.folder,
    nameFor: (sequence, at, record, icn) =>
      formatFileName(to.name, {
        route: name,
        sequence,
        at,
        record,
        ...day,
        ...(partner === undefined || icn === undefined || document === undefined
          ? {}
          : { interchange: { icn: formatControlNumber(icn), partner, kind: document } }),
      }),
    namesRecord: hasRecordPlaceholder(to.name, partner !== undefined),
    acknowledge,
    verifyBeforeAck,
    ...(overdue && { overdue }),
    ...(receipt && { receipt: buildReceiptRules(receipt) }),
    ...(report && {
      report: { select: (now) => buildSelection(report.select, now, run), empty: report.empty },
    }),
  }
}

/** What the route writes to its partner; undefined where its mapping writes no interchanges. */
export function buildOutgoingInterchanges(
  { edi }: Pick<Configuration, 'edi'>,
  { partner: name, usage = 'production' }: OutboundRoute,
  { edi: document }: WriteOptions,
  format: OutgoingInterchanges['format'],
): OutgoingInterchanges | undefined {
  if (document === undefined) return undefined
  const partner = edi?.partners.find((each) => each.name === name)
  const written = edi && partner && buildEnvelopeSettings(edi, partner, { ...document, usage })
  assert(written && partner, 'a route without a partner passed the checks')
  const { sender, receiver } = written
  return {
    scope: {
      syntax: document.syntax,
      sender: formatAddress(sender),
      receiver: formatAddress(receiver),
      usage,
    },
    start: partner.firstNumber,
    groupFollows: partner.outgoing.groupFollows,
    envelope: written,
    format,
  }
}

function buildReceiptRules({ folder, archive, match, contains, stableForMs }: Receipt): ReceiptRules {
  return {
    folder,
    archiveFolder: archive,
    nameFor: (name) => fillNameTemplate(match, name),
    ...(contains === undefined ? {} : { textFor: (name: string) => fillNameTemplate(contains, name) }),
    stableForMs,
  }
}

/** Builds the selection for this moment, or for that of a run. Reads a file of names anew each time. */
export async function buildSelection(select: SelectRule, now: number, run?: BusinessDateRun) {
  const query = buildQuery(select, run?.dueAt ?? now, run)
  const { named } = select
  if (named === undefined) return { query }
  const { by, values } = named
  return { query, named: { by, values: 'file' in values ? await readNamesFile(values.file, by) : values } }
}

const ID_PATTERN = /^[1-9]\d{0,14}$/

/** More names than a selection needs, in a file that fits into memory. */
const NAMES_BYTES_MAX = 16 * 1024 * 1024

/** Reads one name a line, trimmed, without blank lines and repeated names. */
async function readNamesFile(path: string, by: 'id' | 'purchase_order_number'): Promise<readonly string[]> {
  let text: string
  try {
    const { size } = await stat(path)
    const tooLarge = `${path} is larger than 16 MiB: name fewer records in it`
    if (size > NAMES_BYTES_MAX) throw new BridgeError('configuration-invalid', tooLarge)
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof BridgeError) throw cause
    const message = `${path}, which names the records, cannot be read`
    throw new BridgeError('configuration-invalid', message, { cause })
  }
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
  const invalid = by === 'id' ? lines.findIndex((line) => line !== '' && !ID_PATTERN.test(line)) : -1
  if (invalid >= 0)
    throw new BridgeError('configuration-invalid', `line ${invalid + 1} of ${path} is not an id`)
  return [...new Set(lines.filter((line) => line !== ''))]
}

/** Undefined where the route wants no documents. */
export function buildDocumentPlace(
  { documents }: Pick<InboundRoute, 'documents'>,
  mailboxOf: (name: string) => Mailbox,
): DocumentPlace | undefined {
  if (documents === undefined) return undefined
  const { mailbox, folder, labels, packingSlips, name } = documents
  const kinds: DocumentKind[] = []
  if (labels) kinds.push('label')
  if (packingSlips) kinds.push('packing-slip')
  const nameFor: DocumentPlace['nameFor'] = (values) => formatDocumentName(name, values)
  return { mailbox: mailboxOf(mailbox), mailboxName: mailbox, folder, kinds, nameFor }
}
