/** The steps of a route: what it does with the records of a file, one call for each, or several calls in a row. */
import type { FileEntry } from '../../domain/journal.ts'
import type { Translator } from '../../domain/translator.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'

export interface Step {
  /** From 1; left out where the route has one. */
  readonly number?: number
  /** The parts of the route as this step sees them. */
  readonly parts: InboundParts
  /** Left out where the records are the orders of the step before. */
  readonly translator?: Translator
}

/** In their order; the first has the route's own mapping. */
export function stepsOf(parts: InboundParts): readonly Step[] {
  const { next = [], translator } = parts
  if (next.length === 0) return [{ parts, translator }]
  const { when: _when, waitMs: _waitMs, ...route } = parts.route
  // Documents are those of the shipments, which are the first step where there are any.
  const { documents: _documents, ...common } = parts
  return [
    { number: 1, parts, translator },
    ...next.map(({ translator: own, ...step }, index): Step => ({
      number: index + 2,
      parts: { ...common, route: { ...route, ...step, follows: true }, translator: own ?? translator },
      ...(own === undefined ? {} : { translator: own }),
    })),
  ]
}

/** The parts of the step that does the operation; those of the route where none does. */
export function partsFor(parts: InboundParts, operation: string): InboundParts {
  return stepsOf(parts).find((step) => step.parts.route.operation === operation)?.parts ?? parts
}

/** Whether a step of the route does the operation: one may have been taken out of the configuration meanwhile. */
export function doesOperation(parts: InboundParts, operation: string): boolean {
  return stepsOf(parts).some((step) => step.parts.route.operation === operation)
}

/** Remembers what records of a file ask for that their route does not do any more. */
export interface AbsentSteps {
  note(operation: string): void
  /** Nothing but the configuration can help; undefined when nothing is absent. */
  failure(): BridgeError | undefined
}

export function absentSteps({ route: { name } }: InboundParts, file: FileEntry): AbsentSteps {
  const absent = new Set<string>()
  return {
    note: (operation) => void absent.add(operation),
    failure: () =>
      absent.size === 0
        ? undefined
        : new BridgeError(
            'configuration-invalid',
            `route ${name} does no ${[...absent].join(', ')} any more, and records of ${file.name} wait for it; put it back into the configuration until they are done`,
          ),
  }
}

/** In the order of the steps; undefined where the route has one. */
export function operationsOf(parts: InboundParts): readonly string[] | undefined {
  return parts.next === undefined ? undefined : stepsOf(parts).map((step) => step.parts.route.operation)
}

/** Whether what is true of its order right now says nothing of a record that has yet to be planned. */
export function isJudgedLater({ route }: Pick<InboundParts, 'route'>): boolean {
  return route.follows === true || route.waitMs !== undefined
}
