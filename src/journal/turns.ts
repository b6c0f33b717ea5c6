/** Long work at the database leaves others their turn: its answers come at once, so that nothing else would ever run. */

/** Signals, timers and sockets come first; then it goes on. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
