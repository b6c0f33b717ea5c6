/** Which file has the last word on what several files change. */

export const superseded = {
  id: 7,
  name: 'superseded',
  statements: [
    // What the record changes and which values of it; null for what may not be repeated, which pays nothing for it.
    `alter table bodies add column target text`,
    `alter table bodies add column changes text`,
    // The number of its file, so that only later ones are looked through.
    `alter table bodies add column file_number integer`,
    `create index bodies_by_target on bodies (target, file_number) where target is not null`,
  ],
}
