import { expect, test } from 'vitest'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import { html } from '../../src/support/html.ts'
import { aRequest } from '../fixtures/console.ts'
import { definePage } from '../../src/web/page.ts'
import { PAGES } from '../../src/web/pages.ts'
import { createRights, type Permission, type Role, ROLES } from '../../src/web/permissions.ts'

test('a page draws what it loads', async () => {
  const page = definePage({
    path: '/greeting/:name',
    permission: 'read',
    load: (_: ConsoleContext, { params }) => Promise.resolve({ name: params['name'] ?? '' }),
    draw: ({ name }) => ({ title: 'Greeting', main: html`<p>${name}</p>` }),
  })
  const request = aRequest({ params: { name: '<Erik>' }, role: 'viewer' }, 0)
  const data = await page.load({} as ConsoleContext, request)
  expect(page.draw(data!, request).main.html).toBe('<p>&lt;Erik&gt;</p>')
})

test('every page has a path of its own', () => {
  const paths = PAGES.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
})

const { isAllowed } = createRights()

test('a role may do what the roles below it may do', () => {
  const allowed = (permission: Permission): (Role | 'nobody')[] => [
    ...(isAllowed(undefined, permission) ? (['nobody'] as const) : []),
    ...ROLES.filter((role) => isAllowed({ role }, permission)),
  ]
  expect(allowed('everybody')).toEqual(['nobody', 'viewer', 'operator', 'admin'])
  expect(allowed('read')).toEqual(['viewer', 'operator', 'admin'])
  expect(allowed('operate')).toEqual(['operator', 'admin'])
  expect(allowed('administer')).toEqual(['admin'])
})
