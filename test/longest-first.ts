/** The order of the files of tests: those that take long begin first, so that none of them ends alone on one processor. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take long, the longest first. Vitest knows how long files took only where it ran before. */
export const LONG_FILES: readonly string[] = [
  'test/cli/prove.long.test.ts',
  'test/journeys/sftp.long.test.ts',
  'test/prove/exports.long.test.ts',
  'test/web/browser/pages.browser.long.test.ts',
  'test/web/browser/keyboard.browser.long.test.ts',
  'test/web/browser/hostile.browser.long.test.ts',
  'test/app/edi/two-bridges.long.test.ts',
  'test/app/edi/mixed-crashes.long.test.ts',
  'test/app/edi/inbox-crashes.long.test.ts',
  'test/web/correct-killed.long.test.ts',
  'test/journeys/twins.long.test.ts',
  'test/web/browser/correct.browser.long.test.ts',
  'test/journeys/full-disk.long.test.ts',
  'test/journeys/paused.long.test.ts',
  'test/journeys/crash.long.test.ts',
  'test/web/browser/live.browser.long.test.ts',
  'test/journeys/power-loss.long.test.ts',
  'test/journeys/unavailable-storage.long.test.ts',
  'test/journeys/watch.long.test.ts',
  'test/journeys/threads.long.test.ts',
  'test/journeys/several-files.long.test.ts',
  'test/journeys/year.long.test.ts',
  'test/web/browser/journeys.browser.long.test.ts',
  'test/journeys/confirmations.long.test.ts',
  'test/pipeline/blocks.long.test.ts',
  'test/formats/edi/size-bombs.long.test.ts',
  'test/pipeline/control-numbers.long.test.ts',
  'test/cli/demo.long.test.ts',
  'test/web/pages/today-histories.long.test.ts',
  'test/journeys/stop.long.test.ts',
  'test/pipeline/documents.long.test.ts',
  'test/web/browser/reflow.browser.long.test.ts',
  'test/cli/demo-console.long.test.ts',
  'test/journeys/faults.long.test.ts',
  'test/app/edi/once-more-crashes.long.test.ts',
  'test/journeys/sidecars.long.test.ts',
  'test/web/million.long.test.ts',
  'test/web/browser/release.browser.long.test.ts',
  'test/web/browser/resolve.browser.long.test.ts',
  'test/pipeline/held-records.long.test.ts',
  'test/power-loss/model.long.test.ts',
  'test/web/browser/clocks.browser.long.test.ts',
  'test/service/any-input.long.test.ts',
  'test/cli/run.test.ts',
  'test/app/watch/watch.test.ts',
  'test/cli/prove.test.ts',
  'test/pipeline/received-answers.test.ts',
  'test/conformance/conformance.test.ts',
  'test/cli/reload.test.ts',
  'test/web/pages/correct-routes.test.ts',
  'test/pipeline/steps.test.ts',
  'test/pipeline/reconcile.test.ts',
  'test/web/pages/reports.test.ts',
  'test/mailboxes/sftp/suite.test.ts',
  'test/journal/chain.test.ts',
  'test/pipeline/delivered-once.test.ts',
  'test/service/closing.test.ts',
  'test/pipeline/business.test.ts',
  'test/app/edi/api-down.test.ts',
  'test/web/security.test.ts',
  'test/cli/retake.test.ts',
  'test/web/rights.test.ts',
  'test/cli/trace.test.ts',
  'test/mailboxes/sftp/misbehaving.test.ts',
  'test/web/pages/expected-clocks.test.ts',
  'test/app/edi/once-more.test.ts',
  'test/app/edi/watching-inboxes.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONG_FILES.indexOf(relative(root, moduleId).replaceAll('\\', '/'))
      return rank === -1 ? LONG_FILES.length : rank
    }
    const usual = await super.sort(files)
    return usual.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
