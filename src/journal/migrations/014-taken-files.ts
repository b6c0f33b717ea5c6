/** Where files are taken without being moved, each listing asks of every name whether it was taken before. */

export const takenFiles = {
  id: 14,
  name: 'taken-files',
  statements: [`create index files_by_name on files (route, name)`],
}
