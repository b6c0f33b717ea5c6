/** What a date format is made of: each token, what it stands for, and how a moment looks in it. */

/** Every token, written for six seconds past 9:05 in the evening of July 4th, 2026, in New York. */
export const DATE_TOKENS = {
  yyyy: { summary: 'year', example: '2026' },
  yy: { summary: 'year from 2000 to 2099', example: '26' },
  MMMM: { summary: 'month in words', example: 'July' },
  MMM: { summary: 'month, shortened', example: 'Jul' },
  DDD: { summary: 'day of the year', example: '185' },
  MM: { summary: 'month', example: '07' },
  M: { summary: 'month', example: '7' },
  dd: { summary: 'day', example: '04' },
  d: { summary: 'day', example: '4' },
  HH: { summary: 'hour', example: '21' },
  H: { summary: 'hour', example: '21' },
  hh: { summary: 'hour of twelve', example: '09' },
  h: { summary: 'hour of twelve', example: '9' },
  mm: { summary: 'minute', example: '05' },
  m: { summary: 'minute', example: '5' },
  ss: { summary: 'second', example: '06' },
  s: { summary: 'second', example: '6' },
  a: { summary: 'half of the day', example: 'PM' },
  ZZZ: { summary: 'offset from UTC, or `Z`', example: '-0400' },
  ZZ: { summary: 'offset from UTC, or `Z`', example: '-04:00' },
  X: { summary: 'seconds since 1970', example: '1783213506' },
  x: { summary: 'milliseconds since 1970', example: '1783213506000' },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly example: string }>>
