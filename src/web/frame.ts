/** Draws what is around every page: head, navigation, search, whether a bridge works, who is signed in; and what is refused. */
import { basename, dirname } from 'node:path'
import type { Activity, RouteActivity } from '../app/console/today.ts'
import type { Configuration } from '../config/configuration.ts'
import { BridgeError, FAILURES } from '../support/errors.ts'
import { html, type Html, href, renderInlineCode } from '../support/html.ts'
import type { Assets } from './assets.ts'
import type { PageContent } from './page.ts'
import { showTime } from './parts.ts'
import type { Person } from './permissions.ts'
import type { ProxyRefusal } from './sessions.ts'

export interface Frame {
  readonly assets: Assets
  /** The name of the configuration. */
  readonly name: string
  /** The first parts of paths that there are pages for. */
  readonly sections: ReadonlySet<string>
  readonly path: string
  readonly zone: string
  readonly now: number
  /** Left out where the journal cannot be read. */
  readonly activity?: Activity | undefined
  readonly signedIn?:
    { readonly person: Person; readonly csrf: string; readonly canSignOut: boolean } | undefined
}

const NAVIGATION = [
  { path: '/', text: 'Today' },
  { path: '/files', text: 'Files' },
  { path: '/deliveries', text: 'Deliveries' },
  { path: '/routes', text: 'Routes' },
  { path: '/reports', text: 'Reports' },
  { path: '/decisions', text: 'Decisions' },
  { path: '/settings', text: 'Settings' },
] as const

/** The folder of the configuration, such as `acme-prod`; with the name of its file where that is not the usual one. */
export function nameConfiguration({ source }: Pick<Configuration, 'source'>): string {
  if (source === undefined) return 'dropbridge'
  const folder = basename(dirname(source.path))
  const file = basename(source.path).replace(/\.ya?ml$/, '')
  return file === 'dropbridge' ? folder : `${folder}/${file}`
}

/** The whole document. */
export function drawDocument(frame: Frame, { title, main, seen }: PageContent): string {
  const { assets, name, signedIn } = frame
  const mark = seen && html`data-seen="${seen}"`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="${href(assets.icon)}" />
        <link rel="stylesheet" href="${href(assets.style)}" />
        <script src="${href(assets.script)}" defer></script>
      </head>
      <body ${signedIn ? html`data-live-from="/live" ${mark || undefined}` : html``}>
        <a class="skip" href="#main">To the contents</a>
        ${drawHeader(frame)}
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          ${main}
        </main>
      </body>
    </html>`.html
}

function drawHeader(frame: Frame): Html {
  const { name, signedIn } = frame
  const brand = html`<a class="brand" href="/">dropbridge</a> <strong>${name}</strong>`
  if (signedIn === undefined) return html`<header><p>${brand}</p></header>`
  return html`<header>
    <p>${brand}</p>
    <nav aria-label="Pages">${NAVIGATION.map((entry) => drawEntry(frame, entry))}</nav>
    ${
      frame.sections.has('search')
        ? html`<form role="search" action="/search">
            <label for="search">Search</label>
            <input id="search" type="search" name="q" placeholder="PO, tracking number, file" />
          </form>`
        : html``
    }
    <p id="activity" data-live class="pill">${drawActivity(frame)}</p>
    <p id="live-state" role="status" hidden></p>
    ${drawPerson(signedIn)}
  </header>`
}

function drawPerson({ person, csrf, canSignOut }: NonNullable<Frame['signedIn']>): Html {
  const name = html`<span>${person.name} (${person.role})</span>`
  if (!canSignOut) return html`<div class="person">${name}</div>`
  return html`<form method="post" action="/sign-out" class="person">
    <input type="hidden" name="csrf" value="${csrf}" />
    ${name}
    <button>Sign out</button>
  </form>`
}

function drawEntry({ path, sections }: Frame, entry: (typeof NAVIGATION)[number]): Html {
  const [, section = ''] = entry.path.split('/')
  if (section !== '' && !sections.has(section)) return html``
  const [, current = ''] = path.split('/')
  return current === section
    ? html`<a href="${href(entry.path)}" aria-current="page">${entry.text}</a>`
    : html`<a href="${href(entry.path)}">${entry.text}</a>`
}

function drawActivity({ activity, zone, now }: Frame): Html {
  if (activity === undefined) return html`✕ The journal cannot be read`
  const time = { zone, now }
  if (activity.kind === 'watching') {
    const { since, owners, work } = activity
    const at = work && html`; at work: ${drawWork(work, time)}`
    return html`● Watching since ${showTime(since, time)} (${owners.join(', ')})${at}`
  }
  if (activity.kind === 'running') return html`◐ A run is working: ${drawWork(activity.work, time)}`
  return html`○ Not running. Last work ${showTime(activity.lastAt, time)}${drawNextRun(activity.next, time)}`
}

/** Without a schedule, only the program that starts the runs knows when. */
function drawNextRun(
  next: Extract<Activity, { kind: 'stopped' }>['next'],
  time: { readonly zone: string; readonly now: number },
): Html {
  if (next === undefined) return html`; no route has a schedule`
  const { at, route } = next
  return at <= time.now ? html`; ${route} is due now` : html`; next due ${showTime(at, time)} (${route})`
}

/** `orders, orders-16.csv since 02:15:00, 1,204 of 5,000`. */
function drawWork(
  { route, file }: RouteActivity,
  time: { readonly zone: string; readonly now: number },
): Html {
  if (file === undefined) return html`${route}`
  const { name, since, done, total } = file
  const of = total === undefined ? ' so far' : ` of ${total.toLocaleString('en-US')}`
  return html`${route}, ${name} since ${showTime(since, time)}, ${done.toLocaleString('en-US')}${of}`
}

// What the server refuses, and pages that say so.

/** A page that says what is wrong and what to do. */
export function drawFailure({ title, message, fix, code }: Failure): PageContent {
  const main = html`${message === undefined ? html`` : html`<p>${renderInlineCode(message)}</p>`}
    <p class="fix">${renderInlineCode(fix)}</p>
    ${code === undefined ? html`` : html`<p><code>${code}</code></p>`}`
  return { title: title.replace(/\.$/, ''), main }
}

export interface Failure {
  readonly status: number
  readonly title: string
  readonly message?: string
  readonly fix: string
  readonly code?: string
}

export const NOT_FOUND: Failure = {
  status: 404,
  title: 'There is no such page',
  fix: 'Follow a link of the navigation, or search for it.',
}

export const SIGNED_OUT: Failure = { status: 401, title: 'Not signed in', fix: 'Sign in first.' }

export const FOREIGN: Failure = {
  status: 403,
  title: 'This form is not from this session',
  fix: 'Go back, load the page again, and send it once more. Nothing was changed.',
}

export const PROXY_REFUSALS: Readonly<Record<ProxyRefusal, Failure>> = {
  'not-the-proxy': {
    status: 403,
    title: 'People sign in at the proxy',
    fix: 'Open the console at the address of its proxy.',
  },
  'no-name': {
    status: 403,
    title: 'The proxy names no person',
    fix: 'Let it send the name in the header of `console.proxy.user`.',
  },
  'no-role': {
    status: 403,
    title: 'You have no role here',
    fix: 'Ask for a group that `console.proxy.roles` names.',
  },
}

export const BUSY: Failure = { status: 503, title: 'Too many open pages', fix: 'Close some of them.' }

export const UNEXPECTED: Failure = {
  status: 500,
  title: 'Something unexpected happened',
  fix: FAILURES.bug.fix,
}

/** What a page shows of an error that was thrown. */
export function toFailure(error: Error & { readonly statusCode?: number }): Failure {
  if (error instanceof BridgeError) {
    const { code, message, fix } = error
    return { status: 503, title: FAILURES[code].title, message, fix, code }
  }
  const { statusCode: status = 500 } = error
  if (status === 413) return { status, title: 'The form is too large', fix: 'Send less at once.' }
  if (status < 500) return { status, title: 'The request cannot be read', fix: 'Load the page again.' }
  return UNEXPECTED
}
