/** Checks of notices against the routes, and of the bridge's own files against the mailboxes. */
import { dirname, resolve, sep } from 'node:path'
import { z } from 'zod'
import { didYouMean } from '../support/nearest.ts'
import type { Mistake } from './mistakes.ts'

const text = z.string().optional().catch(undefined)
const Glance = z
  .object({
    mailboxes: z.record(z.string(), z.object({ type: text, path: text }).catch({})).catch({}),
    routes: z
      .record(
        z.string(),
        z.object({ from: z.object({ mailbox: text, folder: text }).optional().catch(undefined) }).catch({}),
      )
      .catch({}),
    status: z.object({ page: text }).catch({}),
    log: z.object({ file: text }).catch({}),
    journal: text,
    state: text,
    notices: z
      .record(z.string(), z.object({ routes: z.array(z.string()).catch([]) }).catch({ routes: [] }))
      .catch({}),
  })
  .catch({ mailboxes: {}, routes: {}, status: {}, log: {}, notices: {} })

type Glance = z.output<typeof Glance>

export function checkTelling(raw: unknown): Mistake[] {
  const glance = Glance.parse(raw)
  return [...checkNotices(glance), ...checkPage(glance), ...checkOwnFiles(glance)]
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
    const path = folderOf(mailboxes[from?.mailbox ?? ''])
    if (path === undefined || from?.folder === undefined || resolve(path, from.folder) !== folder) return []
    const message = `would be left where the route ${name} takes files from; use another folder.`
    return [{ path: ['status', 'page'], at: 'value' as const, message }]
  })
}

/** Their folders are made when they are missing; in the place of a share that is away that would be an empty inbox. */
function checkOwnFiles({ log, journal, state, mailboxes }: Glance): Mistake[] {
  const own = [
    { path: ['log', 'file'], file: log.file },
    { path: ['journal'], file: journal?.replace(/^sqlite:/, '') },
    { path: ['state'], file: state },
  ]
  return Object.entries(mailboxes).flatMap(([name, mailbox]) => {
    const path = folderOf(mailbox)
    // a share with the configuration itself on it is there
    if (path === undefined || isWithin(path, '.')) return []
    return own.flatMap(({ file, ...place }) => {
      if (file === undefined || !isWithin(path, file)) return []
      const message = `would lie in the mailbox ${name}, whose share may be away; use a folder outside of it.`
      return [{ ...place, at: 'value' as const, message }]
    })
  })
}

/** Undefined where it is no folder of this machine. */
function folderOf(mailbox: Glance['mailboxes'][string] | undefined): string | undefined {
  return mailbox?.type === 'sftp' ? undefined : mailbox?.path
}

function isWithin(folder: string, path: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(resolve(folder).replace(/[\\/]?$/, sep))
}
