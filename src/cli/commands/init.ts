/** `dropbridge init`: a commented configuration, the ready mappings and the folders to start from. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_FOLDERS, DEFAULT_MATCH } from '../../config/folders.ts'
import { BridgeError, EXIT, hasSystemCode } from '../../support/errors.ts'
import { makeFolderDurably } from '../../support/files.ts'
import { copyFromPackage } from '../../support/process.ts'
import { DEFAULT_CONFIGURATION, defineCommand, flag } from '../command.ts'
import { resolvePath } from '../context.ts'

const { results, documents } = DEFAULT_FOLDERS

const HEAD = `# dropbridge.yaml: what the bridge does. Check it with: dropbridge check
# Paths are relative to this file. Secrets come from the environment (\${NAME}) or a file (\${file:path}).

api:
  baseUrl: \${DROPBRIDGE_API_URL}
  clientId: \${DROPBRIDGE_CLIENT_ID}
  clientSecret: \${DROPBRIDGE_CLIENT_SECRET}

# The durable memory. Keep it on a local disk, and never delete it: it is what stops a second posting.
journal: sqlite:./state/journal.db

mailboxes:
  exchange: { type: directory, path: ./exchange }
`

const SCHEDULE_HELP = `    # When dropbridge watch and dropbridge run --due take it up; every 15 minutes where nothing is said:
    # daily: { after: "06:30", zone: America/New_York }   # or every: 1h, or cron: { expression: "0 6 * * 1-5", zone: UTC }
`

interface Start {
  readonly configuration: string
  /** No inbox of a route that is commented out: no route would take a file in it. A run creates the inboxes of its routes. */
  readonly folders: readonly string[]
  /** Where the first file goes. */
  readonly firstInbox: string
}

const RETAILER_START: Start = {
  folders: ['exchange/inbox/orders', `exchange/${results}`, 'exchange/outbox'],
  firstInbox: 'exchange/inbox/orders',
  configuration: `${HEAD}
routes:
  # Files dropped into exchange/inbox/orders are posted; exchange/results shows the outcome of every record.
  orders-in:
    retailer: 1000                      # your retailer id
    operation: create-order
    from: { mailbox: exchange, folder: inbox/orders, match: "${DEFAULT_MATCH}" }
    mapping: mappings/retailer-orders.yaml
    results: { mailbox: exchange, folder: ${results} }

  # What suppliers shipped and invoiced arrives in exchange/outbox, and is acknowledged once the file is there.
  shipments-out:
    retailer: 1000
    operation: export-shipments
    mapping: mappings/shipments-export.yaml
    to: { mailbox: exchange, folder: outbox, name: "shipments-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
  invoices-out:
    retailer: 1000
    operation: export-invoices
    mapping: mappings/invoices-export.yaml
    to: { mailbox: exchange, folder: outbox, name: "invoices-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
${SCHEDULE_HELP}
  # The bridge of a supplier has routes with a brand in place of a retailer: dropbridge init --brand writes them.
  # Where one bridge works for both, they stand in here with credentials of their own:
  # orders-out:
  #   brand: 2000
  #   api: { clientId: "\${DROPBRIDGE_BRAND_CLIENT_ID}", clientSecret: "\${DROPBRIDGE_BRAND_CLIENT_SECRET}" }
  #   operation: export-orders
  #   mapping: mappings/orders-export.yaml
  #   to: { mailbox: exchange, folder: outbox, name: "orders-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
`,
}

const BRAND_START: Start = {
  folders: [
    'exchange/inbox/shipments',
    'exchange/inbox/invoices',
    `exchange/${results}`,
    `exchange/${documents}`,
    'exchange/outbox',
  ],
  firstInbox: 'exchange/inbox/shipments',
  configuration: `${HEAD}
routes:
  # New orders arrive in exchange/outbox, and are acknowledged once the file is there.
  orders-out:
    brand: 2000                         # your brand id
    operation: export-orders
    mapping: mappings/orders-export.yaml
    to: { mailbox: exchange, folder: outbox, name: "orders-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
${SCHEDULE_HELP}
  # What was shipped: exchange/results shows the outcome of every record. Write your own address into the mapping.
  shipments-in:
    brand: 2000
    operation: create-shipment
    from: { mailbox: exchange, folder: inbox/shipments, match: "${DEFAULT_MATCH}" }
    mapping: mappings/supplier-shipments.yaml
    results: { mailbox: exchange, folder: ${results} }
    documents: { mailbox: exchange, folder: ${documents} }   # packing slips and labels of what was created
  # What is invoiced.
  invoices-in:
    brand: 2000
    operation: create-invoice
    from: { mailbox: exchange, folder: inbox/invoices, match: "${DEFAULT_MATCH}" }
    mapping: mappings/supplier-invoices.yaml
    results: { mailbox: exchange, folder: ${results} }
`,
}

/** Never overwrites: it refuses a folder that has a configuration. */
export const initCommand = defineCommand({
  positionals: { folder: { type: 'string', default: '.' } },
  options: { brand: flag('For a supplier: routes of a brand in place of those of a retailer') },
  async run(terminal, { folder, brand }) {
    const { configuration, folders, firstInbox } = brand ? BRAND_START : RETAILER_START
    const root = resolvePath(terminal, folder)
    await mkdir(root, { recursive: true })
    try {
      await writeFile(join(root, DEFAULT_CONFIGURATION), configuration, { flag: 'wx' })
    } catch (cause) {
      if (!hasSystemCode(cause, 'EEXIST')) throw cause
      const message = `${folder} has a ${DEFAULT_CONFIGURATION} already; nothing was changed`
      const fix = 'Begin in another folder: `dropbridge init FOLDER`; or go on with what is there.'
      throw new BridgeError('usage-wrong', message, { cause, fix })
    }
    for (const path of folders) await mkdir(join(root, path), { recursive: true })
    makeFolderDurably(join(root, 'state'))
    await copyFromPackage('mappings', join(root, 'mappings'))
    await copyFromPackage('samples', join(root, 'samples'))
    for (const line of [
      `Wrote ${DEFAULT_CONFIGURATION}, mappings/, samples/, exchange/ and state/ in the folder ${root}`,
      'Next: set DROPBRIDGE_API_URL, DROPBRIDGE_CLIENT_ID and DROPBRIDGE_CLIENT_SECRET, and write your ids',
      `into ${DEFAULT_CONFIGURATION}, and your own address into the mapping of shipments where you use one.`,
      `Then: dropbridge check, drop a file into ${firstInbox}, dropbridge run.`,
    ])
      terminal.say(line)
    return EXIT.ok
  },
})
