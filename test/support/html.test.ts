import { expect, test } from 'vitest'
import { href, html, type Html, joinHtml, renderInlineCode } from '../../src/support/html.ts'
import { escapeControlChars } from '../../src/support/text.ts'

test('foreign text is escaped, and a name does not read backwards', () => {
  const name = 'rtl\u202Evsc."<b>&\'\n\u2066x'

  const escaped = 'rtl\\u202evsc.&quot;&lt;b&gt;&amp;&#39;\n\\u2066x'
  const cell = html`<i>${1}</i>`
  expect(html`<b>${name}</b>${cell}${undefined}`.html).toBe(`<b>${escaped}</b><i>1</i>`)
  expect(renderInlineCode('see `a\u202Eb`').html).toBe('see <code>a\\u202eb</code>')
})

test('for a terminal all invisible characters are written out', () => {
  expect(escapeControlChars('p\u001b[2J1\u202E.csv\r\n')).toBe('p\\u001b[2J1\\u202e.csv\\u000d\\u000a')
})

test('only what a template made passes as HTML, not data that looks like it', () => {
  const foreign = JSON.parse('{"html":"<script>alert(1)</script>"}') as Html
  expect(() => html`<b>${foreign}</b>`).toThrow(TypeError)
  expect(() => html`<b>${[foreign]}</b>`).toThrow(TypeError)
  expect(() => joinHtml([foreign], ', ')).toThrow(TypeError)
  expect(() => html`<b>${Object.create(html``) as Html}</b>`).toThrow(TypeError)
})

test('a link stays on the own server, and its values stay in their places', () => {
  expect(href('/')).toBe('/')
  expect(href('/files/:id', { id: 'a/../b?c#d', after: 'x&y', none: undefined })).toBe(
    '/files/a%2F..%2Fb%3Fc%23d?after=x%26y',
  )
  expect(href('/files/:id', { id: 'half \uD800' })).toBe('/files/half%20%EF%BF%BD')
  for (const path of [
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    'files',
    '',
    '/a"b',
    '/a b',
  ])
    expect(() => href(path), path).toThrow(TypeError)
  for (const id of ['.', '..', '', undefined])
    expect(() => href('/files/:id', { id }), String(id)).toThrow(TypeError)
})
