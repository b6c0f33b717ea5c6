/** A channel of notices is told of findings that come after it joined: by their order, because a clock may be wrong. */

export const joinedTurn = {
  id: 18,
  name: 'joined-turn',
  statements: [
    `alter table notice_channels add column joined_turn integer not null default 0`,
    // Of those from before it was known by the time which ones they were told.
    `update notice_channels set joined_turn = coalesce((
  select max(raised_turn) from concerns where raised_at < notice_channels.joined_at), 0)`,
    `update notice_channels set told_turn = joined_turn where told_turn < joined_turn`,
  ],
}
