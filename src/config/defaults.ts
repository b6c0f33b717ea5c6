/** Defaults that the schema, the checks of a perhaps broken configuration, and the routes share. */

export const DEFAULT_MATCH = '*.csv'

/** Of an inbox of interchanges. */
export const DEFAULT_INTERCHANGE_MATCH = '*'

export const DEFAULT_RECEIPT = '{name}.ok'

export const DEFAULT_FOLDERS = { results: 'results', documents: 'documents' }

export function getDefaultArchive(route: string): string {
  return `archive/${route}`
}
