/** Names of files that are taken, and what is tried instead. */

/** `orders.csv`; at turn 2 `orders~2.csv`, and so on. */
export function numberedName(name: string, turn: number): string {
  if (turn === 1) return name
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? `${name}~${turn}` : `${name.slice(0, dot)}~${turn}${name.slice(dot)}`
}
