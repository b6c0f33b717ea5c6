/** What a page of the console is: its path, who may see it, its data, how they are drawn, and what its form does. */
import type { ConsoleContext } from '../app/console/context.ts'
import type { Audience } from '../app/console/masks.ts'
import type { DecisionWork, Hand } from '../app/console/hand.ts'
import type { HandFailure, RunWork } from '../app/console/run-now.ts'
import type { Html } from '../support/html.ts'
import type { People, PeopleReader, View } from './people.ts'
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
  /** Whose personal data the page shows to a person who sees them; for the log of views. */
  listViews?(data: Data, request: PageRequest): readonly View[]
  /** A file for the browser to keep instead of the page, where the query asks for one. */
  download?(data: Data, request: PageRequest): Download | undefined
  /** An own path that a browser is sent to instead, such as the one thing that a search found. */
  findTarget?(data: Data): string | undefined
  /**
   * Of a page with a form: carries it out, with the same permission. A form that is sent twice comes here once. Where it
   * is refused, the page is loaded and drawn again with what was typed. Undefined: there is no such thing, 404.
   */
  act?(context: ConsoleContext, request: ActionRequest): Promise<ActionOutcome | undefined>
}

export interface Download {
  readonly name: string
  readonly type: string
  readonly contents: string | Buffer
}

/** By RFC 6266: the name in plain letters for old programs, and as it is. */
export function formatDisposition(name: string): string {
  const plain = name.replaceAll(/[^\w.~ -]/g, '_')
  const whole = encodeURIComponent(Buffer.from(name).toString()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${whole}`}`
}

/** `to`: the own path that shows what came of it. `again`: the form is drawn again with what was typed; nothing was done. */
export type ActionOutcome = { readonly to: string } | { readonly refusal: Refusal } | { readonly again: true }

/** Why nothing was done. */
export interface Refusal {
  readonly status: 409 | 422 | 503
  readonly message: string
  readonly fix?: string
}

/** Failures by which the journal, or another person or process, contradicts the form. */
const CONFLICTS: readonly string[] = ['lease-held', 'not-known', 'not-repeatable', 'usage-wrong']

/** A failure of the work behind a form, as the page shows it. */
export function toRefusal({ code, message, fix, details }: HandFailure): ActionOutcome {
  const status = CONFLICTS.includes(code) ? 409 : 503
  return { refusal: { status, message: [message, ...details].join(' '), fix } }
}

export interface PageContent {
  /** Text; the page has it as its title and as its `h1`. */
  readonly title: string
  readonly main: Html
  /** The mark of what it was made of; left out for a page that stays as it is. */
  readonly seen?: string
}

export interface PageRequest {
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The first value of each name in the query. */
  readonly query: Readonly<Record<string, string>>
  readonly person: Person
  /** What the person sees of personal data. */
  readonly audience: Audience
  /** Whether the person may use what needs the permission. */
  readonly may: (permission: Permission) => boolean
  /** The zone of the configuration, in which times are shown; UTC when it has none. */
  readonly zone: string
  readonly now: number
  /** What each form of the session carries. */
  readonly csrf: string
  /** Another one each time: what a form is known by that is sent twice. */
  readonly once: string
  /** Who may sign in, and what each person put aside. */
  readonly people: PeopleReader
  /** What was typed into a form that was refused. */
  readonly typed?: Readonly<Record<string, string>>
  readonly refusal?: Refusal
  /** What this process knows of the work after a decision. */
  readonly findWork: (decision: number) => DecisionWork | undefined
  /** What this process knows of a run that a person started here. */
  readonly findRun: (id: string) => RunWork | undefined
}

export interface ActionRequest extends Omit<
  PageRequest,
  'typed' | 'refusal' | 'findWork' | 'findRun' | 'people'
> {
  readonly people: Pick<People, 'setAside'>
  readonly form: Readonly<Record<string, string>>
  /** Carries out what needs a bridge. */
  readonly hand: Hand
}

/** Declares a page, so that `draw` gets the data that `load` returns. */
export function definePage<Data>(page: Page<Data>): Page<Data> {
  return page
}
