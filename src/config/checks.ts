/** Checks across the parts of the configuration. Each tolerates a broken rest. */
import { dirname, resolve, sep } from 'node:path'
import { isOperation, partiesOf } from '../contract/operations.ts'
import { didYouMeanOneOf } from '../support/text.ts'
import { buildInboxKey } from './edi.ts'
import { checkEdi } from './edi-checks.ts'
import { type ConfigError, keyError, listErrors, prefixPaths, toFields, valueError } from './errors.ts'
import { findFileNameErrors, findPlaceholders } from './file-name.ts'
import { checkFolders, listTakers } from './folder-checks.ts'
import {
  checkAcknowledge,
  checkExpect,
  checkReceipts,
  checkReport,
  checkRivalRoutes,
} from './outbound-checks.ts'
import { type RawConfiguration, type RawRoute, type RawStep, readRaw } from './raw-route.ts'
import { ORDER_ACTIONS, ORDER_OPERATIONS, WAITING_OPERATIONS } from './sending.ts'

/** Finds all errors between routes, mailboxes and parties. Relative paths are relative to `base`. */
export function checkAcrossParts(file: unknown, base: string): ConfigError[] {
  const raw = readRaw(file)
  const { mailboxes, routes, zone } = raw
  const forEach = (check: (route: RawRoute) => ConfigError[]) =>
    routes.flatMap((route) => prefixPaths(['routes', route.name], check(route)))
  return [
    ...forEach(checkParty),
    ...forEach((route) => checkMailboxes(route, Object.keys(mailboxes))),
    ...checkFolders(raw, base),
    ...checkEdi(raw),
    ...checkRivalRoutes(routes),
    ...checkReceipts(routes),
    ...forEach(checkNames),
    ...checkNotifications(raw),
    ...checkPage(raw),
    ...checkOwnFiles(raw),
    ...forEach((route) => [
      ...checkReport(route),
      ...checkDocuments(route),
      ...checkSteps(route),
      ...checkSchedule(route, zone),
      ...checkAcknowledge(route),
      ...checkExpect(route.from, zone),
    ]),
  ]
}

// Checks of one route; the paths begin within the route.

function checkParty({ operation, retailer, brand }: RawRoute): ConfigError[] {
  if (retailer !== undefined && brand !== undefined) {
    return [keyError(['brand'], 'a route is for a retailer or for a brand, not both.')]
  }
  const parties = isOperation(operation) ? partiesOf(operation) : ['retailer', 'brand']
  const [party] = parties
  if (retailer === undefined && brand === undefined) {
    return [keyError([], `says nothing of its ${parties.join(' or ')}: write "${party ?? ''}:" and the id.`)]
  }
  const written = retailer === undefined ? 'brand' : 'retailer'
  if (parties.includes(written) || party === undefined) return []
  const message = `${operation} is done by a ${party}: write "${party}:" and its id instead of "${written}:".`
  return [keyError([written], message)]
}

function checkMailboxes(route: RawRoute, known: readonly string[]): ConfigError[] {
  return (['from', 'results', 'to', 'receipt', 'documents'] as const).flatMap((part) => {
    const mailbox = route[part]?.mailbox
    if (mailbox === undefined || known.includes(mailbox)) return []
    return [valueError([part, 'mailbox'], `there is no such mailbox.${didYouMeanOneOf(mailbox, known)}`)]
  })
}

/** Checks that file names use only fields of the route's records. */
function checkNames({ operation, to, partner }: RawRoute): ConfigError[] {
  if (to?.name === undefined || !isOperation(operation)) return []
  if (findFileNameErrors(to.name, undefined, true).length > 0) return []
  return findFileNameErrors(to.name, operation, partner !== undefined).map((message) =>
    valueError(['to', 'name'], `${message}.`),
  )
}

function checkSteps(route: RawRoute): ConfigError[] {
  const { steps, operation } = route
  const errors = checkWaitRules(route, [])
  if (steps === undefined) return errors
  if (operation !== undefined && !isOfOrders(operation)) {
    const message = `${operation} is not done to orders that exist, so nothing can follow it on the same file.`
    errors.push(keyError(['steps'], message))
  }
  if (steps.length === 0) errors.push(keyError(['steps'], 'has no steps: leave it out.'))
  const seen = new Set([operation])
  for (const [index, each] of steps.entries()) {
    const path = ['steps', String(index)]
    errors.push(...checkWaitRules(each, path), ...checkMapping(each, path))
    if (each.operation !== undefined && seen.has(each.operation)) {
      errors.push(valueError([...path, 'operation'], `${each.operation} is done by an earlier step already.`))
    }
    seen.add(each.operation)
  }
  return errors
}

function isOfOrders(operation: string): boolean {
  return ORDER_OPERATIONS.some((name) => name === operation)
}

function checkMapping({ operation, mapping }: RawStep, path: readonly string[]): ConfigError[] {
  if (operation === undefined || mapping !== undefined || !isOfOrders(operation)) return []
  if (ORDER_ACTIONS.some((name) => name === operation)) return []
  return [keyError(path, `needs a mapping: only ${ORDER_ACTIONS.join(', ')} go without one.`)]
}

function checkWaitRules({ operation, when, waitFor }: RawStep, path: readonly string[]): ConfigError[] {
  if (operation === undefined) return []
  const canWait = WAITING_OPERATIONS.includes(operation)
  const notForThis = `and not for ${operation}.`
  return listErrors(
    when !== undefined &&
      operation !== 'close-order' &&
      keyError([...path, 'when'], `is for close-order, ${notForThis}`),
    waitFor !== undefined &&
      !canWait &&
      keyError([...path, 'waitFor'], `is for ${WAITING_OPERATIONS.join(' and ')}, ${notForThis}`),
  )
}

function checkSchedule(route: RawRoute, zone: unknown): ConfigError[] {
  const [first, second] = (['every', 'cron', 'daily'] as const).filter((key) => route[key] !== undefined)
  if (first !== undefined && second !== undefined) {
    return [keyError([second], `a route has its schedule by \`${first}\` or by \`${second}\`, not by both.`)]
  }
  if (first === undefined || first === 'every' || zone !== undefined) return []
  if (toFields(route[first])['zone'] !== undefined) return []
  const asCron = ' as in cron: { expression: "0 6 * * 1-5", zone: Europe/Berlin }'
  const message = `says a time of day and no zone: add "zone: Europe/Berlin" (or yours)${
    first === 'cron' ? asCron : ''
  }, or one \`zone\` for the whole file.`
  return [keyError([first], message)]
}

function checkDocuments({ operation, documents }: RawRoute): ConfigError[] {
  if (documents === undefined) return []
  const { labels, packingSlips, name } = documents
  const wantsBoth = labels !== false && packingSlips !== false
  const namesKind = name === undefined || findPlaceholders(name).some((each) => each.name === 'kind')
  return listErrors(
    operation !== undefined &&
      operation !== 'create-shipment' &&
      keyError(
        ['documents'],
        `only create-shipment has packing slips and labels, and this route does ${operation}.`,
      ),
    labels === false &&
      packingSlips === false &&
      keyError(['documents'], 'wants neither labels nor packing slips: leave it out.'),
    wantsBoth &&
      !namesKind &&
      valueError(
        ['documents', 'name'],
        'needs {kind}, or a label and its packing slip would have the same name.',
      ),
  )
}

// Notifications against the routes, and the bridge’s own files against the mailboxes.

function checkNotifications({ notifications, ...raw }: RawConfiguration): ConfigError[] {
  const routeNames = [...raw.routeNames, ...Object.keys(raw.edi?.inboxes ?? {}).map(buildInboxKey)]
  return Object.entries(notifications).flatMap(([name, { routes }]) =>
    routes.flatMap((route) => {
      if (routeNames.includes(route)) return []
      const message = `there is no route "${route}".${didYouMeanOneOf(route, routeNames)}`
      return [valueError(['notifications', name, 'routes'], message)]
    }),
  )
}

/** Keeps the status page out of mailboxes, where it would be taken or reported as unmatched. */
function checkPage({ status: { page }, mailboxes, ...takers }: RawConfiguration): ConfigError[] {
  if (page === undefined) return []
  const folder = resolve(dirname(page))
  return listTakers(takers).flatMap(({ who, from }) => {
    const path = getLocalFolder(mailboxes[from?.mailbox ?? ''])
    if (path === undefined || from?.folder === undefined || resolve(path, from.folder) !== folder) return []
    const message = `would be left where ${who} takes files from; use another folder.`
    return [valueError(['status', 'page'], message)]
  })
}

/** Keeps the bridge's own files out of mailboxes: creating their folders would make an absent share look like an empty inbox. */
function checkOwnFiles({ log, journal, state, mailboxes }: RawConfiguration): ConfigError[] {
  const own = [
    { path: ['log', 'file'], file: log.file },
    { path: ['journal'], file: journal?.replace(/^sqlite:/, '') },
    { path: ['state'], file: state },
  ]
  return Object.entries(mailboxes).flatMap(([name, mailbox]) => {
    const folder = getLocalFolder(mailbox)
    // a share that holds the configuration itself is mounted
    if (folder === undefined || isWithin(folder, '.')) return []
    const message = `would lie in the mailbox ${name}, whose share may be away; use a folder outside of it.`
    return own.flatMap(({ path, file }) =>
      file !== undefined && isWithin(folder, file) ? [valueError(path, message)] : [],
    )
  })
}

/** Undefined for a mailbox that is not a folder of this machine. */
function getLocalFolder(mailbox: unknown): string | undefined {
  const { type, path } = toFields(mailbox)
  return type !== 'sftp' && typeof path === 'string' ? path : undefined
}

function isWithin(folder: string, path: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(resolve(folder).replace(/[\\/]?$/, sep))
}
