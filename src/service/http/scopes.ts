/** Who makes a request, and what the token allows. Spec: the scope "includes read and write"; no more is shown. */
import { type Answer, refused } from './answer.ts'

/** Our choice: `read` is for GET, `write` for the rest. */
const SCOPES = ['read', 'write'] as const

export type Scope = (typeof SCOPES)[number]

export interface Caller {
  readonly account: number
  readonly clientId: string
  readonly scope: ReadonlySet<Scope>
  readonly isAdmin: boolean
}

/** The refusal of a request for which the caller's token is not good enough. */
export function scopeRefusal({ scope }: Caller, method: string): Answer | undefined {
  const needed: Scope = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  if (scope.has(needed)) return undefined
  return refused(403, `The token does not have the scope "${needed}".`, {
    'www-authenticate': 'Bearer error="insufficient_scope"',
  })
}

/** The scopes among the words of a text. */
export function scopeOf(text: string): ReadonlySet<Scope> {
  const words = new Set(text.split(' '))
  return new Set(SCOPES.filter((scope) => words.has(scope)))
}

export function scopeText(scope: ReadonlySet<Scope>): string {
  return [...scope].join(' ')
}

/** What a client asks for out of what it may have, all of it when it does not ask; undefined when it may not have it. */
export function scopeAsked(asked: unknown, allowed: ReadonlySet<Scope>): ReadonlySet<Scope> | undefined {
  if (asked === undefined || asked === '') return allowed
  if (typeof asked !== 'string') return undefined
  const words = asked.split(' ').filter((word) => word !== '')
  const isWithin = words.length > 0 && words.every((word) => (allowed as ReadonlySet<string>).has(word))
  return isWithin ? scopeOf(asked) : undefined
}
