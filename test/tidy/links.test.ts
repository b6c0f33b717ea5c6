/** Links of pages lead to existing pages, and files that pages name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DELIVERY_STATES } from '../../src/domain/delivery.ts'
import { FILE_STATES } from '../../src/domain/file.ts'
import { OUTCOMES } from '../../src/domain/record.ts'
import { SCHEDULED_RUN_STATES } from '../../src/domain/scheduled-run.ts'

const repository = new URL('../..', import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(repository, path), 'utf8')

const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
const pages = ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
const concepts = pages.filter((page) => page.startsWith('docs/concepts/'))

/** The anchors that GitHub makes of headings. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page).replaceAll(/^```[^]*?^```/gm, '')
  return [...headings.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('every link of %s leads to a page, and to a heading of it', (page) => {
  const text = textOf(page).replaceAll(/^```[^]*?^```/gm, '')
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#')
      const there = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(repository, there))) return true
      return anchor !== undefined && !anchorsOf(there).includes(anchor)
    })

  expect(broken).toEqual([])
})

test.each(['docs/architecture.md', ...concepts])('every file that %s names is there', (page) => {
  const named = [...textOf(page).matchAll(/`((?:[\w.-]+\/)+(?:[\w.-]+\.(?:ts|mjs|c|cjs))?)`/g)]
  const missing = named
    .map(([, path = '']) => path)
    .filter((path) => !['', 'src', 'src/service'].some((root) => existsSync(join(repository, root, path))))

  expect(missing).toEqual([])
})

test.each(concepts)('%s shows its states, and what happens when the process dies in them', (page) => {
  const text = textOf(page)
  if (page.endsWith('/decisions.md')) return
  expect(text).toContain('```mermaid\nstateDiagram-v2\n')
  expect(text).toMatch(/process dies/)
})

test.each([
  ['life-of-a-file', FILE_STATES],
  ['life-of-a-record', OUTCOMES],
  ['life-of-a-delivery', DELIVERY_STATES],
  ['schedule', SCHEDULED_RUN_STATES],
])('the page %s has every state of the code', (name, states) => {
  const text = textOf(`docs/concepts/${name}.md`)
  expect(Object.keys(states).filter((state) => !text.includes(state))).toEqual([])
})

test('the layout of docs/architecture.md has every folder of the source', () => {
  const [, layout = ''] = /```\nsrc\/\n([^]*?)```/.exec(textOf('docs/architecture.md')) ?? []
  const missing = readdirSync(join(repository, 'src')).filter((folder) => !layout.includes(`  ${folder}/ `))

  expect(missing).toEqual([])
})
