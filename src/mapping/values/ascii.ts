/** Letters with their marks taken off, for files that hold plain ASCII only. */

/** What Unicode does not take apart by itself. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  '‐': '-',
  '‑': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '×': 'x',
  '€': 'EUR',
}

/** The character in ASCII: `é` is `e`, `ß` is `ss`; undefined where nobody would read the same. */
export function asciiOf(character: string): string | undefined {
  const spelled = SPELLED[character]
  if (spelled !== undefined) return spelled
  const bare = character.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('\u2044', '/')
  return /^[ -~]+$/.test(bare) ? bare : undefined
}
