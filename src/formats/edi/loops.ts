/** Puts the segments of a set into their loops, and the levels of a tree below each other. */
import type { LoopPlace, LoopRule, LoopStep, TreeRule } from '../../edi/grammar.ts'
import { ById, copyText, type Segment, toIdBit } from '../../edi/segment.ts'

/** One occurrence of a loop; the whole set is the outermost. */
export class Loop {
  readonly rule: LoopRule
  readonly first: Segment
  /** The loop around it; for a level of a tree, the level above it. */
  readonly parent: Loop | undefined
  /** How many levels of a tree are above it. */
  readonly depth: number
  /** Its segments and the loops in it, in the order of the file, without the first segment. */
  items: (Segment | Loop)[] = NO_ITEMS
  /** The bits of the ids of its first segment, of its own segments, and of the first segments of the loops in it. */
  idBits: number
  /** Of the whole set: the bits of all ids in it, at any depth. */
  allBits: number
  /** The number of its last segment so far. */
  last: number
  /** How often each place of its rule was taken, by the index of the place; only for who counts. */
  counts: number[] = NO_COUNTS
  /**
   * How many items it may have: bounded once a record in it was read, because any number of them may follow. `LEFT_OUT`
   * once there were more.
   */
  room = NO_LIMIT

  constructor(rule: LoopRule, first: Segment, parent: Loop | undefined, depth = 0) {
    this.rule = rule
    this.first = first
    this.parent = parent
    this.depth = depth
    this.idBits = toIdBit(first.id)
    this.allBits = this.idBits
    this.last = first.number
  }
}

/** More than any loop has; a small integer, which takes no room of its own. */
export const NO_LIMIT = 0x3fffffff

/** Less than any loop has. */
export const LEFT_OUT = -1

/** Shared by all that have none, because most loops of a file are only counted, or hold nothing. */
const NO_ITEMS: (Segment | Loop)[] = []
const NO_COUNTS: number[] = []

export function isLoop(item: Segment | Loop): item is Loop {
  return item instanceof Loop
}

/** The deepest tree that is read. A set with a deeper one is refused, and the levels below stand beside each other. */
export const MAX_DEPTH = 20

function limitDepth(parent: Loop | undefined): Loop | undefined {
  return parent !== undefined && parent.depth > MAX_DEPTH ? parent.parent : parent
}

export interface PlacerOptions {
  readonly onOpened?: (loop: Loop) => void
  /** A segment joined the loop. */
  readonly onJoined?: (segment: Segment, loop: Loop, place: LoopPlace) => void
  readonly onClosed?: (loop: Loop) => void
  readonly onUnplaced?: (segment: Segment, loop: Loop) => void
  /** A level of a tree whose parent is none of the levels before it; `parent` is the one that was taken. */
  readonly onGuessedParent?: (level: Loop, parent: Loop) => void
}

/** The segments that are kept in their loops, for paths. */
export interface KeptSegments {
  has(segment: Segment): boolean
}

export const ALL_SEGMENTS: KeptSegments = { has: () => true }

/** Those with one of the ids. */
export function keepIds(ids: Iterable<string>): KeptSegments {
  const kept = new ById<true>(Array.from(ids, (id) => [id, true]))
  return { has: (segment) => kept.find(segment) === true }
}

/** Places the segments of one set, one after the other. */
export class LoopPlacer {
  readonly root: Loop
  /** The loops that are open, by the order of the file: a level of a tree closes the level before it. */
  readonly #open: Loop[]
  readonly #options: PlacerOptions
  #keeps: KeptSegments | undefined
  #trees: Map<LoopRule, TreeLevels> | undefined

  /** Without `keeps`, only the loops that are open are kept. */
  constructor(rule: LoopRule, first: Segment, options: PlacerOptions, keeps?: KeptSegments) {
    this.root = new Loop(rule, first, undefined)
    this.#open = [this.root]
    this.#options = options
    this.#keeps = keeps
  }

  /** From the innermost open loop outwards: opens a loop in it, joins it, or opens its next occurrence. */
  place(segment: Segment): void {
    const open = this.#open
    const last = open.length - 1
    const { steps } = (open[last] ?? this.root).rule
    let step = steps.find(segment)
    if (step === undefined) {
      step = findStep(open, segment.id)
      steps.remember(segment, step)
    }
    const { level, opens, place } = step
    if (level < last) this.#closeTo(level)
    const loop = open[level] ?? this.root
    if (opens !== undefined) return this.#openLoop(opens, segment, loop)
    if (place === undefined) this.#options.onUnplaced?.(segment, loop)
    else this.#options.onJoined?.(segment, loop, place)
    this.#join(loop, segment)
  }

  /** Drops what it kept, and keeps no more. */
  stopKeeping(): void {
    this.#keeps = undefined
    for (const loop of this.#open) loop.items = NO_ITEMS
    for (const levels of this.#trees?.values() ?? []) levels.dropItems()
  }

  /** Whether a loop is open that fits. */
  isInside(fits: (loop: Loop) => boolean): boolean {
    return this.#open.some(fits)
  }

  end(): Loop {
    this.#closeTo(-1)
    return this.root
  }

  #openLoop(rule: LoopRule, segment: Segment, around: Loop): void {
    const loop =
      rule.tree === undefined ? new Loop(rule, segment, around) : this.#openLevel(rule, segment, around)
    const { parent } = loop
    if (this.#keeps !== undefined && parent !== undefined) {
      addItem(parent, loop)
      parent.idBits |= loop.idBits
      this.root.allBits |= loop.idBits
    }
    this.#open.push(loop)
    this.#options.onOpened?.(loop)
  }

  #join(loop: Loop, segment: Segment): void {
    loop.last = segment.number
    if (this.#keeps?.has(segment) !== true) return
    if (loop.items.length >= loop.room) {
      loop.room = LEFT_OUT
      return
    }
    addItem(loop, segment)
    const bit = toIdBit(segment.id)
    loop.idBits |= bit
    this.root.allBits |= bit
  }

  /** Closes the open loops behind the index. */
  #closeTo(index: number): void {
    while (this.#open.length > index + 1) {
      const closed = this.#open.pop()
      if (closed === undefined) return
      this.#options.onClosed?.(closed)
      // Levels of a tree stand in the file behind each other: what ends one does not end the level above it.
      const around = this.#open.at(-1)
      if (around !== undefined) around.last = Math.max(around.last, closed.last)
    }
  }

  #openLevel(rule: LoopRule, segment: Segment, around: Loop): Loop {
    const { tree } = rule
    if (tree === undefined) return new Loop(rule, segment, around)
    this.#trees ??= new Map()
    const levels = this.#trees.get(rule) ?? new TreeLevels(tree)
    this.#trees.set(rule, levels)
    const named = levels.findNamed(segment)
    const parent = limitDepth(named ?? levels.findByRank(segment))
    const level = new Loop(rule, segment, parent ?? around, (parent?.depth ?? 0) + 1)
    const isNamed = segment.value(tree.parent).trim() !== ''
    if (named === undefined && (isNamed || parent !== undefined)) {
      this.#options.onGuessedParent?.(level, parent ?? around)
    }
    levels.add(level)
    return level
  }
}

/** The open loops are those around the innermost in the grammar, so the step is the same whenever that one is open. */
function findStep(open: readonly Loop[], id: string): LoopStep {
  for (let level = open.length - 1; level >= 0; level -= 1) {
    const rule = open[level]?.rule
    const place = rule?.places.get(id)
    if (place !== undefined) return { level, opens: place.loop, place }
    if (id === rule?.id && level > 0) return { level: level - 1, opens: rule, place: undefined }
  }
  return { level: open.length - 1, opens: undefined, place: undefined }
}

function addItem(loop: Loop, item: Segment | Loop): void {
  if (loop.items === NO_ITEMS) loop.items = [item]
  else loop.items.push(item)
}

/** Counts what stands at a place of the loop. Returns how many there are so far. */
export function countPlace(loop: Loop, { index }: LoopPlace): number {
  if (loop.counts === NO_COUNTS) loop.counts = [...loop.rule.zeros]
  const count = (loop.counts[index] ?? 0) + 1
  loop.counts[index] = count
  return count
}

const MAX_LEVELS = 100_000
const MAX_TREE_BYTES = 16 * 1024 * 1024

/** The levels of a tree so far. */
class TreeLevels {
  readonly #tree: TreeRule
  readonly #byId = new Map<string, Loop>()
  #start: number | undefined
  /** The latest level of each rank. */
  readonly #byRank: (Loop | undefined)[] = []

  constructor(tree: TreeRule) {
    this.#tree = tree
  }

  /** The level that this one names as its parent, if it stands before it. Of two with one id, the nearer. */
  findNamed(segment: Segment): Loop | undefined {
    const parent = segment.value(this.#tree.parent).trim()
    if (parent === '' || parent === segment.value(this.#tree.id).trim()) return undefined
    return this.#byId.get(parent)
  }

  /** The nearest level before it that is further out by its kind. */
  findByRank(segment: Segment): Loop | undefined {
    const rank = this.#rankOf(segment)
    let nearest: Loop | undefined
    for (let outer = 0; outer < rank; outer += 1) {
      const level = this.#byRank[outer]
      if (level !== undefined && level.first.number > (nearest?.first.number ?? 0)) nearest = level
    }
    return nearest
  }

  add(level: Loop): void {
    this.#start ??= level.first.at
    // A set with more is refused. Each level keeps the piece of the file that it stands in.
    const isKept = this.#byId.size < MAX_LEVELS && level.first.at - this.#start < MAX_TREE_BYTES
    if (isKept) this.#byId.set(copyText(level.first.value(this.#tree.id).trim()), level)
    this.#byRank[this.#rankOf(level.first)] = level
  }

  dropItems(): void {
    for (const level of this.#byId.values()) level.items = NO_ITEMS
    for (const level of this.#byRank) if (level !== undefined) level.items = NO_ITEMS
  }

  /** Kinds that the grammar does not know are innermost. */
  #rankOf(segment: Segment): number {
    const { level, ranks } = this.#tree
    const rank = level === undefined ? -1 : ranks.indexOf(segment.value(level).trim())
    return rank === -1 ? ranks.length : rank
  }
}
