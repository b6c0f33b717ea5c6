/** Checks of partners and inboxes of interchanges, and of the routes that take sets of them. */
import { isInbound, isOperation } from '../contract/operations.ts'
import { toFields, type ConfigError, keyError, listErrors, prefixPaths, valueError } from './errors.ts'
import { didYouMeanOneOf } from '../support/text.ts'
import { formatAddress } from './edi.ts'
import { X12_ID_MAX } from './envelope.ts'
import { checkExpect } from './outbound-checks.ts'
import type { RawConfiguration, RawEdi, RawRoute } from './raw-route.ts'

const NO_EDI: RawEdi = { us: {}, partners: {}, inboxes: {} }

export function checkEdi({ edi = NO_EDI, routes, mailboxes, zone }: RawConfiguration): ConfigError[] {
  const takers = routes.flatMap(toTaker)
  // The answers of partners may come to an inbox of their own.
  const isAnswered = routes.some((route) => route.partner !== undefined)
  return [
    ...takers.flatMap((taker) => checkNames(taker, edi)),
    ...checkMailboxes(edi, Object.keys(mailboxes)),
    ...checkAddresses(edi, takers),
    ...Object.keys(edi.inboxes).flatMap((name) => {
      if (isAnswered || takers.some(({ inbox }) => inbox === name)) return []
      const message = `no route takes sets of it: write \`from: { inbox: ${name}, document: 850 }\` at the route that does, or take the inbox away.`
      return [keyError(['edi', 'inboxes', name], message)]
    }),
    ...checkAnswers(edi),
    ...checkRivals(takers),
    ...checkDelimiters(edi),
    ...routes.flatMap((route) => prefixPaths(['routes', route.name], checkExport(route, edi))),
    ...Object.entries(edi.inboxes).flatMap(([name, { from }]) =>
      prefixPaths(['edi', 'inboxes', name], checkExpect(from, zone)),
    ),
  ]
}

/** A route that takes sets of an inbox. */
interface Taker {
  readonly route: string
  readonly inbox: string
  readonly partner: string | undefined
  readonly document: string | undefined
  /** The values that are taken, by path. */
  readonly when: ReadonlyMap<string, readonly unknown[]>
}

function toTaker({ name, from }: RawRoute): Taker[] {
  if (from?.inbox === undefined) return []
  const { inbox, partner, document } = from
  return [
    {
      route: name,
      inbox,
      partner,
      document,
      when: new Map(Object.entries(toFields(from.when)).map(([path, values]) => [path, [values].flat()])),
    },
  ]
}

function checkNames({ route, inbox, partner }: Taker, { inboxes, partners }: RawEdi): ConfigError[] {
  const path = ['routes', route, 'from']
  const known = Object.keys(inboxes)
  const errors: ConfigError[] = []
  if (!known.includes(inbox)) {
    const help = known.length === 0 ? ' Write it under `edi.inboxes`.' : didYouMeanOneOf(inbox, known)
    errors.push(valueError([...path, 'inbox'], `there is no such inbox.${help}`))
  }
  if (partner !== undefined && partners !== undefined && !Object.hasOwn(partners, partner)) {
    const help = Object.keys(partners).length === 0 ? ' Write it under `edi.partners`.' : ''
    const message = `there is no such partner.${help}${didYouMeanOneOf(partner, Object.keys(partners))}`
    errors.push(valueError([...path, 'partner'], message))
  }
  return errors
}

function checkMailboxes({ inboxes, partners = {} }: RawEdi, known: readonly string[]): ConfigError[] {
  const named = [
    ...Object.entries(inboxes).flatMap(([name, { from, results }]) => [
      { path: ['edi', 'inboxes', name, 'from', 'mailbox'], mailbox: from?.mailbox },
      { path: ['edi', 'inboxes', name, 'results', 'mailbox'], mailbox: results?.mailbox },
    ]),
    ...Object.entries(partners).map(([name, { to }]) => ({
      path: ['edi', 'partners', name, 'to', 'mailbox'],
      mailbox: to?.mailbox,
    })),
  ]
  return named.flatMap(({ path, mailbox }) => {
    if (mailbox === undefined || known.includes(mailbox)) return []
    return [valueError(path, `there is no such mailbox.${didYouMeanOneOf(mailbox, known)}`)]
  })
}

/** Each partner may send to each inbox. */
function checkAnswers({ inboxes, partners = {} }: RawEdi): ConfigError[] {
  if (Object.keys(inboxes).length === 0) return []
  return Object.entries(partners).flatMap(([name, { answer, to }]) => {
    if (to !== undefined || answer === 'none' || toFields(answer)['when'] === 'none') return []
    const message =
      'is missing: the partner is answered, so write `to: { mailbox: …, folder: … }`, or else `answer: none`.'
    return [keyError(['edi', 'partners', name, 'to'], message)]
  })
}

// What routes export.

/** The paths begin within the route. */
function checkExport({ from, to, partner: name, usage, operation }: RawRoute, edi: RawEdi): ConfigError[] {
  const { partners, us } = edi
  if (name === undefined || from !== undefined) {
    const isMissing =
      to === undefined && from === undefined && isOperation(operation) && !isInbound(operation)
    return listErrors(
      isMissing && keyError(['to'], `is missing: write it such as \`${ROUTE_TO}\`.`),
      usage !== undefined && from === undefined && keyError(['usage'], 'is for routes with a `partner`.'),
    )
  }
  if (partners === undefined) return []
  const partner = Object.hasOwn(partners, name) ? partners[name] : undefined
  if (partner === undefined) {
    const help = Object.keys(partners).length === 0 ? ' Write it under `edi.partners`.' : ''
    const message = `there is no such partner.${help}${didYouMeanOneOf(name, Object.keys(partners))}`
    return [valueError(['partner'], message)]
  }
  const ours = Object.keys(us)
  const help = ours.length === 0 ? 'Write our address under `edi.us`' : 'Write `we:` with one of `edi.us`'
  const who = `the partner ${name} does not say who sends to it. ${help}.`
  return listErrors(
    to === undefined &&
      partner.to === undefined &&
      keyError(['to'], `is missing, and the partner ${name} has none: write it here or there.`),
    partner.we === undefined && ours.length !== 1 && valueError(['partner'], who),
  )
}

const ROUTE_TO = 'to: { mailbox: exchange, folder: outbox, name: "orders-{seq}.csv" }'

function checkDelimiters({ partners = {}, us }: RawEdi): ConfigError[] {
  return Object.entries(partners).flatMap(([name, { delimiters, we }]) => {
    const { newline: _, ...parts } = toFields(delimiters)
    const known = new Map<unknown, string>()
    const errors = Object.entries(parts).flatMap(([part, delimiter]) => {
      const other = known.get(delimiter)
      known.set(delimiter, part)
      if (other === undefined) return []
      return [valueError(['edi', 'partners', name, 'delimiters', part], `is the same as \`${other}\`.`)]
    })
    if (we === undefined || Object.hasOwn(us, we)) return errors
    const message = `there is no such address under \`edi.us\`.${didYouMeanOneOf(we, Object.keys(us))}`
    return [...errors, valueError(['edi', 'partners', name, 'we'], message)]
  })
}

// Addresses.

interface Address {
  readonly path: readonly string[]
  /** Whose it is. */
  readonly who: string
  readonly qualifier: string | undefined
  readonly id: string
  readonly group?: string | undefined
  readonly partner?: string
}

function listAddresses({ us, partners = {} }: RawEdi): Address[] {
  const ours = Object.entries(us).flatMap(([name, { qualifier, id, test }]) => {
    const path = ['edi', 'us', name]
    return [
      { path: [...path, 'id'], who: `our address ${name}`, qualifier, id },
      { path: [...path, 'test'], who: `our address ${name}`, qualifier, id: test },
    ]
  })
  const theirs = Object.entries(partners).flatMap(([partner, { ids }]) =>
    ids.map(({ qualifier, id, group }, index) => {
      const path = ['edi', 'partners', partner, 'ids', String(index), 'id']
      return { path, who: `the partner ${partner}`, qualifier, id, group, partner }
    }),
  )
  return [...ours, ...theirs].flatMap(({ id, ...rest }) => (id === undefined ? [] : [{ ...rest, id }]))
}

function checkAddresses(edi: RawEdi, takers: readonly Taker[]): ConfigError[] {
  const known = new Map<string, string>()
  return listAddresses(edi).flatMap((address) => {
    const { path, who, group, partner } = address
    const key = JSON.stringify([formatAddress(address), group])
    const other = known.get(key)
    known.set(key, other ?? who)
    if (other === undefined) return checkRoom(address, takers)
    const isOfTwo = partner !== undefined && other !== who && other.startsWith('the partner')
    const help = isOfTwo ? 'add the `group` that sends (GS02) to both' : 'take one of them away'
    return [valueError(path, `${other} has the same address: ${help}.`)]
  })
}

/** Checks what the envelope of X12 has room for, where no route takes documents of EDIFACT, whose ids may be longer. */
function checkRoom({ path, qualifier, id, partner }: Address, takers: readonly Taker[]): ConfigError[] {
  const documents = takers
    .filter((taker) => partner === undefined || taker.partner === undefined || taker.partner === partner)
    .flatMap(({ document }) => document ?? [])
  if (documents.length === 0 || !documents.every((document) => /^\d+$/.test(document))) return []
  if (id.length > X12_ID_MAX) {
    return [
      valueError(path, `is longer than the ${X12_ID_MAX} characters that the envelope of X12 has room for.`),
    ]
  }
  if (qualifier?.length === 2) return []
  const message =
    'needs a `qualifier` of two characters, such as ZZ or 01: X12 sends none without (ISA05, ISA07).'
  return [valueError(path, message)]
}

// Which route takes a set.

/** Finds routes that could take the same set. What a path leads to is only known of sets. */
function checkRivals(takers: readonly Taker[]): ConfigError[] {
  return takers.flatMap((taker, index) => {
    const rival = takers.slice(0, index).find((other) => areRivals(taker, other))
    if (rival === undefined) return []
    const { route, document = '', partner } = taker
    const whose = partner === undefined ? '' : ` of ${partner}`
    const message = `could take the same ${document}${whose} as the route ${rival.route}: give both a \`when\` with other values of the same path.`
    return [keyError(['routes', route, 'from'], message)]
  })
}

function areRivals(one: Taker, other: Taker): boolean {
  if (one.document === undefined || one.document !== other.document) return false
  if (one.inbox !== other.inbox || one.partner !== other.partner) return false
  return [...one.when].every(([path, values]) => {
    const others = other.when.get(path)
    return others === undefined || values.some((value) => others.includes(value))
  })
}
