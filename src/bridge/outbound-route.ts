/** An outbound route as its pipeline sees it. */
import { readFile, stat } from 'node:fs/promises'
import { type Receipt, receiptText } from '../config/acknowledge.ts'
import type { OutboundRoute } from '../config/routes.ts'
import { fileNameOf, namesRecord } from '../config/file-name.ts'
import { queryAt, type Select } from '../config/select.ts'
import type { DatedTurn } from '../config/moment.ts'
import type { Selection } from '../domain/selection.ts'
import type { ReceiptRules } from '../pipelines/outbound/receipt-rules.ts'
import type { OutboundParts } from '../pipelines/parts.ts'
import { BridgeError } from '../support/errors.ts'

/** The turn of a business date, which the words of a selection and the names of files go by. */
export interface RouteTurn extends DatedTurn {
  /** When it is due, milliseconds: the time for which it is asked. */
  readonly dueAt: number
}

export function outboundRoute(route: OutboundRoute, turn?: RouteTurn): OutboundParts['route'] {
  const { name, party, operation, to, acknowledge, receipt, overdue, reread, report } = route
  const day = turn === undefined ? {} : { day: turn.date }
  return {
    name,
    party,
    operation,
    folder: to.folder,
    nameFor: (sequence, at, record) => fileNameOf(to.name, { route: name, sequence, at, record, ...day }),
    namesRecord: namesRecord(to.name),
    acknowledge,
    ...(overdue === undefined ? {} : { overdue }),
    ...(receipt === undefined ? {} : { receipt: receiptRules(receipt) }),
    reread,
    ...(report === undefined
      ? {}
      : { report: { select: (now) => selectionAt(report.select, now, turn), empty: report.empty } }),
  }
}

function receiptRules({ folder, archive, match, contains, settleMs }: Receipt): ReceiptRules {
  return {
    folder,
    archiveFolder: archive,
    nameFor: (name) => receiptText(match, name),
    ...(contains === undefined ? {} : { textFor: (name: string) => receiptText(contains, name) }),
    settleMs,
  }
}

/** What is selected at this moment, or at that of a turn; a file of names is read anew each time. */
export async function selectionAt(select: Select, now: number, turn?: RouteTurn): Promise<Selection> {
  const query = queryAt(select, turn?.dueAt ?? now, turn)
  const { named } = select
  if (named === undefined) return { query }
  const { by, values } = named
  return { query, named: { by, values: 'file' in values ? await namesIn(values.file, by) : values } }
}

const ID = /^[1-9]\d{0,14}$/

/** Far more names than anybody asks for, in a file that fits into memory. */
const NAMES_BYTES_MAX = 16 * 1024 * 1024

/** One name on each line; blanks around it do not count, nor do blank lines and names that were there before. */
async function namesIn(path: string, by: 'id' | 'purchase_order_number'): Promise<readonly string[]> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > NAMES_BYTES_MAX) {
      throw new BridgeError(
        'configuration-invalid',
        `${path} is larger than 16 MiB: name fewer records in it`,
      )
    }
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof BridgeError) throw cause
    throw new BridgeError('configuration-invalid', `${path}, which names the records, cannot be read`, {
      cause,
    })
  }
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
  const wrong = by === 'id' ? lines.findIndex((line) => line !== '' && !ID.test(line)) : -1
  if (wrong >= 0) throw new BridgeError('configuration-invalid', `line ${wrong + 1} of ${path} is no id`)
  return [...new Set(lines.filter((line) => line !== ''))]
}
