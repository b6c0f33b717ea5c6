/** The page of what a search found. One hit is shown at once. */
import { searchJournal, type SearchHit, type SearchResult } from '../../app/console/search.ts'
import { type Html, href, html, joinHtml } from '../../support/html.ts'
import { showState, showTime } from '../parts.ts'
import { definePage, type PageRequest } from '../page.ts'
import { drawCells, nameFileState } from './parts.ts'

/** `only`: where to go at once, because nothing else was found. */
export type SearchPage = SearchResult & { readonly only?: string }

export const searchPage = definePage<SearchPage>({
  path: '/search',
  permission: 'read',
  load: async (context, { query }) => {
    const found = await searchJournal(context, query['q'] ?? '')
    const [only] = found.hits
    return only !== undefined && found.hits.length === 1 ? { ...found, only: linkToHit(only) } : found
  },
  draw: (data, request) => ({ title: 'Search', main: drawFound(data, request) }),
  findTarget: ({ only }) => only,
})

/** The page of a hit. */
function linkToHit({ kind, ref }: SearchHit): string {
  if (kind === 'file') return href('/files/:id', { id: ref })
  if (kind === 'delivery') return href('/deliveries/:id', { id: ref })
  return kind === 'record' ? href('/records/:n', { n: ref }) : href('/orders/:key', { key: ref })
}

function drawFound(found: SearchPage, request: PageRequest): Html {
  const { query, how, hits, isMore } = found
  const form = html`<form method="get" action="/search" role="search">
    <label>Search <input type="search" name="q" value="${query}" /></label> <button>Search</button>
  </form>`
  if (hits.length === 0) return html`${form} ${drawNothing(found)} ${KEY_SWITCH}`
  const rows = hits.map((hit, index) => [
    html`${hit.kind === 'order' && hit.state !== 'seen at the API' ? 'order' : (hit.operation ?? hit.kind)}`,
    html`<a href="${linkToHit(hit)}" ${focusFirst(index)}>${hit.name}</a>`,
    html`${hit.route}`,
    hit.state === undefined
      ? html``
      : hit.kind === 'file'
        ? html`${nameFileState(hit.state)}`
        : showState(hit.state),
    html`${hit.at === undefined ? undefined : showTime(hit.at, request)}`,
  ])
  const note = how === 'prefix' ? `Nothing is called ${query}. These names begin with it.` : undefined
  return html`${form} ${note && html`<p>${note}</p>`}
  ${drawCells('Found', ['What', 'Name', 'Route', 'State', 'When'], rows)}
  ${isMore ? html`<p>There are more. Type more of the name.</p>` : undefined} ${KEY_SWITCH}`
}

/** Shown by the script that listens to the key. Who speaks to the computer, or hits keys by chance, switches it off. */
const KEY_SWITCH = html`<p id="key-switch" hidden>
  On every page the key <kbd>/</kbd> leads to the search.
  <button type="button" aria-pressed="false">Switch it off</button>
</p>`

/** Enter opens the first one: a person who searched has the hands on the keyboard. */
function focusFirst(index: number): Html | undefined {
  return index === 0 ? html`autofocus` : undefined
}

function drawNothing({ query, near }: SearchPage): Html {
  const kinds = html`<p>
    Numbers of orders, invoices and parcels, ids at the API, names of files and deliveries, and rows as
    <code>orders.csv:17</code> can be found.
  </p>`
  if (query === '') return kinds
  const names = near.map(
    (name, index) => html`<a href="${href('/search', { q: name })}" ${focusFirst(index)}>${name}</a>`,
  )
  return html`<p>Nothing is called ${query}.</p>
    ${near.length === 0 ? undefined : html`<p>Names like it: ${joinHtml(names, ', ')}</p>`} ${kinds}`
}
