/** Says what can still be undone of an order or a record, and how. Reads the API and the journal, and sends nothing. */
import type { Configuration } from '../config/configuration.ts'
import type { DeliveryEntry } from '../domain/delivery.ts'
import type { Journal } from '../domain/journal.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { readId } from '../operations/operation.ts'
import { formatScalar } from '../operations/order-lines.ts'
import { listUndoSteps, type UndoStep } from '../operations/undo.ts'
import { quoteForShell } from '../support/text.ts'
import { findKnownOrders, findOrders } from './live-orders.ts'
import type { PartyApi } from './party-apis.ts'
import { planUndoFile, type UndoCommands } from './undo-files.ts'

export interface UndoAnswer {
  readonly at: number
  /** The parties that were asked. */
  readonly accounts: readonly string[]
  readonly orders: readonly UndoOrder[]
  /** What the bridge itself did or holds under the key. */
  readonly records: readonly UndoRecord[]
}

export interface UndoOrder {
  /** The party whose view it is: `retailer/1000`. */
  readonly account: string
  readonly id: string
  readonly purchaseOrder: string
  readonly status: string
  readonly isAcknowledged: boolean
  readonly steps: readonly PlannedStep[]
}

/** With the commands that do it, or that show where it stands. */
export interface PlannedStep extends Omit<UndoStep, 'file'>, UndoCommands {}

export interface UndoRecord extends PlannedStep {
  /** `create-shipment HV-1, 7946…`. */
  readonly record: string
  readonly route: string
}

interface UndoRequest {
  readonly key: string
  readonly now: number
  /** How the program is called: `-c other.yaml`, or nothing. */
  readonly options: string
}

/** How many records of the journal are described. */
const RECORDS_MAX = 20

/** Finds the orders of the key as `trace --live` does. */
export async function findUndo(
  configuration: Configuration,
  apis: readonly PartyApi[],
  journal: Journal | undefined,
  { key, now, options }: UndoRequest,
): Promise<UndoAnswer> {
  const known = await findKnownOrders(journal, key)
  const call = (command: string) => `dropbridge ${command}${options}`
  const orders: UndoOrder[] = []
  for (const one of apis)
    for (const order of await findOrders(one, known, key)) {
      const { account, party } = one
      const steps: PlannedStep[] = []
      const purchaseOrder = formatScalar(order['purchase_order_number'])
      const target = { configuration, journal, party, runCommand: call('run') }
      const look = call(`trace ${quoteForShell(purchaseOrder)} --live --party ${account}`)
      for (const { file, ...step } of listUndoSteps(party.kind, order)) {
        const stem = `undo-${step.what}-${purchaseOrder.replaceAll(/[^\w.-]+/g, '-')}`
        const commands = step.chance === 'elsewhere' ? [look] : []
        steps.push({
          ...step,
          ...(file === undefined ? { commands } : await planUndoFile(target, file, stem)),
        })
      }
      const state = {
        status: formatScalar(order['status']),
        isAcknowledged: order['is_acknowledged'] === true,
      }
      orders.push({ account, id: readId(order) ?? '', purchaseOrder, ...state, steps })
    }
  const accounts = apis.map(({ account }) => account)
  const meant = known.records.filter(({ isMeant, account }) => isMeant && accounts.includes(account))
  return { at: now, accounts, orders, records: await describeRecords(journal, meant, call) }
}

async function describeRecords(
  journal: Journal | undefined,
  meant: readonly TracedRecord[],
  call: (command: string) => string,
): Promise<UndoRecord[]> {
  const found: UndoRecord[] = []
  for (const record of meant.slice(-RECORDS_MAX)) {
    const { operation, route, keyValues, naturalKey, apiId, delivery } = record
    const key = keyValues.filter((value) => value !== '').join(', ') || naturalKey || apiId || ''
    const into = delivery === undefined ? undefined : await journal?.getDelivery(delivery)
    const step = into === undefined ? describeRecord(record, key, call) : describeDelivered(into, call)
    if (step !== undefined) found.push({ record: `${operation} ${key}`, route, ...step })
  }
  return found
}

function describeDelivered(
  { id, name, state, held, prunedAt }: DeliveryEntry,
  call: (command: string) => string,
): PlannedStep {
  if (state === 'acknowledged' && held === undefined && prunedAt === undefined) {
    const text = `the bytes of ${name} once more; what is acknowledged stays acknowledged`
    return { what: 'redeliver', chance: 'yes', text, commands: [call(`redeliver ${quoteForShell(id)}`)] }
  }
  const why = prunedAt === undefined ? `is ${held === undefined ? state : 'held'}` : 'was pruned'
  return { what: 'redeliver', chance: 'no', text: `${name} ${why}`, commands: [] }
}

/** What became of the order of an accepted record says the order itself. */
function describeRecord(
  { operation, route, state, problems }: TracedRecord,
  key: string,
  call: (command: string) => string,
): PlannedStep | undefined {
  const no = (what: string, text: string, commands: string[] = []): PlannedStep => {
    return { what, chance: 'no', text, commands }
  }
  const decide = (command: string) => [call(command)].map((each) => `${each} --by NAME --why TEXT`)
  const target = quoteForShell(`${route}/${key}`)
  if (state === 'held' && problems.some(({ code }) => code === 'outcome-unprovable'))
    return no(
      'undo',
      'it is not known whether the API has the record: check, then --absent or --accepted ID',
      [`${call(`resolve ${target}`)} --absent --by NAME --why TEXT`],
    )
  if (state === 'held')
    return { what: 'discard', chance: 'yes', text: 'it was not sent', commands: decide(`discard ${target}`) }
  if (state === 'rejected' || state === 'skipped' || state === 'duplicate')
    return no('undo', `there is nothing to undo: the record is ${state}, and nothing came of it`)
  if (state !== 'accepted')
    return no('undo', `the record is ${state}, which is not finished: run the route, then ask again`, [
      call(`run ${quoteForShell(route)}`),
    ])
  if (operation === 'create-variant')
    return no('item', 'no call removes it; its units on hand may be set to 0')
  if (operation === 'update-variant')
    return no('change', 'the API keeps no earlier values: send the right ones in another file of the route')
  return operation.startsWith('acknowledge-') ? no('acknowledgement', 'no call takes it back') : undefined
}
