/** What a page of the console is: its path, who may see it, its data and how they are drawn. */
import type { ConsoleContext } from '../app/console/context.ts'
import type { Html } from '../support/html.ts'
import type { Permission, Person } from './permissions.ts'

/** A page: what it needs, who may see it, and how it is drawn. GET never changes anything. */
export interface Page<Data> {
  /** Such as `/files/:id`. */
  readonly path: string
  readonly permission: Permission
  /** Plain data, also the answer to `Accept: application/json`. Undefined: there is no such thing, 404. */
  load(context: ConsoleContext, request: PageRequest): Promise<Data | undefined>
  /**
   * Draws what stands in `<main>`. An element with an id and `data-live` is fetched and drawn again when the journal
   * changes; the rest stays as it is until the page is loaded again.
   */
  draw(data: Data, request: PageRequest): PageContent
  /** An own path that a browser is sent to instead, such as the one thing that a search found. */
  findTarget?(data: Data): string | undefined
}

export interface PageContent {
  /** Text; the page has it as its title and as its `h1`. */
  readonly title: string
  readonly main: Html
}

export interface PageRequest {
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The first value of each name in the query. */
  readonly query: Readonly<Record<string, string>>
  readonly person: Person
  /** The zone of the configuration, in which times are shown; UTC when it has none. */
  readonly zone: string
  readonly now: number
}

/** Declares a page, so that `draw` gets the data that `load` returns. */
export function definePage<Data>(page: Page<Data>): Page<Data> {
  return page
}
