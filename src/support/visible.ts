/** Text from outside for people: what would not be seen, or would move the cursor of a terminal, is written out. */

/** Control characters, line ends, and what turns the direction of writing. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** `p<ESC>1.csv` becomes `p\u001b1.csv`. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, writtenOut)
}

/** What turns the direction of writing alone: where lines may end, a name must still not read backwards. */
export function unturned(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, writtenOut)
}

/** For lists that people read line by line: a name with a line break in it must not look like a line of its own. */
export function onOneLine(text: string): string {
  return unturned(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}

function writtenOut(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
