/** What commands that only look say above what an older journal holds. */
export function olderInWords(why: string | undefined): string[] {
  return why === undefined
    ? []
    : [
        `This journal is older than what was done with it: ${why}. Nothing is sent. See dropbridge explain journal-older.`,
        '',
      ]
}
