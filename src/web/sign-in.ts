/** Signs people in: one answer for a wrong name and a wrong password, at the same cost. */
import { html, type Html } from '../support/html.ts'
import type { PageContent } from './page.ts'
import { isPassword, type Throttle } from './passwords.ts'
import type { People } from './people.ts'

interface Credentials {
  readonly name: string
  readonly password: string
  readonly address: string
}

type Refusal = { readonly kind: 'wrong' } | { readonly kind: 'wait'; readonly seconds: number }

type Result = Refusal | { readonly kind: 'signed-in'; readonly token: string }

/** No person has a longer name; it is not remembered. */
const NAME_MAX = 200

export function createSignIn({
  people,
  throttle,
  say,
}: {
  readonly people: People
  readonly throttle: Throttle
  readonly say: (line: string) => void
}) {
  return async ({ name: written, password, address }: Credentials): Promise<Result> => {
    const name = written.slice(0, NAME_MAX).normalize('NFKC').trim().toLowerCase()
    const waitMs = throttle.computeWaitMs(name, address)
    if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1000) }
    throttle.noteFailure(name, address)
    const stored = people.findPassword(name)
    const isRight = await isPassword(password, stored)
    // The person may have been disabled, or have another password, by now.
    if (!isRight || people.findPassword(name) !== stored) {
      // A password that was typed as the name must not be logged.
      const who = stored === undefined ? 'an unknown name' : JSON.stringify(name)
      say(`console: ${who} could not sign in from ${address}`)
      people.noteAccess({ what: 'failed', ...(stored !== undefined && { name }), address })
      return { kind: 'wrong' }
    }
    throttle.noteSuccess(name, address)
    say(`console: ${JSON.stringify(name)} signed in from ${address}`)
    people.noteAccess({ what: 'signed-in', name, address })
    return { kind: 'signed-in', token: people.startSession(name) }
  }
}

interface SignInForm {
  /** Where to go afterwards. */
  readonly to: string
  readonly name?: string
  /** `empty`: there is no person yet. `cookie-lost`: the browser did not send the cookie that it got. */
  readonly state: 'plain' | 'empty' | 'cookie-lost' | Refusal
}

export function drawSignIn({ to, name = '', state }: SignInForm): PageContent {
  if (state === 'empty') {
    const main = html`<p>There is no person yet who may sign in.</p>
      <p class="fix">Add the first one: <code>dropbridge console user add NAME --role admin</code></p>`
    return { title: 'Sign in', main }
  }
  const main = html`${drawState(state)}
    <form method="post" action="/sign-in" class="sign-in">
      <input type="hidden" name="to" value="${to}" />
      <label for="name">Name</label>
      <input id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" required />
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required />
      <button>Sign in</button>
    </form>`
  return { title: 'Sign in', main }
}

function drawState(state: Exclude<SignInForm['state'], 'empty'>): Html {
  if (state === 'plain') return html``
  if (state === 'cookie-lost')
    return html`<p role="alert">
      The browser did not keep the cookie of the sign-in. Open the console by https
      (<code>console.tls</code>), or on this machine as <code>http://127.0.0.1</code> or
      <code>http://localhost</code>.
    </p>`
  if (state.kind === 'wait') return html`<p role="alert">Too many tries. Try again in ${state.seconds} s.</p>`
  return html`<p role="alert">The name or the password is wrong.</p>`
}
