/** Routes with several steps on the same file. */

export const steps = {
  id: 5,
  name: 'steps',
  statements: [
    // Which step of its route it is from, from 1; null where the route has one.
    `alter table records add column step integer`,
    // 1 while later steps go on although it failed, because a person released them.
    `alter table records add column forgiven integer not null default 0`,
    // The records of one order in one file; routes with one step pay nothing for it.
    `create index records_of_order on records (file_id, lane, number) where step is not null`,
  ],
}
