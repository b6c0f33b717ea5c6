/** The style of the page, and the content security policy that allows nothing else. */
import { hash } from 'node:crypto'
import type { Html } from '../../support/html.ts'

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8) }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0 }
nav b { display: block }
main { padding: 1rem 2rem 4rem; max-width: 80rem }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem }
h2 { margin-top: 3rem; font-size: 1.6rem }
h3 { margin-bottom: .25rem }
h4 { margin: 1rem 0 .25rem }
table { border-collapse: collapse; width: 100%; font-size: 13px; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
th { white-space: nowrap }
code, pre { font: 12px/1.5 ui-monospace, monospace }
code { overflow-wrap: anywhere }
td:first-child code { overflow-wrap: normal }
pre { background: var(--soft); padding: .75rem; margin: 0; overflow-x: auto }
figure { margin: .75rem 0 }
figcaption { font-size: 13px }
.line code { font-size: 14px }
.line b { font-size: 12px; padding: .1rem .4rem; border-radius: .2rem; color: #fff; background: #5f6368 }
.line .get { background: #1a6b3c }
.line .post { background: #0b57d0 }
.line .put, .line .patch { background: #8a4b00 }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto } }
`

/** The whole element: with one more blank the style would not match the hash in the policy. */
export const STYLE_ELEMENT: Html = { html: `<style>${STYLE}</style>` }

/** No script, no frame, no form, nothing from elsewhere: this style and no more. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
