/** Checks of what the bridge tells others against its routes: notices, and the place of the status page. */
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { didYouMean } from '../support/nearest.ts'
import type { Mistake } from './mistakes.ts'

const text = z.string().optional().catch(undefined)
const Glance = z
  .object({
    mailboxes: z.record(z.string(), z.object({ path: text }).catch({})).catch({}),
    routes: z
      .record(
        z.string(),
        z.object({ from: z.object({ mailbox: text, folder: text }).optional().catch(undefined) }).catch({}),
      )
      .catch({}),
    status: z.object({ page: text }).catch({}),
    notices: z
      .record(z.string(), z.object({ routes: z.array(z.string()).catch([]) }).catch({ routes: [] }))
      .catch({}),
  })
  .catch({ mailboxes: {}, routes: {}, status: {}, notices: {} })

type Glance = z.output<typeof Glance>

export function checkTelling(raw: unknown): Mistake[] {
  const glance = Glance.parse(raw)
  return [...checkNotices(glance), ...checkPage(glance)]
}

function checkNotices({ notices, routes }: Glance): Mistake[] {
  const known = Object.keys(routes)
  return Object.entries(notices).flatMap(([name, notice]) =>
    notice.routes.flatMap((route) => {
      if (known.includes(route)) return []
      const message = `there is no route "${route}".${didYouMean(route, known)}`
      return [{ path: ['notices', name, 'routes'], at: 'value' as const, message }]
    }),
  )
}

/** There it would be one of the files that are taken, or that nobody takes. */
function checkPage({ status: { page }, routes, mailboxes }: Glance): Mistake[] {
  if (page === undefined) return []
  const folder = resolve(dirname(page))
  return Object.entries(routes).flatMap(([name, { from }]) => {
    const path = mailboxes[from?.mailbox ?? '']?.path
    if (path === undefined || from?.folder === undefined || resolve(path, from.folder) !== folder) return []
    const message = `would be left where the route ${name} takes files from; use another folder.`
    return [{ path: ['status', 'page'], at: 'value' as const, message }]
  })
}
