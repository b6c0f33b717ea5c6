/** The tests of `npm run test:shifted`: those that read the clock, or all of them with `DROPBRIDGE_SHIFTED=all`. */
import { defineConfig, mergeConfig } from 'vitest/config'
import { clockReaders } from './shifted/selection.ts'
import usual from './vitest.config.ts'

const isWhole = process.env['DROPBRIDGE_SHIFTED'] === 'all'

export default mergeConfig(
  usual,
  defineConfig({
    test: {
      setupFiles: ['test/shifted/leave-out.ts'],
      ...(isWhole ? {} : { include: clockReaders() }),
    },
  }),
)
