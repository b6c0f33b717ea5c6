/** The typeface of all documents, read from its package once and handed to whoever draws or measures. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export type Weight = 'regular' | 'bold'

/** The font files by weight. */
export type Fonts = Readonly<Record<Weight, Buffer>>

/**
 * DejaVu Sans, because the fonts that every PDF reader has cannot show "Łódź" or "Ζωή". It covers Latin, Greek, Cyrillic,
 * Armenian and Georgian, and Arabic and Hebrew letters, though words of a right-to-left line stand left to right. It
 * does not hold Chinese, Japanese, Korean, the scripts of India, nor most emoji: each such character shows as a box.
 */
export function readFonts(): Fonts {
  const require = createRequire(import.meta.url)
  return {
    regular: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  }
}
