/** The forms of pages as a browser sends them, and people who fill them in without one. */
/** Every field of the form of a correction with its value, as a browser would send it; a checkbox that is not ticked is none. */
export function readFields(body: string): Record<string, string> {
  const form = /<form[^>]*class="correction">[^]*?<\/form>/.exec(body)?.[0] ?? ''
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const [name, value, type] = ['name', 'value', 'type'].map((key) => readAttribute(tag, key))
    if (name !== undefined && (type !== 'checkbox' || /\schecked\b/.test(tag))) fields[name] = value ?? ''
  }
  for (const [, tag = '', text = ''] of form.matchAll(/(<textarea\b[^>]*>)\n?([^<]*)<\/textarea>/g))
    fields[readAttribute(tag, 'name') ?? ''] = unescape(text).replaceAll('\n', '\r\n')
  return fields
}

function readAttribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : unescape(found)
}

function unescape(text: string): string {
  const marks = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return Object.entries(marks).reduce((left, [entity, mark]) => left.replaceAll(entity, mark), text)
}

/** A person who visits the console by plain requests, as a browser without script does. */
export async function visitPlainly({ origin }: { readonly origin: string }, name: string, password: string) {
  const signIn = async (at: string) => {
    const answer = await fetch(`${at}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: at },
      body: new URLSearchParams({ name, password }),
    })
    await answer.body?.cancel()
    return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  }
  let at = origin
  const cookie = await signIn(at)
  const toSeen = async (answer: Response) => {
    const { status, headers } = answer
    return { status, to: headers.get('location') ?? '', headers, body: await answer.text() }
  }
  return {
    /** The same session at a console that was started again: it is kept. */
    goTo(other: string): void {
      at = other
    },
    look: async (path: string, headers: Record<string, string> = {}) =>
      toSeen(await fetch(`${at}${path}`, { headers: { cookie, ...headers }, redirect: 'manual' })),
    send: async (path: string, form: Readonly<Record<string, string>>) =>
      toSeen(
        await fetch(`${at}${path}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { cookie, origin: at },
          body: new URLSearchParams(form),
        }),
      ),
  }
}
