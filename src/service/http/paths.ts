/** Which endpoints have an address. */
import { SERVED, SERVED_NAMES, type ServedEndpoint } from './served.ts'

const PATTERNS: readonly { readonly endpoint: ServedEndpoint; readonly pattern: RegExp }[] = SERVED_NAMES.map(
  (name) => ({
    endpoint: SERVED[name],
    pattern: new RegExp(`^${SERVED[name].path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }),
)

/** Those of a path without its query, whatever their method; none for a path that is no endpoint. */
export function endpointsAt(path: string): readonly ServedEndpoint[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint)
}
