/** Deliveries of which nothing is acknowledged are done once they are in place. */

export const reports = {
  id: 6,
  name: 'reports',
  statements: [
    `drop index deliveries_unfinished`,
    `create index deliveries_unfinished on deliveries (route, sequence) where state not in ('acknowledged', 'done')`,
  ],
}
