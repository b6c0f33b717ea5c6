/** All EDI samples, as `npm run samples` writes them to `samples/edi/`. */
import { edifactSamples } from './edifact.ts'
import { x12Samples } from './x12.ts'

export function ediSamples(): Readonly<Record<string, Buffer>> {
  return { ...x12Samples(), ...edifactSamples() }
}
