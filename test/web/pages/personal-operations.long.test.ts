/** Viewers see no mark of any personal field of any operation, in whatever form they ask; operators see each. */
import { expect, test } from 'vitest'
import type { Role } from '../../../src/web/permissions.ts'
import { aMarkedInterchange, aMarkedWorld, MARK } from '../../fixtures/marked.ts'
import type { World } from '../../fixtures/world.ts'
import { listEveryAddress } from '../addresses.ts'
import { aConsole } from '../harness.ts'

async function pauseFirst(world: World): Promise<void> {
  const route = world.configuration.routes[0]?.name ?? ''
  const bridge = await world.open()
  await bridge.pause({ route, by: 'nadia', why: 'stock', until: world.clock.now() + 60_000 })
  await bridge.close()
}

/** Every answer to a role, with where it is from. */
async function readAll(console: Awaited<ReturnType<typeof aConsole>>, routes: readonly string[], role: Role) {
  const { journal } = await console.opened.getContext()
  const answers: { readonly where: string; readonly status: number; readonly text: string }[] = []
  const note = (where: string, { body, headers, statusCode }: Awaited<ReturnType<typeof console.get>>) =>
    answers.push({ where, status: statusCode, text: body + JSON.stringify(headers) })
  const csrf = await console.csrfOf(role)
  for (const address of await listEveryAddress(console.server, journal, routes)) {
    note(address, await console.get(address, role))
    note(`${address} as JSON`, await console.get(address, role, { accept: 'application/json' }))
    note(`POST ${address}`, await console.post(address, { csrf, why: 'x' }, { role }))
    if (/^\/(?:files\/[^/]+|reports)$/.test(address))
      for (const query of ['format=csv', 'state=rejected', 'state=held'])
        note(`${address}?${query}`, await console.get(`${address}?${query}`, role))
  }
  note('/none', await console.get('/none', role))
  return answers
}

const listMarks = (text: string) => text.match(MARK) ?? []

test.each([
  ['orders, shipments, invoices, returns and credits', aMarkedWorld],
  ['X12 orders', aMarkedInterchange],
])(
  'no mark in %s is in any answer to a viewer, and an operator sees each',
  async (_, make) => {
    const marked = await make()
    await pauseFirst(marked.world)
    const { configuration, clock } = marked.world
    const console = await aConsole({ configuration, clock })
    const viewed = await readAll(console, marked.routes, 'viewer')
    expect(viewed.flatMap(({ where, text }) => listMarks(text).map((mark) => `${mark} at ${where}`))).toEqual(
      [],
    )
    expect(viewed.filter(({ status }) => status >= 500)).toEqual([])
    const pages = await readAll(console, marked.routes, 'operator')
    const isDownload = ({ where }: { readonly where: string }) => /\/(source|rejects|download)\b/.test(where)
    const seen = new Set(pages.filter((each) => !isDownload(each)).flatMap(({ text }) => listMarks(text)))
    expect(marked.marks.filter((mark) => !seen.has(mark))).toEqual([])
  },
  120_000,
)
