/** Checking a configuration against its mappings and their examples. */
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import { createFormats } from '../formats/formats.ts'
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
  for (const [name, mailbox] of Object.entries(configuration.mailboxes)) {
    if (mailbox.type !== 'directory') continue // whether a server is there is asked with `--online`
    const { path } = mailbox
    await access(path).catch(() => failures.push(`mailbox ${name}: the folder ${path} is not there`))
  }
  const { statusPage } = configuration
  if (statusPage !== undefined) {
    const folder = dirname(statusPage)
    await access(folder).catch(() => failures.push(`status page: the folder ${folder} is not there`))
  }
  return { routes, warnings, failures: [...new Set(failures)] }
}
