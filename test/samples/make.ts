/** Writes the larger samples, the EDI samples, and the API records for the samples of exports: `npm run samples`. */
import { writeFileSync } from 'node:fs'
import { ediSamples } from './edi/files.ts'
import { largeSamples } from './large.ts'
import { receiptSamples } from './receipts.ts'

const samples = new URL('../../samples/', import.meta.url)
const exported = Object.entries(await receiptSamples()).map(([name, text]) => [`exports/${name}`, text] as const)
for (const [name, text] of [...Object.entries(largeSamples().files), ...exported]) {
  writeFileSync(new URL(name, samples), text)
}
for (const [name, bytes] of Object.entries(ediSamples())) writeFileSync(new URL(`edi/${name}`, samples), bytes)
