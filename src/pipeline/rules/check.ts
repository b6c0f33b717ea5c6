/** Checks business rules before a record is sent, and reports all violations in the user's own columns. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { KnownResource } from '../../domain/resource.ts'
import { blameMapping, type Problem, type ProblemCode, problem } from '../../domain/problem.ts'
import { formatAccount } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import type { RequestBody } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import { isCheckedWhenSent } from '../inbound/steps.ts'
import type { InboundContext } from '../context.ts'
import { tryRead } from '../failures.ts'
import { type FinderContext, type OrderReader, planLists, readList } from '../references/finder.ts'
import { findOtherSpellings, type ResolvedDraft } from '../references/resolver.ts'
import {
  type BodyCheck,
  BUSINESS_RULES,
  checkCarrier,
  type CheckedRecord,
  createNumberCheck,
} from './operation-rules.ts'
import { checkConnectionMethod } from '../references/shipping-methods.ts'
import {
  DEFAULT_POLICIES,
  formatRefuse,
  type Policies,
  type RuleViolation,
  SENT,
  SENT_AS_IT_IS,
} from './rule.ts'
import { getAtPath, omitUndefined } from '../../support/object-paths.ts'
import {
  describeItem,
  findItemField,
  readItems,
  readUnits,
  suggestItemFix,
} from '../../operations/order-lines.ts'

/** A draft after the rule checks; warnings do not stop it. */
export interface CheckedDraft extends ResolvedDraft {
  readonly warnings?: readonly Problem[]
}

export interface RuleCheck {
  readonly context: InboundContext
  readonly file: FileEntry
  readonly orders: OrderReader
  readonly bound: Pick<BoundTranslator, 'findColumn' | 'findOrigin' | 'checkedTotals'>
}

/** Operations that use up units of order lines: a record leaves less for later records of the same file. */
const QUANTITY_OPERATIONS: readonly InboundOperationName[] = ['create-shipment', 'create-cancel']

/** Makes the check of one file. Before a cached order refuses a record, the order is read again. */
export function createBusinessRuleCheck(checking: RuleCheck) {
  const { context } = checking
  const { rules: policies = DEFAULT_POLICIES, operation } = context.route
  const contextRules = createContextRules(context, policies)
  return async (translated: readonly ResolvedDraft[]): Promise<readonly CheckedDraft[]> => {
    const drafts = translated.map((draft) => judgeOwnTotals(draft, policies.totals, context.route))
    if (BUSINESS_RULES[operation] === undefined) return drafts
    const checkable = await selectCheckable(checking, drafts)
    if (checkable.length === 0) return drafts
    const ofOrders = await checkAgainstOrders(checking, checkable)
    const ofContext = await contextRules(
      checkable.map(({ body }) => body),
      checkable,
    )
    const violations = new Map<ResolvedDraft, readonly RuleViolation[]>()
    for (const [index, { draft }] of checkable.entries()) {
      const found = [...(ofOrders[index] ?? []), ...(ofContext[index] ?? [])]
      if (found.length > 0) violations.set(draft, found)
    }
    return drafts.map((draft) => {
      const found = violations.get(draft)
      return found === undefined ? draft : addViolations(draft, found, policies, checking)
    })
  }
}

/** Drafts that would be sent. A record that was sent before is a duplicate, and the order shows its effect already. */
async function selectCheckable({ context }: RuleCheck, drafts: readonly ResolvedDraft[]) {
  const { journal, route } = context
  const { naturalKey, lane } = INBOUND_RULES[route.operation]
  const sound = drafts.flatMap((draft) => {
    const { body, order, keyValues } = draft
    if (body === undefined || draft.problems.length > 0) return []
    return [{ draft, body, lane: lane(body), key: naturalKey(body, keyValues), order }]
  })
  const account = formatAccount(route.party)
  const keys = sound.map(({ key }) => key)
  const active = new Set(await journal.findActiveKeys({ operation: route.operation, account, keys }))
  const fresh = sound.filter(({ key }) => !active.has(key))
  if (route.operation !== 'create-invoice') return fresh
  // An invoice names its order by a number that is no reference. The journal alone is searched, not the API.
  const numbers = fresh.flatMap(({ lane: number, order }) => (order === undefined ? number : []))
  const found = await journal.findResourcesByKey(account, 'order', numbers)
  return fresh.map((each) => {
    const named = found.filter(({ key }) => key === each.lane)
    const only = named.length === 1 ? named[0] : undefined
    return { ...each, order: each.order ?? only }
  })
}

async function checkAgainstOrders(checking: RuleCheck, records: readonly CheckedRecord[]) {
  const { context, file, orders } = checking
  const { operation, party } = context.route
  const earlier = new Map<string, RequestBody[]>()
  if (QUANTITY_OPERATIONS.includes(operation)) {
    const lanes = records.flatMap(({ lane, order }) => (order?.facts === undefined ? [] : lane))
    const planned = { operation, account: formatAccount(party), lanes }
    for (const { lane, body } of await context.journal.listPlannedBodies(file.id, planned)) {
      earlier.set(lane, [...(earlier.get(lane) ?? []), JSON.parse(body) as RequestBody])
    }
  }
  const check = (orderOf: (each: CheckedRecord) => KnownResource | undefined) =>
    checkInFileOrder(operation, context.clock.now(), records, { earlier, orderOf })
  // The order may still change while the record waits for it, so its state now decides nothing.
  if (isCheckedWhenSent(context)) return check(() => undefined)
  const first = check(({ order }) => order)
  const doubtful = records.filter((_, index) => first[index]?.some(isOfOrderState))
  if (doubtful.length === 0) return first
  const read = await orders.readAgain(doubtful.flatMap(({ order }) => order?.id ?? []))
  const doubtfulIds = new Set(doubtful.flatMap(({ order }) => order?.id ?? []))
  return check(({ order }) => (order !== undefined && doubtfulIds.has(order.id) ? read.get(order.id) : order))
}

/** Whether reading the order again may clear the record. */
function isOfOrderState({ policy }: RuleViolation): boolean {
  return policy === undefined || policy === 'closings'
}

/** Checks record after record, so that each one counts the units that the records before it use. */
function checkInFileOrder(
  operation: InboundOperationName,
  now: number,
  records: readonly CheckedRecord[],
  state: {
    readonly earlier: ReadonlyMap<string, readonly RequestBody[]>
    readonly orderOf: (each: CheckedRecord) => KnownResource | undefined
  },
): RuleViolation[][] {
  const { onOrder, onBody } = BUSINESS_RULES[operation] ?? {}
  const taken = new Map(state.earlier)
  return records.map((each) => {
    const { body, lane } = each
    const order = state.orderOf(each)?.facts
    const before = taken.get(lane) ?? []
    const violations = order === undefined ? [] : (onOrder?.({ body, order, earlier: before }) ?? [])
    if (violations.length === 0) taken.set(lane, [...before, body])
    return [...violations, ...(onBody?.({ body, order, now }) ?? [])]
  })
}

/** Rules that need more than an order. A failed read breaks no rule. */
function createContextRules(context: InboundContext, policies: Policies): BodyCheck {
  const { operation } = context.route
  const checkNumbers = createNumberCheck(context, policies)
  if (operation === 'create-shipment') {
    return async (bodies, records) => {
      const read = await tryRead(context.carriers)
      const numbers = await checkNumbers(bodies, records)
      const check = (body: RequestBody) => ('value' in read ? checkCarrier(body, read.value) : [])
      return bodies.map((body, index) => [...check(body), ...(numbers[index] ?? [])])
    }
  }
  if (operation !== 'create-order') return checkNumbers
  const checkItems = createItemCheck(context, policies)
  return async (bodies, records) => {
    const read = await tryRead(context.methods)
    const items = await checkItems(bodies, records)
    const checkMethod = (body: RequestBody) =>
      'value' in read ? checkConnectionMethod(body, read.value) : []
    return bodies.map((body, index) => [...checkMethod(body), ...(items[index] ?? [])])
  }
}

/** What naming the place of a violation needs. */
interface BodyJudgment extends Pick<RuleCheck, 'bound'> {
  readonly context: { readonly route: Pick<InboundContext['route'], 'name' | 'operation' | 'rules'> }
}

function addViolations(
  draft: ResolvedDraft,
  found: readonly RuleViolation[],
  policies: Policies,
  check: BodyJudgment,
) {
  const decide = ({ policy, field }: RuleViolation) => {
    if (policy === undefined) return 'refuse'
    // The mapping knows charges and taxes that no field has.
    const isCompared = policy === 'totals' && isCheckedByMapping(field, check)
    return isCompared ? 'off' : policies[policy]
  }
  const select = (wanted: 'refuse' | 'warn') => found.filter((each) => decide(each) === wanted)
  const refused = select('refuse').map((each) => toProblem(each, check))
  const warnings = select('warn').map((each) => toWarning(each, check, refused.length === 0))
  const all = [...(draft.warnings ?? []), ...warnings]
  const withWarnings = all.length === 0 ? {} : { warnings: all }
  if (refused.length === 0) return { ...draft, ...withWarnings }
  const { body: _, ...rest } = draft
  return { ...rest, ...withWarnings, problems: [...draft.problems, ...refused] }
}

/**
 * The warnings that the values of a record alone give, with the default policies. It asks neither the API nor the journal, so
 * that a body with values of the order is not judged: what is missing may change the verdict.
 */
export function findBodyWarnings(
  { body, problems, deferred = [] }: Pick<Draft, 'body' | 'problems' | 'deferred'>,
  about: Pick<RuleCheck, 'bound'> & { readonly operation: InboundOperationName; readonly now: number },
): readonly Problem[] {
  if (body === undefined || problems.length > 0 || deferred.length > 0) return []
  const found = BUSINESS_RULES[about.operation]?.onBody?.({ body, order: undefined, now: about.now }) ?? []
  return found.flatMap((violation): Problem[] => {
    const { policy, field, fix: own = '' } = violation
    if (policy === undefined || DEFAULT_POLICIES[policy] !== 'warn') return []
    if (policy === 'totals' && isCheckedByMapping(field, about)) return []
    const fix = `${own} To refuse such: \`rules: { ${policy}: refuse }\` in the route.`.trim()
    return [{ ...toProblem(violation, about), fix, severity: 'warning' }]
  })
}

/**
 * The verdict that the values of a record alone give, with the policies of its route. It asks neither the API nor the journal,
 * so a body with values of the order is judged only by what its mapping found.
 */
export function judgeBody(
  draft: Draft,
  { context, bound, now }: BodyJudgment & { readonly now: number },
): CheckedDraft {
  const { rules: policies = DEFAULT_POLICIES, operation } = context.route
  const judged = judgeOwnTotals(draft, policies.totals, context.route)
  const { body, problems, deferred = [] } = judged
  if (body === undefined || problems.length > 0 || deferred.length > 0) return judged
  const found = BUSINESS_RULES[operation]?.onBody?.({ body, order: undefined, now }) ?? []
  return addViolations(judged, found, policies, { context, bound })
}

/** The column of the field has a total that the mapping compares with the lines. */
function isCheckedByMapping(field: string, { bound }: Pick<RuleCheck, 'bound'>): boolean {
  const column = bound.findColumn(field)
  return column !== undefined && bound.checkedTotals.includes(column)
}

/** The route decides about totals that the mapping finds wrong as about those that the rules find. */
function judgeOwnTotals(
  draft: ResolvedDraft,
  policy: Policies['totals'],
  { name, operation }: Pick<InboundContext['route'], 'name' | 'operation'>,
): ResolvedDraft {
  // Most drafts have none, and need no copy.
  if (draft.warnings === undefined) return draft
  const { warnings: found, body, ...rest } = draft
  const isTotal = ({ code }: Problem) => code === 'totals-disagree'
  const totals = found.filter(isTotal)
  if (totals.length === 0) return draft
  const others = found.filter((each) => !isTotal(each))
  const isOpen = body !== undefined && draft.problems.length === 0
  if (policy === 'refuse' && isOpen) {
    const problems = totals.map(({ code, place, message, fix }) => problem(code, place, message, fix))
    return { ...rest, ...(others.length === 0 ? {} : { warnings: others }), problems }
  }
  const sent = operation === 'create-invoice' ? SENT[operation] : SENT_AS_IT_IS
  const fix = `${sent}${formatRefuse('totals', name)}`
  const odd = policy === 'off' ? [] : totals.map((each) => (isOpen ? { ...each, fix } : each))
  return { ...draft, warnings: [...others, ...odd] }
}

/** A record with nothing but warnings is sent, so their fix is not to correct the cell. */
function toWarning(violation: RuleViolation, check: BodyJudgment, isSent: boolean): Problem {
  const { name, operation } = check.context.route
  const isOrder = operation === 'create-order'
  const sent = violation.sent ?? SENT[operation] ?? SENT_AS_IT_IS
  // To correct the file changes nothing of an order that is sent; to correct the mapping helps the next ones.
  const isLate = isOrder && isSent && violation.isOfMapping !== true
  const own = violation.fix === undefined || isLate ? '' : `${violation.fix} `
  const fix = `${isSent ? sent : ''}${own}${formatRefuse(violation.policy, name)}`
  return { ...toProblem(violation, check), fix, severity: 'warning' }
}

/** Violations about a name, and not about a quantity or a date beside other values. */
const ABOUT_NAMES: readonly ProblemCode[] = ['method-not-allowed', 'account-not-of-order']

function toProblem(
  { code, field, message, fix }: RuleViolation,
  { bound }: Pick<RuleCheck, 'bound'>,
): Problem {
  const place = omitUndefined({ field, column: bound.findColumn(field) })
  return blameMapping(
    problem(code, place, message, fix),
    ABOUT_NAMES.includes(code) ? bound.findOrigin(field) : undefined,
  )
}

// The items of new orders: a brand offers them to the retailer and has enough of them.

/** Makes the check of one file. Before an item refuses a record, the whole list is read again, once for the file. */
function createItemCheck(context: FinderContext, policies: Policies): BodyCheck {
  const { journal, route } = context
  let isComplete: Promise<boolean> | undefined
  let isCurrent = false
  const isRead = async () =>
    (await journal.getListReadAt(formatAccount(route.party), 'variant')) !== undefined
  return async (bodies) => {
    isComplete ??= isRead()
    if (!(await isComplete)) return bodies.map(() => [])
    const check = () => checkItems(context, bodies, policies)
    const first = await check()
    if (isCurrent || first.every((violations) => violations.length === 0)) return first
    isCurrent = true
    for (const list of planLists('variant', route.party).lists.slice(-1)) await readList(context, list)
    return check()
  }
}

async function checkItems(
  { journal, route }: FinderContext,
  bodies: readonly RequestBody[],
  { stock }: Policies,
): Promise<RuleViolation[][]> {
  const items = bodies.flatMap((body) => readItems(body, 'order_lines'))
  const account = formatAccount(route.party)
  const names = items.map(readItemName)
  const [ids, keys] = [names.flatMap(({ id }) => id ?? []), names.flatMap(({ key }) => key ?? [])]
  const byId = await journal.findResourcesById(account, 'variant', ids)
  const byKey = await journal.findResourcesByKey(account, 'variant', keys)
  const known = new Map<string, KnownResource[]>()
  for (const each of byId) known.set(`id ${each.id}`, [each])
  for (const { key, ...each } of byKey) known.set(`key ${key}`, [...(known.get(`key ${key}`) ?? []), each])
  const findItem = (item: RequestBody) => {
    const { id, key } = readItemName(item)
    return known.get(id === undefined ? `key ${key ?? ''}` : `id ${id}`) ?? []
  }
  const meant = await findMeantItems(
    { journal, route },
    items.filter((item) => findItem(item).length === 0),
  )
  return bodies.map((body) =>
    readItems(body, 'order_lines').flatMap((item, index): RuleViolation[] => {
      const field = `order_lines[${index}]`
      const found = findItem(item)
      if (found.length === 0) {
        const name = describeItem(item)
        const fix = suggestItemFix(name) ?? meant.get(readItemName(item).key ?? '')
        const message = `no brand offers this item (${name})`
        return [
          { code: 'item-unknown', field: findItemField(item, field), message, ...omitUndefined({ fix }) },
        ]
      }
      return stock === 'off' ? [] : checkStock(item, found, field)
    }),
  )
}

/** The fixes for unknown items that the brand has under the same name with other case or other leading zeros. */
async function findMeantItems(context: Pick<FinderContext, 'journal' | 'route'>, unknown: RequestBody[]) {
  const fixes = new Map<string, string>()
  for (const key of new Set(unknown.flatMap((item) => readItemName(item).key ?? []))) {
    const [spelling] = await findOtherSpellings(context, { kind: 'variant', key })
    if (spelling !== undefined) fixes.set(key, `Did you mean "${spelling}"?`)
  }
  return fixes
}

/** Spec: when several are given, the priority is id, identifier, upc. */
function readItemName(item: RequestBody): { readonly id?: string; readonly key?: string } {
  const named = (field: string) => getAtPath(item, `variant.${field}`)
  const id = named('id')
  if (typeof id === 'number') return { id: String(id) }
  const key = named('identifier') ?? named('upc')
  return typeof key === 'string' ? { key } : {}
}

function checkStock(
  item: RequestBody,
  [only, another]: readonly KnownResource[],
  field: string,
): RuleViolation[] {
  const available = getAtPath(only?.facts, 'inventory.inventory')
  const wanted = readUnits(item, 'quantity') ?? 0
  if (another !== undefined || typeof available !== 'number' || wanted <= available) return []
  const message = `${wanted} are ordered of the item (${describeItem(item)}), and the brand had ${available} when last seen`
  return [{ code: 'stock-short', field: `${field}.quantity`, message, policy: 'stock' }]
}
