/** Where the reader stands in the text: what is at hand, on which physical line it begins, and whether more comes. */
import { PIECE } from './limits.ts'
import type { Newline } from './newline.ts'
import type { TextSource } from './source.ts'

export interface Feed {
  /** The text from where the reader stands. Once the feed has ended it is empty or ends with a line break. */
  readonly text: string
  /** The physical line the text begins on, from 1. */
  readonly line: number
  readonly ended: boolean
  /** Whether undecodable bytes have been met anywhere so far. */
  readonly damaged: boolean
  /** Moves on by that many characters, to that line. */
  advance(characters: number, line: number): void
  /** Adds about one piece of text to what is at hand, or ends. */
  more(): Promise<void>
  close(): Promise<void>
}

export function openFeed(source: TextSource, first: FirstText, newline: Newline): Feed {
  const feed = {
    text: first.text,
    line: 1,
    ended: false,
    damaged: first.damaged,
    advance(characters: number, line: number) {
      feed.text = feed.text.slice(characters)
      feed.line = line
    },
    async more() {
      const enough = feed.text.length + PIECE / 2
      while (!feed.ended && feed.text.length < enough) {
        const decoded = await source.next()
        if (decoded === undefined) end()
        else add(decoded)
      }
    },
    close: () => source.close(),
  }
  function add({ text, damaged }: FirstText) {
    feed.text += text
    feed.damaged ||= damaged
  }
  function end() {
    feed.ended = true
    if (feed.text.endsWith(DOS_END)) feed.text = feed.text.slice(0, -1)
    if (feed.text !== '' && !feed.text.endsWith(newline)) feed.text += newline
  }
  return feed
}

interface FirstText {
  readonly text: string
  readonly damaged: boolean
}

/** Ctrl-Z, with which old DOS programs mark the end of a text file. */
const DOS_END = '\u001A'

/** Drops that many physical lines from the top of the file. */
export async function skipLines(feed: Feed, newline: Newline, count: number): Promise<void> {
  while (feed.line <= count && !(feed.ended && feed.text === '')) await skipRestOfLine(feed, newline)
}

/** Sees to it that so many characters are at hand, where the file has them. */
export async function atLeast(feed: Feed, characters: number): Promise<void> {
  while (!feed.ended && feed.text.length < characters) await feed.more()
}

/** Drops what is left of the line the feed stands on, without holding it. */
export async function skipRestOfLine(feed: Feed, newline: Newline): Promise<void> {
  for (;;) {
    const stop = feed.text.indexOf(newline)
    if (stop !== -1) return feed.advance(stop + 1, feed.line + 1)
    feed.advance(feed.text.length, feed.line)
    if (feed.ended) return
    await feed.more()
  }
}
