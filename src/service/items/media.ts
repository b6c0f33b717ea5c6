/** Images of items. Spec: `media` is the md5 hash of the file, `priority` its place, `url` its address. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Media } from '../../contract/variant.ts'
import { groupRows } from '../grouping.ts'
import { idsIn, type Store } from '../store/store.ts'

export type MediaOf = (variantId: number) => z.infer<typeof Media>[]

/** The images of any number of items, read at once. */
export function createMediaReader({ build, prepare }: Store): (variantIds: Iterable<number>) => MediaOf {
  const images = prepare((p: { ids: string }) =>
    build
      .selectFrom('variant_attributes')
      .select(['variant_id', 'code', 'value'])
      .where('variant_id', 'in', idsIn(p.ids))
      .where('retailer_id', '=', 0)
      .where(sql<boolean>`code between 'image_' and 'image_~'`)
      .orderBy('code'),
  )
  return (variantIds) => {
    const rows = images.all({ ids: JSON.stringify([...new Set(variantIds)]) })
    const byVariant = groupRows(rows, (row) => row.variant_id)
    return (id) => (byVariant.get(id) ?? []).map(({ code, value }) => toMedia(code, value))
  }
}

/** The service keeps addresses and no files, so the hash is that of the address. */
function toMedia(code: string, url: string) {
  return { media: hash('md5', url), priority: Number(code.slice('image_'.length)), url }
}
