/** Writes the larger samples: `npm run samples`. */
import { writeFileSync } from 'node:fs'
import { largeSamples } from './large.ts'

const samples = new URL('../../samples/', import.meta.url)
for (const [name, text] of Object.entries(largeSamples().files)) writeFileSync(new URL(name, samples), text)
