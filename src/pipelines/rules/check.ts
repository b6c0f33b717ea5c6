/** Business rules before the wire: what would be refused is told at once, all of it, in the user's own columns. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { FileEntry, KnownResource } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { accountOf } from '../../domain/route.ts'
import type { BoundTranslator } from '../../domain/translator.ts'
import type { Body } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import { isJudgedLater } from '../inbound/steps.ts'
import type { InboundParts } from '../parts.ts'
import { tryRead } from '../reads.ts'
import type { OrderReader } from '../references/orders.ts'
import type { ResolvedDraft } from '../references/resolver.ts'
import { carrierRules } from './accounts.ts'
import { itemRules } from './items.ts'
import { connectionRules } from './methods.ts'
import { BUSINESS_RULES } from './of-operations.ts'
import { type Broken, DEFAULT_POLICIES, type Policies } from './rule.ts'

/** A draft that was held to the rules; what is only odd about it does not stop it. */
export interface CheckedDraft extends ResolvedDraft {
  readonly warnings?: readonly Problem[]
}

export interface Checking {
  readonly parts: InboundParts
  readonly file: FileEntry
  readonly orders: OrderReader
  readonly columnOf: BoundTranslator['columnOf']
}

/** Records of an order that take from its lines: what earlier ones of the file take is not there for later ones. */
const TAKING: readonly InboundOperationName[] = ['create-shipment', 'create-cancel']

/**
 * Makes the check of one file. What is known of an order may let a record pass; before it refuses one, the order is read
 * anew, and what cannot be read refuses nothing.
 */
export function businessRules(
  checking: Checking,
): (drafts: readonly ResolvedDraft[]) => Promise<readonly CheckedDraft[]> {
  const { parts } = checking
  const { rules: policies = DEFAULT_POLICIES, operation } = parts.route
  const contextRules = rulesOfContext(parts, policies)
  if (BUSINESS_RULES[operation] === undefined) return (drafts) => Promise.resolve(drafts)
  return async (drafts) => {
    const judged = await judgeable(checking, drafts)
    if (judged.length === 0) return drafts
    const broken = await brokenByOrders(checking, judged)
    const ofContext = await contextRules(judged.map(({ body }) => body))
    const found = new Map(
      judged.map(({ draft }, index) => [draft, [...(broken[index] ?? []), ...(ofContext[index] ?? [])]]),
    )
    return drafts.map((draft) => withFindings(draft, found.get(draft) ?? [], { policies, checking }))
  }
}

interface Judged {
  readonly draft: ResolvedDraft
  readonly body: Body
  readonly lane: string
  readonly order: KnownResource | undefined
}

/** Drafts that would be sent: a record that was sent before is no new one, and the order shows it already. */
async function judgeable({ parts }: Checking, drafts: readonly ResolvedDraft[]): Promise<readonly Judged[]> {
  const { journal, route } = parts
  const { naturalKey, lane } = INBOUND_RULES[route.operation]
  const sound = drafts.flatMap((draft) =>
    draft.body === undefined || draft.problems.length > 0
      ? []
      : [
          {
            draft,
            body: draft.body,
            lane: lane(draft.body),
            key: naturalKey(draft.body, draft.keyValues),
            order: draft.order,
          },
        ],
  )
  const account = accountOf(route.party)
  const keys = sound.map(({ key }) => key)
  const held = new Set(await journal.heldKeys({ operation: route.operation, account, keys }))
  const fresh = sound.filter(({ key }) => !held.has(key))
  if (route.operation !== 'create-invoice') return fresh
  // Its order is named by a number that is no reference; nobody is asked for what is not known.
  const numbers = fresh.flatMap(({ lane: number, order }) => (order === undefined ? number : []))
  const found = await journal.findResources(account, 'order', numbers)
  return fresh.map((each) => {
    const named = found.filter(({ key }) => key === each.lane)
    const only = named.length === 1 ? named[0] : undefined
    return { ...each, order: each.order ?? only }
  })
}

async function brokenByOrders(checking: Checking, judged: readonly Judged[]): Promise<Broken[][]> {
  const { parts, file, orders } = checking
  const { operation, party } = parts.route
  const earlier = new Map<string, Body[]>()
  if (TAKING.includes(operation)) {
    const lanes = judged.flatMap(({ lane, order }) => (order?.facts === undefined ? [] : lane))
    const planned = { operation, account: accountOf(party), lanes }
    for (const { lane, body } of await parts.journal.plannedBodies(file.id, planned)) {
      earlier.set(lane, [...(earlier.get(lane) ?? []), JSON.parse(body) as Body])
    }
  }
  const judge = (orderOf: (each: Judged) => KnownResource | undefined) =>
    judgeInTurn({ operation, now: parts.clock.now(), earlier }, judged, orderOf)
  // What its order is now says nothing of a record that waits for it.
  if (isJudgedLater(parts)) return judge(() => undefined)
  const first = judge(({ order }) => order)
  const doubtful = judged.filter((_, index) => first[index]?.some(({ policy }) => policy === undefined))
  if (doubtful.length === 0) return first
  const read = await orders.anew(doubtful.flatMap(({ order }) => order?.id ?? []))
  const doubted = new Set(doubtful.flatMap(({ order }) => order?.id ?? []))
  return judge(({ order }) => (order !== undefined && doubted.has(order.id) ? read.get(order.id) : order))
}

/** Record after record, so that each counts what those before it take. */
function judgeInTurn(
  {
    operation,
    now,
    earlier,
  }: { operation: InboundOperationName; now: number; earlier: ReadonlyMap<string, readonly Body[]> },
  judged: readonly Judged[],
  orderOf: (each: Judged) => KnownResource | undefined,
): Broken[][] {
  const { onOrder, onBody } = BUSINESS_RULES[operation] ?? {}
  const taken = new Map<string, readonly Body[]>(earlier)
  return judged.map((each) => {
    const { body, lane } = each
    const order = orderOf(each)?.facts
    const before = taken.get(lane) ?? []
    const wrong = order === undefined ? [] : (onOrder?.({ body, order, earlier: before }) ?? [])
    if (wrong.length === 0) taken.set(lane, [...before, body])
    return [...wrong, ...(onBody?.({ body, order, now }) ?? [])]
  })
}

/** Rules that need more of the API than an order; what cannot be read breaks none. */
function rulesOfContext(
  parts: InboundParts,
  policies: Policies,
): (bodies: readonly Body[]) => Promise<readonly Broken[][]> {
  const { operation } = parts.route
  if (operation === 'create-shipment') {
    return async (bodies) => {
      const read = await tryRead(parts.carriers)
      return bodies.map((body) => ('value' in read ? carrierRules(body, read.value) : []))
    }
  }
  if (operation !== 'create-order') return (bodies) => Promise.resolve(bodies.map(() => []))
  const checkItems = itemRules(parts, policies)
  return async (bodies) => {
    const read = await tryRead(parts.methods)
    const items = await checkItems(bodies)
    return bodies.map((body, index) => [
      ...('value' in read ? connectionRules(body, read.value) : []),
      ...(items[index] ?? []),
    ])
  }
}

function withFindings(
  draft: ResolvedDraft,
  broken: readonly Broken[],
  { policies, checking }: { readonly policies: Policies; readonly checking: Checking },
): CheckedDraft {
  const decided = broken.map((each) => ({
    each,
    policy: each.policy === undefined ? 'refuse' : policies[each.policy],
  }))
  const of = (wanted: 'refuse' | 'warn') =>
    decided.filter(({ policy }) => policy === wanted).map(({ each }) => told(each, checking))
  const refused = of('refuse')
  const warnings = of('warn').map((each): Problem => ({ ...each, severity: 'warning' }))
  const odd = warnings.length === 0 ? {} : { warnings }
  if (refused.length === 0) return { ...draft, ...odd }
  const { body: _, ...rest } = draft
  return { ...rest, ...odd, problems: [...draft.problems, ...refused] }
}

function told({ code, field, message }: Broken, { columnOf }: Checking): Problem {
  const column = columnOf(field)
  return problem(code, { ...(column === undefined ? {} : { column }), field }, message)
}
