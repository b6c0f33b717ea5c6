/** Serves the style sheet and the script of the pages from memory, each under a name with the hash of its contents. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolvePackagePath } from '../support/process.ts'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

const FILES = [
  { name: 'console', end: 'css' },
  { name: 'enhance', end: 'js' },
] as const

export interface Asset {
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

export interface Assets {
  readonly style: string
  readonly script: string
  readonly byPath: ReadonlyMap<string, Asset>
}

/** Reads them once; the package has them beside its sources. */
export function loadAssets(): Assets {
  const [style, script] = FILES.map(({ name, end }): Asset => {
    const bytes = readFileSync(resolvePackagePath(`src/web/assets/${name}.${end}`))
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    return { path: `/assets/${name}-${hash}.${end}`, type: TYPES[end], bytes }
  }) as [Asset, Asset]
  return {
    style: style.path,
    script: script.path,
    byPath: new Map([style, script].map((asset) => [asset.path, asset])),
  }
}
