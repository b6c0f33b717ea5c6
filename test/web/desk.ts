/** A console over a world, and the forms of its pages as a browser sends them. */
import type { Role } from '../../src/web/permissions.ts'
import { toText } from '../fixtures/console.ts'
import type { World } from '../fixtures/world.ts'
import { readFields } from './forms.ts'
import { aConsole } from './harness.ts'

export async function aDesk(world: World) {
  const { configuration, clock } = world
  const console = await aConsole({ configuration, clock })
  const { journal } = await console.opened.getContext()
  const [held] = await journal.listHeldFiles(1)
  const file = `/files/${held?.file}`
  const look = async (path: string, role: Role = 'operator') => {
    const { statusCode, body } = await console.get(path, role)
    return { status: statusCode, text: toText(body), form: readForm(body) }
  }
  const send = async (path: string, form: Record<string, string>, role: Role = 'operator') => {
    const { statusCode, headers, body } = await console.post(path, form, { role })
    const to = headers.location
    return { status: statusCode, text: toText(body), form: readForm(body), ...(to && { to: String(to) }) }
  }
  return { console, journal, file, look, send }
}

/** The hidden fields of the form of a decision. */
function readForm(body: string): Record<string, string> {
  const form = /<form method="post" action="[^"]*" class="decision">[^]*?<\/form>/.exec(body)?.[0] ?? ''
  const fields = [...form.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)]
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
}

/** A console over the world, and the form of a correction as a browser sends it; of the first file of the route, or of one by its id. */
export async function aCorrectionDesk(
  world: World,
  of: { readonly route: string } | { readonly id: string },
) {
  const { configuration, clock } = world
  const console = await aConsole({ configuration, clock })
  const { journal } = await console.opened.getContext()
  const id = 'id' in of ? of.id : (await journal.listFiles(of, undefined, 100)).at(-1)?.id
  const path = `/files/${id}/correct`
  const toSeen = (
    address: string,
    { statusCode, body, headers }: Awaited<ReturnType<typeof console.get>>,
  ) => ({
    address,
    status: statusCode,
    body,
    to: typeof headers.location === 'string' ? headers.location : '',
    text: toText(body),
    form: readFields(body),
  })
  return {
    console,
    look: async (address = path, role: Role = 'operator') =>
      toSeen(address, await console.get(address, role)),
    press: async (button: string, form: Record<string, string>, role: Role = 'operator') =>
      toSeen(path, await console.post(path, { ...form, do: button }, { role })),
  }
}
