/** Error for an unmet expectation. */
class Broken extends Error {}

export function demand(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Broken(`Not so: ${what}.`)
}
