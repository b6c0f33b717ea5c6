/** Checks across the parts of the configuration. They look at what is there, however broken the rest is. */
import { z } from 'zod'
import { OPERATIONS, type OperationName, partiesOf } from '../contract/operations.ts'
import type { PartyKind } from '../contract/party.ts'
import { didYouMean } from '../support/nearest.ts'
import { checkDocuments } from './document-checks.ts'
import { fileNameMistakes } from './file-name.ts'
import { checkFolders } from './folder-checks.ts'
import type { Mistake } from './mistakes.ts'
import { checkReport, checkRivals } from './report-checks.ts'
import { plainFolder } from './schema.ts'
import { checkSchedule } from './schedule-checks.ts'
import { checkSteps, StepsGlance } from './step-checks.ts'
import { checkTelling } from './telling-checks.ts'
import { checkAcknowledge, checkExpect, checkReceipts } from './waiting-checks.ts'

/** Everything that is wrong between routes, mailboxes and parties. Paths that are not absolute are relative to `base`. */
export function checkTogether(raw: unknown, base: string): Mistake[] {
  const { mailboxes, routes: found, zone } = Glance.parse(raw)
  const routes = Object.entries(found).flatMap(([name, route]) =>
    route === undefined ? [] : [{ name, ...route }],
  )
  return [
    ...routes.flatMap(checkParty),
    ...routes.flatMap((route) => checkMailboxes(route, Object.keys(mailboxes))),
    ...checkFolders(routes, mailboxes, base),
    ...checkRivals(routes),
    ...checkReceipts(routes),
    ...routes.flatMap(checkNames),
    ...checkTelling(raw),
    ...routes.flatMap((route) =>
      [
        ...checkReport(route),
        ...checkDocuments(route),
        ...checkSteps(route),
        ...checkSchedule(route, zone),
        ...checkAcknowledge(route),
        ...checkExpect(route.from, zone),
      ].map((mistake) => ({
        ...mistake,
        path: ['routes', route.name, ...mistake.path],
      })),
    ),
  ]
}

const word = z.string().optional().catch(undefined)
const folder = z.string().transform(plainFolder).optional().catch(undefined)
const RouteGlance = z.object({
  retailer: z.unknown().optional(),
  brand: z.unknown().optional(),
  operation: word,
  from: z
    .object({
      mailbox: word,
      folder,
      match: z.string().default('*.csv').catch('*.csv'),
      archive: folder,
      expect: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
  results: z
    .object({ mailbox: word, folder: z.string().transform(plainFolder).default('results').catch('results') })
    .optional()
    .catch(undefined),
  to: z.object({ mailbox: word, folder, name: word }).optional().catch(undefined),
  documents: z
    .object({
      mailbox: word,
      folder,
      name: word,
      labels: z.unknown().optional(),
      packingSlips: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
  acknowledge: word,
  receipt: z.object({ mailbox: word, folder, archive: folder, match: word }).optional().catch(undefined),
  overdue: z.unknown().optional(),
  select: z.record(z.string(), z.unknown()).optional().catch(undefined),
  empty: z.unknown().optional(),
  reread: z.unknown().optional(),
  ...StepsGlance.shape,
  every: z.unknown().optional(),
  cron: z.unknown().optional(),
  daily: z.unknown().optional(),
})
const Glance = z
  .object({
    zone: z.unknown().optional(),
    mailboxes: z.record(z.string(), z.unknown()).catch({}),
    routes: z.record(z.string(), RouteGlance.optional().catch(undefined)).catch({}),
  })
  .catch({ mailboxes: {}, routes: {} })

type RouteGlance = z.output<typeof RouteGlance> & { readonly name: string }

function checkParty({ name, operation, retailer, brand }: RouteGlance): Mistake[] {
  const path = ['routes', name]
  if (retailer !== undefined && brand !== undefined) {
    return [
      { path: [...path, 'brand'], at: 'key', message: 'a route is for a retailer or for a brand, not both.' },
    ]
  }
  const parties = partiesFor(operation)
  if (retailer === undefined && brand === undefined) {
    const message = `says nothing of its ${parties.join(' or ')}: write "${parties[0] ?? ''}:" and the id.`
    return [{ path, at: 'key', message }]
  }
  const written = retailer === undefined ? 'brand' : 'retailer'
  const [party] = parties
  if (parties.includes(written) || party === undefined) return []
  const message = `${operation} is done by a ${party}: write "${party}:" and its id instead of "${written}:".`
  return [{ path: [...path, written], at: 'key', message }]
}

/** All of them when the operation is not known. */
function partiesFor(operation: string | undefined): readonly PartyKind[] {
  if (operation === undefined || !Object.hasOwn(OPERATIONS, operation)) return ['retailer', 'brand']
  return partiesOf(operation as OperationName)
}

function checkMailboxes(route: RouteGlance, known: readonly string[]): Mistake[] {
  return (['from', 'results', 'to', 'receipt', 'documents'] as const).flatMap((part) => {
    const mailbox = route[part]?.mailbox
    if (mailbox === undefined || known.includes(mailbox)) return []
    const message = `there is no such mailbox.${didYouMean(mailbox, known)}`
    return [{ path: ['routes', route.name, part, 'mailbox'], at: 'value' as const, message }]
  })
}

/** A name may say only what the records of its route have. */
function checkNames({ name, operation, to }: RouteGlance): Mistake[] {
  if (to?.name === undefined || operation === undefined || !Object.hasOwn(OPERATIONS, operation)) return []
  const known = fileNameMistakes(to.name)
  const mistakes = fileNameMistakes(to.name, operation).filter(() => known.length === 0)
  return mistakes.map((message) => ({
    path: ['routes', name, 'to', 'name'],
    at: 'value',
    message: `${message}.`,
  }))
}
