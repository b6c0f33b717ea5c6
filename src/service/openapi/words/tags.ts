/** What belongs together in the document: a heading for each resource. */
import type { ServedEndpoint } from '../../http/served.ts'

/** In the order of the page. */
export const TAGS = {
  Authentication: 'OAuth 2.0 over HTTPS, with one set of client credentials per environment.',
  Accounts: 'The retailers and brands that an account may act for.',
  Orders: 'Consumer orders: submitted by a retailer, acknowledged, closed and reopened by a supplier.',
  Cancels: 'Orders or units of them that are no longer wanted.',
  Shipments: 'What a supplier shipped for an order, with tracking numbers, packing slips and labels.',
  Invoices: 'What a supplier asks a retailer to pay: one invoice per purchase order.',
  Credits: 'Credit memos, issued by suppliers after accepting returns.',
  Returns: 'RMAs; either party may initiate a return.',
  Variants: 'The sellable items of suppliers. These endpoints are in beta.',
  Connections: 'Who trades with whom, and the shipping methods allowed for it.',
  Carriers: 'Carriers and their shipping methods.',
  Administration:
    "What suppliers, carriers and the operator do outside the API. Of this service only, and for an administrator's clients.",
} as const

export type Tag = keyof typeof TAGS

const BY_SEGMENT: Readonly<Record<string, Tag>> = {
  orders: 'Orders',
  cancels: 'Cancels',
  shipments: 'Shipments',
  invoices: 'Invoices',
  credits: 'Credits',
  rmas: 'Returns',
  variants: 'Variants',
  connections: 'Connections',
  carriers: 'Carriers',
}

/** The resource follows from the path. */
export function tagOf({ kind, context, path }: Pick<ServedEndpoint, 'kind' | 'context' | 'path'>): Tag {
  if (kind === 'token') return 'Authentication'
  if (context === 'admin') return 'Administration'
  const segments = path.split('/')
  const named = segments.map((segment) => BY_SEGMENT[segment]).find((tag) => tag !== undefined)
  return named ?? 'Accounts'
}
