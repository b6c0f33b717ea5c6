/** Serves the style sheet, the script and the icon of the pages from memory, each under a name with the hash of its contents. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolvePackagePath } from '../support/process.ts'

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

const FILES = [
  { name: 'console', end: 'css' },
  { name: 'enhance', end: 'js' },
  { name: 'icon', end: 'svg' },
] as const

export interface Asset {
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Assets {
  readonly style: string
  readonly script: string
  readonly icon: string
  readonly byPath: ReadonlyMap<string, Asset>
}

/** Reads them once; the package has them beside its sources. */
export function loadAssets(): Assets {
  const [style, script, icon] = FILES.map(({ name, end }): Asset => {
    const bytes = readFileSync(resolvePackagePath(`src/web/assets/${name}.${end}`))
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    return { path: `/assets/${name}-${hash}.${end}`, type: TYPES[end], bytes }
  }) as [Asset, Asset, Asset]
  return {
    style: style.path,
    script: script.path,
    icon: icon.path,
    byPath: new Map([style, script, icon].map((asset) => [asset.path, asset])),
  }
}
