/** Bounds how many findings of one kind a folder or a route has: a thousand files would hide all else. */
import { type Concern, concernKey } from '../../domain/attention.ts'
import type { Looking } from './looking.ts'

const EACH_MAX = 20

/** The first of these as they are; that there are more of them at this place is one finding. */
export function atMost({ unsure }: Looking, concerns: readonly Concern[], place: string): readonly Concern[] {
  const next = concerns[EACH_MAX]
  if (next === undefined) return concerns
  const { code, route, since } = next
  const more = concerns.length - EACH_MAX
  // Those that were told before others came in front of them are not over.
  for (const each of concerns.slice(EACH_MAX)) unsure.add(concernKey(each))
  return [
    ...concerns.slice(0, EACH_MAX),
    {
      code,
      ...(route === undefined ? {} : { route }),
      subject: `${place}: more`,
      since,
      message: `${place}: ${more} more like ${EACH_MAX} others that are told one by one`,
      cure: 'see to those that are told, then to what is told next; what is the same with all of them may have one cause',
    },
  ]
}
