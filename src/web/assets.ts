/** The style sheet, the script and the icon of the pages, each under a name with the hash of its contents; and how answers are compressed. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
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

const COMPRESSORS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const

type Encoding = keyof typeof COMPRESSORS

/** What is shorter fits into one packet. */
const COMPRESSED_FROM = 1_400

/** Compresses whole answers for browsers that take it: `br` over https and on this machine, else `gzip`. Assets are compressed once. */
export function compressAnswers(app: FastifyInstance): void {
  const kept = new WeakMap<Buffer, Map<Encoding, Buffer>>()
  app.addHook('onSend', async (request, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isWhole || payload.length < COMPRESSED_FROM) return payload
    void reply.header('vary', 'accept-encoding')
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding === undefined) return payload
    const known = Buffer.isBuffer(payload) ? kept.get(payload)?.get(encoding) : undefined
    const bytes = known ?? (await COMPRESSORS[encoding](Buffer.from(payload)))
    if (Buffer.isBuffer(payload))
      kept.set(payload, new Map([...(kept.get(payload) ?? []), [encoding, bytes]]))
    void reply.header('content-encoding', encoding).removeHeader('content-length')
    return bytes
  })
}

/** A weight of 0 refuses an encoding. */
function chooseEncoding(accepted: string | string[] = ''): Encoding | undefined {
  const names = String(accepted)
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase())
  return (Object.keys(COMPRESSORS) as Encoding[]).find((each) => names.includes(each))
}
