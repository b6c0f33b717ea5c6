/** The tests of `npm run test:shifted`: those that read the clock, or all of them with `DROPBRIDGE_SHIFTED=all`. */
import { defineConfig } from 'vitest/config'
import { clockReaders } from './shifted/selection.ts'
import usual from './vitest.config.ts'

const isWhole = process.env['DROPBRIDGE_SHIFTED'] === 'all'

export default defineConfig({
  test: {
    ...usual.test,
    setupFiles: ['test/shifted/leave-out.ts'],
    ...(isWhole ? {} : { include: clockReaders() }),
  },
})
