/** The work folder of the demo: a configuration, keys, mappings and an exchange folder, as a user would have them. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ToldParty } from '../../service/store/clients.ts'
import { DEFAULT_CONFIGURATION } from '../context.ts'
import { copyFromPackage, packagePath } from '../package-files.ts'

/** The sample retailer and supplier. */
export const RETAILER = 1000
export const BRAND = 2000

export async function makeWorkFolder(
  folder: string,
  baseUrl: string,
  parties: readonly ToldParty[],
): Promise<void> {
  await mkdir(join(folder, 'keys'), { recursive: true })
  await mkdir(join(folder, 'exchange'), { recursive: true })
  await copyFromPackage('mappings', join(folder, 'mappings'))
  await copyFromPackage('samples', join(folder, 'samples'))
  for (const [kind, id] of [['retailer', RETAILER] as const, ['brand', BRAND] as const]) {
    const party = parties.find((each) => each.kind === kind && each.id === id)
    await writeFile(join(folder, 'keys', `${kind}.id`), party?.clientId ?? '')
    await writeFile(join(folder, 'keys', `${kind}.secret`), party?.clientSecret ?? '', { mode: 0o600 })
  }
  await writeFile(join(folder, DEFAULT_CONFIGURATION), configuration(baseUrl))
}

/** Leaves a sample in an inbox folder, as a person or a system would. */
export async function dropSample(
  folder: string,
  sample: string,
  inbox: string,
  name = basename(sample),
): Promise<void> {
  const target = join(folder, 'exchange', 'inbox', inbox)
  await mkdir(target, { recursive: true })
  await copyFile(packagePath(`samples/${sample}`), join(target, name))
}

function configuration(baseUrl: string): string {
  return `# The demo's configuration: a retailer and its supplier in one bridge, each with credentials of its own.
api:
  baseUrl: ${baseUrl}
  clientId: \${file:./keys/retailer.id}
  clientSecret: \${file:./keys/retailer.secret}

journal: sqlite:./state/journal.db

mailboxes:
  exchange: { type: directory, path: ./exchange }

routes:
  # The retailer's orders, from three systems that write them differently.
${inbound('orders-in', { party: 'retailer', operation: 'create-order', folder: 'orders', mapping: 'retailer-orders' })}
${inbound('shopify-in', { party: 'retailer', operation: 'create-order', folder: 'shopify', mapping: 'shopify-orders' })}
${inbound('dropstream-in', { party: 'retailer', operation: 'create-order', folder: 'dropstream', mapping: 'dropstream-orders' })}
  # The supplier's side: new orders out; shipments and invoices in.
${outbound('orders-out', { party: 'brand', operation: 'export-orders', folder: 'orders', mapping: 'orders-export' })}
${inbound('shipments-in', { party: 'brand', operation: 'create-shipment', folder: 'shipments', mapping: 'supplier-shipments' })}
${inbound('invoices-in', { party: 'brand', operation: 'create-invoice', folder: 'invoices', mapping: 'supplier-invoices' })}
  # The retailer receives what the supplier shipped and invoiced.
${outbound('shipments-out', { party: 'retailer', operation: 'export-shipments', folder: 'shipments', mapping: 'shipments-export' })}
${outbound('invoices-out', { party: 'retailer', operation: 'export-invoices', folder: 'invoices', mapping: 'invoices-export' })}`
}

/** The API's own credentials are the retailer's; the brand's routes bring theirs. */
function partyLines(party: 'retailer' | 'brand'): string {
  if (party === 'retailer') return `    retailer: ${RETAILER}\n`
  const own =
    '    api: { clientId: "${file:./keys/brand.id}", clientSecret: "${file:./keys/brand.secret}" }\n'
  return `    brand: ${BRAND}\n${own}`
}

interface Lane {
  readonly party: 'retailer' | 'brand'
  readonly operation: string
  readonly folder: string
  readonly mapping: string
}

function inbound(name: string, { party, operation, folder, mapping }: Lane): string {
  return `  ${name}:
${partyLines(party)}    operation: ${operation}
    from: { mailbox: exchange, folder: inbox/${folder}, settle: 300ms }
    mapping: mappings/${mapping}.yaml
    results: { mailbox: exchange, folder: results }
    rules: { dates: off }   # the samples are of November 2026
`
}

function outbound(name: string, { party, operation, folder, mapping }: Lane): string {
  return `  ${name}:
${partyLines(party)}    operation: ${operation}
    mapping: mappings/${mapping}.yaml
    to: { mailbox: exchange, folder: outbox, name: "${folder}-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
`
}
