/** Text in one case, as searches compare it: in SQL the function `fold`. */
export function folded(text: string): string {
  return text.toLowerCase()
}
