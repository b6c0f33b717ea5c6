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
  const folders = await checkFolders(configuration)
  warnings.push(...folders.warnings)
  failures.push(...folders.failures)
  return { routes, warnings, failures: [...new Set(failures)] }
}
