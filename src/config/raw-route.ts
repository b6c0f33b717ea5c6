/** The readable parts of a perhaps broken configuration, for the checks across its parts. */
import { z } from 'zod'
import { CHECKED_ONCE } from '../support/schema-issue.ts'
import {
  DEFAULT_FOLDERS,
  DEFAULT_INTERCHANGE_MATCH,
  DEFAULT_MATCH,
  DEFAULT_RECEIPT,
  normalizeFolder,
} from './folders.ts'
const text = z.string().optional().catch(undefined)

const anyFolder = z.string().transform(normalizeFolder)

const folder = anyFolder.optional().catch(undefined)

const withDefault = (type: z.ZodType<string, string>, fallback: string) =>
  type.default(fallback).catch(fallback)

const any = z.unknown().optional()

const { results, documents } = DEFAULT_FOLDERS

function part<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined)
}

const stepShape = { operation: text, mapping: any, when: any, waitFor: any }

const RawRoute = z.object({
  ...stepShape,
  retailer: any,
  brand: any,
  from: part({
    mailbox: text,
    folder,
    match: withDefault(z.string(), DEFAULT_MATCH),
    archive: folder,
    expectFile: any,
    inbox: text,
    partner: text,
    document: z
      .union([z.string(), z.number().transform(String)])
      .optional()
      .catch(undefined),
    when: any,
  }),
  results: part({ mailbox: text, folder: withDefault(anyFolder, results) }),
  to: part({ mailbox: text, folder, name: text }),
  documents: part({
    mailbox: text,
    folder: withDefault(anyFolder, documents),
    name: text,
    labels: any,
    packingSlips: any,
  }),
  partner: text,
  usage: text,
  acknowledge: text,
  receipt: part({
    by: text,
    mailbox: text,
    folder,
    archive: folder,
    contains: any,
    match: withDefault(z.string(), DEFAULT_RECEIPT),
  }),
  overdue: any,
  select: z.record(z.string(), z.unknown()).optional().catch(undefined),
  empty: any,
  verifyBeforeAck: any,
  steps: z.array(z.object(stepShape).catch({})).optional().catch(undefined),
  every: any,
  cron: any,
  daily: any,
})

export type RawRoute = z.output<typeof RawRoute> & { readonly name: string }

export type RawStep = Pick<RawRoute, keyof typeof stepShape>

const address = { qualifier: text, id: text }

const RawPartner = z.object({
  ids: z.array(z.object({ ...address, group: text }).catch({})).catch([]),
  we: text,
  group: text,
  delimiters: any,
  answer: any,
  to: part({ mailbox: text, folder, name: text }),
})

const RawInbox = z.object({
  from: part({
    mailbox: text,
    folder,
    match: withDefault(z.string(), DEFAULT_INTERCHANGE_MATCH),
    archive: folder,
    expectFile: any,
  }),
  results: part({ mailbox: text, folder: withDefault(anyFolder, results) }),
})

const RawEdi = z.object({
  us: z.record(z.string(), z.object({ ...address, test: text, group: text }).catch({})).catch({}),
  /** Undefined where they could not be read. */
  partners: z
    .record(z.string(), RawPartner.catch({ ids: [] }))
    .optional()
    .catch(undefined),
  inboxes: z.record(z.string(), RawInbox.catch({})).catch({}),
})

export type RawEdi = z.output<typeof RawEdi>

const RawConfiguration = z
  .object({
    zone: any,
    mailboxes: z.record(z.string(), z.unknown()).catch({}),
    edi: RawEdi.optional().catch(undefined),
    routes: z.record(z.string(), RawRoute.optional().catch(undefined)).catch({}),
    status: z.object({ page: text }).catch({}),
    log: z.object({ file: text }).catch({}),
    journal: text,
    state: text,
    notifications: z
      .record(z.string(), z.object({ routes: z.array(z.string()).catch([]) }).catch({ routes: [] }))
      .catch({}),
  })
  .catch({ mailboxes: {}, routes: {}, status: {}, log: {}, notifications: {} })

export function readRaw(raw: unknown) {
  const { routes, ...rest } = RawConfiguration.parse(raw, CHECKED_ONCE)
  const named = Object.entries(routes).flatMap(([name, route]): RawRoute[] =>
    route === undefined ? [] : [{ ...route, name }],
  )
  return { ...rest, routes: named, routeNames: Object.keys(routes) }
}

export type RawConfiguration = ReturnType<typeof readRaw>
