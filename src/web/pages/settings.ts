/** The pages of what is in force, of whether the chain is whole, of who may sign in, and of who did. */
import { readSettings, type SettingsPage } from '../../app/console/settings.ts'
import type { Verification } from '../../app/console/verifier.ts'
import { type Html, href, html, renderInlineCode } from '../../support/html.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { definePage, type Page, type PageRequest } from '../page.ts'
import { showTime } from '../parts.ts'
import type { AccessEntry, ListedPerson, ViewEntry } from '../people.ts'
import { drawSubmit } from './forms.ts'
import { drawCells, drawNext, readFilter, formatCount } from './parts.ts'

const settingsPage = definePage<SettingsPage>({
  path: '/settings',
  permission: 'read',
  load: (context) => readSettings(context),
  draw: (settings, request) => ({ title: 'Settings', main: drawSettings(settings, request) }),
})

function drawSettings(page: SettingsPage, request: PageRequest): Html {
  const { source, settings, versions, journal, archives, verification } = page
  const isAdmin = request.may('administer')
  const people = html`<h2>People</h2>
    <p>
      <a href="/people">Who may sign in</a> · <a href="/access">Access log</a> ·
      <a href="${VIEWS_PATH}">Views of personal data</a>
    </p>`
  return html`<p>
      ${
        source === undefined
          ? 'The configuration was read from no file.'
          : html`The configuration is ${source.path}, SHA-256 <code>${source.sha256}</code>, as the console
              read it when it was started.`
      }
      Nothing is changed here: edit the file, then <code>dropbridge check</code> and
      <code>dropbridge reload</code>, and start the console again.
    </p>
    ${
      settings.length === 0
        ? undefined
        : drawCells(
            'Settings in force',
            ['Setting', 'Value'],
            settings.map(({ path, value }) => [html`<code>${path}</code>`, html`${value}`]),
          )
    }
    <h2>Versions and sizes</h2>
    <dl>
      <dt>dropbridge</dt>
      <dd>${versions.dropbridge}, Node ${versions.node}</dd>
      <dt>Journal</dt>
      <dd>${journal.path}: ${formatBytes(journal.bytes)}</dd>
      ${archives.map(
        ({ path, bytes, files, isMore }) =>
          html`<dt>Archive</dt>
            <dd>
              ${path}: ${formatBytes(bytes)} in ${isMore ? 'the first ' : ''}${formatCount(files, 'file')}
            </dd>`,
      )}
    </dl>
    <h2>The chain of the journal</h2>
    <section id="verification" data-live>${drawVerification(verification, request)}</section>
    ${
      isAdmin
        ? html`${
            request.may('verify')
              ? html`<p class="buttons"><a class="button" href="${VERIFY_PATH}">Verify now …</a></p>`
              : undefined
          }
          ${people}`
        : undefined
    }`
}

/** `1.2 MB`. */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${formatCount(bytes, 'byte')}`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function drawVerification(verification: Verification, request: PageRequest): Html {
  if (verification.state === 'never')
    return html`<p>
      It was not verified since the console was started. <code>dropbridge audit verify</code> does it, too.
    </p>`
  const { by } = verification
  if (verification.state === 'working')
    return html`<p role="status">${by} has it verified since ${showTime(verification.since, request)}.</p>
      <p><a href="/settings">Show how far it is</a></p>`
  if (verification.state === 'failed') {
    const { message, fix, code } = verification.failure
    return html`<div role="alert">
      <p>${showTime(verification.at, request)}: ${message} <code>${code}</code></p>
      <p class="fix">${renderInlineCode(fix)}</p>
    </div>`
  }
  const { at, events, head, found, findings } = verification
  const result =
    found === 0
      ? html`<p>✓ It is whole, and the tables agree with it.</p>`
      : html`<div role="alert">
          <p>
            ✕ ${formatCount(found, 'mismatch', 'mismatches')}. Read <code>docs/audit.md</code>, and keep a
            copy of the journal.
          </p>
          <ul>
            ${findings.map(({ message }) => html`<li>${message}</li>`)}
          </ul>
        </div>`
  return html`<p>
      Verified ${showTime(at, request)} for ${by}: ${formatCount(events, 'event')}, up to event ${head.event},
      <code>${head.hash}</code>.
    </p>
    ${result}`
}

const VERIFY_PATH = '/settings/verify'

const verifyPage = definePage<SettingsPage['verification']>({
  path: VERIFY_PATH,
  permission: 'verify',
  load: (context) => Promise.resolve(context.verifier?.read() ?? { state: 'never' as const }),
  draw: (verification, request) => ({
    title: 'Verify the chain of the journal',
    main: html`${drawVerification(verification, request)}
      <p>
        It reads the whole journal, and goes on in the background. A million records take about a quarter of a
        minute.
      </p>
      ${drawSubmit({ action: VERIFY_PATH, body: html``, button: 'Verify the chain', cancel: '/settings' }, request)}`,
  }),
  act: (context, { person }) => {
    context.verifier?.start(person.name)
    return Promise.resolve({ to: '/settings' })
  },
})

const peoplePage = definePage<{ readonly people: readonly ListedPerson[] }>({
  path: '/people',
  permission: 'administer',
  load: (_, { people }) => Promise.resolve({ people: people.list() }),
  draw: ({ people }, request) => ({ title: 'Who may sign in', main: drawPeople(people, request) }),
})

function drawPeople(people: readonly ListedPerson[], request: PageRequest): Html {
  const rows = people.map(({ name, role, createdAt, disabledAt, sessions }) => [
    html`${name}`,
    html`${role}`,
    showTime(createdAt, request),
    disabledAt === undefined ? html`${sessions} signed in` : html`disabled ${showTime(disabledAt, request)}`,
  ])
  return html`${drawCells('People', ['Name', 'Role', 'Since', 'State'], rows)}
    <p class="fix">
      ${renderInlineCode('Add one: `dropbridge console user add NAME --role ROLE`. End one: `dropbridge console user disable NAME`.')}
    </p>`
}

interface AccessPage {
  /** Newest first. */
  readonly entries: readonly AccessEntry[]
  readonly total: number
  /** The id after which the next page begins; left out on the last one. */
  readonly next?: number
}

const ENTRIES_ON_A_PAGE = 100

/** The page before ends with this id. */
function readPlace(request: PageRequest): number | undefined {
  const after = readFilter(request, 'after') ?? ''
  return /^\d{1,15}$/.test(after) ? Number(after) : undefined
}

/** A page of what was read with one more, and where the next one begins. */
function cutPage<Entry extends { readonly id: number }>(found: readonly Entry[]) {
  const entries = found.slice(0, ENTRIES_ON_A_PAGE)
  return { entries, next: found.length > ENTRIES_ON_A_PAGE ? entries.at(-1)?.id : undefined }
}

const accessPage = definePage<AccessPage>({
  path: '/access',
  permission: 'administer',
  load: (_, request) => {
    const { people } = request
    const page = cutPage(people.listAccess(ENTRIES_ON_A_PAGE + 1, readPlace(request)))
    return Promise.resolve(omitUndefined({ ...page, total: people.countAccess() }))
  },
  draw: (page, request) => ({ title: 'Access log', main: drawAccess(page, request) }),
})

const ACCESS: Readonly<Record<AccessEntry['what'], string>> = {
  'signed-in': 'signed in',
  failed: 'could not sign in',
  'signed-out': 'signed out',
  acted: 'acted by',
  added: 'may sign in from now on',
  disabled: 'may sign in no more',
}

function drawAccess({ entries, total, next }: AccessPage, request: PageRequest): Html {
  const rows = entries.map(({ at, what, name = 'an unknown name', role, target, address }) => [
    showTime(at, request),
    role === undefined ? html`${name}` : html`${name} (${role})`,
    target === undefined ? html`${ACCESS[what]}` : html`${ACCESS[what]} <code>${target}</code>`,
    html`${address ?? 'the command line'}`,
  ])
  const older = next === undefined ? undefined : href('/access', { after: next })
  return html`<p>${formatCount(total, 'line')}, newest first.</p>
    ${total === 0 ? html`<p>Sign-ins, what people do by forms, and who may sign in stand here.</p>` : drawCells('Access log', ['When', 'Who', 'What', 'From'], rows)}
    ${drawNext(older, 'older')}`
}

// Who saw the personal data of what.

const VIEWS_PATH = '/access/views'

interface ViewsPage {
  /** Newest first. */
  readonly entries: readonly ViewEntry[]
  readonly total: number
  readonly next?: number
}

const viewsPage = definePage<ViewsPage>({
  path: VIEWS_PATH,
  permission: 'administer',
  load: (_, request) => {
    const { people } = request
    const page = cutPage(people.listViews(ENTRIES_ON_A_PAGE + 1, readPlace(request)))
    return Promise.resolve(omitUndefined({ ...page, total: people.countViews() }))
  },
  draw: (page, request) => ({ title: 'Views of personal data', main: drawViews(page, request) }),
})

function drawViews({ entries, total, next }: ViewsPage, request: PageRequest): Html {
  if (total === 0)
    return html`<p>
      Nothing is noted. With <code>console.recordViews: on</code>, the first view of each person stands here.
    </p>`
  const rows = entries.map(({ at, name, kind, ref, address }) => [
    showTime(at, request),
    html`${name}`,
    html`<a href="${linkToViewed({ kind, ref })}">${kind} ${ref}</a>`,
    html`${address}`,
  ])
  const older = next === undefined ? undefined : href(VIEWS_PATH, { after: next })
  return html`<p>${formatCount(total, 'first view')}, newest first.</p>
    ${drawCells('Views of personal data', ['When', 'Who', 'What', 'From'], rows)} ${drawNext(older, 'older')}`
}

function linkToViewed({ kind, ref }: Pick<ViewEntry, 'kind' | 'ref'>): string {
  if (kind === 'record') return href('/records/:n', { n: ref })
  return href(kind === 'file' ? '/files/:id' : '/deliveries/:id', { id: ref })
}

export const settingsPages: readonly Page<unknown>[] = [
  settingsPage,
  verifyPage,
  peoplePage,
  accessPage,
  viewsPage,
]
