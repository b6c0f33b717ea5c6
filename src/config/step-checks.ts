/** Checks of `then`, `when` and `wait` beside the rest of their route. */
import { z } from 'zod'
import type { Mistake } from './mistakes.ts'
import { ORDER_ACTS, ORDER_OPERATIONS, WAITING_OPERATIONS } from './steps.ts'

const word = z.string().optional().catch(undefined)
const step = {
  operation: word,
  mapping: z.unknown().optional(),
  when: z.unknown().optional(),
  wait: z.unknown().optional(),
}

export const StepsGlance = z.object({
  when: z.unknown().optional(),
  wait: z.unknown().optional(),
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the file, and no function
  then: z.array(z.object(step).catch({})).optional().catch(undefined),
})

type Glance = z.output<typeof StepsGlance> & { readonly operation?: string | undefined }
type StepGlance = NonNullable<Glance['then']>[number]

/** With paths below the route. */
export function checkSteps(route: Glance): Mistake[] {
  const { then, operation } = route
  const mistakes = checkWaiting(route, [])
  if (then === undefined) return mistakes
  if (operation !== undefined && !isOfOrders(operation)) {
    const message = `${operation} is not done to orders that exist, so nothing can follow it on the same file.`
    mistakes.push({ path: ['then'], at: 'key', message })
  }
  if (then.length === 0) {
    mistakes.push({ path: ['then'], at: 'key', message: 'has no steps: leave it out.' })
  }
  const seen = new Set([operation])
  for (const [index, each] of then.entries()) {
    const path = ['then', String(index)]
    mistakes.push(...checkWaiting(each, path), ...checkMapping(each, path))
    if (each.operation !== undefined && seen.has(each.operation)) {
      const message = `${each.operation} is done by an earlier step already.`
      mistakes.push({ path: [...path, 'operation'], at: 'value', message })
    }
    seen.add(each.operation)
  }
  return mistakes
}

function isOfOrders(operation: string): boolean {
  return ORDER_OPERATIONS.some((name) => name === operation)
}

function checkMapping({ operation, mapping }: StepGlance, path: readonly string[]): Mistake[] {
  if (operation === undefined || mapping !== undefined || !isOfOrders(operation)) return []
  if (ORDER_ACTS.includes(operation)) return []
  return [{ path, at: 'key', message: `needs a mapping: only ${ORDER_ACTS.join(', ')} go without one.` }]
}

function checkWaiting(
  { operation, when, wait }: Pick<StepGlance, 'operation' | 'when' | 'wait'>,
  path: readonly string[],
): Mistake[] {
  if (operation === undefined) return []
  const mistakes: Mistake[] = []
  if (when !== undefined && operation !== 'close-order') {
    mistakes.push({
      path: [...path, 'when'],
      at: 'key',
      message: `is for close-order, and not for ${operation}.`,
    })
  }
  if (wait !== undefined && !WAITING_OPERATIONS.includes(operation)) {
    const message = `is for ${WAITING_OPERATIONS.join(' and ')}, and not for ${operation}.`
    mistakes.push({ path: [...path, 'wait'], at: 'key', message })
  }
  return mistakes
}
