import { expect, test } from 'vitest'
import { html, renderInlineCode } from '../../src/support/html.ts'
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
