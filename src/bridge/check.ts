/** Checking a configuration against its mappings and their examples. */
import type { Configuration } from '../config/configuration.ts'
import { createFormats } from '../formats/formats.ts'
import { checkFolders } from './check-folders.ts'
import { failingExamples } from './examples.ts'
import { loadMappings, stepsOf } from './mappings.ts'

export interface CheckResult {
  readonly routes: readonly { readonly route: string; readonly mapping: string; readonly examples: number }[]
  readonly warnings: readonly string[]
  /** Everything that would go wrong, one line each. */
  readonly failures: readonly string[]
}

/** Throws `mapping-invalid` when a mapping does not compile; all else is in the result. Nothing is sent or changed. */
export async function checkConfiguration(configuration: Configuration): Promise<CheckResult> {
  const mappings = await loadMappings(configuration)
  const format = createFormats()
  const failures: string[] = []
  const warnings: string[] = []
  const routes: { route: string; mapping: string; examples: number }[] = []
  for (const { key, name, mappingPath } of configuration.routes.flatMap(stepsOf)) {
    const mapping = mappings.get(key)
    if (!mapping) continue
    routes.push({ route: name, mapping: mappingPath, examples: mapping.examples.length })
    failures.push(...(await failingExamples(mapping, mappingPath, format)))
    warnings.push(...mapping.warnings.map((warning) => `${mappingPath}: ${warning}`))
  }
  warnings.push(...lateAnswerWarnings(configuration))
  const folders = await checkFolders(configuration)
  warnings.push(...folders.warnings)
  failures.push(...folders.failures)
  return { routes, warnings, failures: [...new Set(failures)] }
}

/** The system goes on sending for an ended process or a closed connection for some 100 seconds; Linux, measured. */
const SENDING_GOES_ON_MS = 120_000

/** The timeout of the gateways is not known; they are hardly more patient than what is configured here. */
function lateAnswerWarnings({ api: { lateAnswerMs, timeoutMs } }: Configuration): string[] {
  const least = SENDING_GOES_ON_MS + timeoutMs
  if (lateAnswerMs >= least) return []
  const message = `api.lateAnswer is ${lateAnswerMs / 1000}s: a request whose answer was lost may take effect later than that, and would be sent again.`
  return [`${message} Set it to ${least / 1000}s or more: two minutes and the longest timeout of a gateway.`]
}
