/** The schema of `dropbridge.yaml`: one for the checks, the defaults and the editors. */
import { z } from 'zod'
import { INBOUND_OPERATIONS, OUTBOUND_OPERATIONS } from '../contract/operations.ts'
import { acknowledgeShape } from './acknowledge.ts'
import { AlertIfDiskBelow, AlertIfNotEmptied, LateSettings } from './alerts.ts'
import { DEFAULT_FOLDERS, DEFAULT_MATCH, Folder, MailboxName, Name } from './folders.ts'
import { EdiSettings, InterchangeSource, PartnerSettings, ResultFolder, Usage } from './edi.ts'
import { DEFAULT_DOCUMENT_NAME, findDocumentNameErrors, findFileNameErrors } from './file-name.ts'
import { FolderSource } from './inbox.ts'
import { MailboxSettings } from './mailboxes.ts'
import { NotificationsSettings } from './notifications.ts'
import { ConsoleSettings, HealthSettings, isPlainHttp, LogSettings, StatusSettings } from './observability.ts'
import { scheduleShape, TimeZone, WatchSettings } from './schedule.ts'
import { SelectSettings } from './select.ts'
import { CircuitBreakerFile, RuleSettings, StepSettings, waitShape } from './sending.ts'
import { Duration, NonZeroDuration, Retention, Text } from './time-values.ts'

const BaseUrl = z
  .string()
  .refine(isPlainUrl, 'must be an address such as https://api.example.com, without a password, "?" or "#"')

const FileName = z.string().superRefine((template, context) => {
  for (const message of findFileNameErrors(template, undefined, true))
    context.addIssue({ code: 'custom', message })
})

const DocumentName = z.string().superRefine((template, context) => {
  for (const message of findDocumentNameErrors(template)) context.addIssue({ code: 'custom', message })
})

const Credentials = z.strictObject({
  clientId: Text.describe('The client id that the API gave.'),
  clientSecret: Text.describe('Its secret; from ${NAME} or ${file:PATH}.'),
})

const ApiSettings = z
  .strictObject({
    baseUrl: BaseUrl.describe('The address of the API, http or https.'),
    ...Credentials.shape,
    timeout: NonZeroDuration.default('30s').describe('The deadline of one call.'),
    connections: z.int().min(1).max(512).default(16).describe('How many calls may be under way at once.'),
    trust503: z
      .boolean()
      .default(false)
      .describe(
        'The API, and every gateway before it, promises that it did nothing when it answers a create with 503 and Retry-After.',
      ),
    lateAnswer: Duration.default('3m').describe(
      'How long a request whose answer was lost may still take effect: more than the longest timeout of the gateways before the API and two minutes, for so long the system goes on sending for a program that has ended. It must also be longer than reads of the API may lag behind. A record is proven absent, and sent again, after twice this time.',
    ),
    allowHttp: z
      .boolean()
      .default(false)
      .describe(
        'Whether an address of another machine may be http, which sends the secret and all orders in plain text.',
      ),
  })
  .refine(({ baseUrl, allowHttp }) => allowHttp || !isPlainHttp(baseUrl), {
    path: ['baseUrl'],
    error:
      'sends the secret to another machine in plain text: write https://, or allowHttp: true where that is meant',
  })

const routeShape = {
  retailer: z.int().min(1).optional().describe('The id of the retailer the route acts for.'),
  brand: z.int().min(1).optional().describe('The id of the brand the route acts for.'),
  api: Credentials.optional().describe('Credentials of this route, where they differ from those under api.'),
  mapping: Text.describe('The mapping file.'),
  alertIfLate: LateSettings.optional().describe(
    'Orders of the party that must be acknowledged or shipped soon raise an alert, as the bridge last saw them; never when left out.',
  ),
  ...scheduleShape,
}

export const DocumentSettings = z.strictObject({
  mailbox: MailboxName,
  folder: Folder.default(DEFAULT_FOLDERS.documents).describe('Where they are left.'),
  labels: z.boolean().default(true).describe('Leave the shipping labels that the API makes.'),
  packingSlips: z.boolean().default(true).describe('Leave the packing slips.'),
  name: DocumentName.default(DEFAULT_DOCUMENT_NAME).describe(
    'The name of each file without its end, from fields of the created shipment, {shipment_id} and {kind}, which is label or packing-slip.',
  ),
})

export const InboundRouteSettings = z.strictObject({
  ...routeShape,
  operation: z.enum(INBOUND_OPERATIONS).describe('What is done with each record.'),
  from: z
    .union([FolderSource(DEFAULT_MATCH, 'ROUTE'), InterchangeSource])
    .describe('Where files come from: a folder of the route, or an inbox of interchanges.'),
  results: ResultFolder.describe('The folder for the result files.'),
  documents: DocumentSettings.optional().describe(
    'Where the packing slips and labels of created shipments are left; none are fetched when left out.',
  ),
  rules: RuleSettings.prefault({}).describe('What is done about records that are only odd.'),
  ...waitShape,
  steps: z
    .array(StepSettings)
    .optional()
    .describe(
      'Further steps on the same file, in this order: the records of one order are sent step after step, and none after one that was refused or held.',
    ),
  circuitBreaker: CircuitBreakerFile.prefault({}).describe(
    'When the rest of a file is not sent but held for a person, because the API refuses record after record.',
  ),
})

export const OutboundRouteSettings = z.strictObject({
  ...routeShape,
  operation: z.enum(OUTBOUND_OPERATIONS).describe('What is listed.'),
  to: z
    .strictObject({
      mailbox: MailboxName,
      folder: Folder.describe('Where files are left.'),
      name: FileName.describe(
        'The name of each file, with {seq}, {date:yyyyMMdd-HHmmss} or {day:yyyyMMdd} (the business date of `daily`), and {route}; of an interchange also with {icn} (its control number), {partner} and {kind} (its document); with a field of the record, such as {purchase_order_number}, each file holds one record.',
      ),
      alertIfNotEmptied: AlertIfNotEmptied,
    })
    .optional()
    .describe('Where files go to; may be left out where the `partner` has a `to`.'),
  partner: Text.optional().describe(
    'The partner under `edi.partners` that the files are for, where the mapping writes X12 or EDIFACT.',
  ),
  usage: Usage.optional().describe('How interchanges are marked: production (when left out), or test.'),
  ...acknowledgeShape(Folder),
  select: SelectSettings.optional().describe(
    'Makes the route a report: each run asks the list for these records and writes all of them into a new file. Nothing is acknowledged.',
  ),
  empty: z
    .enum(['skip', 'write'])
    .optional()
    .describe(
      'What a report without records comes to: no file (skip, when left out), or one with the header alone (write).',
    ),
  verifyBeforeAck: z
    .boolean()
    .optional()
    .describe('Read each record again before acknowledging it; true for orders when left out.'),
})

export const ConfigurationFile = z.strictObject({
  api: ApiSettings.describe('The API and the credentials of the bridge.'),
  journal: z
    .string()
    .refine((text) => /^sqlite:./.test(text), 'must be sqlite: and a path, such as sqlite:./state/journal.db')
    .default('sqlite:./state/journal.db')
    .describe('Where the bridge remembers what it did.'),
  keep: z
    .strictObject({
      contents: Retention.optional().describe(
        'How long the contents of finished work are kept in the journal, such as 90d: what was sent and answered, cells, and the texts of messages. Keys, states, times and hashes stay, so that nothing is posted twice. For ever when left out.',
      ),
    })
    .prefault({})
    .describe('How long the journal keeps what it knows.'),
  state: Text.default('./state').describe('The folder for files being worked on.'),
  alertIfDiskBelow: AlertIfDiskBelow,
  log: LogSettings.optional().describe('What is logged, how and where.'),
  health: HealthSettings.optional().describe(
    'Health and metrics over HTTP while watching; none when left out.',
  ),
  status: StatusSettings.prefault({}).describe('The status page, for people without a command line.'),
  console: ConsoleSettings.prefault({}).describe(
    'The pages of `dropbridge console`; see [console.md](console.md).',
  ),
  notifications: NotificationsSettings.prefault({}).describe(
    'Who is notified of alerts and results: by mail, webhook or command.',
  ),
  zone: TimeZone.optional().describe('The zone of the times of day of schedules that name none.'),
  watch: WatchSettings.prefault({}).describe('How dropbridge watch goes about its work.'),
  mailboxes: z.record(Name, MailboxSettings),
  edi: EdiSettings.optional().describe(
    'Partners that send interchanges of X12 or EDIFACT, and the inboxes that they come to; see [edi.md](edi.md).',
  ),
  routes: z.record(Name, z.discriminatedUnion('operation', [InboundRouteSettings, OutboundRouteSettings])),
})

export type ConfigurationFile = z.output<typeof ConfigurationFile>

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

// The same as JSON Schema, for editors and to find the keys allowed at a place.

export type JsonSchema = z.core.JSONSchema.BaseSchema

let jsonSchema: JsonSchema | undefined

/** Draft 07, the newest that the YAML language server reads. Made once; not for changing. */
export function configurationJsonSchema(): JsonSchema {
  jsonSchema ??= z.toJSONSchema(ConfigurationFile, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema: part }) => allowVariables(part),
  })
  return jsonSchema
}

/** Of the file of one partner, which may extend another. */
export function partnerJsonSchema(): JsonSchema {
  const PartnerFile = PartnerSettings.partial().extend({
    extends: Text.optional().describe('A file whose settings this one takes over, such as ./base.yaml.'),
  })
  return z.toJSONSchema(PartnerFile, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => allowVariables(jsonSchema),
  })
}

/** Allows `${NAME}` in place of numbers and booleans as well; loading converts it. */
function allowVariables(schema: JsonSchema): void {
  if (schema.type !== 'integer' && schema.type !== 'boolean') return
  Object.assign(schema, { type: [schema.type, 'string'], pattern: '\\$\\{' })
}

/** Finds the schemas that may apply at a path, first to last; none for an unknown path. */
export function findSchemas(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema[] {
  return path.reduce<JsonSchema[]>(
    (places, step) => places.flatMap((place) => expandAlternatives(stepInto(place, String(step)))),
    expandAlternatives(schema),
  )
}

function stepInto(schema: JsonSchema, step: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema
  const next =
    properties !== undefined && Object.hasOwn(properties, step) ? properties[step] : additionalProperties
  return typeof next === 'object' ? next : undefined
}

function expandAlternatives(schema: JsonSchema | undefined): JsonSchema[] {
  if (schema === undefined) return []
  const options = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  return [schema, ...options.flatMap((option) => expandAlternatives(option as JsonSchema))]
}

export function findKeys(schema: JsonSchema, path: readonly PropertyKey[]): string[] {
  return [...new Set(findSchemas(schema, path).flatMap(({ properties }) => Object.keys(properties ?? {})))]
}
