/**
 * Waits for a wish to end: Ctrl-C, SIGTERM or a closed terminal. The second wish is not waited for: the process exits,
 * and its exit handlers and the guard end the children the hard way.
 */
export function signalled(): { received: Promise<NodeJS.Signals> } {
  let count = 0
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        count += 1
        // npm passes a Ctrl-C on that the terminal has already sent to us: the pair counts once.
        if (count > 2) process.exit(130)
        resolve(signal)
      })
    }
  })
  return { received }
}
