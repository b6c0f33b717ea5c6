/** Errors in the configuration file, for people. They never repeat a value, which could be a secret. */
import type { z } from 'zod'
import {
  CHECKED_ONCE,
  describeIssue,
  formatChoices,
  getChoices,
  hasLibraryMessage,
  joinPath,
  listMeantPaths,
} from '../support/schema-issue.ts'
import { didYouMean, listLongerNames } from '../support/text.ts'
import {
  ConfigurationFile,
  configurationJsonSchema,
  findKeys,
  InboundRouteSettings,
  OutboundRouteSettings,
} from './schema.ts'

export interface ConfigError {
  readonly path: readonly PropertyKey[]
  readonly at: 'key' | 'value'
  readonly message: string
}

export function keyError(path: readonly PropertyKey[], message: string): ConfigError {
  return { path, at: 'key', message }
}

export function valueError(path: readonly PropertyKey[], message: string): ConfigError {
  return { path, at: 'value', message }
}

/** Collects the errors among the results of checks. */
export function listErrors(...found: (ConfigError | false | undefined)[]): ConfigError[] {
  return found.filter((each) => each !== false && each !== undefined)
}

export function prefixPaths(path: readonly PropertyKey[], errors: readonly ConfigError[]): ConfigError[] {
  return errors.map((error) => ({ ...error, path: [...path, ...error.path] }))
}

type Issue = z.core.$ZodIssue

/** Returns the file when it fits the schema, or all its errors. */
export function checkShape(raw: unknown) {
  const checked = ConfigurationFile.safeParse(raw, CHECKED_ONCE)
  if (checked.success) return { file: checked.data }
  const found = checked.error.issues
  const issues = [...found, ...issuesBehindUnknownOperations(raw), ...issuesBehindNames(raw, found)]
  const all = issues.flatMap((issue) => narrowUnion(issue, raw))
  const misspelled = new Set(
    all.flatMap((issue) => listMeantPaths(issue, (path) => findKeys(configurationJsonSchema(), path))),
  )
  const isSaid = ({ path }: Issue) => misspelled.has(joinPath(path)) && getRawValue(raw, path) === undefined
  const narrow = all.filter((issue) => !isSaid(issue))
  return { errors: narrow.flatMap((issue) => toConfigErrors(issue, getRawValue(raw, issue.path))) }
}

/** Checks routes of unknown operations, where the schema stops, as inbound or outbound by their keys. */
function issuesBehindUnknownOperations(raw: unknown): Issue[] {
  const known: unknown[] = [
    ...InboundRouteSettings.shape.operation.options,
    ...OutboundRouteSettings.shape.operation.options,
  ]
  return Object.entries(toFields(getRawValue(raw, ['routes']))).flatMap(([name, route]) => {
    const fields = toFields(route)
    if (Object.keys(fields).length === 0 || known.includes(fields['operation'])) return []
    const checked =
      'to' in fields
        ? OutboundRouteSettings.safeParse({ ...fields, operation: 'export-orders' })
        : InboundRouteSettings.safeParse({ ...fields, operation: 'create-order' })
    return (checked.error?.issues ?? []).map((issue) => ({ ...issue, path: ['routes', name, ...issue.path] }))
  })
}

/** Checks the parts whose names are wrong under other names: the schema stops at the name. */
function issuesBehindNames(raw: unknown, issues: readonly Issue[]): Issue[] {
  const names = issues.filter(({ code, path }) => code === 'invalid_key' && path.length === 2)
  return names.flatMap(({ path: [part = '', name = ''] }) => {
    const fields = toFields(getRawValue(raw, [part]))
    const others = { ...toFields(raw), [part]: { [STAND_IN]: fields[String(name)] } }
    const checked = ConfigurationFile.safeParse(others)
    const own = (checked.error?.issues ?? []).filter(({ path }) => path[0] === part && path[1] === STAND_IN)
    return own.map((issue) => ({ ...issue, path: [part, name, ...issue.path.slice(2)] }))
  })
}

const STAND_IN = 'name'

/** The issues of the form that was meant, where a value may have several; the issue itself where none is likelier. */
function narrowUnion(issue: Issue, raw: unknown): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0 || !hasLibraryMessage(issue)) return [issue]
  const form = findForm(issue.errors, toFields(getRawValue(raw, issue.path)))
  if (form === undefined) return [issue]
  return form.flatMap((each) => narrowUnion({ ...each, path: [...issue.path, ...each.path] }, raw))
}

function findForm(forms: readonly (readonly Issue[])[], fields: Readonly<Record<string, unknown>>) {
  const kinds = forms.map((form) => form.find(({ path }) => path.length === 0))
  const isNot = (codes: readonly string[]) =>
    forms.filter((_, index) => !codes.includes(kinds[index]?.code ?? ''))
  const ofKind = isNot(['invalid_type', 'invalid_value'])
  const fitting = ofKind.length > 0 ? ofKind : isNot(['invalid_type'])
  if (fitting.length === 0) {
    const expected = new Set(kinds.map((kind) => kind?.code === 'invalid_type' && kind.expected))
    return expected.size === 1 ? forms[0] : undefined
  }
  if (fitting.length === 1) return fitting[0]
  // `from` of a route: a folder, or an inbox of interchanges.
  return fitting.find(
    (form) =>
      !form.some((each) =>
        'inbox' in fields
          ? each.code === 'unrecognized_keys' && each.keys.includes('inbox')
          : each.path[0] === 'inbox',
      ),
  )
}

/** YAML takes `mailbox:exchange` for one word. */
function missesBlank(key: string, known: readonly string[]): string {
  const [name = '', ...rest] = key.split(':')
  return rest.length > 0 && known.includes(name)
    ? ` Put a blank behind its colon: ${name}: ${rest.join(':')}.`
    : ''
}

/** A list is filtered by one of its times: `ordered_at: { since: 24h }`. */
function suggestTimeFilter(path: readonly PropertyKey[], key: string, known: readonly string[]): string {
  const times = known.filter((name) => name.endsWith('_at'))
  if (path.at(-1) !== 'select' || !(key === 'since' || key === 'until') || times.length === 0) return ''
  return ` It belongs to a time: ${times[0]}: { ${key}: … }; the times are ${times.join(', ')}.`
}

/** The keys that begin so, such as `password` and `passphrase` for `pass`. */
function listLongerKeys(key: string, known: readonly string[]): string {
  const longer = listLongerNames(key, known)
  return longer.length > 0 ? ` Did you mean "${longer.join('" or "')}"?` : ''
}

/** Of many only those that are not set. */
function listKnownKeys(known: readonly string[], free: readonly string[]): string {
  const listed = known.length > LISTED_CHOICES_MAX ? free : known
  return listed.length > 0 ? ` Known here: ${listed.join(', ')}.` : ''
}

/** How required keys of a route are written. */
const ROUTE_FORMS: Readonly<Record<string, string>> = {
  from: 'from: { mailbox: exchange, folder: inbox/orders }',
  results: 'results: { mailbox: exchange }',
  to: 'to: { mailbox: exchange, folder: outbox, name: "orders-{seq}.csv" }',
  mapping: 'mapping: mappings/orders.yaml',
}

/** Converts one issue, with the value at its place, to errors. */
export function toConfigErrors(issue: Issue, value: unknown): ConfigError[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = findKeys(configurationJsonSchema(), path)
    // A key that is set already is the last guess.
    const free = known.filter((key) => !(typeof value === 'object' && value !== null && key in value))
    const guess = (key: string) =>
      suggestTimeFilter(path, key, known) ||
      didYouMean(key, free) ||
      listLongerKeys(key, free) ||
      didYouMean(key, known) ||
      listKnownKeys(known, free)
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: 'key',
      message: known.includes(key)
        ? describeMisplacedKey(path, key, value)
        : `unknown key.${missesBlank(key, known) || guess(key)}`,
    }))
  }
  if (issue.code === 'invalid_key') {
    const message = `a name holds lower-case letters, digits and hyphens only${suggestName(path)}.`
    return [{ path, at: 'key', message }]
  }
  if (value === undefined) {
    const form = path[0] === 'routes' && path.length === 3 ? ROUTE_FORMS[String(path[2])] : undefined
    const example = form === undefined ? formatChoiceHint(issue) : `: write it such as \`${form}\``
    return [{ path, at: 'value', message: `is missing${example}.` }]
  }
  if (value === null) {
    const blank = path.length === 0 ? 'is empty' : 'has no value'
    return [{ path, at: 'value', message: `${blank}${formatChoiceHint(issue)}.` }]
  }
  const description = `${describeIssue(issue)}${describeForm(issue, value)}`
  const sentence = /[.?]$/.test(description) ? description : `${description}.`
  const choices = getChoices(issue)
  const suggestion = typeof value === 'string' ? didYouMean(value, choices) : ''
  // The meant one would stand behind a list that is too long to read.
  if (typeof value === 'string' && suggestion !== '' && choices.length > LISTED_CHOICES_MAX)
    return [{ path, at: 'value', message: `"${value}" is not known.${suggestion}` }]
  return [{ path, at: 'value', message: `${sentence}${suggestion}` }]
}

/** What stands there instead: the keys of an object, or a number without its quotes. Never the value. */
function describeForm(issue: Issue, value: unknown): string {
  if (issue.code !== 'invalid_type' || !hasLibraryMessage(issue)) return ''
  if (issue.expected === 'number') return isNumeric(value) ? ': write it without quotes' : ''
  const known = issue.expected === 'object' ? findKeys(configurationJsonSchema(), issue.path) : []
  return known.length === 0 || known.length > LISTED_CHOICES_MAX ? '' : `, those of ${known.join(', ')}`
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value)
}

function suggestName(path: readonly PropertyKey[]): string {
  const words =
    String(path.at(-1))
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.length === 0 ? '' : `, such as ${words.join('-')}`
}

const LISTED_CHOICES_MAX = 12

/** Of a key that another form of the same part has. */
function describeMisplacedKey(path: readonly PropertyKey[], key: string, value: unknown): string {
  const isRoute = path[0] === 'routes' && path.length === 2
  const operation = String(toFields(value)['operation'])
  if (isRoute && (key === 'from' || key === 'results') && operation.startsWith('export-'))
    return `does not belong here: ${operation} takes no files, it writes them. Write \`to\`, or another operation.`
  if (isRoute && key === 'to')
    return `does not belong here: ${operation} takes files and writes none. Write \`from\` and \`results\`, or another operation.`
  const isSource = path[0] === 'routes' && path[2] === 'from'
  return isSource
    ? 'does not belong here: a route has a mailbox and folder of its own, or takes sets of an `inbox`, not both.'
    : 'does not belong here: it is for other operations.'
}

function formatChoiceHint(issue: Issue): string {
  const choices = getChoices(issue)
  return choices.length > 0 ? `: it must be ${formatChoices(choices)}` : ''
}

export function getRawValue(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, step) => toFields(value)[String(step)], raw)
}

/** Returns the members of an object; none of any other value. */
export function toFields(raw: unknown): Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null ? (raw as Readonly<Record<string, unknown>>) : {}
}
